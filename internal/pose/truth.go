package pose

import (
	"github.com/fenchel-ml/fenchel/data"
)

// Truth is the targets of some rows, as a model has them: the number of the class of each, or
// [metric.Unknown], or numbers. Weights are nil where all are 1.
type Truth struct {
	Class          []int
	Number, Weight []float64
}

// ClassesOf returns the classes of targets in the order of a model's, nil if they are numbers alone.
func ClassesOf(t data.Target) []string {
	classes, _ := SortLabels(t)
	return classes
}

// TruthOf returns the targets of a set for a model of these classes, nil for numbers.
func TruthOf(classes []string, set *data.Set) (Truth, error) {
	codes, err := MatchTargets(classes, set.Target)
	return Truth{codes, set.Target.Number, set.Weight}, err
}

// Of returns the targets of the rows of these numbers.
func (t Truth) Of(rows []int) Truth {
	return Truth{ofRows(t.Class, rows), ofRows(t.Number, rows), ofRows(t.Weight, rows)}
}

// ofRows returns the elements of these numbers; of nil, nil.
func ofRows[T any](x []T, rows []int) []T {
	if x == nil {
		return nil
	}
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = x[i]
	}
	return out
}

func (t Truth) WeightOf(i int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight[i]
}
