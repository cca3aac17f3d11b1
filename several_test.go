package fenchel_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/onnx"
)

// severalTargets is a table of four features and the targets a, b and c between them, of very different sizes, as text.
func severalTargets(rows int) string {
	r := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	text.WriteString("a,u,v,b,w,x,c\n")
	for range rows {
		u, v, w, x := r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&text, "%.12g,%.5g,%.5g,%.12g,%.5g,%.5g,%.12g\n", 20+u+2*v+r.NormFloat64()/2, u, v, 2000+100*(w-x)+30*r.NormFloat64(), w, x, 3+(u-w)/100+r.NormFloat64()/300)
	}
	return text.String()
}

func readTargets(t *testing.T, target string, ignore ...string) *data.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(severalTargets(60)), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := data.Read(t.Context(), []string{path}, data.Options{Target: target, Ignore: ignore})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestSeveralTargets: one run on three targets makes the predictors of three runs on one, with the lambda and the width that
// each has there, and a certificate each; files, verification and evaluation keep them apart.
func TestSeveralTargets(t *testing.T) {
	all := readTargets(t, "a,b,c")
	if got := fmt.Sprint(all.Target.Names, all.Feature, len(all.Target.Further)); got != "[a b c] [u v w x] 2" {
		t.Fatalf("found %s", got)
	}
	names := []string{"a", "b", "c"}
	for _, spec := range []fenchel.Spec{{}, {Loss: "huber"}, {Loss: "quantile:tau=0.8"}, {TargetLog: true}, {Penalty: "l1"}, {Radius: 2}, {Kernel: "rbf:gamma=0.1"}, {Kernel: "rbf:gamma=0.1", Map: "nystrom"}, {Loss: "epsilon-insensitive", Bias: "none"}} {
		spec.Gap = 1e-6
		together, err := fenchel.Train(t.Context(), all, spec)
		if err != nil {
			t.Fatal(err)
		}
		m := reread(t, together.Model)
		if v, err := fenchel.Verify(t.Context(), m, all, fenchel.Options{}); err != nil || !v.OK() {
			t.Errorf("%+v: %v %+v", spec, err, v)
		}
		e, err := fenchel.Evaluate(t.Context(), m, all, fenchel.Options{})
		if err != nil || len(e.Targets) != 3 {
			t.Fatalf("%v %+v", err, e)
		}
		sum := 0.0
		for c, name := range names {
			set := readTargets(t, name, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })...)
			one, err := fenchel.Train(t.Context(), set, spec)
			if err != nil {
				t.Fatal(err)
			}
			got, want := m.Statement.Of(c), one.Model.Statement
			if got.Lambda != want.Lambda || got.Loss != want.Loss || m.OutputName(c, "") != name {
				t.Errorf("%+v, %s: found %s with lambda %g, expected %s with %g", spec, name, got.Loss, got.Lambda, want.Loss, want.Lambda)
			}
			if a, b := m.Outputs[c].Certificate, one.Model.Outputs[0].Certificate; !(a.Primal >= b.Dual*(1-1e-12) && b.Primal >= a.Dual*(1-1e-12)) || a.Status != "converged" {
				t.Errorf("%+v, %s: found %+v, expected %+v", spec, name, a, b)
			}
			alone, err := fenchel.Evaluate(t.Context(), one.Model, set, fenchel.Options{})
			if err != nil || math.Abs(*alone.RMSE-*e.Targets[c].RMSE) > 2e-3**alone.RMSE || alone.Trivial.Prediction != e.Targets[c].Trivial.Prediction {
				t.Errorf("%+v, %s: %v, found RMSE %g, expected %g", spec, name, err, *e.Targets[c].RMSE, *alone.RMSE)
			}
			sum += *e.Targets[c].R2
			if got, want := m.Numbers(nil, all.X.Row(7))[c], one.Model.Predict(set.X.Row(7)); math.Abs(got-want) > 1e-2*math.Abs(want) {
				t.Errorf("%+v, %s: found the prediction %g, expected %g", spec, name, got, want)
			}
		}
		if math.Abs(*e.R2-sum/3) > 1e-12 {
			t.Errorf("%+v: found R2 %g, expected the mean %g", spec, *e.R2, sum/3)
		}
		if spec.Kernel == "" {
			var graph bytes.Buffer
			if err := onnx.Write(&graph, m, onnx.Options{}); err != nil {
				t.Error(err)
			}
		}
	}
}

