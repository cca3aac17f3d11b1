package train

import (
	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/metric"
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
