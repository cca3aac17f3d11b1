package fenchel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// JudgeTrivial learns the trivial model from some targets and judges it on others, which may be
// the same: then no prediction without features has a better accuracy or mean error. Classes are
// nil for numbers; quantile is that of numbers, 0 for their mean.
// Costs are of a row of each class that is taken for another: then the cheapest class is predicted,
// and its mean cost told.
func JudgeTrivial(classes []string, quantile float64, learn, judge pose.Truth, costs ...float64) *Trivial {
	if classes == nil {
		return trivialNumber(quantile, learn, judge)
	}
	share, all := make([]float64, len(classes)), 0.0
	for i, c := range learn.Class {
		if w := learn.WeightOf(i); c != metric.Unknown {
			share[c] += w
			all += w
		}
	}
	dear, most := pose.OrOnes(costs, len(classes)), 0
	for c := range share {
		if share[c] /= max(all, 1e-300); share[c]*dear[c] > share[most]*dear[most] {
			most = c
		}
	}
	counts, n := metric.NewConfusion(classes), len(judge.Class)
	second, sum, cost := 0.0, 0.0, 0.0
	for i, c := range judge.Class {
		w := judge.WeightOf(i)
		counts.Add(c, most, w)
		if c != most && c != metric.Unknown {
			cost += float64(w * dear[c])
		}
		if sum += w; c == 1 {
			second += w
		}
	}
	e := &Evaluation{Rows: n}
	e.count(counts)
	if costs != nil && n > 0 {
		cost /= sum
		e.Cost = &cost
	}
	if !slices.Contains(judge.Class, metric.Unknown) {
		if len(classes) == 2 && second > 0 && second < sum { // all scores are equal
			half, precision := 0.5, second/sum
			e.AUC, e.AP = &half, &precision
		}
		e.probable(slices.Repeat([][]float64{share}, n), judge.Class, judge.Weight)
	}
	return &Trivial{"always " + registry.Spell(classes[most]), e}
}

// trivialNumber is JudgeTrivial of numbers.
func trivialNumber(quantile float64, learn, judge pose.Truth) *Trivial {
	weights := pose.OrOnes(learn.Weight, len(learn.Number))
	name, value := "mean", meanOf(learn.Number, weights)
	if quantile > 0 {
		name, value = fmt.Sprintf("%g-quantile", quantile), problem.Quantile(learn.Number, weights, quantile*pose.Sum(weights))
	}
	if quantile == 0.5 {
		name = "median"
	}
	predicted := slices.Repeat([]float64{value}, len(judge.Number))
	return &Trivial{fmt.Sprintf("always the %s %.4g", name, value), EvaluateNumbers(predicted, judge.Number, judge.Weight, quantile)}
}

// meanOf is the weighted mean of numbers, exact where all are equal; 0 without any weight.
func meanOf(y, weights []float64) (mean float64) {
	all := pose.Sum(weights)
	if !(all > 0) {
		return 0
	}
	mean = y[0]
	for i, v := range y {
		mean += float64(weights[i]/all*v) - float64(weights[i]/all*y[0])
	}
	return mean
}

// quantileOf is what a loss of numbers estimates: the quantile, or 0 for the mean.
func quantileOf(l loss.Loss) float64 {
	switch score, tau := loss.ScoreOf(l); {
	case tau > 0:
		return tau
	case score == "mae":
		return 0.5
	}
	return 0
}

// compare judges the trivial model of the same rows too, and warns where the model is not better.
func (e *Evaluation) compare(m *model.Model, truth pose.Truth) {
	if m.OneClass() || m.Statement.Targets != nil { // each of several is compared
		return
	}
	if m.Classes == nil {
		name, _ := loss.ScoreOf(lossOfModel(m))
		e.compareNumbers(name, quantileOf(lossOfModel(m)), truth)
		return
	}
	name, costs := "error", []float64(nil)
	if e.Cost != nil {
		name, costs = "cost", m.Threshold.Costs
	}
	e.Trivial = JudgeTrivial(m.Classes, 0, truth, truth, costs...)
	e.warnOfTrivial(name)
	e.warnOfMissed()
}

// compareNumbers is compare for numbers, by the score of that name.
func (e *Evaluation) compareNumbers(name string, quantile float64, truth pose.Truth) {
	e.Own = name
	e.Trivial = JudgeTrivial(nil, quantile, truth, truth)
	e.warnOfTrivial(name)
}

