package fenchel_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// bands are rows in the plane and the band that each lies in, of so many, with noise.
func bands(t *testing.T, n, classes int, seed uint64) *data.Set {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	var rows [][]float32
	var labels []string
	for range n {
		x, y := r.NormFloat64(), r.NormFloat64()
		band := int(math.Floor((x+0.5*y+0.7*r.NormFloat64())/1.5 + float64(classes)/2))
		rows, labels = append(rows, []float32{float32(x), float32(y)}), append(labels, fmt.Sprint(min(max(band, 0), classes-1)))
	}
	set, err := data.FromDense(rows, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func mustFit(t *testing.T, set *data.Set, spec fenchel.Spec) *fenchel.Result {
	t.Helper()
	r, err := fenchel.Train(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Probabilities of every loss and kernel are near those of the logistic loss, which the rows
// are nearly drawn by, and much nearer than the shares of the classes are.
func TestProbabilities(t *testing.T) {
	for _, classes := range []int{2, 4} {
		set, later := bands(t, 600, classes, 1), bands(t, 2000, classes, 2)
		best, err := fenchel.Evaluate(t.Context(), mustFit(t, set, fenchel.Spec{Loss: "logistic", Scheme: model.OneAgainstOne}).Model, later, fenchel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []fenchel.Spec{{}, {Loss: "squared-hinge"}, {Loss: "logistic", C: 0.001}, {Scheme: model.OneAgainstOne}, {Kernel: "rbf:gamma=0.5"},
			{Kernel: "rbf:gamma=0.5", Scheme: model.OneAgainstOne}, {Kernel: "rbf:gamma=0.5", Map: "nystrom:rank=60"}} {
			spec.Probabilities = true
			m := mustFit(t, set, spec).Model
			e, err := fenchel.Evaluate(t.Context(), m, later, fenchel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			// the hinge says little of a class that the rest outnumbers everywhere
			slack := 0.05
			if classes > 2 && spec.Scheme == "" {
				slack = 0.25
			}
			if e.LogLoss == nil || *e.LogLoss > *best.LogLoss+slack || *e.Brier > *best.Brier+slack {
				t.Errorf("%d classes, %+v: found log-loss %v and Brier score %v, expected about %v and %v", classes, spec, *e.LogLoss, *e.Brier, *best.LogLoss, *best.Brier)
			}
		}
	}
}

// The scores are of rows that were not learned from: a machine that knows its own rows by
// heart, and nothing else, has the probabilities of a coin.
func TestProbabilitiesByHeart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var rows [][]float32
	var labels []string
	for range 200 {
		rows, labels = append(rows, []float32{float32(100 * r.NormFloat64())}), append(labels, fmt.Sprint(r.IntN(2)))
	}
	set, err := data.FromDense(rows, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	m := mustFit(t, set, fenchel.Spec{Kernel: "rbf:gamma=1", C: 100, Decision: fenchel.Decision{Probabilities: true}}).Model
	for i := range rows {
		p := m.Probabilities(nil, m.Scores(nil, set.X.Row(i)))
		if p[1] < 0.25 || p[1] > 0.75 {
			t.Fatalf("row %d: found the probability %g, expected about 1/2", i+1, p[1])
		}
	}
}

// The sigmoids are those of the folds, done by hand; with nu they are of scores in units of the
// margin, and are stored for scores that are not.
func TestProbabilitiesTwin(t *testing.T) {
	set := bands(t, 90, 3, 7)
	for _, spec := range []fenchel.Spec{{}, {Nu: 0.3}} {
		spec.Kernel, spec.Scheme, spec.Seed = "rbf:gamma=0.5", model.OneAgainstOne, 3
		scores := foldScores(t, set, spec)
		spec.Probabilities = true
		for _, threads := range []int{1, 2} {
			spec.Threads = threads
			r := mustFit(t, set, spec)
			for output, found := range r.Model.Calibration.Platt {
				i, j := model.Pair(output, 3)
				var own []float64
				var positive []bool
				for row, c := range codesOf(set) {
					if int(c) == i || int(c) == j {
						own, positive = append(own, scores[row][output]), append(positive, int(c) == j)
					}
				}
				a, b := calibration.Platt(own, positive, nil)
				if r.Margins != nil {
					a /= r.Margins[output]
				}
				if math.Abs(found[0]-a) > 1e-8*math.Abs(a) || math.Abs(found[1]-b) > 1e-8 {
					t.Errorf("nu=%g, output %d: found %v, expected %g, %g", spec.Nu, output, found, a, b)
				}
			}
		}
	}
}

// foldScores are scores of each row by a model of the folds without it, with nu in units of the
// margin: the score up to which the share nu of the rows of both classes is.
func foldScores(t *testing.T, set *data.Set, spec fenchel.Spec) [][]float64 {
	t.Helper()
	fold, scores := calibration.Folds(generate.Order(set.Rows(), spec.Seed, 0), codesOf(set), 5), make([][]float64, set.Rows())
	for f := range 5 {
		var outside []int
		for i := range fold {
			if fold[i] != f {
				outside = append(outside, i)
			}
		}
		part, err := set.Subset(outside)
		if err != nil {
			t.Fatal(err)
		}
		m := mustFit(t, part, spec).Model
		margins := []float64{1, 1, 1}
		for output := range margins {
			if spec.Nu == 0 {
				break
			}
			i, j := model.Pair(output, 3)
			var own []float64
			for row, c := range codesOf(part) {
				switch score := m.Scores(nil, part.X.Row(row))[output]; int(c) {
				case i:
					own = append(own, -score)
				case j:
					own = append(own, score)
				}
			}
			margins[output] = problem.Quantile(own, slices.Repeat([]float64{1}, len(own)), spec.Nu*float64(len(own)))
		}
		for i := range fold {
			if fold[i] == f {
				scores[i] = m.Scores(nil, set.X.Row(i))
				for output, rho := range margins {
					scores[i][output] /= rho
				}
			}
		}
	}
	return scores
}

// codesOf returns the places of labels that are numbers from 0.
func codesOf(set *data.Set) (codes []uint32) {
	for _, y := range set.Target.Number {
		codes = append(codes, uint32(y))
	}
	return codes
}

// A matrix of values of a kernel has the probabilities of the kernel.
func TestProbabilitiesPrecomputed(t *testing.T) {
	set := bands(t, 60, 2, 1)
	x := set.X.(*matrix.Dense)
	k := &matrix.Dense{Rows: 60, Cols: 60}
	for i := range 60 {
		for j := range 60 {
			a, b := x.Row(i).Value, x.Row(j).Value
			k.Value = append(k.Value, float32(math.Exp(-0.5*(math.Pow(float64(a[0]-b[0]), 2)+math.Pow(float64(a[1]-b[1]), 2)))))
		}
	}
	spec := fenchel.Spec{Kernel: "rbf:gamma=0.5", Decision: fenchel.Decision{Probabilities: true}, Gap: 1e-7}
	want := mustFit(t, set, spec).Model.Calibration.Platt[0]
	spec.Kernel = "precomputed:shift=auto"
	found := mustFit(t, &data.Set{X: k, Target: set.Target}, spec).Model.Calibration.Platt[0]
	if math.Abs(found[0]-want[0]) > 1e-3 || math.Abs(found[1]-want[1]) > 1e-3 {
		t.Errorf("found %v, expected %v", found, want)
	}
}

// Files of this program and of LIBSVM keep the probabilities.
func TestProbabilitiesFiles(t *testing.T) {
	for _, spec := range []fenchel.Spec{{}, {Kernel: "rbf:gamma=0.5", Scheme: model.OneAgainstOne}, {Kernel: "rbf:gamma=0.5"}} {
		set := bands(t, 120, 3, 4)
		spec.Probabilities = true
		m := mustFit(t, set, spec).Model
		writers := []func(*bytes.Buffer) error{func(b *bytes.Buffer) error { return m.Write(b) }}
		if spec.Scheme != "" {
			writers = append(writers, func(b *bytes.Buffer) error { return m.WriteLIBSVM(b) })
		}
		for _, write := range writers {
			var file bytes.Buffer
			if err := write(&file); err != nil {
				t.Fatal(err)
			}
			again, err := model.Decode(file.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				want := m.Probabilities(nil, m.Scores(nil, set.X.Row(i)))
				found := again.Probabilities(nil, again.Scores(nil, set.X.Row(i)))
				if !slices.Equal(again.Classes, m.Classes) || !slices.EqualFunc(want, found, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
					t.Fatalf("row %d: found %v of %v, expected %v of %v", i+1, found, again.Classes, want, m.Classes)
				}
			}
		}
		if err := m.WriteLIBLINEAR(&bytes.Buffer{}); err == nil {
			t.Error("LIBLINEAR: found no refusal of probabilities")
		}
	}
}

// Of numbers the scale of the errors is known, of one class the marks.
func TestProbabilitiesOfOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var rows [][]float32
	var numbers []float64
	for range 2000 {
		x := r.NormFloat64()
		noise := 0.3 * math.Log(r.Float64())
		if r.IntN(2) == 0 {
			noise = -noise
		}
		rows, numbers = append(rows, []float32{float32(x)}), append(numbers, 2*x+noise)
	}
	set, err := data.FromDense(rows, data.Numbers(numbers))
	if err != nil {
		t.Fatal(err)
	}
	m := mustFit(t, set, fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}}).Model
	if s := m.Calibration.Laplace; math.Abs(s-0.3) > 0.02 || m.HasProbabilities() {
		t.Errorf("found the scale %g, expected 0.3", s)
	}
	one := mustFit(t, bands(t, 100, 2, 1), fenchel.Spec{Task: "one-class", Nu: 0.3, Kernel: "rbf:gamma=0.5", Decision: fenchel.Decision{Probabilities: true}}).Model
	if one.Calibration == nil || len(one.Calibration.Marks) != 10 {
		t.Errorf("one class: found %v, expected ten marks", one.Calibration)
	}
	r2 := mustFit(t, bands(t, 100, 2, 1), fenchel.Spec{Task: "one-class", Nu: 0.01, Kernel: "rbf:gamma=0.5", Decision: fenchel.Decision{Probabilities: true}})
	if r2.Model.Calibration != nil || len(r2.Warnings) == 0 {
		t.Errorf("hardly an outlier: found %v and %v, expected a warning", r2.Model.Calibration, r2.Warnings)
	}
}

// A class of one row cannot be learned and judged, which is a warning, and refused of decisions that are to be as good as is said; an interrupted run has no probabilities.
func TestProbabilitiesRefused(t *testing.T) {
	set, err := data.FromDense([][]float32{{1}, {2}, {3}, {-1}}, data.Labels([]string{"a", "a", "a", "b"}))
	if err != nil {
		t.Fatal(err)
	}
	const one = "found one row of the class b"
	if r := mustFit(t, set, fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}}); !strings.Contains(fmt.Sprint(r.Warnings), one) || r.Model.Calibration == nil {
		t.Errorf("found %v and %v, expected probabilities and a warning", r.Model.Calibration, r.Warnings)
	}
	if _, err := fenchel.Train(context.Background(), set, fenchel.Spec{Decision: fenchel.Decision{Interval: 0.9}}); err == nil || !strings.Contains(err.Error(), one) {
		t.Errorf("found %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stopping := fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}, Kernel: "rbf:gamma=1", Run: fenchel.Run{Progress: func(fenchel.Progress) { stop() }}}
	r, err := fenchel.Train(ctx, bands(t, 300, 2, 1), stopping)
	if err != nil || r.Model.Calibration != nil || !strings.Contains(fmt.Sprint(r.Warnings), "interrupted: the model has no probabilities") {
		t.Errorf("interrupted: found %v, %v", r, err)
	}
}

// Of folds that are given the sigmoids are fitted to the scores of the rows judged on, by models of
// the rows learned from alone: of pairs, joint losses, one against the rest and numbers; a fold
// that lacks a class is left out with a word; groups count as one row each.
func TestProbabilitiesOfGivenFolds(t *testing.T) {
	set := bands(t, 90, 3, 7)
	late := slices.Clone(codesOf(set))
	var folds []fenchel.Fold
	for f := range 3 { // forward in time: the first rows are judged by none
		var fold fenchel.Fold
		for i := range 20 * (f + 2) {
			if i < 20*(f+1) {
				fold.Learn = append(fold.Learn, i)
			} else {
				fold.Judge = append(fold.Judge, i)
			}
		}
		folds = append(folds, fold)
	}
	var first, second []int // no row of class 2 is learned from
	for i, c := range late {
		if c < 2 {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	lacking := append([]fenchel.Fold{{Learn: first, Judge: second}}, folds...)
	for _, spec := range []fenchel.Spec{{Kernel: "rbf:gamma=0.5", Scheme: model.OneAgainstOne}, {Loss: "crammer-singer"}, {}, {Task: "regression"}} {
		spec.Gap = 1e-9
		var scores [][]float64
		var rows []int
		for _, f := range folds {
			learn, _ := set.Subset(f.Learn)
			m := mustFit(t, learn, spec).Model
			for _, i := range f.Judge {
				rows, scores = append(rows, i), append(scores, m.Scores(nil, set.X.Row(i)))
			}
		}
		spec.Probabilities, spec.Folds, spec.Groups = true, lacking, 30
		if spec.Task != "" {
			spec.Folds = folds
		}
		r := mustFit(t, set, spec)
		if said := fmt.Sprint(r.Warnings); spec.Task == "" && !strings.Contains(said, "1 of 4 folds have no row of some class to learn from") {
			t.Errorf("%+v: found the warnings %s", spec, said)
		}
		if spec.Task != "" {
			var errors []float64
			for k, i := range rows {
				errors = append(errors, set.Target.Number[i]-scores[k][0])
			}
			if want := calibration.Laplace(errors, nil); math.Abs(r.Model.Calibration.Laplace-want) > 1e-6 {
				t.Errorf("found the scale %g, expected %g", r.Model.Calibration.Laplace, want)
			}
			continue
		}
		for output, found := range r.Model.Calibration.Platt {
			var own, weight []float64
			var positive []bool
			for k, i := range rows {
				class, second := int(late[i]), output
				if spec.Scheme != "" {
					var one int
					if one, second = model.Pair(output, 3); class != one && class != second {
						continue
					}
				}
				own, positive, weight = append(own, scores[k][output]), append(positive, class == second), append(weight, 1.0/3)
			}
			if a, b := calibration.Platt(own, positive, weight); math.Abs(found[0]-a) > 1e-4*math.Abs(a) || math.Abs(found[1]-b) > 1e-4 {
				t.Errorf("%+v, output %d: found %v, expected %g, %g", spec, output, found, a, b)
			}
		}
	}
	if _, err := fenchel.Train(context.Background(), set, fenchel.Spec{Decision: fenchel.Decision{Probabilities: true, Folds: lacking[:1]}}); err == nil || !strings.Contains(err.Error(), "found no fold with rows of every class") {
		t.Errorf("found the error %v", err)
	}
}

// Rows to be judged by are predicted by the model itself.
func TestProbabilitiesOfHeldRows(t *testing.T) {
	set, held := bands(t, 80, 2, 1), bands(t, 60, 2, 2)
	m := mustFit(t, set, fenchel.Spec{Kernel: "rbf", C: 10, Decision: fenchel.Decision{Probabilities: true, Held: held}}).Model
	var scores []float64
	var positive []bool
	for i := range 60 {
		scores, positive = append(scores, m.Score(held.X.Row(i))), append(positive, held.Target.Label[held.Target.Code[i]] == m.Classes[1])
	}
	if a, b := calibration.Platt(scores, positive, nil); math.Abs(m.Calibration.Platt[0][0]-a) > 1e-9 || math.Abs(m.Calibration.Platt[0][1]-b) > 1e-9 {
		t.Errorf("found %v, expected %g, %g", m.Calibration.Platt, a, b)
	}
}

// TestCalibrators: every way has probabilities near those of the best of them, of two classes and of more; auto
// takes the one of the least log loss, each of which is that of rows that the way was not fitted to, and a threshold
// of a probability is kept.
func TestCalibrators(t *testing.T) {
	for _, classes := range []int{2, 3} {
		set, later := bands(t, 800, classes, 1), bands(t, 2000, classes, 2)
		found := map[string]float64{}
		for _, way := range calibration.Calibrators() {
			spec := fenchel.Spec{Loss: "squared-hinge", Decision: fenchel.Decision{Probabilities: true, Calibrator: way}}
			if classes == 3 {
				spec.Loss = "softmax"
			}
			at := 0.3
			if classes == 2 {
				spec.Threshold = &at
			}
			m := mustFit(t, set, spec).Model
			e, err := fenchel.Evaluate(t.Context(), m, later, fenchel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			found[way] = *e.LogLoss
			if way != calibration.ByAuto && m.Calibration.Calibrator() != way {
				t.Errorf("%d classes: found the calibrator %s, expected %s", classes, m.Calibration.Calibrator(), way)
			}
			if sum := e.Calibrated.Reliability - e.Calibrated.Resolution + e.Calibrated.Uncertainty + e.Calibrated.Within; math.Abs(sum-*e.Brier) > 1e-12 {
				t.Errorf("%d classes, %s: the parts of the Brier score add up to %g, expected %g", classes, way, sum, *e.Brier)
			}
			for i := range set.Rows() {
				scores := m.Scores(nil, set.X.Row(i))
				if p := m.Probabilities(nil, scores); classes == 2 && math.Abs(p[1]-at) > 1e-9 && (m.Decide(scores) == 1) != (p[1] > at) {
					t.Errorf("%s: row %d of the probability %g is of class %d", way, i, p[1], m.Decide(scores))
				}
			}
			if way != calibration.ByAuto {
				continue
			}
			chosen := m.Calibration.Calibrator()
			for other, loss := range m.Calibration.LogLoss {
				if loss < m.Calibration.LogLoss[chosen] || math.Abs(loss-found[other]) > 0.05 {
					t.Errorf("%d classes: %s of the log loss %g was chosen beside %s of %g, which is %g of new rows", classes, chosen, m.Calibration.LogLoss[chosen], other, loss, found[other])
				}
			}
			if len(m.Calibration.LogLoss) != 3 || found[way] != found[chosen] {
				t.Errorf("%d classes: found %v and the log loss %g, expected three ways and that of %s", classes, m.Calibration.LogLoss, found[way], chosen)
			}
		}
	}
}

// TestCalibratorsAreJudgedByOthers: of scores that say nothing an isotonic function that was judged by its own rows would be
// the best; judged by others it is none better than the share of the classes.
func TestCalibratorsAreJudgedByOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var rows [][]float32
	var labels []string
	for range 200 {
		rows, labels = append(rows, []float32{float32(r.NormFloat64())}), append(labels, fmt.Sprint(r.IntN(2)))
	}
	set, err := data.FromDense(rows, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]fenchel.Spec{"folds": {}, "other rows": {Decision: fenchel.Decision{Held: set}}} {
		spec.Probabilities, spec.Calibrator = true, calibration.ByAuto
		c := mustFit(t, set, spec).Model.Calibration
		if c.LogLoss["isotonic"] < math.Ln2 || c.Calibrator() == "isotonic" {
			t.Errorf("%s: found the log losses %v, expected none of isotonic below log 2, as the scores say nothing", name, c.LogLoss)
		}
	}
}

// TestCalibratorsRefused: what a calibrator is not for.
func TestCalibratorsRefused(t *testing.T) {
	two, numbers := bands(t, 60, 2, 1), read(t, "@linear:n=60,d=2")
	of := func(way string) fenchel.Decision { return fenchel.Decision{Probabilities: true, Calibrator: way} }
	for want, c := range map[string]struct {
		set  *data.Set
		spec fenchel.Spec
	}{
		"unknown calibrator":         {two, fenchel.Spec{Decision: of("guess")}},
		"without probabilities":      {two, fenchel.Spec{Decision: fenchel.Decision{Calibrator: "isotonic"}}},
		"for the task regression":    {numbers, fenchel.Spec{Decision: of("isotonic")}},
		"for the task one-class":     {two, fenchel.Spec{Task: "one-class", Kernel: "rbf", Nu: 0.5, Decision: of("auto")}},
		"told apart one against one": {bands(t, 60, 3, 1), fenchel.Spec{Scheme: model.OneAgainstOne, Decision: of("temperature")}},
	} {
		if _, err := fenchel.Train(t.Context(), c.set, c.spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
}
