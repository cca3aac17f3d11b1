package tune_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/tune"
)

func generated(t testing.TB, spec string) *data.Set {
	t.Helper()
	set, err := data.Read(context.Background(), []string{spec}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func axes(t testing.TB, text string) []tune.Axis {
	t.Helper()
	a, err := tune.ParseAxes(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// cases are searches of every kind of model.
var cases = []struct {
	data, axes string
	spec       tune.Spec
}{
	{"@blobs:n=200,classes=2,spread=2,seed=3", "C=0.1..10 gamma=0.1,1", tune.Spec{Train: fenchel.Spec{Kernel: "rbf"}}},
	{"@blobs:n=200,classes=3,spread=2,seed=3", "C=0.1,10 loss=hinge,logistic", tune.Spec{Train: fenchel.Spec{Kernel: "rbf:gamma=1", Scheme: "one-against-one", Scaling: "std"}}},
	{"@blobs:n=200,classes=3,spread=2,seed=3", "C=0.1,10 class-weight=none,balanced", tune.Spec{Score: "balanced"}},
	{"@blobs:n=200,classes=2,spread=2,seed=3", "lambda=0.001..0.1", tune.Spec{Train: fenchel.Spec{Loss: "logistic", Penalty: "l1"}, Score: "logloss"}},
	{"@linear:n=200,d=10,seed=3", "C=0.01..10 penalty=l2,l1", tune.Spec{Train: fenchel.Spec{Scaling: "std"}, Score: "r2"}},
}

// Every score is that of a model trained on the rows of the fold alone, to what the gap allows;
// and every problem has a certificate of its own.
func TestScoresAreThoseOfModelsTrainedAlone(t *testing.T) {
	for _, c := range cases {
		t.Run(c.data+" "+c.axes, func(t *testing.T) {
			set := generated(t, c.data)
			c.spec.Train.Gap, c.spec.Axes, c.spec.Folds = 1e-8, axes(t, c.axes), tune.Folds{K: 3, Seed: 1}
			told := map[[2]int]*fenchel.Evaluation{}
			c.spec.Fitted = func(candidate, fold int, f *fenchel.Fitted) {
				e, err := f.Evaluate()
				if told[[2]int{candidate, fold}] != nil || err != nil || f.Epochs < 0 {
					t.Errorf("candidate %d, fold %d: told twice, or %v", candidate, fold, err)
				}
				told[[2]int{candidate, fold}] = e
			}
			found, err := tune.Run(context.Background(), set, c.spec)
			if err != nil {
				t.Fatal(err)
			}
			classes := set.Target.Code
			if pose.Decide(set.Target) == "regression" {
				classes = nil
			}
			folds, err := c.spec.Folds.Deal(set, classes, set.Target.Label)
			if err != nil {
				t.Fatal(err)
			}
			for k, trial := range found.Candidates {
				if !trial.Complete() || trial.Gap > 1e-8 || trial.Status != "converged" {
					t.Errorf("%s: %+v", trial.Candidate, trial)
				}
				for f, fold := range folds {
					if e := told[[2]int{k, f}]; e == nil || *score(e, found.Score.Name) != trial.Scores[f] {
						t.Errorf("%s, fold %d: told of %v, expected the score %v", trial.Candidate, f, e, trial.Scores[f])
					}
					expected := alone(t, set, fold, trial.Spec, found.Score.Name)
					if math.Abs(trial.Scores[f]-expected) > 2e-3*max(1, math.Abs(expected)) {
						t.Errorf("%s, fold %d: score %v, expected %v", trial.Candidate, f, trial.Scores[f], expected)
					}
				}
			}
			best := found.Candidates[found.Best]
			for _, trial := range found.Candidates {
				if found.Score.Lower && trial.Mean < best.Mean || !found.Score.Lower && trial.Mean > best.Mean {
					t.Errorf("chose %s with %v, but %s has %v", best.Candidate, best.Mean, trial.Candidate, trial.Mean)
				}
			}
		})
	}
}

// alone trains and judges without sharing anything.
func alone(t *testing.T, set *data.Set, fold tune.Fold, spec fenchel.Spec, name string) float64 {
	t.Helper()
	learn, err := set.Subset(fold.Learn)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := set.Subset(fold.Judge)
	if err != nil {
		t.Fatal(err)
	}
	r, err := fenchel.Train(context.Background(), learn, spec)
	if err != nil {
		t.Fatal(err)
	}
	e, err := fenchel.Evaluate(t.Context(), r.Model, judge, fenchel.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return *score(e, name)
}

// score is that of a name.
func score(e *fenchel.Evaluation, name string) *float64 {
	return map[string]*float64{"accuracy": e.Accuracy, "balanced": e.Balanced, "logloss": e.LogLoss, "r2": e.R2}[name]
}

// The number of cores and the order of the candidates change no bit.
func TestSameBits(t *testing.T) {
	for _, c := range cases {
		set := generated(t, c.data)
		c.spec.Folds = tune.Folds{K: 4, Seed: 2, Repeats: 2}
		all := map[string]tune.Trial{}
		for run, threads := range []int{1, 3, 1} {
			c.spec.Axes, c.spec.Train.Threads = axes(t, c.axes), threads
			if run == 2 {
				slices.Reverse(c.spec.Axes)
				for _, a := range c.spec.Axes {
					slices.Reverse(a.Values)
				}
			}
			found, err := tune.Run(context.Background(), set, c.spec)
			if err != nil {
				t.Fatal(err)
			}
			for _, trial := range found.Candidates {
				trial.Seconds = 0
				if run == 2 {
					slices.Reverse(trial.Settings)
				}
				trial.Spec = fenchel.Spec{}
				if run == 0 {
					all[trial.Candidate.String()] = trial
				} else if expected := all[trial.Candidate.String()]; !reflect.DeepEqual(trial, expected) {
					t.Errorf("%s %s, run %d: found %+v, expected %+v", c.data, c.axes, run, trial, expected)
				}
			}
		}
	}
}

// A cancelled search returns what is complete, and says so.
func TestInterruptedSearch(t *testing.T) {
	set := generated(t, "@blobs:n=200,classes=2,spread=2,seed=3")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	spec := tune.Spec{Train: fenchel.Spec{Run: fenchel.Run{Threads: 1}}, Axes: axes(t, "C=0.01..100"), Folds: tune.Folds{K: 3}, Progress: func(p tune.Progress) {
		if p.Done == 7 {
			cancel()
		}
	}}
	found, err := tune.Run(ctx, set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if found.Stopped != "interrupted" || found.Best < 0 || found.Candidates[4].Complete() {
		t.Errorf("found %+v %v", found, found.Candidates[0].Scores)
	}
	if _, err := tune.Run(ctx, set, spec); err != nil {
		t.Errorf("cancelled before anything: %v", err)
	}
}

// Halving drops candidates on samples, and of those that are left it finds what all rows say.
func TestHalving(t *testing.T) {
	set := generated(t, "@blobs:n=1300,classes=2,spread=2,seed=3")
	spec := tune.Spec{Train: fenchel.Spec{Kernel: "rbf"}, Axes: axes(t, "C=0.1..1 gamma=0.001..100"), Folds: tune.Folds{K: 3}}
	whole, err := tune.Run(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	problems := 0
	spec.Halving, spec.Progress = 3, func(p tune.Progress) { problems = p.Problems }
	halved, err := tune.Run(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	complete := 0
	for k, trial := range halved.Candidates {
		if trial.Complete() {
			complete++
			if math.Abs(trial.Mean-whole.Candidates[k].Mean) > 5e-3 {
				t.Errorf("%s: score %v, without halving %v", trial.Candidate, trial.Mean, whole.Candidates[k].Mean)
			}
		} else if trial.Rows == 0 || trial.Rows >= 800 {
			t.Errorf("%s is dropped on %d rows", trial.Candidate, trial.Rows)
		}
	}
	if n := len(whole.Candidates); complete != 4 || problems != 3*(12+4) || n != 12 {
		t.Errorf("%d of %d candidates are complete after %d problems", complete, n, problems)
	}
	if a, b := halved.Candidates[halved.Best].Mean, whole.Candidates[whole.Best].Mean; a < b-0.02 {
		t.Errorf("halving chose a score of %v, the best is %v", a, b)
	}
}

func TestOneStandardError(t *testing.T) {
	set := generated(t, "@blobs:n=200,classes=2,spread=2,seed=3")
	spec := tune.Spec{Axes: axes(t, "C=1e-3..1e3"), Rule: "one-se"}
	found, err := tune.Run(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	top, best := found.Candidates[found.Top], found.Candidates[found.Best]
	within := top.SD / math.Sqrt(5)
	for _, trial := range found.Candidates {
		if trial.Spec.C < best.Spec.C && top.Mean-trial.Mean <= within {
			t.Errorf("%s is within %v of %v too, and simpler than %s", trial.Candidate, within, top.Mean, best.Candidate)
		}
	}
	if top.Mean-best.Mean > within || best.Spec.C > top.Spec.C {
		t.Errorf("chose %s with %v, the best is %s with %v", best.Candidate, best.Mean, top.Candidate, top.Mean)
	}
}

func TestRefusedSearches(t *testing.T) {
	classes, numbers := generated(t, "@blobs:n=30,classes=3,seed=1"), generated(t, "@linear:n=30,d=3,seed=1")
	for _, c := range []struct {
		set      *data.Set
		spec     tune.Spec
		expected string
	}{
		{classes, tune.Spec{Score: "rmse"}, "score rmse is one of numbers, but the targets are classes"},
		{numbers, tune.Spec{Score: "auc"}, "score auc is one of classes, but the targets are numbers"},
		{classes, tune.Spec{Score: "auc"}, "score auc is for two classes, found 3"},
		{classes, tune.Spec{Score: "logloss"}, "the loss hinge does not give"},
		{classes, tune.Spec{Score: "luck"}, `unknown score "luck"`},
		{classes, tune.Spec{Rule: "worst"}, `unknown rule "worst"`},
		{classes, tune.Spec{Halving: 1}, "halving=1: expected at least 2"},
		{classes, tune.Spec{Folds: tune.Folds{K: 1}}, "folds=1: expected at least 2"},
		{classes, tune.Spec{Folds: tune.Folds{K: 20}}, "folds=20: rows of the class "},
		{classes, tune.Spec{Folds: tune.Folds{K: 31}}, "folds=31: found only 30 rows"},
		{classes, tune.Spec{Folds: tune.Folds{K: 3, Group: true}}, "found no column of groups"},
		{classes, tune.Spec{Train: fenchel.Spec{Task: pose.OneClass, Nu: 0.1, Kernel: "rbf"}}, "one-class has no targets"},
		{classes, tune.Spec{Axes: []tune.Axis{{Key: "C"}}}, "C: found no values"},
		{classes, tune.Spec{Axes: axes(t, "gamma=1,2")}, "gamma=1: found no kernel"},
		{classes, tune.Spec{Axes: axes(t, "colour=1,2")}, `unknown parameter "colour"`},
		{classes, tune.Spec{Axes: axes(t, "C=0,1")}, "C=0: expected a number > 0"},
		{classes, tune.Spec{Axes: axes(t, "loss=hinge,hing")}, `unknown loss "hing"`},
		{nil, tune.Spec{}, "set"},
	} {
		if _, err := tune.Run(context.Background(), c.set, c.spec); err == nil || !strings.Contains(err.Error(), c.expected) {
			t.Errorf("%+v: found the error %v, expected %q", c.spec, err, c.expected)
		}
	}
}

func TestDefaults(t *testing.T) {
	classes, numbers := generated(t, "@blobs:n=60,classes=3,seed=1"), generated(t, "@linear:n=60,d=3,seed=1")
	for _, c := range []struct {
		set      *data.Set
		spec     fenchel.Spec
		expected string
	}{
		{classes, fenchel.Spec{}, "C9"},
		{classes, fenchel.Spec{Kernel: "rbf"}, "C7 gamma7"},
		{classes, fenchel.Spec{Kernel: "linear"}, "C7"},
		{classes, fenchel.Spec{Kernel: "rbf", Nu: 0.5}, "nu6 gamma7"},
		{numbers, fenchel.Spec{Penalty: "l1"}, "lambda20"},
		{numbers, fenchel.Spec{Penalty: "l1", Lambda: 1}, ""},
	} {
		task := pose.Decide(c.set.Target)
		found, err := tune.Defaults(context.Background(), c.set, c.spec, task)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, a := range found {
			words = append(words, fmt.Sprint(a.Key, len(a.Values)))
		}
		if s := strings.Join(words, " "); s != c.expected {
			t.Errorf("%+v: %q, expected %q", c.spec, s, c.expected)
		}
	}
}

// The grid of C follows the targets, widths those of each fold, and a loss of numbers among those that are
// searched makes few whole numbers numbers; values that are given are taken as they are.
func TestSearchFollowsTheTargets(t *testing.T) {
	set := generated(t, "@linear:n=60,d=3,seed=1")
	y := make([]float64, set.Rows())
	for i, x := range set.Target.Number {
		y[i] = 1e4 * x
	}
	set.Target = data.Numbers(y)
	usual := (&fenchel.Spec{Loss: "epsilon-insensitive"}).UsualC(set)
	r, err := tune.Run(context.Background(), set, tune.Spec{Train: fenchel.Spec{Loss: "epsilon-insensitive"}})
	if err != nil {
		t.Fatal(err)
	}
	best := r.Candidates[r.Best].Spec
	if first := r.Candidates[0].Spec.C; math.Abs(first-1e-4*usual) > 1e-5*first || best.Loss != "epsilon-insensitive:epsilon=10%" {
		t.Errorf("found C from %g on and the loss %s, expected %g and a width in per cent", first, best.Loss, 1e-4*usual)
	}
	r, err = tune.Run(context.Background(), set, tune.Spec{Train: fenchel.Spec{Loss: "epsilon-insensitive"}, Axes: []tune.Axis{{Key: "C", Values: []string{"1"}}}})
	if err != nil || r.Candidates[0].Spec.Loss != "epsilon-insensitive" || r.Candidates[0].Spec.C != 1 {
		t.Errorf("found %+v, %v, expected what was given", r, err)
	}
	for i := range y {
		y[i] = float64(i % 4)
	}
	set.Target = data.Numbers(y)
	r, err = tune.Run(context.Background(), set, tune.Spec{Axes: []tune.Axis{{Key: "loss", Values: []string{"squared", "huber"}}}})
	if err != nil || r.Candidates[1].Spec.Task != "regression" {
		t.Errorf("found %v, expected the losses of numbers to decide", err)
	}
}
