package region_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/region"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

var long = flag.Bool("long", false, "100,000 random problems")

// draw makes a small problem.
func draw(r *rand.Rand) (*data.Set, fenchel.Spec) {
	n, d := 4+r.IntN(20), 1+r.IntN(5)
	x, shift := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, r.NormFloat64()
	for i := range x.Value {
		x.Value[i] = float32(math.Exp(r.NormFloat64()) * r.NormFloat64())
	}
	s := fenchel.Spec{Lambda: math.Pow(10, 3.5*r.Float64()-3), Gap: math.Pow(10, -0.3-5*r.Float64()), Seed: r.Uint64N(100)}
	s.Proved = true
	s.Penalty = []string{"l2", "elastic-net:ratio=0.3", "elastic-net:ratio=0.9", "lp:p=1.5"}[r.IntN(4)]
	s.Bias = []string{"free", "free", "none", "feature", "feature:value=3"}[r.IntN(5)]
	if r.IntN(4) == 0 {
		s.Penalty, s.Kernel = "l2", []string{"rbf:gamma=0.5", "poly:degree=2,gamma=1,coef0=1", "linear"}[r.IntN(3)]
		if s.Bias == "feature:value=3" {
			s.Bias = "free"
		}
	}
	set := &data.Set{X: x}
	classes := []string{"hinge", "squared-hinge", "logistic", "huber-hinge"}
	numbers := []string{"squared", "absolute", "huber", "epsilon-insensitive", "quantile:tau=0.3"}
	if k := r.IntN(len(classes) + len(numbers)); k < len(classes) {
		s.Loss = classes[k]
		labels := make([]string, n)
		for i := range labels {
			labels[i] = "no"
			if i == 0 || i > 1 && float64(x.Value[i*d])+r.NormFloat64() > shift {
				labels[i] = "yes"
			}
		}
		if labels[1] = "no"; s.Kernel == "" && r.IntN(4) == 0 && n > 5 {
			labels[2], labels[3] = "perhaps", "perhaps"
			if r.IntN(2) == 0 && s.Bias != "free" && s.Penalty != "lp:p=1.5" && s.Bias != "feature:value=3" {
				s.Loss = "softmax"
			}
		}
		set.Target = data.Labels(labels)
	} else {
		s.Loss = numbers[k-len(classes)]
		y := make([]float64, n)
		for i := range y {
			y[i] = 5*shift + float64(x.Value[i*d]) + r.NormFloat64()
		}
		set.Target = data.Numbers(y)
	}
	return set, s
}

// TestOptimaAreInside trains small problems of all kinds twice, to a large gap and to 1e-11. The scores of the second model must be in the intervals
// that the first proves, but for the width of the intervals of the second. Some score must differ by more than half of its bound: otherwise bounds
// that are far too wide would pass. With -long there are forty subtests of 2,500 problems, a minute of one core each: -run TestOptimaAreInside/^3$ runs one.
func TestOptimaAreInside(t *testing.T) {
	shards, trials := 1, 600
	if *long {
		shards, trials = 40, 2_500
	}
	for shard := range shards {
		t.Run(strconv.Itoa(shard), func(t *testing.T) { insideOf(t, rand.New(rand.NewPCG(48, uint64(shard+1))), trials) })
	}
}

// insideOf is the test of so many problems.
func insideOf(t *testing.T, r *rand.Rand, trials int) {
	sharpest, proved := 0.0, 0
	for trial := range trials {
		set, spec := draw(r)
		name := fmt.Sprintf("trial %d: %+v", trial, spec)
		loose, err := fenchel.Train(context.Background(), set, spec)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		exact := spec
		exact.Gap, exact.Seed, exact.Epochs = 1e-11, 7, 3000
		best, err := fenchel.Train(context.Background(), set, exact)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		first, err1 := loose.Model.Proved()
		second, err2 := best.Model.Proved()
		if err1 != nil || err2 != nil {
			continue // the interval of the bias is not known, as of rows that tell nothing of it
		}
		proved++
		rows := &matrix.Dense{Rows: 5, Cols: set.Cols(), Value: make([]float32, 5*set.Cols())}
		for i := range rows.Value {
			rows.Value[i] = float32(3 * r.NormFloat64())
		}
		for _, x := range []matrix.Matrix{set.X, rows} {
			sharpest = max(sharpest, compare(t, name, x, loose.Model, best.Model, first, second))
		}
	}
	if proved < trials*9/10 || sharpest < 0.5 {
		t.Errorf("of %d problems %d have proved predictions, the farthest optimum at %.2f of the bound: expected nine tenths of them, and an optimum beyond half", trials, proved, sharpest)
	}
}

