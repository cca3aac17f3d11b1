package fenchel_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

func TestSameBits(t *testing.T) {
	for source, spec := range map[string]fenchel.Spec{
		"@text:n=3000,d=2000,nnz=20":            {Loss: "hinge"},
		"@blobs:n=3000,d=8,classes=5":           {Loss: "logistic", Scaling: "std"},
		"@linear:n=3000,d=10":                   {Loss: "epsilon-insensitive", C: 0.1},
		"@text:n=2500,d=1000,nnz=20,classes=3":  {Loss: "squared-hinge", Penalty: "l1", C: 0.1},
		"@linear:n=2100,d=30,support=5,noise=1": {Penalty: "elastic-net", Lambda: 0.1, Record: fenchel.Record{NoDual: true}},
	} {
		t.Run(source, func(t *testing.T) {
			set := read(t, source)
			var first []byte
			for _, threads := range []int{1, 2, 3, 1} {
				spec.Threads = threads
				_, file := fit(t, set, spec)
				if first == nil {
					first = file
				} else if !bytes.Equal(first, file) {
					t.Errorf("%d threads: found another model than with 1 thread", threads)
				}
			}
			spec.Seed++
			if _, file := fit(t, set, spec); bytes.Equal(first, file) {
				t.Error("another seed gave the same file, expected at least another seed in it")
			}
		})
	}
}

func TestDecide(t *testing.T) {
	count := func(k, each int) []float64 { // k whole numbers with so many rows each
		var y []float64
		for v := range k {
			y = append(y, slices.Repeat([]float64{float64(v)}, each)...)
		}
		return y
	}
	for _, c := range []struct {
		reason string
		target data.Target
		want   string
	}{
		{"names are classes", data.Labels([]string{"a", "b"}), "classification"},
		{"one name suffices", data.Labels([]string{"1.5", "2.5", "?!"}), "classification"},
		{"two numbers are classes", data.Labels([]string{"-1", "+1", "1"}), "classification"},
		{"a fraction is a measurement", data.Numbers([]float64{0, 1, 0.5}), "regression"},
		{"20 whole numbers, twice each, may be classes", data.Numbers(count(20, 2)), "classification"},
		{"20 of them, once each, are measurements", data.Numbers(count(20, 1)), "regression"},
		{"21 of them, once each, are measurements", data.Numbers(count(21, 1)), "regression"},
		{"four rows for each are too few", data.Numbers(count(100, 4)), "regression"},
		{"five rows for each are enough", data.Numbers(count(100, 5)), "classification"},
		{"a tenth of the classes may be rarer", data.Numbers(append(count(100, 6), 200, 201, 202)), "classification"},
		{"more values than classes can have", data.Numbers(count(set.MaxLabels+1, 1)), "regression"},
	} {
		if got := pose.Decide(c.target); got != c.want {
			t.Errorf("%s: found %s, expected %s", c.reason, got, c.want)
		}
	}
}

// A target of which nearly every row has another is refused, of any size, unless the task is said.
func TestTargetsThatNameTheRows(t *testing.T) {
	set, err := data.ReadFrom(t.Context(), strings.NewReader("x,who\n1,p\n2,q\n4,r\n3,p\n"), "t.csv", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `found 3 different labels in 4 rows in column "who" (the last one; another: 'target'), 2 of them once: expected numbers`
	if _, err := fenchel.Train(t.Context(), set, fenchel.Spec{Lambda: 1}); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("found %v, expected %s", err, want)
	}
	if _, err := fenchel.Train(t.Context(), set, fenchel.Spec{Lambda: 1, Task: "classification"}); err != nil {
		t.Error(err)
	}
}

