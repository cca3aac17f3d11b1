package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/calibration"
	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// Probabilities as LIBSVM's option -b 1 makes them: scores of rows by models that have not
// learned from them, and Platt's sigmoid of each output; of numbers the scale of their
// errors; of one class marks between the scores of all rows.

// foldCount is how many folds there are, as LIBSVM has them.
const foldCount = 5

// fitCalibrated is Fit with a calibration. Of a limited time the model gets one half, and
// each fold a tenth.
func fitCalibrated(ctx context.Context, set *dataset.Set, spec Spec) (*Result, error) {
	whole := spec
	whole.Time = spec.Time / 2
	r, err := fit(ctx, set, whole)
	if err != nil {
		return nil, err
	}
	c := &calibrator{set: set, spec: spec, result: r}
	err = c.calibrate(ctx)
	var late LimitError
	switch {
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		r.Model.Calibration = nil
		r.Warnings = append(r.Warnings, errors.New("interrupted: the model has no probabilities"))
	case errors.As(err, &late):
		r.Model.Calibration = nil
		r.Warnings = append(r.Warnings, fmt.Errorf("the model has no probabilities: %w", late))
	case err != nil:
		return nil, err
	}
	return r, nil
}

// calibrator gives a model its calibration.
type calibrator struct {
	set    *dataset.Set
	spec   Spec
	result *Result

	class    []int       // of each row; nil: numbers
	scores   [][]float64 // of each row, by a model that has not learned from it
	unproved int         // folds without the gap that was asked for
}

func (c *calibrator) calibrate(ctx context.Context) error {
	m := c.result.Model
	switch {
	case m.OneClass():
		return c.mark()
	case len(m.Classes) == 1:
		m.Calibration = &model.Calibration{}
		return nil
	}
	if c.class = matchClasses(m.Classes, c.set.Target); m.Classes == nil {
		c.class = nil
	}
	if err := c.crossPredict(ctx); err != nil {
		return err
	}
	if c.unproved > 0 {
		c.result.Warnings = append(c.result.Warnings, fmt.Errorf("probabilities: %d of %d folds ended without the gap that was asked for", c.unproved, foldCount))
	}
	if m.Classes == nil {
		m.Calibration = &model.Calibration{Laplace: c.errorScale()}
		return nil
	}
	m.Calibration = &model.Calibration{}
	for output := range m.Outputs {
		a, b := c.sigmoid(output)
		if c.result.Margins != nil {
			a /= c.result.Margins[output]
		}
		m.Calibration.Platt = append(m.Calibration.Platt, [2]float64{a, b})
	}
	return nil
}

// mark gives a model of one class the marks between its scores.
func (c *calibrator) mark() error {
	m := c.result.Model
	x, err := m.Prepare(c.set.X)
	if err != nil {
		return DataError{err.Error()}
	}
	var scores []float64
	for _, s := range Scores(m, x, c.spec.Threads) {
		scores = append(scores, s[0])
	}
	marks, ok := calibration.Marks(scores)
	if !ok {
		c.result.Warnings = append(c.result.Warnings, errors.New("the model has no probabilities: found fewer than five rows inside, or outside"))
		return nil
	}
	m.Calibration = &model.Calibration{Marks: marks}
	return nil
}

// folds deals the rows out.
func (c *calibrator) folds() ([]int, error) {
	class, m := make([]uint32, c.set.Rows()), c.result.Model
	rows := make([]int, max(1, len(m.Classes)))
	for i := range class {
		if c.class != nil {
			class[i] = uint32(c.class[i])
		}
		rows[class[i]]++
	}
	if least := slices.Min(rows); least < 2 && c.class != nil {
		return nil, DataError{fmt.Sprintf("found one row of the class %s, expected two and more of each for probabilities: one to learn from, and one to judge", m.Classes[slices.Index(rows, least)])}
	} else if least < 2 {
		return nil, DataError{"found one row, expected two and more for probabilities"}
	}
	return calibration.Folds(class, foldCount, c.spec.Seed), nil
}

