package model

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Calibration is what train --probabilities, and the option -b 1 of svm-train, add to a
// model. It was fitted to predictions of cross-validation: no data tell whether it is right
// but by training on parts of them again.
type Calibration struct {
	// Platt has A and B of each output: 1/(1 + exp(A score + B)) is the probability of the
	// second of its two classes, or of its class against the rest (Platt 2000; Lin, Lin,
	// Weng 2007). With a single class there are none.
	Platt [][2]float64 `json:"platt,omitempty"`

	// Isotonic has an increasing function of the score of each output, of two classes one of their [Margin], instead
	// of Platt.
	Isotonic []calibration.Isotonic `json:"isotonic,omitempty"`

	// Temperature divides the scores of all classes before softmax, of two classes their [Margin] before the
	// logistic function, instead of Platt. 0: it is another calibration.
	Temperature float64 `json:"temperature,omitempty"`

	// LogLoss is the mean log loss of each way, in nats, where the least was chosen: each was fitted to rows of
	// some folds and judged by those of others. nil: none was chosen.
	LogLoss map[string]float64 `json:"log_loss,omitempty"`

	// Laplace is the scale s of the errors of predicted numbers, of the density
	// exp(-|z|/s)/(2s).
	Laplace float64 `json:"laplace,omitempty"`

	// Marks are scores of one class, increasing: below mark i, and not below the one before,
	// the probability of the second class is i/10 (LIBSVM 3.3).
	Marks []float64 `json:"marks,omitempty"`

	// Folds says how the rows were dealt out; nil: in a file of another program, or before version 2.
	Folds *Folds `json:"folds,omitempty"`
}

// Folds is how rows were dealt out into parts, of which each was predicted by a model of others.
type Folds struct {
	K       int    `json:"k"`
	Repeats int    `json:"repeats,omitempty"` // 0: those that train deals out where none are asked for
	Seed    uint64 `json:"seed"`
	By      string `json:"by"` // random, group, time, or valid: they are other rows

	// C or Lambda is what a fold was trained with; both 0: the default, or the problem has neither.
	C      float64 `json:"C,omitempty"`
	Lambda float64 `json:"lambda,omitempty"`

	// Loss is what was asked for, of which each fold has a width and, with neither C nor lambda, C that fit
	// its targets; "": that of the statement, and C 1.
	Loss string `json:"loss,omitempty"`

	Balanced bool `json:"balanced,omitempty"` // the classes of each fold have the same weight
}

// marks is how many there are.
const marks = 10

// Calibrator names the way that probabilities are made of scores: sigmoid, isotonic or temperature; "": there
// are none of classes, or one of the marks of one class.
func (c *Calibration) Calibrator() string {
	switch {
	case c == nil:
		return ""
	case c.Platt != nil:
		return calibration.BySigmoid
	case c.Isotonic != nil:
		return calibration.ByIsotonic
	case c.Temperature != 0:
		return calibration.ByTemperature
	}
	return ""
}

// later reports whether older programs would misread it.
func (c *Calibration) later() bool {
	return c != nil && (c.Isotonic != nil || c.Temperature != 0 || c.LogLoss != nil)
}

// check refuses what is not that of the model's task.
func (c *Calibration) check(m *Model) error {
	switch {
	case m.Classes == nil && (c.Platt != nil || c.Marks != nil || c.later() || !(c.Laplace >= 0 && c.Laplace <= math.MaxFloat64)):
		return fmt.Errorf("found the scale %g of errors, expected a number >= 0 and no probabilities of classes", c.Laplace)
	case m.Classes == nil:
		return nil
	case m.OneClass() && (c.Platt != nil || c.Laplace != 0 || c.later() || !increasing(c.Marks)):
		return fmt.Errorf("found the marks %v, expected %d increasing scores", c.Marks, marks)
	case m.OneClass():
		return nil
	case c.Marks != nil || c.Laplace != 0:
		return errors.New("found marks or a scale of errors, expected probabilities of classes")
	}
	return c.checkClasses(m)
}

