package fenchel_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/processor"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// layers is a spec of a network of these hidden layers.
func layers(hidden ...int) fenchel.Spec {
	return fenchel.Spec{Network: fenchel.Network{Hidden: hidden}}
}

func readNetwork(t *testing.T, source string) *data.Set {
	t.Helper()
	set, err := fenchel.Read(t.Context(), []string{source}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestNetworkLearns tells spirals apart that no linear model does, by each activation and method, and three of
// them by softmax.
func TestNetworkLearns(t *testing.T) {
	two, three := readNetwork(t, "@spirals:n=200,turns=0.8,noise=0"), readNetwork(t, "@spirals:n=200,classes=3,turns=0.5,noise=0")
	for _, c := range []struct {
		set                *data.Set
		activation, solver string
	}{{two, "relu", "adam:gamma=0.01"}, {two, "tanh", "adam:gamma=0.01"}, {three, "relu", "adam:gamma=0.01"}, {three, "relu", "sgd:gamma=0.1"}} {
		spec := layers(16, 16)
		spec.Activation, spec.Solver, spec.Epochs = c.activation, c.solver, 400
		r, err := fenchel.Train(t.Context(), c.set, spec)
		if err != nil {
			t.Fatal(err)
		}
		e, err := fenchel.Evaluate(t.Context(), r.Model, c.set, fenchel.Options{})
		if err != nil || *e.Accuracy < 1 {
			t.Errorf("%s, %s: found the accuracy %v and %v, expected 1", c.activation, c.solver, *e.Accuracy, err)
		}
		if !r.Summary.Unproved() || !r.ProvesNothing || r.Status != solver.EpochLimit {
			t.Errorf("%s, %s: found the end %s, %q, expected one without proof", c.activation, c.solver, r.Status, r.Ended)
		}
	}
}

// TestNetworkBits trains the same model on one thread and on several, another one by another seed, reads what it
// wrote, and verifies it: the objective and the gradient are those claimed, and nothing bounds them.
func TestNetworkBits(t *testing.T) {
	set := readNetwork(t, "@linear:n=500,d=6")
	var first []byte
	for _, c := range []struct {
		threads int
		seed    uint64
	}{{1, 1}, {2, 1}, {3, 2}} {
		spec := layers(8, 5)
		spec.Threads, spec.Seed, spec.Epochs = c.threads, c.seed, 6
		r, err := fenchel.Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := r.Model.Write(&file); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = file.Bytes()
		}
		if same := bytes.Equal(file.Bytes(), first); same != (c.seed == 1) {
			t.Errorf("%d threads, seed %d: the same bits: %t", c.threads, c.seed, same)
		}
	}
	m, err := model.Decode(first)
	if err != nil {
		t.Fatal(err)
	}
	v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{})
	if err != nil || len(v.Problems) > 0 || !strings.Contains(v.Unproved, "no certificate exists for a network") || math.Abs(*v.Gradient-float64(m.Network.Gradient)) > 1e-9 {
		t.Fatalf("found %+v, %v, expected what is claimed and no bound", v, err)
	}
	forged := *m
	forged.Network = new(*m.Network)
	for what, forge := range map[string]func(){
		"norm of the gradient":           func() { forged.Network.Gradient /= 2 },
		"number of rows held out":        func() { forged.Network.Held-- },
		"mean loss of the rows held out": func() { forged.Network.HeldLoss /= 2 },
		"objective":                      func() { forged.Network.Weights = slices.Clone(m.Network.Weights); forged.Network.Weights[3] += 0.1 },
	} {
		*forged.Network = *m.Network
		forge()
		v, err := fenchel.Verify(t.Context(), &forged, set, fenchel.Options{})
		if err != nil || !strings.Contains(strings.Join(v.Problems, "\n"), what) {
			t.Errorf("another %s: found %v, %v", what, v.Problems, err)
		}
	}
}

// TestNetworkPredicts without allocation, as many rows do, and with probabilities that add up to 1.
func TestNetworkPredicts(t *testing.T) {
	set := readNetwork(t, "@blobs:n=300,d=4,classes=3")
	spec := layers(7)
	spec.Epochs = 3
	r, err := fenchel.Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	m, x := r.Model, set.X.Row(5)
	scores, many := m.Scores(nil, x), make([]float64, 30)
	m.ScoreRows(many, set.X, 0, 10)
	if !slices.Equal(scores, many[15:18]) {
		t.Errorf("found the scores %v alone, %v among others", scores, many[15:18])
	}
	sum := 0.0
	for _, p := range m.Probabilities(nil, scores) {
		sum += p
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("found probabilities of the sum %g", sum)
	}
	if allocations := testing.AllocsPerRun(100, func() { m.Predict(x) }); allocations > 0.5 && !raced {
		t.Errorf("found %g allocations a prediction, expected none", allocations)
	}
}

// raced says that the race detector is at work.
var raced bool

