package train

import (
	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/metric"
	"github.com/fenchel-ml/fenchel/model"
)

// What judging a model on rows that it has learned from may cost: so many numbers of rows are read,
// or, of kernel machines, this share of the values of the kernel that were computed.
const (
	learnedNumbers = 1 << 19
	learnedShare   = 50
)

// EvaluateLearned judges the model on the rows that it has learned from, of many rows on some, by
// accuracy or errors alone. A machine of two classes counted the errors of all rows itself.
func (r *Result) EvaluateLearned(set *dataset.Set, threads int) (*Evaluation, error) {
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
func (r *Result) evaluateSome(set *dataset.Set, threads int) (*Evaluation, error) {
	m := r.Model
	rows := int64(set.Rows())
	most, each := int64(learnedNumbers), max(1, m.Data.Nonzeros/max(rows, 1))
	if m.Support != nil {
		most, each = max(most>>4, r.Evaluations.Computed/learnedShare), int64(max(1, m.Support.Len()))
	} else if m.Map != nil {
		_, features := m.Map.Dims()
		each *= int64(features)
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
func (r *Result) counted(set *dataset.Set) *Evaluation {
	m := r.Model
	if m.Support == nil || len(m.Classes) != 2 || m.OneClass() || m.Facts == nil || !(m.Facts.Errors >= 0) || m.Threshold != nil || m.Statement.ClassWeight != nil || r.N <= 0 {
		return nil
	}
	truth, err := TruthOf(m.Classes, set)
	if err != nil {
		return nil
	}
	wrong := float64(m.Facts.Errors) / r.N
	e := &Evaluation{Rows: set.Rows(), Error: metric.Present(wrong), Accuracy: metric.Present(1 - wrong)}
	e.compare(m, truth)
	return e
}

// detail is how much an evaluation tells.
type detail uint8

const (
	briefly   detail = iota // nothing that takes the order of the scores, or probabilities
	forScores               // what a search may choose by
	fully                   // the table of thresholds too
)

// evaluate is Evaluate of that detail.
func evaluate(m *model.Model, set *dataset.Set, threads int, how detail) (*Evaluation, error) {
	if err := checkPair(m, set); err != nil {
		return nil, err
	}
	truth, err := matchTargets(m.Classes, set.Target)
	if err != nil && !m.OneClass() {
		return nil, err
	}
	x, err := m.Prepare(set.X)
	if err != nil {
		return nil, DataError{err.Error()}
	}
	e := evaluateScores(m, Scores(m, x, threads), truth, set, how)
	e.compare(m, Truth{truth, set.Target.Number, set.Weight})
	return e, nil
}