// checkClasses refuses a calibration that is not of the classes of a model.
func (c *Calibration) checkClasses(m *Model) error {
	for way, x := range c.LogLoss {
		if !slices.Contains(calibration.Calibrators(), way) || way == calibration.ByAuto || !(x >= 0 && x <= math.MaxFloat64) {
			return fmt.Errorf("found the log loss %g of %q, expected a number >= 0 of one of %s", x, way, strings.Join(calibration.Calibrators()[:3], ", "))
		}
	}
	outputs, functions := len(m.Outputs), len(m.Outputs)
	switch len(m.Classes) {
	case 1:
		outputs, functions = 0, 0
	case 2:
		functions = 1
	}
	switch t := c.Temperature; {
	case c.Isotonic == nil && t == 0 && len(c.Platt) != outputs:
		return fmt.Errorf("found probabilities for %d classifiers, expected %d", len(c.Platt), outputs)
	case (c.Isotonic != nil || t != 0) && (c.Platt != nil || c.Isotonic != nil && t != 0):
		return errors.New("found several calibrations of classes, expected one")
	case c.Isotonic != nil && len(c.Isotonic) != functions:
		return fmt.Errorf("found isotonic probabilities for %d classifiers, expected %d", len(c.Isotonic), functions)
	case t != 0 && (!(t > 0 && t <= math.MaxFloat64) || outputs == 0 || m.Statement.Scheme == OneAgainstOne):
		return fmt.Errorf("found the temperature %g of %d classes, expected a number > 0, and scores of classes", t, len(m.Classes))
	}
	for _, f := range c.Isotonic {
		if err := checkIsotonic(f); err != nil {
			return err
		}
	}
	return nil
}

// checkIsotonic refuses what is no increasing function, or has other values than probabilities.
func checkIsotonic(f calibration.Isotonic) error {
	if len(f.Score) != len(f.Share) || len(f.Score) == 0 {
		return fmt.Errorf("found an isotonic function of %d scores and %d probabilities, expected as many, and one or more", len(f.Score), len(f.Share))
	}
	const most = math.MaxFloat64 / 4 // differences are numbers
	for k, s := range f.Score {
		if !(math.Abs(s) <= most) || k > 0 && !(s > f.Score[k-1]) {
			return fmt.Errorf("found the score %g of an isotonic function, expected increasing numbers", s)
		}
		if p := f.Share[k]; !(p >= 0 && p <= 1) || k > 0 && p < f.Share[k-1] {
			return fmt.Errorf("found the probability %g of an isotonic function, expected numbers from 0 to 1, none below the one before", p)
		}
	}
	return nil
}

func increasing(scores []float64) bool {
	for i := range scores {
		if i > 0 && !(scores[i] >= scores[i-1]) {
			return false
		}
	}
	return len(scores) == marks
}

// checkCalibration refuses a calibration that is not the model's.
func (m *Model) checkCalibration() error {
	switch {
	case m.Calibration == nil:
		return nil
	case m.IsImported() && m.Support == nil:
		return errors.New("found a calibration, expected none in a model of LIBLINEAR")
	}
	return m.Calibration.check(m)
}

// probabilities appends those of so many classes: those of pairs coupled, or those of each
// class against the rest divided by their sum.
func (c *Calibration) probabilities(dst, scores []float64, classes int, pairs bool) []float64 {
	switch {
	case c.Marks != nil:
		p := c.share(scores[0])
		return append(dst, 1-p, p)
	case classes == 2:
		p := c.second(0, scores)
		return append(dst, 1-p, p)
	case c.Temperature != 0:
		highest := slices.Max(scores)
		return shares(dst, len(scores), func(output int) float64 { return elementary.Exp((scores[output] - highest) / c.Temperature) })
	case !pairs:
		return shares(dst, len(scores), func(output int) float64 { return c.second(output, scores) })
	}
	// LIBSVM stops early: the order of the classes counts, and is that of its files.
	begin := len(dst)
	dst = calibration.Couple(dst, classes, func(i, j int) float64 {
		pair := pairOf(classes-1-j, classes-1-i, classes)
		return c.second(pair, scores)
	})
	slices.Reverse(dst[begin:])
	return dst
}

// shares appends numbers, divided by their sum; all the same if that is 0.
func shares(dst []float64, n int, number func(i int) float64) []float64 {
	begin, sum := len(dst), 0.0
	for i := range n {
		p := number(i)
		dst, sum = append(dst, p), sum+p
	}
	for c := range dst[begin:] {
		if sum > 0 {
			dst[begin+c] /= sum
		} else {
			dst[begin+c] = 1 / float64(n)
		}
	}
	return dst
}

// second returns the probability of the second class of a pair, or of the class of an output.
func (c *Calibration) second(pair int, scores []float64) float64 {
	const least = 1e-7
	var z float64
	switch {
	case c.Isotonic != nil:
		score := scores[pair]
		if len(c.Isotonic) == 1 {
			score = Margin(scores)
		}
		return min(max(c.Isotonic[pair].At(score), least), 1-least)
	case c.Temperature != 0:
		z = -Margin(scores) / c.Temperature
	default:
		z = float64(c.Platt[pair][0]*scores[pair]) + c.Platt[pair][1]
	}
	e := elementary.Exp(-math.Abs(z))
	p := 1 / (1 + e)
	if z >= 0 {
		p = e / (1 + e)
	}
	return min(max(p, least), 1-least)
}

