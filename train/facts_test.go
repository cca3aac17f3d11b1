package train

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestFacts compares what is said of machines with what leaving out every row gives, and
// bounded vectors and the violation with the dual variables.
func TestFacts(t *testing.T) {
	set := rings(t, 40, 2, false)
	n := set.Rows()
	for name, spec := range map[string]Spec{
		"free":    {Kernel: "rbf:gamma=0.5", C: 2},
		"none":    {Kernel: "rbf:gamma=0.5", C: 2, Bias: "none"},
		"feature": {Kernel: "poly:degree=2,coef0=1", C: 0.1, Bias: "feature"},
		"signs":   {Kernel: "linear", C: 0.5},
		"squared": {Kernel: "rbf:gamma=0.5", Loss: "squared-hinge", C: 2},
	} {
		spec.Gap, spec.Scaling = 1e-10, "none"
		r, err := Fit(t.Context(), set, spec)
		if err != nil || r.Model.Facts == nil || r.Model.Facts.LeaveOneOut == nil {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		f, bounded := r.Model.Facts, 0
		for _, a := range r.Model.Outputs[0].Dual {
			if math.Abs(a) == 1 && spec.Loss == "" {
				bounded++
			}
		}
		if f.Bounded != bounded || f.Support != r.Model.Support.Len() || !(f.Violation < 1e-3) {
			t.Errorf("%s: %+v, expected %d bounded vectors of %d and a small violation", name, f, bounded, r.Model.Support.Len())
		}
		wrong := 0
		for out := range n {
			rows := make([]uint32, 0, n)
			for i := range n {
				if i != out {
					rows = append(rows, uint32(i))
				}
			}
			left := without(set, rows)
			spec.Gap = 1e-8
			one, err := Fit(t.Context(), left, spec)
			if err != nil {
				t.Fatal(err)
			}
			if one.Model.Class(set.X.Row(out)) != set.Target.Label[set.Target.Code[out]] {
				wrong++
			}
		}
		if most := int(math.Round(*f.LeaveOneOut * float64(n))); wrong > most || most > f.Support {
			t.Errorf("%s: at most %d errors by %s, found %d, of %d support vectors", name, most, f.By, wrong, f.Support)
		}
	}
	for name, spec := range map[string]Spec{
		"logistic": {Kernel: "rbf", Loss: "logistic"}, "rough": {Kernel: "rbf:gamma=0.5", Gap: 0.3},
		"means": {Kernel: "rbf:gamma=0.5", Solver: "sbp", Epochs: 20}, // which are no coefficients of dual variables
	} {
		r, err := Fit(t.Context(), set, spec)
		if err != nil || r.Model.Facts == nil || (r.Model.Facts.LeaveOneOut != nil) != (name == "rough") || name == "rough" && !(r.Model.Facts.Violation > 1e-3) {
			t.Errorf("%s: %+v, %v", name, r.Model.Facts, err)
		}
	}
	r, err := Fit(t.Context(), set, Spec{Kernel: "rbf:gamma=0.5", Nu: 0.4, Gap: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	largest, bounded := 0.0, 0 // the coefficients are bounded by one number, and some reach it
	for _, b := range r.Model.Outputs[0].Weights {
		largest = max(largest, math.Abs(b))
	}
	for _, b := range r.Model.Outputs[0].Weights {
		if math.Abs(b) >= largest*(1-1e-9) {
			bounded++
		}
	}
	if f := r.Model.Facts; f == nil || f.Bounded != bounded || bounded < 2 || !math.IsNaN(float64(f.Violation)) || f.LeaveOneOut != nil {
		t.Errorf("nu: %+v, expected %d bounded vectors and no more", f, bounded)
	}
	if r, err := Fit(t.Context(), set, Spec{}); err != nil || r.Model.Facts != nil {
		t.Errorf("linear: %+v, %v", r.Model.Facts, err)
	}
}

// without returns some rows of a set.
func without(set *dataset.Set, rows []uint32) *dataset.Set {
	left := &dataset.Set{X: matrix.Gather(set.X, rows), Target: set.Target}
	left.Target.Code, left.Target.Number = make([]uint32, len(rows)), nil
	for k, i := range rows {
		left.Target.Code[k] = set.Target.Code[i]
		if set.Target.Number != nil {
			left.Target.Number = append(left.Target.Number, set.Target.Number[i])
		}
	}
	return left
}
