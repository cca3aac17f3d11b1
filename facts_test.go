package fenchel

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
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
		r, err := Train(t.Context(), set, spec)
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
			one, err := Train(t.Context(), left, spec)
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
		"means": {Kernel: "rbf:gamma=0.5", Solver: "sbp", Run: Run{Epochs: 20}}, // which are no coefficients of dual variables
	} {
		r, err := Train(t.Context(), set, spec)
		if err != nil || r.Model.Facts == nil || (r.Model.Facts.LeaveOneOut != nil) != (name == "rough") || name == "rough" && !(r.Model.Facts.Violation > 1e-3) {
			t.Errorf("%s: %+v, %v", name, r.Model.Facts, err)
		}
	}
	r, err := Train(t.Context(), set, Spec{Kernel: "rbf:gamma=0.5", Nu: 0.4, Gap: 1e-8})
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
	if r, err := Train(t.Context(), set, Spec{}); err != nil || r.Model.Facts != nil {
		t.Errorf("linear: %+v, %v", r.Model.Facts, err)
	}
}

// without returns some rows of a set.
func without(set *data.Set, rows []uint32) *data.Set {
	left := &data.Set{X: matrix.Gather(set.X, rows), Target: set.Target}
	left.Target.Code, left.Target.Number = make([]uint32, len(rows)), nil
	for k, i := range rows {
		left.Target.Code[k] = set.Target.Code[i]
		if set.Target.Number != nil {
			left.Target.Number = append(left.Target.Number, set.Target.Number[i])
		}
	}
	return left
}

// TestF6SameAs trains for the parameters that a machine says it has the same optimum for, and is
// told the first ones back; norm, slacks and errors are compared with their definitions.
func TestF6SameAs(t *testing.T) {
	set := rings(t, 60, 2, false)
	fit := func(spec Spec) *model.Model {
		t.Helper()
		spec.Kernel, spec.Scaling = "rbf:gamma=0.5", "none"
		if spec.Gap == 0 {
			spec.Gap = 1e-9
		}
		r, err := Train(t.Context(), set, spec)
		if err != nil || r.Model.Facts == nil {
			t.Fatalf("%+v: %v, %+v", spec, err, r)
		}
		return r.Model
	}
	for bias, rough := range map[string]float64{"free": 1e-4, "none": 0, "feature": 0} {
		m := fit(Spec{C: 0.3, Bias: bias})
		same := m.Facts.Same
		if math.Abs(float64(same.C)-0.3) > 1e-12 || math.Abs(float64(same.Lambda)*0.3*60-1) > 1e-12 {
			t.Errorf("%s: C %g, lambda %g, expected 0.3 and 1/18", bias, same.C, same.Lambda)
		}
		losses, wrong := 0.0, 0.0
		for i := range set.Rows() {
			y := float64(2*int(set.Target.Code[i]) - 1)
			margin := y * m.Score(set.X.Row(i))
			if losses += max(0, 1-margin); margin <= 0 {
				wrong++
			}
		}
		if f := m.Facts; math.Abs(float64(f.Losses)-losses) > 1e-6 || float64(f.Errors) != wrong || wrong > losses || wrong == 0 {
			t.Errorf("%s: slacks %g and %g errors, expected %g and %g", bias, f.Losses, f.Errors, losses, wrong)
		}
		others := []Spec{{Slack: float64(same.Slack), Bias: bias}, {Radius: float64(same.Radius), Bias: bias}}
		if bias == "free" {
			others = append(others, Spec{Nu: float64(same.Nu)})
		}
		for _, spec := range others {
			back := fit(spec)
			tolerance := 1e-3 // lambda is determined less well than norm and loss
			if spec.Nu > 0 {
				tolerance = rough
			}
			if got := float64(back.Facts.Same.Lambda); !(math.Abs(got/float64(same.Lambda)-1) < tolerance) {
				t.Errorf("%s: %+v has lambda %g, expected %g", bias, spec, got, same.Lambda)
			}
			if spec.Nu == 0 {
				continue
			}
			unit := float64(same.Lambda) // K23: the same predictions, in another unit
			for i := range set.Rows() {
				a, b := m.Score(set.X.Row(i)), back.Score(set.X.Row(i))/unit
				if math.Abs(a-b) > 1e-3 {
					t.Errorf("row %d: score %g, by nu %g", i, a, b)
				}
			}
		}
	}
}

