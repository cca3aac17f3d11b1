package model_test

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// TestBoundsAreAttained: the objective rises by lambda/2 times the squared distance of weights, and of that of a constant column which the penalty sees, where the loss
// is linear. Of weights that are off along a row, the score of the optimum is then an end of the interval, and of another row inside.
func TestBoundsAreAttained(t *testing.T) {
	const lambda, off = 5, 0.25
	x, other := matrix.Vector{Value: []float32{1, -2}}, matrix.Vector{Value: []float32{2, 1}}
	for bias, value := range map[string]float64{"none": 0, "feature": 1, "feature:value=3": 3} {
		length := math.Sqrt(5 + value*value)
		optimum, constant := []float64{0.5, 0.75}, 0.125
		w := []float64{optimum[0] + off/length, optimum[1] - 2*off/length}
		m := &model.Model{Statement: model.Statement{Loss: "squared", Penalty: "l2", Lambda: lambda, Bias: bias}, Data: model.Data{Rows: 3, Features: 2},
			Outputs: []model.Output{{Weights: w, Bias: value * (constant + off*value/length), Certificate: model.Certificate{Primal: 1 + lambda*off*off/2, Dual: 1}}}}
		if err := m.Seal(); err != nil {
			t.Fatal(err)
		}
		proved, err := m.Proved()
		if err != nil {
			t.Fatal(err)
		}
		if got := proved.Length(x); math.Abs(got-length) > 1e-11 || got < length {
			t.Errorf("%s: found the length %.17g, expected %.17g and hardly more", bias, got, length)
		}
		score := func(x matrix.Vector) float64 {
			return optimum[0]*float64(x.Value[0]) + optimum[1]*float64(x.Value[1]) + constant*value
		}
		b := proved.Bounds(nil, x, m.Scores(nil, x))[0]
		if s := score(x); !(b.Low <= s && s-b.Low < 1e-9) || math.Abs(b.High-b.Low-2*off*length) > 1e-9 {
			t.Errorf("%s: found %.17g to %.17g, expected from %.17g on, of the width %.17g", bias, b.Low, b.High, s, 2*off*length)
		}
		m.Statement.Penalty = "elastic-net:ratio=0.75" // a quarter of the penalty is curved
		if r := m.Radius(0); math.Abs(r-2*off) > 1e-12 {
			t.Errorf("%s: found the radius %g of an elastic net, expected %g", bias, r, 2*off)
		}
		if b, s := proved.Bounds(nil, other, m.Scores(nil, other))[0], score(other); !(b.Low < s && s < b.High) {
			t.Errorf("%s: another row: found %g to %g, expected an interval that holds %g", bias, b.Low, b.High, s)
		}
		m.Outputs[0].Certificate.Primal, m.Statement.Penalty = 1, "l2" // no gap: rounding alone
		if proved, err = m.Proved(); err != nil {
			t.Fatal(err)
		}
		if b, s := proved.Bounds(nil, x, m.Scores(nil, x))[0], m.Score(x); !(b.Low < s && s < b.High) {
			t.Errorf("%s: found %.17g to %.17g, expected a little around %.17g", bias, b.Low, b.High, s)
		}
	}
}

// TestSure: the class is sure where every score within the bounds decides alike, ties included.
func TestSure(t *testing.T) {
	wide := model.Interval{Low: -1, High: 1}
	second, first := model.Interval{Low: 1e-9, High: 1}, model.Interval{Low: -1, High: 0} // at 0 it is the first class
	for name, c := range map[string]struct {
		classes   int
		scheme    string
		threshold *model.Threshold
		bounds    []model.Interval
		want      bool
	}{
		"second": {2, "", nil, []model.Interval{second}, true}, "first": {2, "", nil, []model.Interval{first}, true},
		"zero may be either": {2, "", nil, []model.Interval{{Low: 0, High: 1}}, false}, "either": {2, "", nil, []model.Interval{{Low: -1e-3, High: 1}}, false},
		"above the threshold":      {2, "", &model.Threshold{Score: 0.5}, []model.Interval{{Low: 0.6, High: 1}}, true},
		"at the threshold":         {2, "", &model.Threshold{Score: 0.5}, []model.Interval{{Low: 0.5, High: 1}}, false},
		"the highest":              {3, "", nil, []model.Interval{{Low: 1, High: 2}, {Low: 2.5, High: 3}, {Low: 0, High: 2.4}}, true},
		"as high as another":       {3, "", nil, []model.Interval{{Low: 1, High: 2}, {Low: 2.5, High: 3}, {Low: 0, High: 2.5}}, false},
		"votes":                    {3, model.OneAgainstOne, nil, []model.Interval{first, first, wide}, true},
		"as many votes":            {3, model.OneAgainstOne, nil, []model.Interval{first, second, first}, false},
		"votes that may be gained": {4, model.OneAgainstOne, nil, []model.Interval{first, first, wide, first, second, wide}, false},
		"votes that are too few":   {4, model.OneAgainstOne, nil, []model.Interval{first, first, first, first, wide, wide}, true},
	} {
		outputs := make([]model.Output, len(c.bounds))
		for k := range outputs {
			outputs[k] = model.Output{Weights: []float64{1}, Certificate: model.Certificate{Primal: 1, Dual: 1}}
		}
		m := &model.Model{Statement: model.Statement{Loss: "hinge", Penalty: "l2", Lambda: 1, Bias: "none", Scheme: c.scheme}, Data: model.Data{Rows: 9, Features: 1, Classes: c.classes},
			Classes: []string{"a", "b", "c", "d"}[:c.classes], Outputs: outputs, Threshold: c.threshold}
		if err := m.Seal(); err != nil {
			t.Fatal(name, err)
		}
		proved, err := m.Proved()
		if err != nil {
			t.Fatal(name, err)
		}
		if got := proved.Sure(c.bounds); got != c.want {
			t.Errorf("%s: found sure %t, expected %t", name, got, c.want)
		}
	}
}
