package fenchel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Evaluation says how well a model predicts the targets of some rows. What is
// undefined on them is nil; package metric has the definitions.
type Evaluation struct {
	Rows int `json:"rows"`

	// Outliers is the share of rows that a machine of one class takes for such.
	Outliers *float64 `json:"outliers,omitempty"`

	// Classes only.
	Accuracy   *float64            `json:"accuracy,omitempty"`
	Error      *float64            `json:"error,omitempty"`
	Within     *float64            `json:"error_within,omitempty"`   // half the width of the interval of Error that has a probability of 95 %, by Hoeffding
	Interval   *[2]float64         `json:"error_interval,omitempty"` // interval of Clopper and Pearson for Error; absent: the rows have weights
	Cost       *float64            `json:"mean_cost,omitempty"`      // mean cost of a row, where the model has costs
	Balanced   *float64            `json:"balanced_accuracy,omitempty"`
	MacroF1    *float64            `json:"macro_f1,omitempty"`
	AUC        *float64            `json:"auc,omitempty"`               // two classes
	AP         *float64            `json:"average_precision,omitempty"` // average precision; two classes
	LogLoss    *float64            `json:"log_loss,omitempty"`          // where the model has probabilities
	Brier      *float64            `json:"brier,omitempty"`             // Brier score, where the model has probabilities
	Calibrated *metric.Reliability `json:"calibration,omitempty"`       // how true the probabilities are, with the parts of the Brier score
	Classes    []ClassEvaluation   `json:"classes,omitempty"`
	Confusion  *ConfusionTable     `json:"confusion,omitempty"`

	Coverage *CoverageEvaluation `json:"coverage,omitempty"` // where the model has intervals of numbers, or sets of classes

	Thresholds []ThresholdEvaluation `json:"thresholds,omitempty"` // two classes, from the highest score on

	NumberScores // numbers only; of several targets the means over these

	Targets []TargetEvaluation `json:"targets,omitempty"` // scores of each target, where there are several

	// Trivial is the score of a constant prediction on the same rows.
	Trivial *Trivial `json:"trivial,omitempty"`

	Warnings []error `json:"-"`
}

// NumberScores judge the predictions of a model of numbers.
type NumberScores struct {
	RMSE           *float64 `json:"rmse,omitempty"`
	MAE            *float64 `json:"mae,omitempty"`
	MedianAbsolute *float64 `json:"median_absolute_error,omitempty"`
	R2             *float64 `json:"r2,omitempty"`
	Pinball        *float64 `json:"pinball,omitempty"`          // mean pinball loss, with the tau of the loss quantile
	Deviance       *float64 `json:"poisson_deviance,omitempty"` // mean Poisson deviance, of counts
	Own            string   `json:"-"`                          // the score that belongs to the loss: rmse, mae, pinball or deviance
}

