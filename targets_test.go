package fenchel_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// whole has 40 rows with few whole numbers as targets, in every format.
func whole(t *testing.T, values int) map[string]*data.Set {
	folder := t.TempDir()
	var text strings.Builder
	text.WriteString("a,b,claims\n")
	for i := range 40 {
		fmt.Fprintf(&text, "%g,%g,%d\n", float64(i%7)/2, float64(i*i%11)/3, i%values)
	}
	first := filepath.Join(folder, "rows.csv")
	if err := os.WriteFile(first, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	sets := map[string]*data.Set{"csv": read(t, first)}
	for _, format := range []string{"svm", "npz", "fen"} {
		path := filepath.Join(folder, "rows."+format)
		if err := data.Write(t.Context(), path, sets["csv"], ""); err != nil {
			t.Fatal(err)
		}
		sets[format] = read(t, path)
	}
	var rows [][]float32
	var y []float64
	for i := range 40 {
		rows, y = append(rows, []float32{float32(i % 7), float32(i * i % 11)}), append(y, float64(i%values))
	}
	made, err := data.FromDense(rows, data.Numbers(y))
	if err != nil {
		t.Fatal(err)
	}
	sets["values"] = made
	return sets
}

// multiples are 60 multiples of step, of so many kinds.
func multiples(kinds int, step float64) *data.Target {
	y := make([]float64, 60)
	for i := range y {
		y[i] = step * float64(i%kinds)
	}
	t := data.Numbers(y)
	return &t
}

// Losses of numbers mean numbers, and losses of margins classes, in every format.
func TestLossDecidesTheTask(t *testing.T) {
	tasks := map[string]string{"poisson": "regression", "quantile": "regression", "absolute": "regression", "huber": "regression",
		"epsilon-insensitive": "regression", "squared-epsilon-insensitive": "regression",
		"hinge": "classification", "squared-hinge": "classification", "huber-hinge": "classification", "logistic": "classification",
		"softmax": "classification", "crammer-singer": "classification", "squared": "classification"}
	var names []string
	for _, e := range loss.Entries() {
		names = append(names, e.Name)
	}
	for _, e := range joint.Entries() {
		names = append(names, e.Name)
	}
	for _, values := range []int{2, 5, 10} {
		for format, set := range whole(t, values) {
			for _, name := range names {
				spec := fenchel.Spec{Loss: name}
				if found := spec.Decide(set.Target); found != tasks[name] {
					t.Errorf("%s, %d values, loss %s: found %s, expected %s", format, values, name, found, tasks[name])
				}
				if doubt := spec.Doubt(set.Target); (doubt != nil) != (name == "squared" && values > 2) || doubt != nil && !strings.Contains(doubt.Error(), "'task=regression'") {
					t.Errorf("%s, %d values, loss %s: found the doubt %v", format, values, name, doubt)
				}
				r, err := fenchel.Train(t.Context(), set, spec)
				if err != nil {
					t.Errorf("%s, %d values, loss %s: %v", format, values, name, err)
				} else if numbers := r.Model.Classes == nil; numbers != (tasks[name] == "regression") {
					t.Errorf("%s, %d values, loss %s: found classes %v", format, values, name, r.Model.Classes)
				}
			}
			if logs := (fenchel.Spec{TargetLog: true}); logs.Decide(set.Target) != "regression" {
				t.Errorf("%s, %d values: found classes of which the logarithm is asked for", format, values)
			}
			for y, want := range map[*data.Target]string{multiples(25, 1): "classification", multiples(25, 0.5): "regression", multiples(2, 0.5): "classification"} {
				if hinge := (fenchel.Spec{Loss: "hinge"}); hinge.Decide(*y) != want {
					t.Errorf("%d numbers, from 0 to %g: found %s for the hinge, expected %s", len(y.Label), y.Number[len(y.Number)-1], hinge.Decide(*y), want)
				}
			}
			for task, classes := range map[string]int{"classification": values, "regression": 0} { // which is asked for decides
				r, err := fenchel.Train(t.Context(), set, fenchel.Spec{Loss: "absolute", Task: task})
				if err != nil || len(r.Model.Classes) != classes {
					t.Errorf("%s, task %s: found %v", format, task, err)
				}
			}
		}
	}
}

// With targets a thousand times as large everything predicted is a thousand times as large, where
// neither C nor lambda is given, and as good as by least squares; with C it is another problem.
func TestDefaultsFollowTheTargets(t *testing.T) {
	set := read(t, "@linear:n=240,d=4,noise=0.3,seed=5")
	weight := make([]float64, set.Rows())
	for i := range weight {
		weight[i] = float64(1 + i%3)
	}
	times := func(factor float64, weights []float64) *data.Set {
		scaled, y := *set, make([]float64, set.Rows())
		for i, x := range set.Target.Number {
			y[i] = factor * (x + 3)
		}
		scaled.Target, scaled.Weight = data.Numbers(y), weights
		return &scaled
	}
	r2 := func(s *data.Set, spec fenchel.Spec) (float64, *model.Model) {
		spec.Gap, spec.Threads = 1e-10, 1
		r, err := fenchel.Train(t.Context(), s, spec)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("%s: %s, gap %g", spec.Loss, r.Status, r.Summary.Gap)
		}
		if v, err := fenchel.Verify(t.Context(), r.Model, s, fenchel.Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
			t.Errorf("%s: verify found %v, %v", spec.Loss, v, err)
		}
		e, err := fenchel.Evaluate(t.Context(), r.Model, s, fenchel.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		return *e.R2, r.Model
	}
	for _, kernel := range []string{"", "rbf:gamma=0.1"} {
		for _, weights := range [][]float64{nil, weight} {
			least, _ := r2(times(1, weights), fenchel.Spec{Loss: "squared", Kernel: kernel})
			for _, name := range []string{"squared", "absolute", "quantile:tau=0.5", "quantile:tau=0.4", "epsilon-insensitive", "epsilon-insensitive:epsilon=5%", "squared-epsilon-insensitive", "huber", "huber:delta=30%"} {
				spec := fenchel.Spec{Loss: name, Kernel: kernel}
				small, m := r2(times(1, weights), spec)
				large, big := r2(times(1000, weights), spec)
				if math.Abs(small-least) > 0.05 || math.Abs(large-least) > 0.05 {
					t.Errorf("kernel %q, loss %s: R2 %g and %g, by least squares %g", kernel, name, small, large, least)
				}
				for i := range set.Rows() {
					if a, b := 1000*m.Predict(set.X.Row(i)), big.Predict(set.X.Row(i)); math.Abs(a-b) > 0.01*1000 { // the scale is about 1
						t.Fatalf("kernel %q, loss %s: row %d is predicted %g, expected 1000 times %g", kernel, name, i, b, a/1000)
					}
				}
			}
		}
	}
	absolute := fenchel.Spec{Loss: "epsilon-insensitive", C: 1}
	if far, m := r2(times(1000, nil), absolute); far > 0.5 || m.Statement.Loss != "epsilon-insensitive" {
		t.Errorf("with C: loss %s, R2 %g, expected that of LIBSVM's problem", m.Statement.Loss, far)
	}
	_, m := r2(times(1000, nil), fenchel.Spec{Loss: "huber:delta=2"})
	if m.Statement.Loss != "huber:delta=2" {
		t.Errorf("found the loss %s, expected the width that was given", m.Statement.Loss)
	}
	few := []float64{0, 0, 0, 7, 0, 0}
	zeros, err := data.FromDense([][]float32{{1}, {2}, {3}, {4}, {5}, {6}}, data.Numbers(few))
	if err != nil {
		t.Fatal(err)
	}
	// The median distance to the median, the deviation where that is 0, and 1 where that is too.
	for c, y := range map[float64][]float64{2: {1, 2, 3, 5, 6, 1e6}, 2.609: few, 1: {4, 4, 4, 4, 4, 4}} {
		zeros.Target = data.Numbers(y)
		if found := (&fenchel.Spec{Loss: "absolute"}).UsualC(zeros); found != c {
			t.Errorf("%v: found C %g, expected %g", y, found, c)
		}
	}
}

// Counts in the hundred thousands are learned by every solver that takes them, whatever the bias.
func TestPoissonDoesNotDiverge(t *testing.T) {
	source := read(t, "@linear:n=200,d=5,noise=0.3,seed=2")
	y := make([]float64, source.Rows())
	for i, x := range source.Target.Number {
		y[i] = math.Round(1e5 * math.Exp(2*x))
	}
	source.Target = data.Numbers(y)
	for _, penalty := range []string{"l2", "elastic-net"} {
		for _, bias := range []string{"free", "feature", "none"} {
			names := []string{"auto"}
			for _, e := range linear.Entries() {
				names = append(names, e.Name)
			}
			for _, name := range names {
				r, err := fenchel.Train(t.Context(), source, fenchel.Spec{Loss: "poisson", Penalty: penalty, Bias: bias, Solver: name, Run: fenchel.Run{Epochs: 300, Threads: 1}})
				if err != nil {
					continue // it does not take the loss
				}
				if r.Status == solver.Diverged || (name == "auto" || name == "newton") && r.Status != solver.Converged {
					t.Errorf("penalty %s, bias %s, solver %s: %s, gap %g", penalty, bias, r.Model.Statement.Solver, r.Status, r.Summary.Gap)
				}
				if bias == "free" && name == "newton" && r.Epochs > 5 { // from no weights it takes more
					t.Errorf("penalty %s: %d epochs, expected at most 5", penalty, r.Epochs)
				}
				if !(r.Summary.Primal <= r.Summary.Zero) {
					t.Errorf("penalty %s, bias %s, solver %s: objective %g, above %g of no weights", penalty, bias, r.Model.Statement.Solver, r.Summary.Primal, r.Summary.Zero)
				}
			}
		}
	}
}

// A model of logarithms is that of the logarithms as targets, predicts their exponentials, and is
// verified from the targets as they are, also after it was written.
func TestTargetLog(t *testing.T) {
	set := read(t, "@linear:n=120,d=3,seed=4")
	logs, powers := *set, make([]float64, set.Rows())
	for i, x := range set.Target.Number {
		powers[i] = math.Exp(x)
	}
	set.Target = data.Numbers(powers)
	for _, spec := range []fenchel.Spec{{}, {Loss: "huber"}, {Loss: "absolute", Kernel: "rbf"}, {Kernel: "rbf", Nu: 0.4}, {Kernel: "rbf", Map: "nystrom", Loss: "squared-epsilon-insensitive"}} {
		spec.Gap, spec.Scaling = 1e-8, "none"
		plain, err := fenchel.Train(t.Context(), &logs, spec)
		if err != nil {
			t.Fatal(err)
		}
		spec.TargetLog = true
		r, err := fenchel.Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := r.Model.Write(&file); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(file.Bytes(), []byte(`"format_version":"3"`)) {
			t.Error("found another version of the format than 3, which older programs refuse")
		}
		m, err := model.Decode(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
			t.Errorf("%+v: verify found %v, %v", spec, v, err)
		}
		if v, err := fenchel.Verify(t.Context(), m, &logs, fenchel.Options{Threads: 1}); err == nil && len(v.Problems) == 0 {
			t.Errorf("%+v: verified with logarithms of logarithms", spec)
		}
		for i := range set.Rows() {
			score, expected := m.Predict(set.X.Row(i)), math.Exp(plain.Model.Predict(set.X.Row(i)))
			if math.Abs(score-expected) > 1e-4*expected {
				t.Fatalf("%+v, row %d: predicted %g, expected %g", spec, i, score, expected)
			}
		}
		e, err := fenchel.Evaluate(t.Context(), m, set, fenchel.Options{Threads: 1})
		if err != nil || *e.R2 < 0.5 {
			t.Errorf("%+v: found %+v, %v, expected scores in the unit of the targets", spec, e, err)
		}
		for name, write := range map[string]func() error{"LIBSVM": func() error { return m.WriteLIBSVM(&file) }, "LIBLINEAR": func() error { return m.WriteLIBLINEAR(&file) }, "VW": func() error { return m.WriteVW(&file) }} {
			if err := write(); err == nil {
				t.Errorf("%+v: written as a model of %s, which takes no exponential", spec, name)
			}
		}
	}
	r, err := tune.Run(t.Context(), set, tune.Spec{Train: fenchel.Spec{TargetLog: true}, Folds: tune.Folds{K: tune.LeaveOneOut}, Score: "r2"})
	if err != nil || r.Candidates[r.Best].Mean < 0.5 {
		t.Errorf("leaving one row out: found %+v, %v, expected scores in the unit of the targets", r, err)
	}
	set.Target.Number[7] = 0
	_, err = fenchel.Train(t.Context(), set, fenchel.Spec{TargetLog: true})
	var data pose.DataError
	if !errors.As(err, &data) || !strings.Contains(err.Error(), "row 8") {
		t.Errorf("found the error %v, expected one that names row 8", err)
	}
	for _, spec := range []fenchel.Spec{{Loss: "poisson"}, {Loss: "hinge"}, {Task: "classification"}} {
		if spec.TargetLog = true; spec.Check() == nil {
			t.Errorf("%+v: taken, expected an error", spec)
		}
	}
}
