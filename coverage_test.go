package fenchel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// noisy are rows whose numbers have errors that grow with the first feature.
func noisy(t *testing.T, n int, seed uint64) *data.Set {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	var rows [][]float32
	var targets []float64
	for range n {
		x := []float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
		rows, targets = append(rows, x), append(targets, float64(2*x[0]-x[1])+r.NormFloat64()*(0.2+math.Abs(float64(x[0]))))
	}
	set, err := data.FromDense(rows, data.Numbers(targets))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// halves are two folds of so many rows.
func halves(n int) []fenchel.Fold {
	var even, odd []int
	for i := 0; i < n; i += 2 {
		even, odd = append(even, i), append(odd, i+1)
	}
	return []fenchel.Fold{{Learn: even, Judge: odd}, {Learn: odd, Judge: even}}
}

// TestCoverage: intervals and sets of every method hold the truth of about as many new rows as they say, in the mean over
// draws of the rows; what is claimed of the method is what it is.
func TestCoverage(t *testing.T) {
	const level = 0.8
	for name, c := range map[string]struct {
		spec   fenchel.Spec
		held   bool
		method string
	}{
		"linear": {fenchel.Spec{Penalty: "elastic-net:ratio=0.5"}, false, model.CVPlus}, "ridge": {fenchel.Spec{}, false, model.JackknifePlus},
		"scaled ridge": {fenchel.Spec{Scaling: "std", Lambda: 0.1, Bias: "feature"}, false, model.JackknifePlus}, "given folds": {fenchel.Spec{Decision: fenchel.Decision{Folds: halves(120), Dealt: &model.Folds{K: 2, Repeats: 1, By: "random"}}}, false, model.CVPlus}, "scaled": {fenchel.Spec{Scaling: "std", Loss: "huber"}, false, model.CVPlus},
		"other rows": {fenchel.Spec{}, true, model.Split}, "machine": {fenchel.Spec{Kernel: "rbf:gamma=0.1"}, false, model.ByFolds},
		"groups": {fenchel.Spec{Decision: fenchel.Decision{Groups: 20}}, false, model.ByFolds},
		"sets":   {fenchel.Spec{Loss: "logistic"}, false, model.CVPlus}, "sets of two": {fenchel.Spec{}, true, model.Split}, "sets of softmax": {fenchel.Spec{Loss: "softmax"}, true, model.Split},
	} {
		t.Run(name, func(t *testing.T) {
			draw := noisy
			if strings.HasPrefix(name, "sets") {
				classes := 3
				if name == "sets of two" {
					classes = 2
				}
				draw = func(t *testing.T, n int, seed uint64) *data.Set { return bands(t, n, classes, seed) }
			}
			covered, draws := 0.0, 20
			for seed := range uint64(draws) {
				spec := c.spec
				if spec.Interval = level; c.held {
					spec.Held = draw(t, 100, 1000+seed)
				}
				m := mustFit(t, draw(t, 120, seed), spec).Model
				if m.Coverage.Method != c.method {
					t.Fatalf("found the method %s, expected %s", m.Coverage.Method, c.method)
				}
				e, err := fenchel.Evaluate(t.Context(), m, draw(t, 400, 5000+seed), fenchel.Options{})
				if err != nil {
					t.Fatal(err)
				}
				covered += e.Coverage.Covered / float64(draws)
				if !(e.Coverage.Width > 0) || math.IsInf(e.Coverage.Width, 0) {
					t.Fatalf("found the mean width %g", e.Coverage.Width)
				}
			}
			if math.Abs(covered-level) > 0.035 {
				t.Errorf("found the mean coverage %.3f, expected about %g", covered, level)
			}
		})
	}
}

// TestCVPlus: the interval is that of the definition: of all rows the numbers that the model of the fold of the row predicts, less and
// plus the error of the row, in order. Of jackknife+ each row is a fold.
func TestCVPlus(t *testing.T) {
	set, later := noisy(t, 60, 1), noisy(t, 10, 2)
	for method, lossName := range map[string]string{model.CVPlus: "huber", model.JackknifePlus: "squared"} {
		m := mustFit(t, set, fenchel.Spec{Loss: lossName, Scaling: "std", Decision: fenchel.Decision{Interval: 0.7}}).Model
		c := m.Coverage
		if c.Method != method {
			t.Fatalf("found the method %s, expected %s", c.Method, method)
		}
		for i := range later.Rows() {
			x := later.X.Row(i)
			var low, high []float64
			for k, w := range c.Weights {
				at := c.Bias[k]
				for j, v := range x.Value {
					at += w[j] * float64(v)
				}
				for _, e := range c.Errors[k] {
					low, high = append(low, at-e), append(high, at+e)
				}
			}
			slices.Sort(low)
			slices.Sort(high)
			n := len(low)
			rank := calibration.Rank(n, 0.7)
			lower, upper := m.Interval(x, m.Score(x))
			if n != 60 || math.Abs(lower-low[n-rank]) > 1e-9 || math.Abs(upper-high[rank-1]) > 1e-9 {
				t.Errorf("%s, row %d: found %g to %g, expected %g to %g of %d rows", method, i, lower, upper, low[n-rank], high[rank-1], n)
			}
		}
	}
}

// TestJackknifePlus: the models are those that training on the other rows makes, with the same C or lambda, and the errors are theirs. Numbers are of few
// digits, so that scaled rows are exact.
func TestJackknifePlus(t *testing.T) {
	const n = 30
	r := rand.New(rand.NewPCG(7, 7))
	rows, targets := make([][]float32, n), make([]float64, n)
	for i := range rows {
		rows[i] = []float32{float32(r.IntN(64)) / 8, float32(r.IntN(64)) / 8}
		targets[i] = math.Exp(float64(rows[i][0])/8 + r.NormFloat64()/4)
	}
	set, err := data.FromDense(rows, data.Numbers(targets))
	if err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]fenchel.Spec{"default": {}, "lambda": {Lambda: 0.1}, "C": {C: 0.05, Bias: "none"}, "feature": {C: 0.05, Bias: "feature:value=3"}, "logarithms": {TargetLog: true}} {
		spec.Gap, spec.Interval = 1e-13, 0.8
		c := mustFit(t, set, spec).Model.Coverage
		if c.Method != model.JackknifePlus || c.Folds.By != "leave-one-out" || c.Folds.K != n || c.Folds.C != spec.C || c.Folds.Lambda != spec.Lambda {
			t.Fatalf("%s: found the method %s of %+v", name, c.Method, *c.Folds)
		}
		spec.Interval = 0
		for i := range n {
			var others []int
			for k := range n {
				if k != i {
					others = append(others, k)
				}
			}
			part, err := set.Subset(others)
			if err != nil {
				t.Fatal(err)
			}
			m := mustFit(t, part, spec).Model
			o := m.Outputs[0]
			off := math.Abs(c.Bias[i]-o.Bias) + math.Abs(c.Weights[i][0]-o.Weights[0]) + math.Abs(c.Weights[i][1]-o.Weights[1])
			own := math.Abs(targets[i] - m.Number(m.Score(set.X.Row(i))))
			if off > 1e-9 || math.Abs(c.Errors[i][0]-own) > 1e-9 {
				t.Fatalf("%s: without row %d found %g, %g and the error %g, expected %g, %g and %g", name, i, c.Weights[i], c.Bias[i], c.Errors[i], o.Weights, o.Bias, own)
			}
		}
	}
}