// reread is a model as its file has it.
func reread(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestSeveralThreads: the bits of several targets do not depend on the cores.
func TestSeveralThreads(t *testing.T) {
	all := readTargets(t, "a,b,c")
	for _, spec := range []fenchel.Spec{{}, {Penalty: "nuclear", Lambda: 1}} {
		var files []string
		for _, threads := range []int{1, 3} {
			spec.Threads = threads
			r, err := fenchel.Train(t.Context(), all, spec)
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := r.Model.Write(&file); err != nil {
				t.Fatal(err)
			}
			files = append(files, file.String())
		}
		if files[0] != files[1] {
			t.Errorf("%+v: found other bytes on three threads", spec)
		}
	}
}

// TestSeveralRefused: what has no meaning for several targets is refused in a line, and a model whose targets are changed is
// found false.
func TestSeveralRefused(t *testing.T) {
	all := readTargets(t, "a,b,c")
	for _, c := range []struct {
		spec fenchel.Spec
		want string
	}{
		{fenchel.Spec{Kernel: "rbf", Nu: 0.3}, "nu=0.3 with 3 targets: expected one, or no nu"},
		{fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}}, "probabilities with 3 targets: expected one"},
		{fenchel.Spec{Task: "classification"}, "found 3 targets a row: expected one of classes, or 'task=regression' for several of numbers"},
		{fenchel.Spec{Penalty: "nuclear", Kernel: "rbf"}, `penalty "nuclear" with a kernel: expected l2, half the squared norm`},
		{fenchel.Spec{Penalty: "nuclear", Loss: "absolute"}, "solver accelerated needs a smooth loss such as softmax or squared"},
	} {
		if _, err := fenchel.Train(t.Context(), all, c.spec); err == nil || err.Error() != c.want {
			t.Errorf("found %v, expected %s", err, c.want)
		}
	}
	r, err := fenchel.Train(t.Context(), all, fenchel.Spec{Loss: "huber"})
	if err != nil {
		t.Fatal(err)
	}
	for what, forge := range map[string]func(m *model.Model){
		"lambda": func(m *model.Model) { m.Statement.Targets[1].Lambda = 2 * m.Statement.Lambda },
		"loss":   func(m *model.Model) { m.Statement.Targets[2].Loss = "huber:delta=1" },
		"name":   func(m *model.Model) { m.Statement.Targets[2].Name = "d" },
		"bound":  func(m *model.Model) { m.Outputs[2].Certificate.Dual = m.Outputs[2].Certificate.Primal },
	} {
		m := *r.Model
		m.Statement.Targets, m.Outputs = slices.Clone(m.Statement.Targets), slices.Clone(m.Outputs)
		forge(&m)
		if v, err := fenchel.Verify(t.Context(), &m, all, fenchel.Options{}); err != nil || len(v.Problems) == 0 {
			t.Errorf("%s: %v, found nothing false", what, err)
		}
	}
	other := readTargets(t, "a,b,c")
	other.Target.Further[1][3]++
	if other.Digest() == all.Digest() {
		t.Error("found the digest of other targets")
	}
	one := readTargets(t, "a")
	if _, err := fenchel.Evaluate(t.Context(), r.Model, one, fenchel.Options{}); err == nil {
		t.Error("found a model of three targets judged on one")
	}
}