// warnOfTrivial warns where the trivial model is as good.
func (e *Evaluation) warnOfTrivial(name string) {
	const level = 1e-6 // scores that differ by less are equal
	if found, trivial := e.Measure(name), e.Trivial.Measure(name); found != nil && trivial != nil && *trivial > 0 && *found >= *trivial*(1-level) {
		e.Warnings = append(e.Warnings, fmt.Errorf("%s %.4g is not below %.4g of the trivial model (%s)", name, *found, *trivial, e.Trivial.Prediction))
	}
}

// Measure returns the score of that name of those that are small for good predictions.
func (e *Evaluation) Measure(name string) *float64 {
	return map[string]*float64{"error": e.Error, "cost": e.Cost, "rmse": e.RMSE, "mae": e.MAE, "pinball": e.Pinball, "deviance": e.Deviance}[name]
}

// warnOfMissed warns of classes of which no row is recognised.
func (e *Evaluation) warnOfMissed() {
	var missed []string
	for _, c := range e.Classes {
		if c.Support > 0 && c.Recall == 0 && c.Class != metric.UnknownClass {
			missed = append(missed, registry.Spell(c.Class))
		}
	}
	switch n := len(missed); {
	case n > 5:
		e.Warnings = append(e.Warnings, fmt.Errorf("no row of %d classes is recognised, such as %s", n, missed[0]))
	case n > 1:
		e.Warnings = append(e.Warnings, fmt.Errorf("no row of the classes %s is recognised", strings.Join(missed, ", ")))
	case n == 1:
		e.Warnings = append(e.Warnings, fmt.Errorf("no row of the class %s is recognised", missed[0]))
	}
}

// What judging a model on rows that it has learned from may cost: so many numbers of rows are read,
// or, of kernel machines, this share of the values of the kernel that were computed.
const (
	learnedNumbers = 1 << 19
	learnedShare   = 50
)

// EvaluateLearned judges the model on the rows that it has learned from, of many rows on some, by
// accuracy or errors alone. A machine of two classes counted the errors of all rows itself.
func (r *Result) EvaluateLearned(set *data.Set, threads int) (*Evaluation, error) {
	m := r.Model
	e, err := r.counted(set), error(nil)
	if e == nil {
		e, err = r.evaluateSome(set, threads)
	}
	if err == nil && r.constant != nil && m.Threshold == nil { // which says the same
		e.Warnings = nil
	}
	return e, err
}

// evaluateSome is EvaluateLearned on as many rows as may be.
func (r *Result) evaluateSome(set *data.Set, threads int) (*Evaluation, error) {
	m := r.Model
	rows := int64(set.Rows())
	most, each := int64(learnedNumbers), max(1, m.Data.Nonzeros/max(rows, 1))
	if m.Support != nil {
		most, each = max(most>>4, r.Evaluations.Computed/learnedShare), int64(max(1, m.Support.Len()))
	} else if m.Map != nil {
		_, features := m.Map.Dims()
		each *= int64(features)
	} else if m.Network != nil {
		each = max(each, each*int64(m.Statement.Hidden[0])/16)
	}
	if some := max(1, most/each); some < rows {
		numbers := make([]int, some)
		for k := range numbers {
			numbers[k] = int(int64(k) * rows / some)
		}
		var err error
		if set, err = set.Subset(numbers); err != nil {
			return nil, err
		}
	}
	return evaluate(m, set, threads, briefly)
}

// counted is what the facts of a machine of two classes say; nil: not enough.
func (r *Result) counted(set *data.Set) *Evaluation {
	m := r.Model
	if m.Support == nil || len(m.Classes) != 2 || m.OneClass() || m.Facts == nil || !(m.Facts.Errors >= 0) || m.Threshold != nil || m.Statement.ClassWeight != nil || r.N <= 0 {
		return nil
	}
	truth, err := pose.TruthOf(m.Classes, set)
	if err != nil {
		return nil
	}
	wrong := float64(m.Facts.Errors) / r.N
	e := &Evaluation{Rows: set.Rows(), Error: metric.Present(wrong), Accuracy: metric.Present(1 - wrong)}
	e.compare(m, truth)
	return e
}