// TestSharp: where the loss is linear, and the dual point exact, the objective rises by lambda/2 times the square of the distance from the optimum: the radius is that distance.
func TestSharp(t *testing.T) {
	set, err := data.FromDense([][]float32{{1, 2}, {-1, 0.5}, {0.25, -1}}, data.Labels([]string{"yes", "no", "yes"}))
	if err != nil {
		t.Fatal(err)
	}
	spec := fenchel.Spec{Loss: "hinge", Bias: "none", Lambda: 20}
	of, err := spec.Pose(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	a, w := of.First.Derivatives([]float64{0, 0, 0}), []float64{0.3, -0.4, 0} // the last number is the bias
	for i, slope := range a {                                                 // the optimum is -(1/(lambda n)) times the sum of slopes and rows
		set.X.Row(i).AddTo(w, -slope/(3*spec.Lambda))
	}
	pt := problem.Point{W: w, A: a}
	found, err := region.Find(t.Context(), of.First, pt, of.First.Certify(pt))
	if err != nil {
		t.Fatal(err)
	}
	if r := float64(found.Radius); !(r >= 0.5 && r < 0.5*(1+1e-12)) {
		t.Errorf("found the radius %.17g, expected 0.5 and hardly more", r)
	}
}

// TestJoint: one problem has one region, which all outputs have.
func TestJoint(t *testing.T) {
	set, err := data.FromDense([][]float32{{1}, {2}, {4}, {5}, {8}, {9}}, data.Labels([]string{"a", "a", "b", "b", "c", "c"}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := fenchel.Train(t.Context(), set, fenchel.Spec{Loss: "softmax", Bias: "none", Record: fenchel.Record{Proved: true}})
	if err != nil {
		t.Fatal(err)
	}
	first := r.Model.Outputs[0].Certificate.Region
	for c, o := range r.Model.Outputs {
		if found := o.Certificate.Region; found == nil || !(found.Radius > 0) || found.Radius != first.Radius {
			t.Errorf("class %d: found the region %v, expected that of the first, %v", c, found, first)
		}
	}
}

// compare returns how far scores of the better model are from those of the other, in units of the proved distance.
func compare(t *testing.T, name string, x matrix.Matrix, loose, best *model.Model, first, second *model.Proved) (sharpest float64) {
	n, _ := x.Dims()
	for i := range n {
		row := x.Row(i)
		s, u := loose.Scores(nil, row), best.Scores(nil, row)
		b, own := first.Bounds(nil, row, s), second.Bounds(nil, row, u)
		for c, score := range u {
			slack := own[c].High - own[c].Low
			if !(score >= b[c].Low-slack && score <= b[c].High+slack) {
				t.Fatalf("%s: output %d of row %d: the score %g of a model of the gap %g is outside of [%g, %g], itself known to %g", name, c, i, score, best.Statement.Gap, b[c].Low, b[c].High, slack)
			}
			if slack < 0.01*(b[c].High-b[c].Low) {
				sharpest = max(sharpest, (score-s[c])/(b[c].High-s[c]), (score-s[c])/(b[c].Low-s[c]))
			}
		}
		if first.Sure(b) && second.Sure(own) && loose.Decide(s) != best.Decide(u) {
			t.Fatalf("%s: row %d: two sure models decide for %d and %d", name, i, loose.Decide(s), best.Decide(u))
		}
	}
	return sharpest
}

// TestForged has claims of a model that is nearer to the optimum than it is refused.
func TestForged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	forged := 0
	for trial := 0; forged < 40 && trial < 400; trial++ {
		set, spec := draw(r)
		trained, err := fenchel.Train(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		m := trained.Model
		if _, err := m.Proved(); err != nil {
			continue
		}
		verify := func(what string, want bool) {
			v, err := fenchel.Verify(context.Background(), m, set, fenchel.Options{})
			if err != nil || v.OK() != want {
				t.Fatalf("trial %d, %s: found %v, %v, %v; %+v", trial, what, v, err, want, spec)
			}
		}
		verify("as trained", true)
		of := m.Outputs
		for what, change := range map[string]func(r *model.Region){
			"radius": func(r *model.Region) { r.Radius *= 0.9 },
			"low":    func(r *model.Region) { r.Low += (r.High - r.Low) / 4 },
			"high":   func(r *model.Region) { r.High -= (r.High - r.Low) / 4 },
		} {
			claim := *of[0].Certificate.Region
			if what != "radius" && !(claim.High-claim.Low > 1e-6) || claim.Radius == 0 {
				continue
			}
			m.Outputs = slices.Clone(of)
			change(&claim)
			m.Outputs[0].Certificate.Region = &claim
			verify(what, false)
			forged++
		}
	}
	if forged < 40 {
		t.Errorf("found %d forged claims, expected at least 40", forged)
	}
}