// corner is four points of a square with these labels.
func corner(t testing.TB, labels ...string) *data.Set {
	t.Helper()
	rows := [][]float32{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {2, 2}, {-2, 2}}
	set, err := data.FromDense(rows[:len(labels)], data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestLabelsKeepSpellingAndOrder(t *testing.T) {
	for _, c := range []struct{ labels, want []string }{
		{[]string{"+1", "-1", "1", "-1.0"}, []string{"-1", "+1"}},                            // first spelling, by number
		{[]string{"10", "9", "-3", "9"}, []string{"-3", "9", "10"}},                          // by number, not by text
		{[]string{"b", "a", "B", "ä"}, []string{"B", "a", "b", "ä"}},                         // by bytes
		{[]string{"10", "9", "x", "9"}, []string{"10", "9", "x"}},                            // one name: all are names
		{[]string{"007", "0.5e1", "7", "5"}, []string{"0.5e1", "007"}},                       // 5 and 7
		{[]string{"<html>", "a\tb", "", "x"}[:2:2], []string{"<html>", "a\tb"}},              // any text
		{[]string{"yes", "no", "yes", "no", "yes", "maybe"}, []string{"maybe", "no", "yes"}}, // three
	} {
		m, _ := fit(t, corner(t, c.labels...), fenchel.Spec{Task: "classification"})
		if !slices.Equal(m.Classes, c.want) {
			t.Errorf("labels %q: found the classes %q, expected %q", c.labels, m.Classes, c.want)
		}
	}
}

func TestClassesAreLearned(t *testing.T) {
	set := corner(t, "right", "right", "left", "left", "right", "left")
	m, _ := fit(t, set, fenchel.Spec{})
	for i := range set.Rows() {
		if got, want := m.Class(set.X.Row(i)), set.Target.Label[set.Target.Code[i]]; got != want {
			t.Errorf("row %d: found %q, expected %q", i+1, got, want)
		}
	}
	if got := m.Class(matrix.Vector{Index: []uint32{0, 7}, Value: []float32{3, 100}}); got != "right" { // column 7 is unknown
		t.Errorf("sparse row: found %q, expected %q", got, "right")
	}
}

// Weight 2 is the row twice, whether it comes from the row or from its class.
func TestWeightTwoIsTwice(t *testing.T) {
	plain := read(t, "@toy:n=60,d=3")
	var twice [][]float32
	var labels []string
	heavy := *plain
	heavy.Weight = make([]float64, plain.Rows())
	for i := range plain.Rows() {
		label := plain.Target.Label[plain.Target.Code[i]]
		heavy.Weight[i] = 1
		if label == "+1" {
			heavy.Weight[i] = 2
			twice, labels = append(twice, plain.X.Row(i).Value), append(labels, label)
		}
		twice, labels = append(twice, plain.X.Row(i).Value), append(labels, label)
	}
	repeated, err := data.FromDense(twice, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	for _, balanced := range []bool{false, true} {
		spec := fenchel.Spec{Loss: "logistic", Gap: 1e-10, Weighting: fenchel.Weighting{Balanced: balanced}, Lambda: 0.01}
		byRows, _ := fit(t, repeated, spec)
		byWeight, _ := fit(t, &heavy, spec)
		models := []*model.Model{byWeight}
		if !balanced { // balancing undoes class weights, so there it would be another problem
			spec.ClassWeight = map[string]float64{"+1": 2}
			byClass, _ := fit(t, plain, spec)
			models = append(models, byClass)
		}
		for i, m := range models {
			for j, w := range byRows.Outputs[0].Weights {
				if got := m.Outputs[0].Weights[j]; math.Abs(got-w) > 1e-4 {
					t.Errorf("balanced %v, model %d: weight %d is %g, expected %g as with repeated rows", balanced, i, j, got, w)
				}
			}
			if got, want := float64(m.Outputs[0].Certificate.Primal), float64(byRows.Outputs[0].Certificate.Primal); math.Abs(got-want) > 1e-9*want {
				t.Errorf("balanced %v, model %d: objective %.12g, expected %.12g as with repeated rows", balanced, i, got, want)
			}
		}
	}
}

func TestBalancedGivesEachClassTheSame(t *testing.T) {
	m, _ := fit(t, corner(t, "a", "a", "a", "b", "a", "c"), fenchel.Spec{Weighting: fenchel.Weighting{Balanced: true}})
	// 6 rows, 3 classes: 2 for each, so 4 rows weigh 1/2 and single ones 2.
	if got := fmt.Sprint(m.Statement.ClassWeight); got != "map[a:0.5 b:2 c:2]" {
		t.Errorf("found the class weights %s, expected 1/2 for a, 2 for b and c", got)
	}
}

func TestDefaults(t *testing.T) {
	result, err := fenchel.Train(context.Background(), corner(t, "a", "b", "a", "b"), fenchel.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	s := result.Model.Statement
	if got, want := fmt.Sprintf("%s %s %s %s %g %g", s.Loss, s.Penalty, s.Bias, s.Solver, s.Lambda, s.Gap), "hinge l2 free newton 0.25 0.001"; got != want {
		t.Errorf("classes: found %s, expected %s", got, want)
	}
	numbers, err := data.FromDense([][]float32{{1}, {2}, {3}, {4}}, data.Numbers([]float64{1.5, 2, 2.5, 3}))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := fit(t, numbers, fenchel.Spec{C: 2})
	if got, want := fmt.Sprintf("%s %g", m.Statement.Loss, m.Statement.Lambda), "squared 0.125"; got != want {
		t.Errorf("numbers with C=2: found %s, expected %s", got, want)
	}
}

func TestFitErrors(t *testing.T) {
	two := func(t *testing.T) *data.Set { return corner(t, "a", "b", "a", "b") }
	fractions := func(*testing.T) *data.Set { return read(t, "@linear:n=10,d=2") }
	with := func(change func(*data.Set)) func(*testing.T) *data.Set {
		return func(t *testing.T) *data.Set {
			set := two(t)
			change(set)
			return set
		}
	}
	for _, c := range []struct {
		name string
		set  func(*testing.T) *data.Set
		spec fenchel.Spec
		want string
		data bool // a DataError
	}{
		{"no targets", func(t *testing.T) *data.Set { return &data.Set{X: two(t).X} }, fenchel.Spec{}, "no targets", true},
		{"targets whose squares underflow", func(t *testing.T) *data.Set { return numbers(t, 1e-170) }, fenchel.Spec{Task: "regression"},
			"multiply the targets by a large number", true},
		{"targets whose squares overflow", func(t *testing.T) *data.Set { return numbers(t, 1e170) }, fenchel.Spec{Task: "regression"},
			"multiply the targets by a small number", true},
		{"targets whose squares underflow, with a kernel and nu", func(t *testing.T) *data.Set { return numbers(t, 1e-300) },
			fenchel.Spec{Task: "regression", Kernel: "rbf", Nu: 0.5}, "multiply the targets or features by another number", true},
		{"weights that overflow", with(func(s *data.Set) { s.Weight = []float64{1e308, 1e308, 1, 1} }), fenchel.Spec{},
			"the row weights add up to +Inf, expected a finite number", true},
		{"names of too few features", with(func(s *data.Set) { s.Feature = make([]string, s.Cols()-1) }), fenchel.Spec{},
			"names of features, expected one for each of", true},
		{"names as numbers", two, fenchel.Spec{Task: "regression"}, `not numbers (one is "a")`, true},
		{"unknown task", two, fenchel.Spec{Task: "ranking"}, `unknown task "ranking"`, false},
		{"unknown loss", two, fenchel.Spec{Loss: "hing"}, `did you mean "hinge"?`, false},
		{"bad parameter", two, fenchel.Spec{Loss: "huber:delta=-1"}, "delta=-1: expected a number > 0", false},
		{"unknown penalty", two, fenchel.Spec{Penalty: "l3"}, `unknown penalty "l3"`, false},
		{"unknown bias", two, fenchel.Spec{Bias: "yes"}, `unknown bias "yes"`, false},
		{"unknown scaling", two, fenchel.Spec{Scaling: "minmax"}, `unknown scaling "minmax"`, false},
		{"unknown solver", two, fenchel.Spec{Solver: "lion"}, `unknown solver "lion"`, false},
		{"solver that cannot", two, fenchel.Spec{Solver: "cd", Loss: "squared-hinge"}, "penalty", false},
		{"lambda and C", two, fenchel.Spec{Lambda: 1, C: 1}, "expected one of the two", false},
		{"negative lambda", two, fenchel.Spec{Lambda: -1}, "lambda=-1: expected a number > 0", false},
		{"lambda NaN", two, fenchel.Spec{Lambda: math.NaN()}, "lambda=NaN: expected a number > 0", false},
		{"negative gap", two, fenchel.Spec{Gap: -1e-3}, "gap=-0.001: expected a number > 0", false},
		{"C so large that lambda is 0", two, fenchel.Spec{C: 1e308, Gap: 1}, "", false},
		{"negative epochs", two, fenchel.Spec{Run: fenchel.Run{Epochs: -1}}, "expected limits > 0", false},
		{"margin of numbers", fractions, fenchel.Spec{Loss: "hinge"}, "separates classes, but the targets are numbers", false},
		{"weights of numbers", fractions, fenchel.Spec{Weighting: fenchel.Weighting{Balanced: true}}, "class weights need classes", false},
		{"weight of no class", two, fenchel.Spec{Weighting: fenchel.Weighting{ClassWeight: map[string]float64{"c": 1}}}, `unknown class "c"`, false},
		{"weight zero", two, fenchel.Spec{Weighting: fenchel.Weighting{ClassWeight: map[string]float64{"a": 0}}}, "class weight a=0: expected a number > 0", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := fenchel.Train(context.Background(), c.set(t), c.spec)
			if c.want == "" && err == nil {
				return // taken, and harmless
			}
			var data pose.DataError
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || errors.As(err, &data) != c.data {
				t.Errorf("found error %v (of data: %v), expected one line with %q (of data: %v)", err, errors.As(err, &data), c.want, c.data)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	set := read(t, "@blobs:n=300,d=4,classes=3")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for want, c := range map[solver.Status]struct {
		ctx  context.Context
		spec fenchel.Spec
	}{
		solver.Interrupted: {cancelled, fenchel.Spec{}},
		solver.EpochLimit:  {context.Background(), fenchel.Spec{Run: fenchel.Run{Epochs: 2}, Gap: 1e-12}},
		solver.TimeLimit:   {context.Background(), fenchel.Spec{Run: fenchel.Run{Time: time.Nanosecond}, Gap: 1e-300}},
		solver.Converged:   {context.Background(), fenchel.Spec{}},
	} {
		result, err := fenchel.Train(c.ctx, set, c.spec)
		if err != nil {
			t.Errorf("%s: found error %v, expected a result", want, err)
			continue
		}
		if result.Status != want {
			t.Errorf("found status %s, expected %s", result.Status, want)
		}
		v, err := fenchel.Verify(t.Context(), result.Model, set, fenchel.Options{})
		if err != nil || len(v.Problems) > 0 {
			t.Errorf("%s: found the false claims %v (error %v), expected true ones", want, v.Problems, err)
		}
	}
}

// numbers is three rows with targets of that size.
func numbers(t *testing.T, size float64) *data.Set {
	set, err := data.FromDense([][]float32{{1}, {-1}, {2}}, data.Numbers([]float64{size, -size, size / 2}))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Where the objective of zero weights nearly overflows, and any other may, weights need
// not be finite when a run gives up. A model of them can still be read. Targets for which
// it does overflow are refused.
func TestOverflowLeavesAModel(t *testing.T) {
	set := numbers(t, 1.2e154)
	for _, s := range []string{"sdca", "pegasos", "newton"} {
		m, _ := fit(t, set, fenchel.Spec{Task: "regression", Bias: "none", Solver: s, Lambda: 1e-10, Run: fenchel.Run{Epochs: 10}})
		if end := m.Outputs[0].Certificate.Status; s == "pegasos" && end != "diverged" {
			t.Errorf("%s: status %s, expected diverged", s, end)
		}
		agrees(t, m, set)
	}
}

// TestStoredProof: a model proves about what the run had proved at any of its
// looks, though with columns of size 1000 and so little penalty dual variables
// in single precision prove nothing.
func TestStoredProof(t *testing.T) {
	set := read(t, "@linear:n=100,d=5,noise=1")
	x := &matrix.Dense{Rows: set.Rows(), Cols: set.Cols()}
	for i := range x.Rows {
		row := make([]float64, x.Cols)
		set.X.Row(i).AddTo(row, 1000)
		for _, v := range row {
			x.Value = append(x.Value, float32(v))
		}
	}
	set.X = x
	for epochs := 1; epochs < 12; epochs++ {
		best := math.Inf(1)
		result, err := fenchel.Train(context.Background(), set, fenchel.Spec{Loss: "huber", C: 1e8, Gap: 1e-6, Run: fenchel.Run{Epochs: epochs, Progress: func(p fenchel.Progress) { best = min(best, p.Certificate.Relative()) }}})
		if err != nil {
			t.Fatal(err)
		}
		if gap := result.Summary.Gap; gap > max(1.11*best, 1e-6) {
			t.Errorf("%d epochs: the model proves the gap %g, the run had proved %g", epochs, gap, best)
		}
	}
}

// fixed is a model with given weights, to predict what can be worked out by hand.
func fixed(t *testing.T, loss string, classes []string, weights ...[]float64) *model.Model {
	t.Helper()
	m := &model.Model{Statement: model.Statement{Loss: loss}, Classes: classes, Data: model.Data{Rows: 1, Features: len(weights[0])}}
	for _, w := range weights {
		m.Outputs = append(m.Outputs, model.Output{Weights: w})
	}
	if err := m.Seal(); err != nil {
		t.Fatal(err)
	}
	return m
}

func near(t *testing.T, name string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12 {
		t.Errorf("%s: found %v, expected %g", name, got, want)
	}
}

func TestEvaluateClasses(t *testing.T) {
	m := fixed(t, "logistic", []string{"no", "yes"}, []float64{1})
	set, err := data.FromDense([][]float32{{2}, {-1}, {1}, {-2}}, data.Labels([]string{"yes", "yes", "no", "no"}))
	if err != nil {
		t.Fatal(err)
	}
	e, err := fenchel.Evaluate(t.Context(), m, set, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", e.Accuracy, 0.5)
	near(t, "error", e.Error, 0.5)
	near(t, "AUC", e.AUC, 0.75) // of the four pairs only (-1, 1) is the wrong way round
	lossOf := func(margin float64) float64 { return math.Log1p(math.Exp(-margin)) }
	near(t, "log-loss", e.LogLoss, (lossOf(2)+lossOf(-1)+lossOf(-1)+lossOf(2))/4)
	if got := fmt.Sprint(e.Confusion.Count); got != "[[1 1] [1 1]]" {
		t.Errorf("confusion: found %s, expected one row in each place", got)
	}

	set.Weight = []float64{3, 1, 1, 1}
	if e, err = fenchel.Evaluate(t.Context(), m, set, fenchel.Options{}); err != nil {
		t.Fatal(err)
	}
	near(t, "weighted accuracy", e.Accuracy, 4.0/6)
}

func TestEvaluateUnknownLabels(t *testing.T) {
	m := fixed(t, "hinge", []string{"-1", "1"}, []float64{1})
	some, err := data.FromDense([][]float32{{2}, {-1}, {1}, {-2}}, data.Labels([]string{"+1", "-1.0", "7", "-1"}))
	if err != nil {
		t.Fatal(err)
	}
	e, err := fenchel.Evaluate(t.Context(), m, some, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", e.Accuracy, 0.75) // +1 is 1 and -1.0 is -1
	if len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0].Error(), `1 of 4 rows have labels that the model does not know, such as "7"`) || e.AUC != nil {
		t.Errorf("found warnings %v and AUC %v, expected one warning and none", e.Warnings, e.AUC)
	}
	for want, target := range map[string]data.Target{
		`no label is known to the model: found "2", expected one of -1, 1`: data.Labels([]string{"2", "3", "2", "3"}),
		"found no targets, expected the true value in every row":           {},
	} {
		some.Target = target
		if _, err := fenchel.Evaluate(t.Context(), m, some, fenchel.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, expected %q", err, want)
		}
	}
}

func TestEvaluateNumbers(t *testing.T) {
	m := fixed(t, "squared", nil, []float64{1, 0})
	set, err := data.FromDense([][]float32{{1, 0}, {2, 0}, {3, 0}}, data.Numbers([]float64{1, 2, 6}))
	if err != nil {
		t.Fatal(err)
	}
	e, err := fenchel.Evaluate(t.Context(), m, set, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "RMSE", e.RMSE, math.Sqrt(3)) // errors 0, 0, 3
	near(t, "MAE", e.MAE, 1)
	near(t, "median", e.MedianAbsolute, 0)
	near(t, "R2", e.R2, 1-9.0/14) // mean 3: 4 + 1 + 9
	set.Target = data.Labels([]string{"a", "b", "c"})
	if _, err := fenchel.Evaluate(t.Context(), m, set, fenchel.Options{}); err == nil || !strings.Contains(err.Error(), "not numbers") {
		t.Errorf("found error %v, expected one about targets that are not numbers", err)
	}
}