// Score returns the score of two classes above which the probability of the second is above one; ok is false where
// that does not grow with the score.
func (c *Calibration) Score(probability float64) (score float64, ok bool) {
	odds := math.Log(probability / (1 - probability))
	switch {
	case c.Isotonic != nil:
		return c.Isotonic[0].Above(probability), true
	case c.Temperature != 0:
		return odds * c.Temperature, true
	}
	a, b := c.Platt[0][0], c.Platt[0][1]
	return (-odds - b) / a, a < 0
}

// share returns the probability of a score of one class.
func (c *Calibration) share(score float64) float64 {
	const least = 1e-3
	if score < c.Marks[0] {
		return least
	}
	for i, mark := range c.Marks {
		if score < mark {
			return float64(i) / marks
		}
	}
	return 1 - least
}

// write writes what calibration reads.
func (c *Calibration) write(w io.Writer, m *Model) {
	switch {
	case m.OneClass():
		writeNumbersLine(w, "prob_density_marks", len(c.Marks), func(i int) float64 { return c.Marks[i] })
		return
	case m.Classes == nil:
		writeNumbersLine(w, "probA", 1, func(int) float64 { return c.Laplace })
		return
	}
	classes := len(m.Classes)
	for which, key := range []string{"probA", "probB"} {
		writeNumbersLine(w, key, len(c.Platt), func(pair int) float64 {
			i, j := Pair(pair, classes)
			return c.Platt[pairOf(classes-1-j, classes-1-i, classes)][which]
		})
	}
}

// calibration reads probA and probB, or the marks; nil: there are none.
func (t *text) calibration(m *Model) (*Calibration, error) {
	c := &Calibration{}
	pairs := len(m.Classes) * (len(m.Classes) - 1) / 2
	key, count := "probA", pairs
	switch {
	case m.OneClass():
		key, count = "prob_density_marks", marks
	case m.Classes == nil:
		count = 1
	}
	if _, ok := t.fields[key]; !ok {
		return nil, nil
	}
	first, err := t.numbers(key, count)
	if err != nil {
		return nil, err
	}
	switch {
	case m.OneClass():
		c.Marks = first
		return c, nil
	case m.Classes == nil:
		c.Laplace = first[0]
		return c, nil
	}
	second, err := t.numbers("probB", count)
	if err != nil {
		return nil, err
	}
	last := len(m.Classes) - 1 // the classes of the model are in the opposite order
	for i := range m.Classes {
		for j := i + 1; j <= last; j++ {
			pair := pairOf(last-j, last-i, last+1)
			c.Platt = append(c.Platt, [2]float64{first[pair], second[pair]})
		}
	}
	return c, nil
}

// Probabilities returns one probability per class, appended to dst, for scores
// of one row. More than two classes: the outputs' own, divided by their sum; learned
// together, those of the loss; one against one, those that suit all pairs best, see couple. It appends nothing if the
// model has no probabilities, as [Model.HasProbabilities] says, or for another number of
// scores than there are outputs.
func (m *Model) Probabilities(dst, scores []float64) []float64 {
	if !m.HasProbabilities() || len(scores) != m.outputsOf(len(m.Classes)) {
		return dst
	}
	if len(m.Classes) == 1 {
		return append(dst, 1)
	}
	if m.Calibration != nil {
		return m.Calibration.probabilities(dst, scores, len(m.Classes), m.Statement.Scheme == OneAgainstOne)
	}
	if m.shares != nil {
		dst = append(dst, scores...)
		m.shares.Probabilities(dst[len(dst)-len(scores):], scores)
		return dst
	}
	if m.Statement.Scheme == OneAgainstOne {
		return calibration.Couple(dst, len(m.Classes), func(i, j int) float64 {
			return 1 - m.link.Probability(scores[pairOf(i, j, len(m.Classes))])
		})
	}
	if len(scores) == 1 {
		p := m.link.Probability(scores[0])
		return append(dst, 1-p, p)
	}
	return shares(dst, len(scores), func(output int) float64 { return m.link.Probability(scores[output]) })
}

// Refittable reports whether a calibration or threshold rests on predictions of other models, and
// by which folds, where the model says that.
func (m *Model) Refittable() (folds *Folds, ok bool) {
	switch {
	case m.Calibration != nil:
		return m.Calibration.Folds, true
	case m.Threshold.Chosen():
		return m.Threshold.Folds, true
	case m.Coverage != nil:
		return m.Coverage.Folds, true
	}
	return nil, false
}

// HasProbabilities reports whether the loss, or a calibration, makes scores into
// probabilities.
func (m *Model) HasProbabilities() bool {
	return m.Classes != nil && (m.Calibration != nil || m.link != nil || m.shares != nil)
}
