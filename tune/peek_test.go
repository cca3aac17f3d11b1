package tune_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/tune"
)

// Tests of what a fold knows: the rows that it learns from, and nothing else.

// visits are lines of a table: groups whose numbers are far apart, with missing ones and a colour that
// only one group has.
func visits(n int) []string {
	r := rand.New(rand.NewPCG(5, 2))
	lines := []string{"group,a,b,colour,y"}
	for i := range n {
		g := i % 3
		a, b := fmt.Sprintf("%.3f", float64(g*g)+r.NormFloat64()), fmt.Sprintf("%.3f", r.NormFloat64())
		if i%4 == 1 {
			a = ""
		}
		colour := []string{"red", "blue"}[r.IntN(2)]
		if g == 2 && i%2 == 0 {
			colour = "green"
		}
		lines = append(lines, fmt.Sprintf("g%d,%s,%s,%s,%d", g, a, b, colour, r.IntN(2)))
	}
	return lines
}

// table reads some of the lines behind the first.
func table(t testing.TB, lines []string, rows []int, opt data.Options) *data.Set {
	t.Helper()
	text := lines[0] + "\n"
	for i, line := range lines[1:] {
		if rows == nil || slices.Contains(rows, i) {
			text += line + "\n"
		}
	}
	if opt.Schema == nil {
		opt.Ignore = []string{"group"}
	}
	set, err := data.ReadFrom(context.Background(), strings.NewReader(text), "visits.csv", opt)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Every score is that of a model of a table that has the rows learned from alone: means, scales and
// categories, whether or not folds share a matrix of the kernel; and so are those of nests.
func TestFoldsKnowTheirRowsAlone(t *testing.T) {
	lines := visits(90)
	set := table(t, lines, nil, data.Options{ID: "group"})
	full := slices.Clone(lines) // with all numbers: folds share a matrix
	for i, line := range full {
		full[i] = strings.Replace(line, ",,", ",1.5,", 1)
	}
	for _, c := range []struct {
		lines []string
		spec  fenchel.Spec
	}{
		{lines, fenchel.Spec{Loss: "logistic", Task: "classification"}},
		{lines, fenchel.Spec{Loss: "squared", Task: "regression", Scaling: "max"}},
		{lines, fenchel.Spec{Loss: "logistic", Task: "classification", Kernel: "rbf:gamma=0.3", Scaling: "none"}},
		{full, fenchel.Spec{Loss: "logistic", Task: "classification", Kernel: "rbf:gamma=0.2", Scaling: "none"}},
		{full, fenchel.Spec{Loss: "squared", Task: "regression", Kernel: "rbf:gamma=0.3"}},
	} {
		set := table(t, c.lines, nil, data.Options{ID: "group"})
		c.spec.Gap, c.spec.C = 1e-10, 5
		spec := tune.Spec{Train: c.spec, Axes: []tune.Axis{}, Folds: tune.Folds{K: 3, Group: true}, Score: map[string]string{"classification": "logloss", "regression": "rmse"}[c.spec.Task]}
		found, err := tune.Run(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		folds, err := spec.Folds.Deal(set, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for f, fold := range folds {
			learn := table(t, c.lines, fold.Learn, data.Options{})
			if want := apart(t, c.lines, learn, fold, c.spec); math.Abs(found.Candidates[0].Scores[f]-want) > 1e-4*want {
				t.Errorf("%+v, fold %d: found the score %g, expected %g", c.spec, f, found.Candidates[0].Scores[f], want)
			}
		}
	}
	spec := tune.Spec{Train: fenchel.Spec{Loss: "logistic", Task: "classification", Gap: 1e-10}, Axes: axes(t, "C=1,50"), Folds: tune.Folds{K: 2, Group: true}, Score: "logloss"}
	nested, err := tune.Nest(context.Background(), set, spec, 3)
	if err != nil {
		t.Fatal(err)
	}
	folds, _ := tune.Folds{K: 3, Group: true, Seed: 1}.Deal(set, nil, nil)
	for f, fold := range folds {
		learn := table(t, lines, fold.Learn, data.Options{ID: "group"})
		chosen, err := tune.Run(context.Background(), learn, spec)
		if err != nil {
			t.Fatal(err)
		}
		want := apart(t, lines, learn, fold, chosen.Candidates[chosen.Best].Spec)
		if c := chosen.Candidates[chosen.Best].String(); nested.Chosen[f].String() != c || math.Abs(nested.Scores[f]-want) > 1e-4*want {
			t.Errorf("outer fold %d: found %s with %g, expected %s with %g", f, nested.Chosen[f], nested.Scores[f], c, want)
		}
	}
}

// apart is the score of a model of rows on others, which are read by its schema.
func apart(t *testing.T, lines []string, learn *data.Set, fold tune.Fold, spec fenchel.Spec) float64 {
	t.Helper()
	r, err := fenchel.Train(context.Background(), learn, spec)
	if err != nil {
		t.Fatal(err)
	}
	e, err := fenchel.Evaluate(t.Context(), r.Model, table(t, lines, fold.Judge, data.Options{Schema: learn.Schema}), fenchel.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e.LogLoss != nil {
		return *e.LogLoss
	}
	return *e.RMSE
}

// gamma=scale is that of the rows learned from.
func TestGammaOfFolds(t *testing.T) {
	set := generated(t, "@blobs:n=90,classes=2,spread=2,seed=3")
	for i := range 90 {
		for k := range set.X.Row(i).Value {
			set.X.Row(i).Value[k] *= float32(1 + i%3)
		}
		set.ID = append(set.ID, fmt.Sprint(i%3))
	}
	spec := tune.Spec{Train: fenchel.Spec{Kernel: "rbf:gamma=scale", Loss: "logistic", Gap: 1e-8}, Axes: []tune.Axis{}, Folds: tune.Folds{K: 3, Group: true}, Score: "logloss"}
	found, err := tune.Run(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	folds, _ := spec.Folds.Deal(set, nil, nil)
	for f, fold := range folds {
		sum, squares, n := 0.0, 0.0, 0.0
		for _, i := range fold.Learn {
			for _, v := range set.X.Row(i).Value {
				sum, squares, n = sum+float64(v), squares+float64(v)*float64(v), n+1
			}
		}
		one := spec.Train
		one.Kernel = fmt.Sprintf("rbf:gamma=%g", 1/(float64(set.Cols())*(squares/n-sum/n*sum/n)))
		if want := alone(t, set, fold, one, "logloss"); math.Abs(found.Candidates[0].Scores[f]-want) > 1e-5 {
			t.Errorf("fold %d: found the score %g, expected %g with %s", f, found.Candidates[0].Scores[f], want, one.Kernel)
		}
	}
}

// Groups, the largest first, go to the fold with the fewest rows, whatever their names are.
func TestGroupsBySize(t *testing.T) {
	set := generated(t, "@blobs:n=20,classes=2,seed=4")
	for name, rows := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 10} {
		set.ID = append(set.ID, slices.Repeat([]string{name}, rows)...)
	}
	for seed := range uint64(5) {
		folds, err := tune.Folds{K: 2, Group: true, Seed: seed}.Deal(set, nil, nil)
		if err != nil || len(folds[0].Judge) != 10 || len(folds[1].Judge) != 10 {
			t.Errorf("seed %d: found folds of %d and %d rows, error %v, expected 10 each", seed, len(folds[0].Judge), len(folds[1].Judge), err)
		}
	}
}

// Of candidates with the same score the simpler one is chosen, whichever comes first.
func TestTiesGoToTheSimpler(t *testing.T) {
	set := generated(t, "@blobs:n=60,classes=2,spread=0.01,seed=3")
	for _, c := range []struct{ axes, want string }{{"C=100,1,10", "C=1"}, {"lambda=0.001,0.1,0.01", "lambda=0.1"}, {"C=1 loss=squared-hinge,hinge", "C=1 loss=squared-hinge"}} {
		found, err := tune.Run(context.Background(), set, tune.Spec{Axes: axes(t, c.axes)})
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range found.Candidates {
			if trial.Mean != 1 {
				t.Fatalf("%s: found the accuracy %g, expected 1 of all", trial.Candidate, trial.Mean)
			}
		}
		if got := found.Candidates[found.Best].String(); got != c.want {
			t.Errorf("%s: chose %s, expected %s", c.axes, got, c.want)
		}
	}
}

// Leaving one row out is as many folds as there are rows, for C and lambda.
func TestLeaveOneOutIsFoldsOfOneRow(t *testing.T) {
	set := generated(t, "@linear:n=12,d=3,noise=2,seed=2")
	for _, text := range []string{"C=0.02,0.5", "lambda=0.05,1"} {
		spec := tune.Spec{Train: fenchel.Spec{Task: "regression", Gap: 1e-12}, Axes: axes(t, text), Folds: tune.Folds{K: tune.LeaveOneOut}, Score: "mae"}
		found, err := tune.Run(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		spec.Folds.K = 12
		refits, err := tune.Run(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		for k, trial := range found.Candidates {
			if want := refits.Candidates[k].Mean; math.Abs(trial.Mean-want) > 1e-6*want {
				t.Errorf("%s: found %.9g, expected %.9g", trial.Candidate, trial.Mean, want)
			}
		}
	}
}

// What leaving one row out cannot fit anew is said.
func TestLeaveOneOutSaysWhatIsOfAllRows(t *testing.T) {
	spec := tune.Spec{Train: fenchel.Spec{Task: "regression"}, Axes: axes(t, "C=1"), Folds: tune.Folds{K: tune.LeaveOneOut}}
	found, err := tune.Run(context.Background(), table(t, visits(30), nil, data.Options{}), spec)
	if want := []string{"the scaling std", "the means for missing numbers", "the set of categories"}; err != nil || !slices.Equal(found.FittedAll, want) {
		t.Errorf("found %v, error %v, expected %v", found, err, want)
	}
	spec.Train.Scaling = "none"
	if found, err = tune.Run(context.Background(), generated(t, "@linear:n=12,d=3,seed=2"), spec); err != nil || found.FittedAll != nil {
		t.Errorf("found %v, error %v, expected nothing", found, err)
	}
}

// The score that nothing was asked for.
func TestUsualScores(t *testing.T) {
	balanced, numbers := generated(t, "@blobs:n=60,classes=2,seed=1"), generated(t, "@linear:n=60,d=3,seed=1")
	rare := func(share int) *data.Set {
		set := generated(t, "@blobs:n=100,classes=2,seed=1")
		for i := range set.Target.Code {
			set.Target.Code[i] = 0
			if i < share {
				set.Target.Code[i] = 1
			}
		}
		return set
	}
	weighted := rare(20)
	weighted.Weight = slices.Repeat([]float64{1}, 100)
	for i := range 20 {
		weighted.Weight[i] = 0.1
	}
	counts := generated(t, "@linear:n=60,d=3,seed=1")
	for i, y := range counts.Target.Number {
		counts.Target.Number[i] = math.Abs(math.Round(y))
	}
	grouped := rare(6) // the rare rows are one group: one fold does not learn of them
	for i := range 100 {
		grouped.ID = append(grouped.ID, fmt.Sprint("g", min(i/6, 1)*(1+i%9)))
	}
	three := generated(t, "@blobs:n=100,classes=3,seed=1")
	for i := range three.Target.Code {
		three.Target.Code[i] = min(uint32(i%50), 2)
	}
	for _, c := range []struct {
		set        *data.Set
		axes, want string
		group      bool
	}{
		{balanced, "loss=hinge", "accuracy", false}, {balanced, "loss=logistic", "accuracy", false}, {rare(10), "loss=hinge", "accuracy", false},
		{rare(9), "loss=hinge", "auc", false}, {rare(9), "loss=logistic,softmax", "logloss", false}, {rare(9), "loss=logistic,hinge", "auc", false}, {weighted, "loss=hinge", "auc", false},
		{grouped, "loss=logistic", "balanced", true}, {three, "loss=hinge", "balanced", false}, {three, "loss=softmax", "logloss", false},
		{numbers, "loss=squared,huber", "rmse", false}, {numbers, "loss=quantile:tau=0.9", "pinball", false}, {counts, "loss=poisson", "deviance", false},
		{numbers, "loss=absolute,epsilon-insensitive", "mae", false}, {numbers, "loss=absolute,squared", "rmse", false}, {numbers, "loss=squared,absolute", "rmse", false},
		{numbers, "nu=0.5 kernel=linear", "mae", false},
	} {
		task := "classification"
		if c.set == numbers || c.set == counts {
			task = "regression"
		}
		found, err := tune.Run(context.Background(), c.set, tune.Spec{Train: fenchel.Spec{Task: task, C: 1}, Axes: axes(t, c.axes), Folds: tune.Folds{K: 2, Group: c.group}})
		if err != nil {
			t.Errorf("%s: %v", c.axes, err)
			continue
		}
		if usual := c.want == "accuracy" || c.want == "rmse"; found.Score.Name != c.want || usual != (found.ScoreWhy == "") {
			t.Errorf("%s: found the score %s %q, expected %s", c.axes, found.Score.Name, found.ScoreWhy, c.want)
		}
	}
	for _, c := range []struct{ score, axes, expected string }{
		{"pinball", "loss=quantile:tau=0.1,quantile:tau=0.9", "several quantiles"}, {"pinball", "loss=squared,quantile:tau=0.9", "several quantiles"}, {"ap", "loss=squared", "score ap is one of classes"},
	} {
		_, err := tune.Run(context.Background(), numbers, tune.Spec{Score: c.score, Axes: axes(t, c.axes)})
		if err == nil || !strings.Contains(err.Error(), c.expected) {
			t.Errorf("%s: found the error %v, expected %q", c.axes, err, c.expected)
		}
	}
	median, err := tune.Run(context.Background(), numbers, tune.Spec{Score: "pinball", Axes: axes(t, "loss=squared,quantile:tau=0.5")})
	mae, _ := tune.Run(context.Background(), numbers, tune.Spec{Score: "mae", Axes: axes(t, "loss=squared,quantile:tau=0.5")})
	for k := range 2 {
		if err != nil || math.Abs(median.Candidates[k].Mean-mae.Candidates[k].Mean/2) > 1e-12 {
			t.Errorf("%v: found %v, expected half of %v", err, median, mae)
		}
	}
}

// Times that are none are refused as data, with column, row and value.
func TestTimesOfFolds(t *testing.T) {
	set := generated(t, "@blobs:n=30,classes=2,seed=4")
	set.IDName = "day"
	for i := range 30 {
		set.ID = append(set.ID, fmt.Sprintf("%02d.03.2024", 30-i))
	}
	folds, err := tune.Folds{K: 2, Time: true}.Deal(set, nil, nil)
	if err != nil || folds[0].Learn[0] != 20 || folds[1].Judge[0] != 0 {
		t.Errorf("found %v, error %v", folds, err)
	}
	set.ID[4] = "later"
	_, err = tune.Run(context.Background(), set, tune.Spec{Folds: tune.Folds{K: 2, Time: true}})
	if data, ok := err.(pose.DataError); !ok || !strings.HasPrefix(data.Reason, `column "day" of times: row 5: found the time "later", expected a date`) {
		t.Errorf("found the error %v", err)
	}
}

// Probabilities are fitted to the folds of the search.
func TestProbabilitiesByTheFoldsOfTheSearch(t *testing.T) {
	set := generated(t, "@blobs:n=120,classes=2,spread=3,seed=4")
	for i := range 120 {
		set.ID = append(set.ID, fmt.Sprint(i/6))
	}
	for _, f := range []tune.Folds{{K: 4, Group: true, Seed: 2}, {K: 3, Time: true}, {K: 4, Repeats: 2, Seed: 2}} {
		found, err := tune.Run(context.Background(), set, tune.Spec{Train: fenchel.Spec{Kernel: "rbf", Decision: fenchel.Decision{Probabilities: true}}, Axes: axes(t, "C=1"), Folds: f})
		if err != nil {
			t.Fatal(err)
		}
		folds, err := f.Deal(set, set.Target.Code, set.Target.Label)
		if got := found.Candidates[found.Best].Spec; err != nil || fmt.Sprint(got.Folds) != fmt.Sprint(folds[:f.K]) || got.Groups != map[bool]int{true: 20}[f.Group] {
			t.Errorf("%+v: found %v of %d groups, expected %v", f, got.Folds, got.Groups, folds)
		}
	}
	held := generated(t, "@blobs:n=50,classes=2,spread=3,seed=4,skip=120")
	found, err := tune.Run(context.Background(), set, tune.Spec{Train: fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}}, Axes: axes(t, "C=1"), Held: held})
	if err != nil || found.Candidates[0].Spec.Held != held || found.Candidates[0].Spec.Folds != nil {
		t.Errorf("found %v, error %v, expected the rows to be judged by", found, err)
	}
}