// TestNetworkStops keeps the best epoch by rows that it does not learn from: of labels that are noise it learns
// little, while all rows would be learned by heart.
func TestNetworkStops(t *testing.T) {
	set := readNetwork(t, "@linear:n=200,d=10,noise=30")
	spec := layers(30)
	r, err := fenchel.Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if r.Model.Network.Held != 20 || !strings.Contains(r.Ended, "of 20 rows held out") {
		t.Fatalf("found %d rows held out, %d epochs, %q", r.Model.Network.Held, r.Epochs, r.Ended)
	}
	spec.Solver, spec.Epochs = "adam:held=0,gamma=0.01", 300
	all, err := fenchel.Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if stopped, whole := r.Summary.Primal, all.Summary.Primal; all.Model.Network.Held != 0 || !(whole < stopped/2) {
		t.Errorf("found the objectives %g with early stopping and %g without, expected far less", stopped, whole)
	}
}

// TestNetworkStart begins with an earlier network, and refuses others.
func TestNetworkStart(t *testing.T) {
	set := readNetwork(t, "@linear:n=300,d=4")
	spec := layers(6)
	spec.Epochs = 30
	r, err := fenchel.Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.From, spec.Epochs = r.Model, 1
	again, err := fenchel.Train(t.Context(), set, spec)
	if err != nil || !(again.Summary.Primal < 2*r.Summary.Primal) {
		t.Errorf("found %v and %v, expected to go on from %g", again, err, r.Summary.Primal)
	}
	spec.Hidden = []int{5}
	if _, err := fenchel.Train(t.Context(), set, spec); err == nil || !strings.Contains(err.Error(), "found a network of the hidden layers [6]") {
		t.Errorf("found %v, expected the other layers", err)
	}
	if _, err := fenchel.Train(t.Context(), set, fenchel.Spec{Run: fenchel.Run{From: r.Model}}); err == nil {
		t.Error("found no error for a linear model that begins with a network")
	}
}

func TestNetworkRefuses(t *testing.T) {
	numbers, blobs := readNetwork(t, "@linear:n=50"), readNetwork(t, "@blobs:n=60")
	for _, c := range []struct {
		set    *data.Set
		change func(*fenchel.Spec)
		want   string
	}{
		{numbers, func(s *fenchel.Spec) { s.Kernel = "rbf" }, "kernel=rbf with hidden layers"},
		{numbers, func(s *fenchel.Spec) { s.Penalty = "l1" }, "penalty=l1 with hidden layers: expected l2"},
		{numbers, func(s *fenchel.Spec) { s.Solver = "sdca" }, "sdca"},
		{numbers, func(s *fenchel.Spec) { s.Radius = 1 }, "radius=1 with hidden layers"},
		{numbers, func(s *fenchel.Spec) { s.Bias = "none" }, "bias=none with hidden layers"},
		{numbers, func(s *fenchel.Spec) { s.Gap = 1e-6 }, "gap=1e-06 with hidden layers"},
		{numbers, func(s *fenchel.Spec) { s.Loss = "absolute" }, "loss=absolute with hidden layers: expected a smooth one"},
		{numbers, func(s *fenchel.Spec) { s.Partitions = 2 }, "partitions=2 with hidden layers"},
		{numbers, func(s *fenchel.Spec) { s.Hidden = nil; s.Activation = "tanh" }, "activation=tanh without hidden layers"},
		{numbers, func(s *fenchel.Spec) { s.Activation = "gelu" }, `unknown activation "gelu"`},
		{numbers, func(s *fenchel.Spec) { s.Hidden, s.Activation = []int{}, "relu" }, "activation=relu without hidden layers"},
		{numbers, func(s *fenchel.Spec) { s.Hidden = []int{-1} }, "a layer of -1 units"},
		{blobs, func(s *fenchel.Spec) { s.Loss = "logistic" }, "loss=logistic of 3 classes with hidden layers: expected softmax"},
		{blobs, func(s *fenchel.Spec) { s.Loss = "hinge" }, "loss=hinge with hidden layers"},
		{blobs, func(s *fenchel.Spec) { s.Scheme = "one-against-one" }, "scheme=one-against-one with hidden layers"},
	} {
		spec := layers(4)
		c.change(&spec)
		if _, err := fenchel.Train(t.Context(), c.set, spec); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("found %v, expected %q", err, c.want)
		}
	}
}

// TestNetworkMNIST gets at least 97.5 % of the test images right within 240 seconds of the processor.
func TestNetworkMNIST(t *testing.T) {
	if !*fenchel.Long {
		t.Skip("takes half a minute: asked for by -long")
	}
	folder := "../shared/data/mnist/"
	read := func(part string) *data.Set {
		set, err := fenchel.Read(t.Context(), []string{folder + part + "-images-idx3-ubyte.gz"}, data.Options{Labels: folder + part + "-labels-idx1-ubyte.gz"})
		if err != nil {
			t.Skip(err)
		}
		return set
	}
	train, test := read("train"), read("t10k")
	begun := processor.Time()
	r, err := fenchel.Train(context.Background(), train, layers(100, 50))
	if err != nil {
		t.Fatal(err)
	}
	took := (processor.Time() - begun).Seconds()
	e, err := fenchel.Evaluate(t.Context(), r.Model, test, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("accuracy %.4f, %.0f processor seconds, %s", *e.Accuracy, took, r.Ended)
	if t.Log(text); *e.Accuracy < 0.975 || took > 240 {
		t.Error(text)
	}
}
