package pose

import (
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
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
	return Truth{set.OfRows(t.Class, rows), set.OfRows(t.Number, rows), set.OfRows(t.Weight, rows)}
}

func (t Truth) WeightOf(i int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight[i]
}