// TestNuclear: the weights of several targets with the nuclear norm are one problem with one certificate, which verifies; of
// one target the penalty is the norm of its weights.
func TestNuclear(t *testing.T) {
	all := readTargets(t, "a,b,c")
	r, err := fenchel.Train(t.Context(), all, fenchel.Spec{Penalty: "nuclear", Lambda: 2, Gap: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	m := reread(t, r.Model)
	if v, err := fenchel.Verify(t.Context(), m, all, fenchel.Options{}); err != nil || !v.OK() || !m.IsJoint() || r.Summary.Gap > 1e-6 {
		t.Errorf("%v %+v, gap %g", err, v, r.Summary.Gap)
	}
	m.Outputs[1].Weights = slices.Clone(m.Outputs[1].Weights)
	m.Outputs[1].Weights[0]++
	if v, err := fenchel.Verify(t.Context(), m, all, fenchel.Options{}); err != nil || v.OK() {
		t.Errorf("%v: found other weights true", err)
	}
	one := readTargets(t, "a", "b", "c")
	var norms []float64
	for _, p := range []fenchel.Spec{{Penalty: "nuclear", Lambda: 0.2}, {Penalty: "group:size=4", Lambda: 0.1}} { // each group times the root of its size
		p.Gap = 1e-8
		r, err := fenchel.Train(t.Context(), one, p)
		if err != nil {
			t.Fatal(err)
		}
		norms = append(norms, r.Summary.Primal)
	}
	if math.Abs(norms[0]-norms[1]) > 1e-7*norms[1] {
		t.Errorf("found the objective %.12g of one target, expected %.12g of its norm", norms[0], norms[1])
	}
}

// TestSeveralScores: weights of rows count in the scores of each target and of its constant, and every score of all is the
// mean of these.
func TestSeveralScores(t *testing.T) {
	all := readTargets(t, "a,b,c")
	for i := range all.Rows() {
		all.Weight = append(all.Weight, 0.5+float64(i%3))
	}
	for _, name := range []string{"poisson", "quantile:tau=0.8"} {
		r, err := fenchel.Train(t.Context(), all, fenchel.Spec{Loss: name})
		if err != nil {
			t.Fatal(err)
		}
		e, err := fenchel.Evaluate(t.Context(), r.Model, all, fenchel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tau, sums := 0.8, map[string]float64{}
		own := func(s fenchel.NumberScores) *float64 { return s.Pinball }
		if name == "poisson" {
			own = func(s fenchel.NumberScores) *float64 { return s.Deviance }
		}
		for c, truth := range all.Target.Columns() {
			predicted := make([]float64, all.Rows())
			for i := range predicted {
				predicted[i] = r.Model.Numbers(nil, all.X.Row(i))[c]
			}
			want, got := fenchel.EvaluateNumbers(predicted, truth, all.Weight, tau), e.Targets[c]
			constant := fenchel.JudgeTrivial(nil, map[string]float64{"quantile:tau=0.8": tau}[name], pose.Truth{Number: truth, Weight: all.Weight}, pose.Truth{Number: truth, Weight: all.Weight})
			if *got.RMSE != *want.RMSE || *got.Trivial.RMSE != *constant.RMSE || got.Trivial.Prediction != constant.Prediction {
				t.Errorf("%s, target %d: found RMSE %g, and %g of %s, expected %g, and %g of %s", name, c, *got.RMSE, *got.Trivial.RMSE, got.Trivial.Prediction, *want.RMSE, *constant.RMSE, constant.Prediction)
			}
			for score, x := range map[string]*float64{"mae": got.MAE, "median": got.MedianAbsolute, "own": own(got.NumberScores)} {
				sums[score] += *x / 3
			}
		}
		for score, x := range map[string]*float64{"mae": e.MAE, "median": e.MedianAbsolute, "own": own(e.NumberScores)} {
			if x == nil || math.Abs(*x-sums[score]) > 1e-12*sums[score] {
				t.Errorf("%s: found %s %v, expected the mean %g", name, score, x, sums[score])
			}
		}
	}
}

// TestSeveralFlat: predictions of one target that hardly differ are no reason to warn where those of another do.
func TestSeveralFlat(t *testing.T) {
	text := "p,q,u\n"
	for i := range 64 {
		text += fmt.Sprintf("%d,%d,%d\n", i/2%2, 1+5*(i%2), i%2)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for target, flat := range map[string]bool{"p": true, "p,q": false} {
		opt := data.Options{Target: target}
		if flat {
			opt.Ignore = []string{"q"}
		}
		set, err := data.Read(t.Context(), []string{path}, opt)
		if err != nil {
			t.Fatal(err)
		}
		r, err := fenchel.Train(t.Context(), set, fenchel.Spec{Task: "regression"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(fmt.Sprint(r.Warnings), "nearly the same prediction"); got != flat {
			t.Errorf("%s: found the warnings %v", target, r.Warnings)
		}
	}
}

// TestSeveralFrom: a model to begin with has the predictors of targets by their names, in any order.
func TestSeveralFrom(t *testing.T) {
	all := readTargets(t, "a,b,c")
	spec := fenchel.Spec{Loss: "huber", Gap: 1e-6}
	first, err := fenchel.Train(t.Context(), all, spec)
	if err != nil {
		t.Fatal(err)
	}
	m := first.Model
	slices.Reverse(m.Outputs)
	slices.Reverse(m.Statement.Targets)
	spec.From = m
	again, err := fenchel.Train(t.Context(), all, spec)
	if err != nil || again.Epochs != 0 {
		t.Errorf("%v, found %d epochs from a solution in another order, %d from zero", err, again.Epochs, first.Epochs)
	}
}
