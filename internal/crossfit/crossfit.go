// Package crossfit fits calibrations of classes to rows that models of others have predicted, and
// judges them by rows that they were not fitted to. ridge.go makes the models of all rows but one.
//
// The formulas are those of package internal/calibration, and what the models predict comes from
// package fenchel: here rows meet the outputs of a model.
package crossfit

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/model"
)

// Row is a row that a model of others has predicted.
type Row struct {
	Row, Fold      int // its number, and that of the fold that judged it
	Class          int // Unknown of numbers
	Number, Weight float64
	Scores         []float64
}

// scored reports whether the row has a class that the model knows, and scores that are numbers.
func (r Row) scored() bool {
	return r.Class != metric.Unknown && !slices.ContainsFunc(r.Scores, func(s float64) bool { return s-s != 0 })
}

// Rows are those that a calibration of the model is fitted to, in the order of their numbers.
type Rows struct {
	Model   *model.Model
	Rows    []Row
	Counts  float64   // what a row counts: less than 1 of groups, of which each says as much as one row
	Seed    uint64    // of what is dealt out where there are no folds
	Margins []float64 // the unit of the model's scores with nu, of each output; nil: that of the rows
}

// Calibration is that of classes that was asked for, or of all the one of the least log loss: each was then
// fitted to the rows of some folds, and judged by those of others.
func (c *Rows) Calibration(best string) *model.Calibration {
	losses := map[string]float64(nil)
	if best == calibration.ByAuto {
		losses = map[string]float64{}
		for _, name := range calibration.Calibrators()[:3] {
			if name == calibration.ByTemperature && !c.comparable() {
				continue
			}
			loss := c.crossLoss(name)
			if losses[name] = pose.FiniteOr(loss, math.MaxFloat64); best == calibration.ByAuto || loss < losses[best] {
				best = name
			}
		}
	}
	made := c.fitted(best, c.Rows)
	made.LogLoss = losses
	for output, rho := range c.Margins {
		switch {
		case made.Platt != nil:
			made.Platt[output][0] /= rho
		case made.Isotonic != nil:
			made.Isotonic[output].Score = pose.Scaled(rho, made.Isotonic[output].Score)
		default:
			made.Temperature *= rho
		}
	}
	return made
}

// comparable reports whether scores of all classes have one unit, as a temperature of all needs it: there are no pairs, and no margins of several outputs.
func (c *Rows) comparable() bool {
	return c.Model.Statement.Scheme != model.OneAgainstOne && len(c.Margins) < 2
}

// crossLoss is the mean log loss of a calibrator on rows that it was not fitted to.
func (c *Rows) crossLoss(name string) float64 {
	m, part := *c.Model, c.parts()
	var probabilities [][]float64
	var truth []int
	var weight []float64
	for p := range slices.Max(part) + 1 {
		var others []Row
		for i, row := range c.Rows {
			if part[i] != p {
				others = append(others, row)
			}
		}
		m.Calibration = c.fitted(name, others)
		for i, row := range c.Rows {
			if part[i] == p && row.scored() {
				probabilities = append(probabilities, m.Probabilities(nil, row.Scores))
				truth, weight = append(truth, row.Class), append(weight, row.Weight)
			}
		}
	}
	return metric.LogLoss(probabilities, truth, weight)
}

// partsOfOne is how many parts the rows are dealt out into where all are of one fold.
const partsOfOne = 5

// parts are those of the rows: the fold in which each was first predicted, so that no row is in two. Rows
// of one fold are dealt out at random.
func (c *Rows) parts() []int {
	first, part := map[int]int{}, make([]int, len(c.Rows))
	for _, row := range c.Rows { // in the order of the folds, as the sort was stable
		if _, ok := first[row.Row]; !ok {
			first[row.Row] = row.Fold
		}
	}
	for i, row := range c.Rows {
		part[i] = first[row.Row]
	}
	if slices.Max(part) > slices.Min(part) {
		return part
	}
	class := make([]uint32, len(c.Rows))
	for i, row := range c.Rows {
		class[i] = uint32(max(0, row.Class))
	}
	return calibration.Folds(generate.Order(len(class), c.Seed, 0), class, partsOfOne)
}

// fitted is a calibrator of rows, in the unit of their scores.
func (c *Rows) fitted(name string, rows []Row) *model.Calibration {
	m, made := c.Model, &model.Calibration{}
	if name == calibration.ByTemperature {
		made.Temperature = c.temperature(rows)
		return made
	}
	for output := range m.Outputs {
		of := func(r Row) float64 { return r.Scores[output] }
		if name == calibration.ByIsotonic && len(m.Classes) == 2 {
			of = func(r Row) float64 { return model.Margin(r.Scores) }
		}
		scores, positive, weight := c.about(output, rows, of)
		if name == calibration.ByIsotonic {
			targets, _, _ := calibration.Smoothed(positive, weight)
			made.Isotonic = append(made.Isotonic, calibration.FitIsotonic(scores, targets, weight))
			if len(m.Classes) == 2 { // two outputs that were learned together say the same twice
				break
			}
			continue
		}
		a, b := calibration.Platt(scores, positive, weight)
		made.Platt = append(made.Platt, [2]float64{a, b})
	}
	return made
}

// about are the scores of the rows that an output is about, whether each is of its class, and what it counts.
func (c *Rows) about(output int, rows []Row, scoreOf func(Row) float64) (scores []float64, positive []bool, weight []float64) {
	m := c.Model
	first, second := -1, output
	switch {
	case len(m.Classes) == 2:
		second = 1
	case m.Statement.Scheme == model.OneAgainstOne:
		first, second = model.Pair(output, len(m.Classes))
	}
	for _, row := range rows {
		score := scoreOf(row)
		if row.Class == metric.Unknown || first >= 0 && row.Class != first && row.Class != second || score-score != 0 {
			continue
		}
		scores, positive, weight = append(scores, score), append(positive, row.Class == second), append(weight, c.Counts*row.Weight)
	}
	return scores, positive, weight
}

// temperature is that of rows.
func (c *Rows) temperature(rows []Row) float64 {
	var scores [][]float64
	var class []int
	var weight []float64
	for _, row := range rows {
		if !row.scored() {
			continue
		}
		each := row.Scores
		if len(each) <= 2 {
			each = []float64{0, model.Margin(each)}
		}
		scores, class, weight = append(scores, each), append(class, row.Class), append(weight, c.Counts*row.Weight)
	}
	return calibration.Temperature(scores, class, weight)
}
