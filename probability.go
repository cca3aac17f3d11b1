package fenchel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/crossfit"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Probabilities as LIBSVM's option -b 1 makes them: scores of rows by models that have not
// learned from them, and Platt's sigmoid of each output, or another calibrator; of numbers the
// scale of their errors; of one class marks between the scores of all rows.

// foldCount is how many folds there are where none are given, as LIBSVM has them.
const foldCount = 5

// calibrator gives a model its calibration.
type calibrator struct {
	set    *data.Set
	spec   Spec
	folds  []Fold
	result *Result

	rows     []crossfit.Row
	fitted   []*Result         // models of the folds
	left     *crossfit.LeftOut // or those without one row each
	unproved int               // folds without the gap that was asked for
	lacking  int               // folds without a row of some class to learn from
}

// what is fitted to the rows that others predict.
func (c *calibrator) what() string {
	switch {
	case c.spec.Probabilities:
		return "probabilities"
	case c.spec.Costs != nil:
		return "threshold"
	}
	return "intervals"
}

func (c *calibrator) calibrate(ctx context.Context) (err error) {
	m := c.result.Model
	switch {
	case m.OneClass():
		return c.mark()
	case len(m.Classes) == 1:
		m.Calibration = &model.Calibration{}
		return nil
	case c.spec.Held != nil:
		err = c.predict(c.result, c.spec.Held, nil, 0)
	default:
		err = c.crossPredict(ctx)
	}
	if err != nil {
		return err
	}
	if c.unproved > 0 {
		c.result.Warnings = append(c.result.Warnings, fmt.Errorf(c.what()+": %d of %d folds ended without the gap that was asked for", c.unproved, len(c.folds)))
	}
	if c.lacking > 0 {
		c.result.Warnings = append(c.result.Warnings, fmt.Errorf(c.what()+": %d of %d folds have no row of some class to learn from, and are left out", c.lacking, len(c.folds)))
	}
	if len(c.rows) == 0 {
		return pose.DataError{Reason: c.what() + ": found no fold with rows of every class to learn from, expected at least one"}
	}
	slices.SortStableFunc(c.rows, func(a, b crossfit.Row) int { return cmp.Compare(a.Row, b.Row) }) // sums do not depend on the order of the folds
	if c.spec.Costs != nil {
		m.Threshold = c.threshold()
	}
	if c.spec.Interval != 0 {
		if m.Coverage, err = c.coverage(); err != nil {
			return err
		}
	}
	if !c.spec.Probabilities {
		return nil
	}
	if m.Classes == nil {
		m.Calibration = &model.Calibration{Laplace: c.errorScale(), Folds: c.dealt()}
		return nil
	}
	rows := crossfit.Rows{Model: m, Rows: c.rows, Counts: 1, Seed: c.spec.Seed, Margins: c.result.Margins}
	if c.spec.Groups > 0 {
		rows.Counts = float64(c.spec.Groups) / float64(c.set.Rows())
	}
	m.Calibration = rows.Calibration(cmp.Or(c.spec.Calibrator, calibration.BySigmoid))
	m.Calibration.Folds = c.dealt()
	return nil
}

// dealt is what the model says of the folds; nil: nothing is known of given ones.
func (c *calibrator) dealt() *model.Folds {
	var how model.Folds
	switch {
	case c.spec.Held != nil:
		how.By = "valid"
	case c.left != nil:
		how = model.Folds{K: len(c.left.Bias), By: "leave-one-out"}
	case c.spec.Folds == nil:
		how = model.Folds{K: foldCount, Seed: c.spec.Seed, By: "random"}
	case c.spec.Dealt == nil:
		return nil
	default:
		how = *c.spec.Dealt
	}
	how.C, how.Lambda, how.Balanced = c.spec.C, c.spec.Lambda, c.spec.Balanced
	if l, _ := c.spec.own().PickLoss(c.spec.Loss); c.result.Model.Classes == nil && c.spec.Custom.Loss == nil {
		if _, numbers := l.(loss.Numeric); numbers {
			how.Loss = c.spec.Loss
		}
	}
	return &how
}

// mark gives a model of one class the marks between its scores.
func (c *calibrator) mark() error {
	marks, err := marksOf(c.result.Model, c.set.X, c.spec.Threads)
	switch {
	case err != nil:
		return err
	case marks == nil:
		c.result.Warnings = append(c.result.Warnings, errors.New("the model has no probabilities: found fewer than five rows inside, or outside"))
	default:
		c.result.Model.Calibration = &model.Calibration{Marks: marks}
	}
	return nil
}

