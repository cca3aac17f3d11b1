package fenchel

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// noTargets are the rows of a set alone.
func noTargets(set *data.Set) *data.Set { return &data.Set{X: set.X} }

// measured gives the rows of a set numbers to predict.
func measured(set *data.Set) *data.Set {
	y := make([]float64, set.Rows())
	for i := range y {
		y[i] = math.Sqrt(set.X.Row(i).SquaredNorm()) + 0.1*float64(i%3)
	}
	return &data.Set{X: set.X, Target: data.Numbers(y)}
}

// Machines with nu are proved, read back from their files and verified, also without
// their dual variables; another nu is found out.
func TestShares(t *testing.T) {
	two, three := rings(t, 80, 2, false), rings(t, 80, 3, true)
	for name, c := range map[string]struct {
		set  *data.Set
		spec Spec
	}{
		"one class":           {noTargets(two), Spec{Task: pose.OneClass, Nu: 0.2}},
		"one class of labels": {three, Spec{Task: pose.OneClass, Nu: 0.2, Scaling: "std"}},
		"classification":      {two, Spec{Nu: 0.4}},
		"balanced classes":    {two, Spec{Nu: 0.9, Weighting: Weighting{Balanced: true}}},
		"one against rest":    {three, Spec{Nu: 0.07}},
		"one against one":     {three, Spec{Nu: 0.07, Scheme: model.OneAgainstOne}},
		"regression":          {measured(two), Spec{Nu: 0.5, C: 10}},
		"regression, lambda":  {three, Spec{Task: "regression", Nu: 1, Lambda: 0.01}},
	} {
		c.spec.Kernel, c.spec.Gap = "rbf:gamma=1", 1e-6
		r, err := Train(t.Context(), c.set, c.spec)
		if err != nil {
			t.Fatal(name, err)
		}
		m, err := model.Decode(encoded(t, r.Model))
		if err != nil || r.Status != solver.Converged || m.OneClass() != (c.spec.Task == pose.OneClass) {
			t.Fatalf("%s: %s, %+v, %v", name, r.Status, m.Statement, err)
		}
		if v, err := Verify(t.Context(), m, c.set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || v.Found != v.Claimed {
			t.Errorf("%s: verification %+v, %v", name, v, err)
		}
		for o := range m.Outputs {
			m.Outputs[o].Dual = nil
		}
		if v, err := Verify(t.Context(), m, c.set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || !v.Rebuilt || v.Found.Worst > 2e-6 {
			t.Errorf("%s without dual variables: verification %+v, %v", name, v, err)
		}
		m.Statement.Nu *= 0.9
		if v, err := Verify(t.Context(), m, c.set, Options{Threads: 1}); err != nil || len(v.Problems) == 0 {
			t.Errorf("%s: another nu is not found out: %v", name, err)
		}
	}
}

// Of one class the outliers among the rows are at most nu, and what evaluating says
// depends on targets only if these are 1 and -1.
func TestOneClassOutliers(t *testing.T) {
	set := rings(t, 200, 2, false)
	r, err := Train(t.Context(), noTargets(set), Spec{Task: pose.OneClass, Nu: 0.2, Kernel: "rbf:gamma=1", Gap: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	labels, signs := make([]string, set.Rows()), make([]string, set.Rows())
	for i := range labels {
		labels[i], signs[i] = "north", "+1"
		if r.Model.Score(set.X.Row(i)) < 0 {
			signs[i] = "-1"
		}
	}
	for name, target := range map[string]data.Target{"": {}, "names": data.Labels(labels), "signs": data.Labels(signs)} {
		e, err := Evaluate(t.Context(), r.Model, &data.Set{X: set.X, Target: target}, Options{Threads: 1})
		if err != nil || e.Outliers == nil || !(*e.Outliers <= 0.2) || !(*e.Outliers > 0.1) {
			t.Fatalf("%q: found %+v, %v, expected less than 0.2 outliers", name, e, err)
		}
		if compared := e.Accuracy != nil; compared != (name == "signs") || compared && *e.Accuracy < 0.95 || (len(e.Warnings) > 0) != (name == "names") {
			t.Errorf("%q: found %+v", name, e)
		}
	}
}

func TestSharesRefuse(t *testing.T) {
	two, three := rings(t, 60, 2, false), rings(t, 60, 3, false)
	for _, c := range []struct {
		set  *data.Set
		spec Spec
		want string
	}{
		{two, Spec{Task: pose.OneClass}, "task one-class without nu: expected the share of rows"},
		{two, Spec{Nu: 0.5, Kernel: "none"}, "nu=0.5 without a kernel"},
		{two, Spec{Nu: 1.5}, "nu=1.5: expected a number > 0 and at most 1"},
		{two, Spec{Nu: -1}, "nu=-1: expected a number > 0 and at most 1"},
		{two, Spec{Nu: math.NaN()}, "nu=NaN: expected"},
		{two, Spec{Nu: 1}, "nu=1: expected at most "},
		{three, Spec{Nu: 0.9}, "twice the share of the smaller side: class "},
		{three, Spec{Nu: 1, Scheme: model.OneAgainstOne}, "twice the share of the smaller side: class "},
		{two, Spec{Nu: 0.5, C: 1}, "nu=0.5 for classification with lambda=0, C=1: expected nu alone"},
		{two, Spec{Nu: 0.5, Task: pose.OneClass, Lambda: 1}, "for one-class with lambda=1"},
		{two, Spec{Nu: 0.5, Task: pose.OneClass, Weighting: Weighting{Balanced: true}}, "class weights need classes"},
		{two, Spec{Nu: 0.5, Bias: "none"}, "with the bias none: expected free"},
		{two, Spec{Nu: 0.5, Loss: "logistic"}, "for classification with the loss logistic: expected hinge"},
		{measured(two), Spec{Nu: 0.5, Loss: "squared"}, "for regression with the loss squared: expected epsilon-insensitive"},
		{two, Spec{Nu: 0.5, Radius: 1}, "expected one of them"},
		{two, Spec{Nu: 0.5, Slack: 1}, "expected one of them"},
		{two, Spec{Nu: 0.3, Solver: "sbp"}, "found a kernel machine with nu"},
		{two, Spec{Solver: "nu"}, "nu takes problems with nu"},
		{noTargets(two), Spec{Nu: 0.3}, "no targets"},
	} {
		switch c.spec.Kernel {
		case "":
			c.spec.Kernel = "rbf:gamma=1"
		case "none":
			c.spec.Kernel = ""
		}
		if _, err := Train(t.Context(), c.set, c.spec); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: found %v, expected %q", c.spec, err, c.want)
		}
	}
}

// What LIBSVM calls alpha is in other units. By hand, with the linear kernel:
//
//	one class of 1 and 3, nu = 1: both coefficients 1/2, w = 2, rho = 6 is as good as
//	any from 6 on, P = 2 - 6 + (4 + 0)/2 = -2 = -w^2/2; in the file twice of all
//	nu_svc of the two points, nu = 1: w = 1/2 + 1/2, rho = 1, P = 1/2 - 1
//	nu_svr of them, nu = 1 and C = 1, so lambda = 1/2: w = 1, epsilon = 0, P = 1/4
func TestAuditOfShares(t *testing.T) {
	const format = "svm_type T\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho R\nLSV\nA 1:1 \nB \n"
	file := func(kind, rho, labels, a, b string) *model.Model {
		return decode(t, strings.NewReplacer("T", kind, "R", rho, "L", labels, "A", a, "B", b).Replace(format))
	}
	pair := &data.Set{X: measured(rings(t, 2, 2, false)).X}
	copy(pair.X.Row(0).Value, []float32{1, 0})
	copy(pair.X.Row(1).Value, []float32{3, 0})
	const labels = "label 1 -1\nnr_sv 1 1\n"
	for name, c := range map[string]struct {
		m    *model.Model
		set  *data.Set
		opt  AuditOptions
		want float64
	}{
		"one class":           {file("one_class", "12", "", "1", "1 1:3"), pair, AuditOptions{Nu: 1}, -2},
		"classes":             {file("nu_svc", "0", labels, "0.5", "-0.5 1:-1"), twoPoints(1), AuditOptions{Nu: 1}, -0.5},
		"classes, other unit": {file("nu_svc", "0", labels, "3", "-3 1:-1"), twoPoints(1), AuditOptions{Nu: 1}, -0.5},
		"regression":          {file("nu_svr", "0", "", "0.5", "-0.5 1:-1"), twoPoints(1), AuditOptions{Nu: 1, C: 1}, 0.25},
	} {
		a, err := Audit(t.Context(), c.m, c.set, c.opt)
		if err != nil {
			t.Fatal(name, err)
		}
		if s := a.Summary; math.Abs(s.Primal-c.want) > 1e-12 || math.Abs(s.Dual-c.want) > 1e-12 || s.Dual > s.Primal {
			t.Errorf("%s: found %g and %g, expected %g", name, s.Primal, s.Dual, c.want)
		}
	}
}