// crossPredict has the rows of each fold predicted by a model of the others.
func (c *calibrator) crossPredict(ctx context.Context) error {
	fold, err := c.folds()
	if err != nil {
		return err
	}
	base, err := c.numbered()
	if err != nil {
		return err
	}
	c.scores = make([][]float64, len(fold))
	for f := range foldCount {
		var inside, outside []int
		for row, own := range fold {
			if own == f {
				inside = append(inside, row)
			} else {
				outside = append(outside, row)
			}
		}
		if inside == nil || outside == nil {
			continue
		}
		if err := c.predictFold(ctx, base, inside, outside); err != nil {
			return fmt.Errorf("probabilities, fold %d of %d: %w", f+1, foldCount, err)
		}
	}
	return nil
}

// numbered returns the set, with the rows of a matrix of values of a kernel numbered: then
// some of them are a training set too.
func (c *calibrator) numbered() (*dataset.Set, error) {
	m := c.result.Model
	if m.Support == nil || !looksUp(m.Support.Kernel) {
		return c.set, nil
	}
	base := *c.set
	var err error
	if base.X, err = kernel.Prepare(m.Support.Kernel, c.set.X, 0); err != nil {
		return nil, DataError{err.Error()}
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

// predictFold trains on the rows outside, and predicts those inside.
func (c *calibrator) predictFold(ctx context.Context, base *dataset.Set, inside, outside []int) error {
	learned, judged, _, err := base.Apart(outside, inside)
	if err != nil {
		return err
	}
	r, err := fit(ctx, learned, c.foldSpec())
	if err != nil {
		return err
	}
	if len(r.Model.Outputs) != len(c.result.Model.Outputs) {
		return fmt.Errorf("found %d classifiers, expected %d", len(r.Model.Outputs), len(c.result.Model.Outputs))
	}
	c.result.Train += r.Train
	c.result.Certify += r.Certify
	if r.Status != solver.Converged && !r.ProvesNothing {
		c.unproved++
	}
	x, err := r.Model.Prepare(judged.X)
	if err != nil {
		return DataError{err.Error()}
	}
	for k, scores := range Scores(r.Model, x, c.spec.Threads) {
		for output, rho := range r.Margins { // the unit of scores with nu, which differs from fold to fold
			scores[output] /= rho
		}
		c.scores[inside[k]] = scores
	}
	return ctx.Err()
}

// foldSpec is the spec of a fold: the same, but for what is told and kept.
func (c *calibrator) foldSpec() Spec {
	spec, m := c.spec, c.result.Model
	spec.Probabilities, spec.NoDual, spec.Notes, spec.From = false, true, nil, nil
	spec.Progress, spec.Step = nil, nil
	spec.Time = c.spec.Time / (2 * foldCount)
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

// sigmoid fits the sigmoid of an output to the rows that it is about.
func (c *calibrator) sigmoid(output int) (a, b float64) {
	m := c.result.Model
	first, second := -1, output
	switch {
	case len(m.Classes) == 2:
		second = 1
	case m.Statement.Scheme == model.OneAgainstOne:
		first, second = model.Pair(output, len(m.Classes))
	}
	var scores, weight []float64
	var positive []bool
	for i, row := range c.scores {
		if row == nil || first >= 0 && c.class[i] != first && c.class[i] != second || row[output]-row[output] != 0 {
			continue
		}
		scores, positive = append(scores, row[output]), append(positive, c.class[i] == second)
		if c.set.Weight != nil {
			weight = append(weight, c.set.Weight[i])
		}
	}
	return calibration.Platt(scores, positive, weight)
}

// errorScale is the scale of the errors of predicted numbers.
func (c *calibrator) errorScale() float64 {
	var errors, weight []float64
	for i, row := range c.scores {
		if row == nil {
			continue
		}
		z := c.set.Target.Number[i] - c.result.Model.Number(row[0])
		if math.IsNaN(z) || math.IsInf(z, 0) {
			continue
		}
		errors = append(errors, z)
		if c.set.Weight != nil {
			weight = append(weight, c.set.Weight[i])
		}
	}
	return calibration.Laplace(errors, weight)
}