// marksOf returns the marks between the scores of rows; nil where they make none.
func marksOf(m *model.Model, rows matrix.Matrix, threads int) ([]float64, error) {
	x, err := m.Prepare(rows)
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	var scores []float64
	for _, s := range model.Scores(m, x, threads) {
		scores = append(scores, s[0])
	}
	marks, _ := calibration.Marks(scores)
	return marks, nil
}

// deal deals the rows out at random, where no folds are given.
func (c *calibrator) deal() error {
	if c.folds = c.spec.Folds; c.folds != nil {
		return nil
	}
	m, class := c.result.Model, make([]uint32, c.set.Rows())
	rows := make([]int, max(1, len(m.Classes)))
	if m.Classes != nil {
		for i, k := range pose.MatchClasses(m.Classes, c.set.Target) {
			class[i] = uint32(k)
		}
	}
	for _, k := range class {
		rows[k]++
	}
	if least := slices.Min(rows); least < 2 && m.Classes != nil {
		one := fmt.Errorf("found one row of the class %s, expected two and more of each for %s: one to learn from, and one to judge", m.Classes[slices.Index(rows, least)], c.what())
		if c.spec.Costs != nil || c.spec.Interval != 0 {
			return pose.DataError{Reason: one.Error()}
		}
		c.result.Warnings = append(c.result.Warnings, one) // no row of the class is judged: its probabilities are little more than its share
	} else if least < 2 {
		return pose.DataError{Reason: "found one row, expected two and more for probabilities"}
	}
	dealt := class
	if c.spec.Interval != 0 { // whose theorem knows no folds by class
		dealt = nil
	}
	c.folds = calibration.Split(calibration.Folds(generate.Order(len(class), c.spec.Seed, 0), dealt, foldCount), foldCount)
	c.folds = slices.DeleteFunc(c.folds, func(f Fold) bool { return f.Learn == nil || f.Judge == nil })
	return nil
}

// crossPredict has the rows of each fold, or each row, predicted by a model of the others.
func (c *calibrator) crossPredict(ctx context.Context) error {
	if c.leavesOut() {
		return c.leaveOut()
	}
	if err := c.deal(); err != nil {
		return err
	}
	base, err := c.numbered()
	if err != nil {
		return err
	}
	for f := range c.folds {
		if err := c.predictFold(ctx, base, f); err != nil {
			return fmt.Errorf("%s, fold %d of %d: %w", c.what(), f+1, len(c.folds), err)
		}
	}
	return nil
}

// numbered returns the set, with the rows of a matrix of values of a kernel numbered: then
// some of them are a training set too.
func (c *calibrator) numbered() (*data.Set, error) {
	m := c.result.Model
	if m.Support == nil || !looksUp(m.Support.Kernel) {
		return c.set, nil
	}
	base := *c.set
	var err error
	if base.X, err = kernel.Prepare(m.Support.Kernel, c.set.X, 0); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	base.Schema, base.Feature = nil, nil
	return &base, nil
}

// looksUp reports whether a kernel, or a part of it, takes values from a matrix.
func looksUp(k kernel.Kernel) bool {
	_, parts := kernel.Parts(k)
	_, is := k.(kernel.Precomputed)
	return is || slices.ContainsFunc(parts, looksUp)
}

// predictFold trains on rows, and predicts others: those of fold f.
func (c *calibrator) predictFold(ctx context.Context, base *data.Set, f int) error {
	fold := c.folds[f]
	learned, held, _, err := base.Apart(fold.Learn, fold.Judge)
	if err != nil {
		return err
	}
	if len(c.result.Model.Classes) > len(learned.Target.Label) {
		c.lacking++
		return nil
	}
	r, err := fit(ctx, learned, c.foldSpec())
	if err != nil {
		return err
	}
	c.result.Train += r.Train
	c.result.Certify += r.Certify
	if r.Status != solver.Converged && !r.ProvesNothing {
		c.unproved++
	}
	if c.spec.Interval != 0 {
		c.fitted = append(c.fitted, r)
	}
	if err := c.predict(r, held, fold.Judge, f); err != nil {
		return err
	}
	return ctx.Err()
}

// predict has a model predict rows of a fold that it has not learned from, with these numbers; nil: all of another set.
func (c *calibrator) predict(r *Result, held *data.Set, rows []int, fold int) error {
	x, err := r.Model.Prepare(held.X)
	if err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	c.take(r.Model, model.Scores(r.Model, x, c.spec.Threads), r.Margins, held, rows, fold)
	return nil
}

