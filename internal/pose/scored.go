package pose

import (
	"fmt"
	"iter"
	"slices"

	"github.com/fenchel-ml/fenchel/model"
)

// CountUnscored returns how many rows have a score that is no finite number, or predict one, as exponentials may.
func CountUnscored(m *model.Model, rows iter.Seq[[]float64]) (count int) {
	unbounded := func(x float64) bool { return x-x != 0 }
	for scores := range rows {
		if slices.ContainsFunc(scores, unbounded) || m.Classes == nil && unbounded(m.Number(scores[0])) {
			count++
		}
	}
	return count
}

// Unscored is the warning that so many of all rows have such scores.
func Unscored(count, rows int) error {
	return fmt.Errorf("%d of %d rows have scores or predictions that are no finite numbers: their values are too large for this model, and their predictions mean nothing", count, rows)
}

// Needs reports which numbers of its problem a model of another program does not hold.
func Needs(m *model.Model) (c, nu bool) {
	switch m.Statement.Solver {
	case "libsvm:one_class", "libsvm:nu_svc":
		return false, true
	case "libsvm:nu_svr":
		return true, true
	}
	return true, false
}
