package fenchel_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/tune"
)

// doubled returns the set with numbers in double precision that its own are the rounded ones of.
func doubled(set *data.Set) *data.Set {
	rows, cols := set.X.Dims()
	value := make([]float64, 0, rows*cols)
	for i := range rows {
		for j, v := range set.X.Row(i).Value {
			value = append(value, float64(v)*(1+0x1p-26*math.Abs(math.Sin(float64(7*i+j)))))
		}
	}
	wide := *set
	wide.X = &matrix.Double{Matrix: set.X, Value: value}
	return &wide
}

// TestDoublePrecision: what solver and statement say of the precision of rows is in the model, and what it claims is
// verified by these rows alone: others in single precision, or rounded where the model has them so, are told apart.
func TestDoublePrecision(t *testing.T) {
	ctx := context.Background()
	numbers, classes := generated(t, "@linear:n=200,d=6,seed=2"), generated(t, "@blobs:n=200,d=6,classes=2,seed=2")
	for _, c := range []struct {
		set  *data.Set
		spec fenchel.Spec
		want string
	}{
		{numbers, fenchel.Spec{Loss: "squared", Gap: 1e-12}, "double"},
		{numbers, fenchel.Spec{Loss: "squared", Penalty: "l1", Lambda: 0.01, Gap: 1e-12}, "double"},
		{classes, fenchel.Spec{Loss: "logistic", Gap: 1e-12}, "double"},
		{classes, fenchel.Spec{Loss: "logistic", Gap: 1e-3, Decision: fenchel.Decision{Probabilities: true}}, "double"},
		{classes, fenchel.Spec{Loss: "logistic", Gap: 1e-4, Record: fenchel.Record{Proved: true}}, ""},
		{classes, fenchel.Spec{Loss: "logistic", Gap: 1e-4, Solver: "sdca"}, ""},
		{classes, fenchel.Spec{Loss: "logistic", Gap: 1e-4, Scaling: "std"}, ""},
		{classes, fenchel.Spec{Loss: "logistic", Gap: 1e-4, Bias: "feature:value=2"}, ""},
		{classes, fenchel.Spec{Loss: "hinge", Gap: 1e-4}, ""},
		{classes, fenchel.Spec{Loss: "hinge", Kernel: "rbf", Gap: 1e-4}, ""},
	} {
		wide := doubled(c.set)
		r, err := fenchel.Train(ctx, wide, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if r.Model.Data.Precision != c.want || !(r.Summary.Gap <= c.spec.Gap) {
			t.Errorf("%+v: found the precision %q and the gap %g, expected %q", c.spec, r.Model.Data.Precision, r.Summary.Gap, c.want)
		}
		v, err := fenchel.Verify(ctx, r.Model, wide, fenchel.Options{})
		if err != nil || len(v.Problems) > 0 || v.Unproved != "" && !c.spec.Probabilities {
			t.Errorf("%+v: found %+v, %v, expected the proof", c.spec, v, err)
		}
		v, err = fenchel.Verify(ctx, r.Model, c.set, fenchel.Options{})
		if single := err == nil && len(v.Problems) == 0 && (strings.Contains(v.Unproved, "double precision") == (c.want == "double")); !single {
			t.Errorf("%+v: found %+v, %v of the rounded rows, expected a proof of models of these, and none of others", c.spec, v, err)
		}
		other := *wide
		other.X = &matrix.Double{Matrix: c.set.X, Value: append([]float64{math.Nextafter(wide.X.(*matrix.Double).Value[0], 9)}, wide.X.(*matrix.Double).Value[1:]...)}
		if v, err = fenchel.Verify(ctx, r.Model, &other, fenchel.Options{}); err != nil || (len(v.Problems) > 0) != (c.want == "double") {
			t.Errorf("%+v: found %+v, %v of a number that is another in its last bit", c.spec, v, err)
		}
	}
}

// TestDoubleRidge: weights are those of the normal equations of the numbers as they are, rows left out are predicted
// by these, and parts of a stage have them rounded.
func TestDoubleRidge(t *testing.T) {
	ctx := context.Background()
	set := doubled(generated(t, "@linear:n=40,d=2,seed=5"))
	spec := fenchel.Spec{Loss: "squared", Bias: "none", C: 3, Gap: 1e-13, Scaling: "none"}
	r, err := fenchel.Train(ctx, set, spec)
	if err != nil {
		t.Fatal(err)
	}
	ridge := func(without int) []float64 {
		a, b, c, u, v := 1/spec.C, 0.0, 1/spec.C, 0.0, 0.0
		for i, y := range set.Target.Number {
			if x := matrix.Values(nil, set.X, i); i != without {
				a, b, c, u, v = a+x[0]*x[0], b+x[0]*x[1], c+x[1]*x[1], u+x[0]*y, v+x[1]*y
			}
		}
		return []float64{(c*u - b*v) / (a*c - b*b), (a*v - b*u) / (a*c - b*b)}
	}
	for j, w := range ridge(-1) {
		if got := r.Model.Outputs[0].Weights[j]; math.Abs(got-w) > 1e-13*math.Abs(w) {
			t.Errorf("weight %d: found %.17g, expected %.17g", j, got, w)
		}
	}
	state := func(ctx context.Context, spec fenchel.Spec) (*pose.Case, error) { return spec.Pose(ctx, set) }
	found, err := tune.PredictLeftOut(ctx, state, spec, []float64{spec.C})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range found[0] {
		x, w := matrix.Values(nil, set.X, i), ridge(i)
		if want := x[0]*w[0] + x[1]*w[1]; math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("row %d left out: found %.17g, expected %.17g", i, got, want)
		}
	}
	stage, err := fenchel.NewStage(ctx, set, spec)
	if err != nil {
		t.Fatal(err)
	}
	part, err := stage.Part([]int{0, 1, 2, 3, 4}, []int{5, 6}, fenchel.Resources{})
	if err != nil {
		t.Fatal(err)
	}
	spec.Solver = "sdca" // which would not get there with others
	if f, err := part.Fit(ctx, spec, nil); err != nil || f.Model.Data.Precision != "" || !(f.Summary.Gap <= spec.Gap) {
		t.Errorf("a part: found %v, %v, expected a proof of the rounded rows", f, err)
	}
}