// take adds rows of a fold with their scores, and the numbers that they have, nil: their own.
func (c *calibrator) take(m *model.Model, all [][]float64, margins []float64, held *data.Set, rows []int, fold int) {
	weights, class := pose.OrOnes(held.Weight, held.Rows()), pose.MatchClasses(m.Classes, held.Target)
	for i, scores := range all {
		for output, rho := range margins { // the unit of scores with nu, which differs from fold to fold
			scores[output] /= rho
		}
		one := crossfit.Row{Row: i, Fold: fold, Class: metric.Unknown, Weight: weights[i], Scores: scores}
		if rows != nil {
			one.Row = rows[i]
		}
		if m.Classes == nil {
			one.Number = held.Target.Number[i]
		} else {
			one.Class = class[i]
		}
		c.rows = append(c.rows, one)
	}
}

// foldSpec is the spec of a fold: the same, but for what is told and kept.
func (c *calibrator) foldSpec() Spec {
	spec, m := c.spec, c.result.Model
	spec.Costs, spec.Threshold = nil, nil
	spec.Probabilities, spec.Calibrator, spec.Interval, spec.Folds, spec.NoDual, spec.Proved, spec.Notes, spec.From = false, "", 0, nil, true, false, nil, nil
	spec.Progress, spec.Step = nil, nil
	spec.Time = c.spec.Time / time.Duration(2*len(c.folds))
	spec.Scaling = cmp.Or(spec.Scaling, scalingOf(m))
	if spec.Task = "classification"; m.Classes == nil {
		spec.Task = "regression"
	}
	return spec
}

// scalingOf names the scaling of a model.
func scalingOf(m *model.Model) string {
	if m.Scaling == nil {
		return "none"
	}
	return m.Scaling.Kind
}

// errorScale is the scale of the errors of predicted numbers.
func (c *calibrator) errorScale() float64 {
	var errors, weight []float64
	for _, row := range c.rows {
		if z := row.Number - c.result.Model.Number(row.Scores[0]); z-z == 0 {
			errors, weight = append(errors, z), append(weight, row.Weight)
		}
	}
	return calibration.Laplace(errors, weight)
}

// threshold is the one of the least mean cost of the rows that models of others have predicted.
func (c *calibrator) threshold() *model.Threshold {
	costs := c.spec.costsOf(c.result.Model.Classes)
	t := &model.Threshold{Costs: costs[:], Folds: c.dealt()}
	t.Score, t.Cost = calibration.Threshold(marginsOf(c.rows), costs)
	if c.result.Margins != nil {
		t.Score *= c.result.Margins[0]
	}
	return t
}

// marginsOf are the rows that have a known class and a score.
func marginsOf(rows []crossfit.Row) (margins []calibration.Margin) {
	for _, row := range rows {
		if score := model.Margin(row.Scores); row.Class != metric.Unknown && score-score == 0 {
			margins = append(margins, calibration.Margin{Score: score, Weight: row.Weight, Second: row.Class == 1})
		}
	}
	return margins
}

// coverage makes intervals, or sets of classes, of the rows that models of others have predicted.
func (c *calibrator) coverage() (*model.Coverage, error) {
	m := c.result.Model
	made := &model.Coverage{Level: c.spec.Interval, Method: model.ByFolds, Folds: c.dealt()}
	if c.spec.Held != nil {
		made.Method = model.Split
	}
	var all, times []float64
	each := make([][]float64, max(len(c.folds), len(c.rows)))
	for _, row := range c.rows {
		e := math.Inf(1) // of a class or score that the model does not know
		switch {
		case m.Classes == nil:
			e = math.Abs(row.Number - m.Number(row.Scores[0]))
		case row.Class != metric.Unknown:
			e = model.Nonconformity(row.Scores, row.Class)
		}
		if e != e {
			e = math.Inf(1)
		}
		all, times, each[row.Fold] = append(all, e), append(times, row.Weight), append(each[row.Fold], e)
	}
	q, ok := calibration.Quantile(all, times, made.Level)
	if !ok || math.IsInf(q, 0) {
		return nil, pose.DataError{Reason: fmt.Sprintf("'interval=%g': found %s with errors that are numbers, expected more for this level", made.Level, registry.Count(len(all), "row"))}
	}
	if made.Quantile = q; m.Classes != nil && c.result.Margins != nil {
		made.Quantile *= c.result.Margins[0]
	}
	switch {
	case slices.ContainsFunc(all, func(e float64) bool { return math.IsInf(e, 0) }):
	case c.left != nil:
		made.Method, made.Errors, made.Weights, made.Bias = model.JackknifePlus, each, c.left.Weights, c.left.Bias
	case c.plus(made.Folds):
		made.Method = model.CVPlus
		for f, r := range c.fitted {
			slices.Sort(each[f])
			made.Errors = append(made.Errors, each[f])
			for o := range r.Model.Outputs {
				w, b := unscaled(r.Model, o)
				made.Weights, made.Bias = append(made.Weights, w), append(made.Bias, b)
			}
		}
	}
	return made, nil
}