// TestFactsAreRecomputed: what training says of machines of every kind verifying finds again, and
// no other number, none instead of one, none at all, and one where nothing is known.
func TestFactsAreRecomputed(t *testing.T) {
	two, three := rings(t, 40, 2, false), rings(t, 40, 3, false)
	numbers := &data.Set{X: two.X, Target: data.Target{Number: two.Target.Number}}
	for name, spec := range map[string]Spec{
		"hinge": {C: 1e11}, "squared hinge": {Loss: "squared-hinge", Bias: "none"}, "regression": {Task: "regression"}, "cut": {},
		"radius": {Radius: 1}, "radius of another loss": {Radius: 1, Loss: "logistic"}, "means": {Slack: 0.3, Solver: "sbp", Bias: "none"},
		"radius without dual": {Radius: 1, Record: Record{NoDual: true}}, "radius of several": {Radius: 1}, "pairs": {Scheme: model.OneAgainstOne},
		"slack": {Slack: 0.3}, "slack without dual": {Slack: 0.3, Record: Record{NoDual: true}}, "hard margin": {HardMargin: true},
		"nu": {Nu: 0.4}, "tube": {Nu: 0.4, Task: "regression"}, "one class": {Nu: 0.4, Task: pose.OneClass}, "ramp": {Loss: "ramp"},
	} {
		set := two
		switch {
		case name == "pairs" || name == "radius of several":
			set = three
		case spec.Task == "regression":
			set = numbers
		}
		spec.Kernel, spec.Epochs = "rbf:gamma=0.5", 50
		ctx, cancel := context.WithCancel(t.Context())
		if name == "cut" {
			cancel()
		}
		r, err := Train(ctx, set, spec)
		cancel()
		if err != nil {
			t.Fatal(name, err)
		}
		verify := func(what string, f *model.Facts) (problems []string, unproved string) {
			m := *r.Model
			m.Facts = f
			v, err := Verify(t.Context(), &m, set, Options{Threads: 1})
			if err != nil {
				t.Fatal(name, what, err)
			}
			return v.Problems, v.Unproved
		}
		honest := r.Model.Facts
		problems, unproved := verify("", honest)
		if len(problems) > 0 || unproved != "" && !spec.NoDual && name != "ramp" {
			t.Errorf("%s: found %v and %q of the model as it is", name, problems, unproved)
		}
		if (honest == nil) != (name == "radius of several" || name == "ramp") {
			t.Errorf("%s: found the facts %+v", name, honest)
		}
		if honest == nil {
			honest = &model.Facts{Support: r.Model.Support.Len()}
		}
		forged := *honest
		for at, field := range []*model.Bound{&forged.Violation, &forged.Norm, &forged.Losses, &forged.Errors, &forged.Steps, &forged.Alignment,
			&forged.Same.Lambda, &forged.Same.C, &forged.Same.Radius, &forged.Same.Slack, &forged.Same.Nu} {
			before := *field
			for _, other := range []float64{math.NaN(), 0, 0.123, 1e300} {
				if *field = model.Bound(other); *field == before || math.IsNaN(other) && math.IsNaN(float64(before)) || other == 0 && math.Abs(float64(before)) < 1e-9 && (at == 0 || at == 2 || at == 9) {
					continue
				}
				if problems, unproved := verify("forged", &forged); len(problems) == 0 && unproved == "" || !math.IsNaN(other) && len(problems) == 0 && r.Model.Facts != nil && !spec.NoDual {
					t.Errorf("%s: fact %d is %g instead of %g, and is believed", name, at, other, before)
				}
			}
			*field = before
		}
		if _, unproved := verify("none", nil); r.Model.Facts != nil && unproved == "" {
			t.Errorf("%s: a model without facts is proved", name)
		}
	}
}
