package fenchel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

func fitted(t testing.TB, set *data.Set, spec fenchel.Spec) *fenchel.Result {
	t.Helper()
	r, err := fenchel.Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reordered returns the rows of a set in another order, or some of them.
func reordered(set *data.Set, rows []int) *data.Set {
	other := *set
	other.X = matrix.Subset(set.X, rows)
	other.Target.Code, other.Target.Number = nil, nil
	for _, i := range rows {
		other.Target.Code = append(other.Target.Code, set.Target.Code[i])
		if set.Target.Number != nil {
			other.Target.Number = append(other.Target.Number, set.Target.Number[i])
		}
	}
	return &other
}

// A run that begins at its own answer is at its end.
func TestFromOwnAnswer(t *testing.T) {
	two, three := generated(t, "@blobs:n=600,classes=2,spread=5"), generated(t, "@blobs:n=450,classes=3,spread=5")
	for _, spec := range []fenchel.Spec{
		{}, {Solver: "sdca"}, {Loss: "logistic"}, {Scaling: "std", Bias: "feature"}, {Loss: "squared-hinge", Penalty: "l1"},
		{Kernel: "rbf"}, {Kernel: "rbf", Solver: "smo", Scaling: "max"}, {Kernel: "rbf", Loss: "logistic"}, {Kernel: "rbf", Nu: 0.3},
		{Kernel: "rbf", Map: "fourier:dim=50"}, {Scheme: model.OneAgainstOne}, {Kernel: "rbf", Scheme: model.OneAgainstOne},
	} {
		for _, set := range []*data.Set{two, three} {
			first := fitted(t, set, spec)
			spec.From = first.Model
			again := fitted(t, set, spec)
			if again.Epochs != 0 || again.Status != "converged" || len(again.Warnings) > 0 {
				t.Errorf("%+v: found %d epochs, status %s and warnings %v, expected the end at once (the first time %d epochs)", spec, again.Epochs, again.Status, again.Warnings, first.Epochs)
			}
			spec.From = nil
		}
	}
}

// Rows of every kind are known again: texts, numbers of a matrix, rows that a kernel makes
// more of, images; also where the digest does not say that they are the same.
func TestFromEveryKind(t *testing.T) {
	for name, k := range kinds() {
		opt := data.Options{Format: k.format, ZeroBased: k.zeroBased, Target: k.target, Weights: k.weight, Unlabelled: k.spec.Task == pose.OneClass,
			Precomputed: strings.Contains(k.spec.Kernel, "precomputed")}
		set, err := readText(t, k.text, opt)
		if err != nil {
			t.Fatal(err)
		}
		first := fitted(t, set, k.spec)
		read, _ := fit(t, set, k.spec)
		for _, digest := range []string{read.Data.Digest, "another"} {
			spec := k.spec
			spec.From, read.Data.Digest = read, digest
			again, err := fenchel.Train(t.Context(), set, spec)
			if err != nil {
				t.Errorf("%s, %s: %v", name, digest, err)
				continue
			}
			if len(again.Warnings) > len(first.Warnings) || again.Status != first.Status && again.Status != "converged" || digest != "another" && again.Epochs > first.Epochs {
				t.Errorf("%s, %s: found %d epochs, %s and warnings %v, the first time %d, %s and %v", name, digest, again.Epochs, again.Status, again.Warnings, first.Epochs, first.Status, first.Warnings)
			}
		}
	}
}

// Features that are known by numbers need not all be there.
func TestFromOtherNumbersOfFeatures(t *testing.T) {
	few, err := readText(t, "1 1:1 2:1\n-1 1:-1\n1 2:2\n-1 1:-1 2:-1\n", data.Options{Format: "libsvm"})
	if err != nil {
		t.Fatal(err)
	}
	more, err := readText(t, "1 1:1 2:1 7:1\n-1 1:-1\n1 2:2\n-1 1:-1 2:-1 6:1\n", data.Options{Format: "libsvm"})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []fenchel.Spec{{Loss: "logistic"}, {Loss: "logistic", Scaling: "max"}, {Kernel: "linear"}} {
		for _, sets := range [][2]*data.Set{{few, more}, {more, few}} {
			spec.From = nil
			spec.From = fitted(t, sets[0], spec).Model
			if r := fitted(t, sets[1], spec); r.Status != "converged" {
				t.Errorf("%+v: found %s", spec, r.Status)
			}
		}
	}
	spec := fenchel.Spec{Kernel: "linear", Scaling: "max"}
	spec.From = fitted(t, few, spec).Model
	if _, err := fenchel.Train(t.Context(), more, spec); err == nil || !strings.Contains(err.Error(), "it has 2 features, the data have 7") {
		t.Errorf("support vectors that are scaled: found %v", err)
	}
}

// Without dual variables there is less to begin with, but more than nothing.
func TestFromWithoutDual(t *testing.T) {
	set := generated(t, "@blobs:n=450,classes=3,spread=5")
	for _, spec := range []fenchel.Spec{{Loss: "logistic"}, {Kernel: "rbf"}, {Loss: "squared-hinge", Solver: "sdca"}} {
		spec.NoDual = true
		first := fitted(t, set, spec)
		spec.From = first.Model
		if again := fitted(t, set, spec); again.Epochs > first.Epochs/2 {
			t.Errorf("%s, kernel %q: found %d epochs, expected at most half of the first %d", again.Model.Statement.Solver, spec.Kernel, again.Epochs, first.Epochs)
		}
	}
}

// Another C takes less from the answer for the old one: epochs, or rows of the kernel.
func TestFromAnotherC(t *testing.T) {
	set := generated(t, "@blobs:n=900,classes=3,spread=5")
	for _, spec := range []fenchel.Spec{{Solver: "sdca"}, {Loss: "logistic"}, {Loss: "squared-hinge"}, {Kernel: "rbf", Loss: "logistic"}, {Kernel: "rbf:gamma=0.5", Bias: "none", Solver: "sdca"}} {
		spec.C = 1
		first := fitted(t, set, spec)
		spec.C = 2
		cold := fitted(t, set, spec)
		spec.From = first.Model
		warm := fitted(t, set, spec)
		epochs, values := cold.Epochs-warm.Epochs, cold.Evaluations.Requested-warm.Evaluations.Requested
		if epochs < 0 || values < 0 || epochs == 0 && values == 0 {
			t.Errorf("%s, kernel %q: found %d epochs and %d values of the kernel, expected less than the %d and %d from zero", warm.Model.Statement.Solver, spec.Kernel,
				warm.Epochs, warm.Evaluations.Requested, cold.Epochs, cold.Evaluations.Requested)
		}
		if s := warm.Summary; s.Primal < cold.Summary.Dual || s.Dual > cold.Summary.Primal {
			t.Errorf("found the bounds %g and %g, which contradict %g and %g", s.Primal, s.Dual, cold.Summary.Primal, cold.Summary.Dual)
		}
	}
}

// Rows in another order, and more of them, are known again by what they hold, and
// features that were scaled otherwise are scaled anew.
// Ten times C, or a tenth, takes at most 1.2 times what a run from zero takes, whatever the model.
func TestFromAFarC(t *testing.T) {
	two, three := generated(t, "@blobs:n=600,classes=2,spread=5"), generated(t, "@blobs:n=400,classes=3,spread=5")
	for _, spec := range []fenchel.Spec{{}, {Loss: "logistic"}, {Loss: "squared-hinge"}, {Scheme: model.OneAgainstOne}, {Kernel: "rbf:gamma=0.1", Scheme: model.OneAgainstOne},
		{Kernel: "rbf:gamma=0.1", Solver: "working:q=100"}, {Kernel: "rbf:gamma=5", Solver: "working:q=100"}, {Kernel: "rbf:gamma=0.1", Solver: "working:q=100", Loss: "logistic"}, {Kernel: "rbf:gamma=0.1", Solver: "smo"}} {
		for _, set := range []*data.Set{two, three} {
			spec.C, spec.From = 3, nil
			first := fitted(t, set, spec)
			for _, c := range []float64{30, 0.3} {
				spec.C, spec.From = c, nil
				cold := fitted(t, set, spec)
				spec.From = first.Model
				warm := fitted(t, set, spec)
				if warm.Status != "converged" || 5*warm.Epochs > 6*cold.Epochs+5 || 5*warm.Evaluations.Requested > 6*cold.Evaluations.Requested {
					t.Errorf("%+v: found %s after %d epochs and %d values of the kernel, from zero %d and %d", warm.Model.Statement, warm.Status,
						warm.Epochs, warm.Evaluations.Requested, cold.Epochs, cold.Evaluations.Requested)
				}
			}
		}
	}
}

// Another nu takes at most 1.2 times the values of the kernel too.
func TestFromAnotherNu(t *testing.T) {
	set := generated(t, "@blobs:n=600,classes=2,spread=5")
	for _, nu := range []float64{0.05, 0.2, 0.3} {
		spec := fenchel.Spec{Kernel: "rbf:gamma=0.1", Solver: "nu:q=100", Nu: 0.25}
		first := fitted(t, set, spec)
		spec.Nu = nu
		cold := fitted(t, set, spec)
		spec.From = first.Model
		if warm := fitted(t, set, spec); warm.Status != "converged" || 5*warm.Evaluations.Requested > 6*cold.Evaluations.Requested {
			t.Errorf("nu %g: found %s and %d values of the kernel, from zero %d", nu, warm.Status, warm.Evaluations.Requested, cold.Evaluations.Requested)
		}
	}
}

func TestFromOtherRows(t *testing.T) {
	set := generated(t, "@blobs:n=600,classes=2,spread=5")
	var most, all []int
	for i := range set.Rows() {
		all = append(all, set.Rows()-1-i)
		if i%20 != 0 {
			most = append(most, i)
		}
	}
	for _, spec := range []fenchel.Spec{{Loss: "logistic", Scaling: "std"}, {Kernel: "rbf", Solver: "smo"}, {Kernel: "rbf", Solver: "smo", Scaling: "std"}} {
		spec.Gap = 1e-5
		cold := fitted(t, set, spec)
		spec.From = fitted(t, reordered(set, most), spec).Model
		if warm := fitted(t, set, spec); warm.Epochs >= cold.Epochs || len(warm.Warnings) > 0 {
			t.Errorf("more rows, %+v: found %d epochs and warnings %v, expected less than %d and none", spec, warm.Epochs, warm.Warnings, cold.Epochs)
		}
		spec.From = cold.Model
		if warm := fitted(t, reordered(set, all), spec); warm.Epochs > cold.Epochs/2 || len(warm.Warnings) > 0 {
			t.Errorf("another order, %+v: found %d epochs and warnings %v", spec, warm.Epochs, warm.Warnings)
		}
	}
	spec := fenchel.Spec{Kernel: "rbf"}
	spec.From = fitted(t, reordered(set, most), spec).Model
	if r := fitted(t, generated(t, "@blobs:n=600,classes=2,spread=5,seed=9"), spec); len(r.Warnings) != 1 || r.Status != "converged" {
		t.Errorf("other rows: found the status %s and warnings %v, expected one", r.Status, r.Warnings)
	}
}

// Classes in another order, as other programs have them, are known by their labels.
func TestFromOtherOrderOfClasses(t *testing.T) {
	for classes, spec := range map[string]fenchel.Spec{"2": {Kernel: "rbf"}, "3": {Kernel: "rbf"}, "4": {Kernel: "rbf", Scheme: model.OneAgainstOne}} {
		set := generated(t, "@blobs:n=300,spread=5,classes="+classes)
		first := fitted(t, set, spec)
		m := *first.Model
		k := len(m.Classes)
		m.Classes = slices.Clone(m.Classes)
		slices.Reverse(m.Classes)
		outputs := m.Outputs
		m.Outputs = slices.Clone(outputs)
		for c, o := range outputs {
			if k > 2 && spec.Scheme == "" {
				m.Outputs[k-1-c] = o
				continue
			}
			o.Weights, o.Dual, o.Bias = negated(o.Weights), negated(o.Dual), -o.Bias
			m.Outputs[mirrored(c, k)] = o
		}
		spec.From = &m
		if r := fitted(t, set, spec); r.Epochs > 0 || len(r.Warnings) > 0 {
			t.Errorf("%s classes: found %d epochs and warnings %v, expected none", classes, r.Epochs, r.Warnings)
		}
		m.Data.Digest = "another" // rows are matched by what they hold
		if r := fitted(t, set, spec); r.Epochs > (first.Epochs+1)/2 || len(r.Warnings) > 0 {
			t.Errorf("%s classes: found %d epochs and warnings %v, expected at most about half of %d", classes, r.Epochs, r.Warnings, first.Epochs)
		}
	}
}

// mirrored is the output of a pair of k classes when these stand the other way round.
func mirrored(c, k int) int {
	i, j := model.Pair(c, k)
	for other := range k * (k - 1) / 2 {
		if a, b := model.Pair(other, k); a == k-1-j && b == k-1-i {
			return other
		}
	}
	return c
}

func negated(v []float64) []float64 {
	other := make([]float64, len(v))
	for i, x := range v {
		other[i] = -x
	}
	return other
}

// However bad the start, what is proved is true.
func TestFromABadStart(t *testing.T) {
	set := generated(t, "@blobs:n=300,classes=2,spread=5")
	for _, spec := range []fenchel.Spec{{Solver: "sdca"}, {Loss: "logistic"}, {Kernel: "rbf"}, {Kernel: "rbf", Nu: 0.4}, {Penalty: "l1", Loss: "squared-hinge"}, {Solver: "newton"}} {
		cold := fitted(t, set, spec)
		m := *cold.Model
		m.Outputs = slices.Clone(m.Outputs)
		for _, size := range []float64{-1e3, 1e300} {
			o := &m.Outputs[0]
			o.Weights, o.Dual = slices.Clone(cold.Model.Outputs[0].Weights), nil
			for j := range o.Weights {
				o.Weights[j] = size * float64(j%7-3)
			}
			spec.From = &m
			r := fitted(t, set, spec)
			if s := r.Summary; r.Status != "converged" || s.Primal < cold.Summary.Dual || s.Dual > cold.Summary.Primal {
				t.Errorf("%+v, weights of the size %g: found %s with the bounds %g and %g, expected within %g and %g", spec, size, r.Status, s.Primal, s.Dual, cold.Summary.Primal, cold.Summary.Dual)
			}
		}
	}
}

func TestFromRefuses(t *testing.T) {
	set := generated(t, "@blobs:n=60,classes=2,d=3")
	linear, machine := fitted(t, set, fenchel.Spec{}).Model, fitted(t, set, fenchel.Spec{Kernel: "rbf:gamma=1"}).Model
	mapped := fitted(t, set, fenchel.Spec{Kernel: "rbf:gamma=1", Map: "fourier:dim=4"}).Model
	three := generated(t, "@blobs:n=60,classes=3,d=3")
	named := *set
	named.Feature = []string{"a", "b", "c"}
	other := named
	other.Feature = []string{"a", "x", "c"}
	for _, c := range []struct {
		set  *data.Set
		spec fenchel.Spec
		want string
	}{
		{set, fenchel.Spec{Run: fenchel.Run{From: machine}}, "found a machine of the kernel rbf:gamma=1, expected a linear model without kernel"},
		{set, fenchel.Spec{Run: fenchel.Run{From: linear}, Kernel: "rbf:gamma=1"}, "found a linear model without kernel, expected a machine of the kernel rbf:gamma=1"},
		{set, fenchel.Spec{Run: fenchel.Run{From: machine}, Kernel: "rbf:gamma=2"}, "rbf:gamma=1, expected a machine of the kernel rbf:gamma=2"},
		{set, fenchel.Spec{Run: fenchel.Run{From: mapped}, Kernel: "rbf:gamma=1", Map: "fourier:dim=8"}, "expected a linear model of the map fourier:dim=8"},
		{set, fenchel.Spec{Run: fenchel.Run{From: mapped}, Kernel: "rbf:gamma=1", Map: "fourier:dim=4", Seed: 3}, "its map was drawn with the seed 0, expected 3"},
		{generated(t, "@blobs:n=60,classes=2,d=4"), fenchel.Spec{Run: fenchel.Run{From: linear}}, "it has 3 features, the data have 4"},
		{&other, fenchel.Spec{Run: fenchel.Run{From: fitted(t, &named, fenchel.Spec{}).Model}}, `its feature 2 is "b", that of the data "x"`},
		{three, fenchel.Spec{Run: fenchel.Run{From: linear}}, `it has the classes ["-1" "+1"], the data have ["1" "2" "3"]`},
		{three, fenchel.Spec{Run: fenchel.Run{From: fitted(t, three, fenchel.Spec{}).Model}, Scheme: model.OneAgainstOne}, "expected the scheme one-against-one"},
		{set, fenchel.Spec{Run: fenchel.Run{From: linear}, Task: "regression"}, "it is for classification, the task is regression"},
	} {
		_, err := fenchel.Train(t.Context(), c.set, c.spec)
		if err == nil || !strings.HasPrefix(err.Error(), "the model to begin with does not fit: ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("found %v, expected %s", err, c.want)
		}
	}
}