// mostFolded is how many weights of models of folds, and errors of rows, a model keeps.
const mostFolded = 1 << 18

// keeps reports whether models of other rows could be kept, and judge new ones: they are linear, and no feature depends on the rows, as means that fill gaps
// and terms of texts do.
func (c *calibrator) keeps() bool {
	m := c.result.Model
	return m.IsLinear() && m.Network == nil && m.Map == nil && c.set.Gaps == nil &&
		!(m.Schema.Table() && slices.ContainsFunc(m.Schema.Columns, func(c data.Column) bool { return c.Text != nil && c.Text.Bits == 0 }))
}

// plus reports whether the models of the folds can be kept: they take the features that the model takes, and
// were dealt rows at random, each row once.
func (c *calibrator) plus(how *model.Folds) bool {
	m := c.result.Model
	if c.result.Margins != nil || !c.keeps() || how == nil || how.By != "random" || how.Repeats > 1 || c.spec.Groups > 0 || len(c.fitted) < 2 || len(c.fitted) != len(c.folds) {
		return false
	}
	if m.Classes != nil && c.spec.Folds != nil { // dealt by class
		return false
	}
	return len(c.rows)+len(c.folds)*len(m.Outputs)*m.Data.Features <= mostFolded && !slices.ContainsFunc(c.fitted, func(r *Result) bool { return r.Model.Data.Features != m.Data.Features })
}

// mostLeftOut is how many weights and errors of models without one row each a model keeps: of more rows those of folds are as good, and smaller.
const mostLeftOut = 1 << 16

// leavesOut reports whether intervals are made by models without one row each: of least squares with the penalty l2, where they are solutions of equations
// of no more unknowns than rows, and no folds were given.
func (c *calibrator) leavesOut() bool {
	m, n := c.result.Model, c.set.Rows()
	s, own := m.Statement, c.spec.Custom.Loss != nil || c.spec.Custom.Penalty != nil
	return c.spec.Interval != 0 && c.spec.Folds == nil && c.spec.Groups == 0 && m.Classes == nil && s.Loss == "squared" && s.Penalty == "l2" && s.Lambda > 0 && !own && c.keeps() &&
		m.Data.Features < n && n*(m.Data.Features+2) <= mostLeftOut && (m.Scaling == nil || m.Scaling.Kind == "std")
}

// leaveOut has each row predicted by the model of all others.
func (c *calibrator) leaveOut() error {
	begun, m := time.Now(), c.result.Model
	labels, err := pose.NumbersOf(c.set.Target, c.spec.TargetLog)
	if err != nil {
		return err
	}
	others := c.spec
	others.stateLambda(loss.Squared{}, nil, nil, float64(c.set.Rows()-1))
	bias, value, err := problem.ParseConstant(m.Statement.Bias)
	if err != nil {
		return err
	}
	ridge := crossfit.Ridge{X: c.set.X, Y: labels.Number, Lambda: others.Lambda, Bias: bias, Value: value, Indicator: c.set.Indicator(),
		Scaled: m.Scaling != nil, Centred: m.Schema != nil || matrix.IsDense(c.set.X)}
	c.left = ridge.LeaveOneOut(c.spec.Threads)
	for i, score := range c.left.Prediction {
		c.rows = append(c.rows, crossfit.Row{Row: i, Fold: i, Class: metric.Unknown, Number: c.set.Target.Number[i], Weight: 1, Scores: []float64{score}})
	}
	c.result.Train += time.Since(begun)
	return nil
}

// unscaled are the weights and the bias of an output of a linear model for features as its schema makes them.
func unscaled(m *model.Model, output int) ([]float64, float64) {
	plain := *m
	plain.Schema = nil
	w, b := plain.Original(output)
	return slices.Clone(w), b
}