// ClassEvaluation judges one class.
type ClassEvaluation struct {
	Class     string  `json:"class"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Support   float64 `json:"support"` // weight of its rows
}

// ConfusionTable counts rows by true class (down) and predicted class (across).
type ConfusionTable struct {
	True      []string    `json:"true"`
	Predicted []string    `json:"predicted"`
	Count     [][]float64 `json:"count"`
}

// detail is how much an evaluation tells.
type detail uint8

const (
	briefly   detail = iota // nothing that takes the order of the scores, or probabilities
	forScores               // what a search may choose by
	fully                   // the table of thresholds too
)

// Options say how a model is judged.
type Options struct {
	Threads int // cores at most; 0: all. Never changes a result
}

// Evaluate predicts every row and compares with its target.
func Evaluate(ctx context.Context, m *model.Model, set *data.Set, opt Options) (*Evaluation, error) {
	return parallel.Until(ctx, func() (*Evaluation, error) { return evaluate(m, set, opt.Threads, fully) })
}

// evaluate is Evaluate of that detail.
func evaluate(m *model.Model, set *data.Set, threads int, how detail) (*Evaluation, error) {
	if err := pose.CheckPair(m, set); err != nil {
		return nil, err
	}
	var x matrix.Matrix
	var scores [][]float64
	e, err := evaluateWith(m, set, how, func() (all [][]float64, err error) {
		if x, err = m.Prepare(set.X); err != nil {
			return nil, pose.DataError{Reason: err.Error()}
		}
		scores = model.Scores(m, x, threads)
		return scores, nil
	})
	if err == nil && m.Coverage != nil && how == fully {
		e.cover(m, x, scores, set)
	}
	return e, err
}

// CoverageEvaluation says how often intervals, or sets of classes, hold the truth.
type CoverageEvaluation struct {
	Level   float64 `json:"level"`   // that was asked for
	Covered float64 `json:"covered"` // share of the rows
	Width   float64 `json:"width"`   // mean width of the intervals, or mean number of classes
}

// cover adds it.
func (e *Evaluation) cover(m *model.Model, x matrix.Matrix, scores [][]float64, set *data.Set) {
	c := &CoverageEvaluation{Level: m.Coverage.Level}
	class, weights := pose.MatchClasses(m.Classes, set.Target), pose.OrOnes(set.Weight, len(scores))
	var labels []int
	for i, s := range scores {
		var width float64
		var in bool
		if m.Classes == nil {
			lower, upper := m.Interval(x.Row(i), s[0])
			y := set.Target.Number[i]
			width, in = upper-lower, lower <= y && y <= upper
		} else {
			labels = m.Labels(labels[:0], x.Row(i), s)
			width, in = float64(len(labels)), slices.Contains(labels, class[i])
		}
		if c.Width += float64(weights[i] * width); in {
			c.Covered += weights[i]
		}
	}
	if all := pose.Sum(weights); all > 0 {
		c.Width, c.Covered = c.Width/all, c.Covered/all
		e.Coverage = c
	}
}

// EvaluateScores is [Evaluate] for rows that are elsewhere: of each there are its scores by m, one for each output, its target and its
// weight; nil: every row counts once.
func EvaluateScores(m *model.Model, scores [][]float64, target data.Target, weight []float64) (*Evaluation, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := target.Check(len(scores)); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	if slices.ContainsFunc(scores, func(s []float64) bool { return len(s) != len(m.Outputs) }) || weight != nil && len(weight) != len(scores) {
		return nil, fmt.Errorf("found scores of %d rows and %d weights, expected %d scores of each row, and a weight", len(scores), len(weight), len(m.Outputs))
	}
	return evaluateWith(m, &data.Set{Target: target, Weight: weight}, fully, func() ([][]float64, error) { return scores, nil })
}

// evaluateWith is Evaluate by scores, which are asked for where the targets fit.
func evaluateWith(m *model.Model, set *data.Set, how detail, score func() ([][]float64, error)) (*Evaluation, error) {
	truth, err := pose.MatchTargets(m.Classes, set.Target)
	if err != nil && !m.OneClass() {
		if set.Target.Absent() && m.Schema.Table() && m.Schema.Target >= 0 {
			return nil, pose.DataError{Reason: fmt.Sprintf("found no column of targets, expected the column %q, with the true value in every row", m.Schema.Columns[m.Schema.Target].Name)}
		}
		return nil, err
	}
	if err := pose.CheckTargets(m, set.Target); err != nil {
		return nil, err
	}
	scores, err := score()
	if err != nil {
		return nil, err
	}
	e := evaluateScores(m, scores, truth, set, how)
	e.compare(m, pose.Truth{Class: truth, Number: set.Target.Number, Weight: set.Weight})
	return e, nil
}

// evaluateScores is Evaluate for scores of the rows, and their targets as m has them.
func evaluateScores(m *model.Model, scores [][]float64, truth []int, set *data.Set, how detail) (e *Evaluation) {
	switch {
	case m.Statement.Targets != nil:
		e = evaluateTargets(m, scores, set, how != forScores)
	case m.Classes == nil:
		e = evaluateNumbers(m, scores, set)
	case m.OneClass():
		e = evaluateOneClass(m, scores, truth, set, how)
	default:
		e = evaluateClasses(m, scores, truth, set, how)
	}
	if unscored := pose.CountUnscored(m, slices.Values(scores)); unscored > 0 {
		e.Warnings = append(e.Warnings, pose.Unscored(unscored, len(scores)))
	}
	return e
}

func evaluateNumbers(m *model.Model, scores [][]float64, set *data.Set) *Evaluation {
	predicted := make([]float64, len(scores))
	for i, s := range scores {
		predicted[i] = m.Number(s[0])
	}
	_, tau := loss.ScoreOf(lossOfModel(m))
	return EvaluateNumbers(predicted, set.Target.Number, set.Weight, tau)
}

// lossOfModel is the loss that a model of numbers was trained by.
func lossOfModel(m *model.Model) loss.Loss {
	if m.CustomLoss != nil {
		return m.CustomLoss
	}
	l, _ := loss.New(m.Statement.Loss)
	return l
}

// EvaluateNumbers compares numbers that were predicted with the true ones; w are the weights of
// the rows, nil if they have none, tau is that of the pinball loss, 0: not to be told.
func EvaluateNumbers(predicted, truth, w []float64, tau float64) *Evaluation {
	e := &Evaluation{Rows: len(predicted), NumberScores: NumberScores{
		Deviance: metric.Present(metric.Deviance(predicted, truth, w)), RMSE: metric.Present(metric.RMSE(predicted, truth, w)), MAE: metric.Present(metric.MAE(predicted, truth, w)),
		MedianAbsolute: metric.Present(metric.MedianAbsolute(predicted, truth, w)), R2: metric.Present(metric.R2(predicted, truth, w))}}
	if tau > 0 {
		e.Pinball = metric.Present(metric.Pinball(predicted, truth, w, tau))
	}
	return e
}

// evaluateOneClass counts outliers, and compares with targets if all are 1 and -1: any
// others say nothing about outliers.
func evaluateOneClass(m *model.Model, scores [][]float64, truth []int, set *data.Set, how detail) *Evaluation {
	e := &Evaluation{Rows: len(scores)}
	if truth != nil && !slices.Contains(truth, metric.Unknown) {
		e = evaluateClasses(m, scores, truth, set, how)
	} else if !set.Target.Absent() {
		e.Warnings = append(e.Warnings, fmt.Errorf("the targets are not all 1 and -1 (one is %q): not compared", pose.FirstUnknown(pose.MatchClasses(m.Classes, set.Target), set.Target)))
	}
	weights, outliers := pose.OrOnes(set.Weight, len(scores)), 0.0
	for i, s := range scores {
		if m.Decide(s) == 0 {
			outliers += weights[i]
		}
	}
	if all := pose.Sum(weights); all > 0 {
		share := outliers / all
		e.Outliers = &share
	}
	return e
}

func evaluateClasses(m *model.Model, scores [][]float64, truth []int, set *data.Set, how detail) *Evaluation {
	c := metric.NewConfusion(m.Classes)
	unknown := 0
	for i, s := range scores {
		weight := 1.0
		if set.Weight != nil {
			weight = set.Weight[i]
		}
		c.Add(truth[i], m.Decide(s), weight)
		if truth[i] == metric.Unknown {
			unknown++
		}
	}
	e := &Evaluation{Rows: len(scores), Within: metric.Present(metric.Hoeffding(1, 1-metric.Confidence, effective(set.Weight, len(scores))))}
	e.count(c)
	if set.Weight == nil && e.Error != nil {
		n := float64(len(scores))
		lo, hi := metric.ExactInterval(math.Round(*e.Error*n), n, 1-metric.Confidence)
		e.Interval = &[2]float64{lo, hi}
	}
	for _, s := range c.Scores() {
		e.Classes = append(e.Classes, ClassEvaluation{s.Class, s.Precision, s.Recall, s.F1, s.Support})
	}
	names, counts := c.Matrix()
	e.Confusion = &ConfusionTable{True: names, Predicted: m.Classes, Count: counts}
	if unknown > 0 {
		e.Warnings = append(e.Warnings, fmt.Errorf("%d of %d rows have labels that the model does not know, such as %q: they count as errors",
			unknown, len(scores), pose.FirstUnknown(truth, set.Target)))
	}
	if how > briefly || m.Threshold.Chosen() {
		e.judgeScores(m, scores, truth, set.Weight, how)
	}
	return e
}

// count adds what the counts of true and predicted classes tell.
func (e *Evaluation) count(c *metric.Confusion) {
	e.Accuracy, e.Error = metric.Present(c.Accuracy()), metric.Present(c.ErrorRate())
	e.Balanced, e.MacroF1 = metric.Present(c.BalancedAccuracy()), metric.Present(c.MacroF1())
}

// probable adds what the probabilities of the classes tell.
func (e *Evaluation) probable(probabilities [][]float64, truth []int, weight []float64) {
	e.LogLoss = metric.Present(metric.LogLoss(probabilities, truth, weight))
	e.Brier = metric.Present(metric.Brier(probabilities, truth, weight))
}

// effective returns how many rows of one weight have a mean that is as certain as that of n
// weighted ones: (sum w)^2 / sum w^2.
func effective(weights []float64, n int) float64 {
	if weights == nil {
		return float64(n)
	}
	largest, sum, squares := slices.Max(weights), 0.0, 0.0
	for _, w := range weights {
		w /= largest // neither underflows nor overflows
		sum += w
		squares += float64(w * w)
	}
	return sum * sum / squares
}

// judgeScores adds what needs more than the decisions.
func (e *Evaluation) judgeScores(m *model.Model, scores [][]float64, truth []int, weight []float64, how detail) {
	if len(m.Classes) == 2 && !slices.Contains(truth, metric.Unknown) {
		first, positive := make([]float64, len(scores)), make([]bool, len(scores))
		for i, s := range scores {
			first[i], positive[i] = model.Margin(s), truth[i] == 1
		}
		e.AUC = metric.Present(metric.AUC(first, positive, weight))
		e.AP = metric.Present(metric.AveragePrecision(first, positive, weight))
		if e.AUC != nil && (how == fully || m.Threshold.Chosen()) {
			e.threshold(m, first, truth, weight)
		}
	}
	if m.HasProbabilities() && !slices.Contains(truth, metric.Unknown) {
		k := len(m.Classes)
		probabilities, all := make([][]float64, len(scores)), make([]float64, k*len(scores))
		for i, s := range scores {
			probabilities[i] = m.Probabilities(all[i*k:i*k:(i+1)*k], s)
		}
		e.probable(probabilities, truth, weight)
		if how == fully {
			e.Calibrated = metric.MeasureReliability(probabilities, truth, weight)
		}
	}
}

// Trivial is the score of a constant prediction, which uses no feature; a useful model scores better.
// For classes the prediction is the most frequent class, with the shares of the classes as
// probabilities; for numbers it is the mean, or the quantile that the loss estimates.
type Trivial struct {
	Prediction  string `json:"prediction"`
	*Evaluation        // without what is told of each class
}