// TestCoverageWeights: of other rows a weight of 2 is the row twice, of the rows that are learned from weights change the model alone.
func TestCoverageWeights(t *testing.T) {
	set, held := noisy(t, 60, 1), noisy(t, 30, 2)
	set.Weight, held.Weight = slices.Repeat([]float64{0.5, 2, 1}, 20), slices.Repeat([]float64{0, 1, 3}, 10)
	var rows []int
	for i, w := range held.Weight {
		rows = append(rows, slices.Repeat([]int{i}, int(w))...)
	}
	copies := noisy(t, 30, 2)
	copies.X, copies.Target.Number = matrix.Subset(copies.X, rows), nil
	for _, i := range rows {
		copies.Target.Number = append(copies.Target.Number, held.Target.Number[i])
	}
	spec := fenchel.Spec{Decision: fenchel.Decision{Interval: 0.8, Held: held}}
	one := mustFit(t, set, spec).Model.Coverage
	spec.Held = copies
	if two := mustFit(t, set, spec).Model.Coverage; one.Method != model.Split || one.Quantile != two.Quantile || one.Quantile == 0 {
		t.Errorf("found half the width %g by %s, expected %g", one.Quantile, one.Method, two.Quantile)
	}
}

// TestCoverageRefused: what has no intervals.
func TestCoverageRefused(t *testing.T) {
	numbers, weighted := noisy(t, 40, 1), noisy(t, 40, 1)
	weighted.Weight = slices.Repeat([]float64{2}, 40)
	of := func(level float64) fenchel.Spec { return fenchel.Spec{Decision: fenchel.Decision{Interval: level}} }
	half, several := of(0.9), noisy(t, 40, 1)
	half.Held = noisy(t, 40, 2)
	half.Held.Weight = slices.Repeat([]float64{1, 0.5}, 20)
	y := several.Target.Number
	several.Target = data.Target{Number: y, Further: [][]float64{y}, Names: []string{"a", "b"}}
	pairs := of(0.9)
	pairs.Scheme = model.OneAgainstOne
	for want, c := range map[string]struct {
		set  *data.Set
		spec fenchel.Spec
	}{
		"'interval=1.5': expected a level": {numbers, of(1.5)},
		"'interval=0.999': found 40 rows":  {numbers, of(0.999)},
		"rows with weights":                {weighted, of(0.9)},
		"no whole numbers":                 {numbers, half},
		"several targets":                  {several, of(0.9)},
		"pairs of classes":                 {bands(t, 60, 3, 1), pairs},
	} {
		if _, err := fenchel.Train(t.Context(), c.set, c.spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", fmt.Sprint(err), want)
		}
	}
}
