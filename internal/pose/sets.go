package pose

import (
	"fmt"
	"iter"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// CheckSet refuses what is no set.
func CheckSet(set *data.Set) error {
	if err := set.Check(); err != nil {
		return DataError{err.Error()}
	}
	return nil
}

// Gapless is data.Gapless, as a fault of the data.
func Gapless(x matrix.Matrix) error {
	if err := scaling.Gapless(x); err != nil {
		return DataError{err.Error()}
	}
	return nil
}

// Columns returns how many columns a table has; 0: there is none.
func Columns(s *data.Schema) int {
	if s == nil {
		return 0
	}
	return len(s.Columns)
}

// doublePrecision is the Precision of a model of rows of double precision.
const doublePrecision = "double"

// Precision is that of the rows, as a model has it.
func Precision(set *data.Set) string {
	if matrix.IsDouble(set.X) {
		return doublePrecision
	}
	return ""
}

// InPrecision returns the set with rows of the precision of those of a model, nil where they have less.
func InPrecision(of model.Data, set *data.Set) *data.Set {
	if of.Precision != doublePrecision {
		return set.Single()
	}
	if Precision(set) != of.Precision {
		return nil
	}
	return set
}

// LessPrecise says why nothing can be proved of such a set.
const LessPrecise = "the model was trained on rows of double precision, and these are of single, as those of files are: expected the arrays of float64, by the Python package"

// CheckPair refuses what is no model and no set, and rows of another structure.
func CheckPair(m *model.Model, set *data.Set) error {
	if err := m.Check(); err != nil {
		return err
	}
	if err := CheckSet(set); err != nil {
		return err
	}
	return CheckRows(m, set)
}

// CheckRows refuses rows that stand for something else than those of the model.
func CheckRows(m *model.Model, set *data.Set) error {
	if k, err := KernelOf(m); set.Structure != structure.Points && err == nil && kernel.StructureOf(k) != set.Structure {
		if _, own := k.(kernel.Func); !own {
			return DataError{fmt.Sprintf("found %s, expected rows of %s, as the model was trained on", set.Structure, kernel.StructureOf(k))}
		}
	}
	return nil
}

// DataError says why nothing can be learned from the data. Other errors of Train
// are about the Spec.
type DataError struct{ Reason string }

func (e DataError) Error() string { return e.Reason }

// CountUnscored returns how many rows have a score that is no finite number, or predict one, as exponentials may.
func CountUnscored(m *model.Model, rows iter.Seq[[]float64]) (count int) {
	unbounded := func(x float64) bool { return x-x != 0 }
	for scores := range rows {
		if slices.ContainsFunc(scores, func(x float64) bool { return unbounded(x) || m.Classes == nil && unbounded(m.Number(x)) }) {
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

// SameFeatures refuses two models of other numbers of features, or of other names where both have some.
func SameFeatures(a, b int, named, other []string) error {
	if a != b {
		return DataError{fmt.Sprintf("the first model has %s, the second %d, expected the same features", registry.Count(a, "feature"), b)}
	}
	if named == nil || other == nil {
		return nil
	}
	for j, name := range named {
		if other[j] != name {
			return DataError{fmt.Sprintf("feature %d is %s in the first model, %s in the second, expected the same features", j+1, registry.Spell(name), registry.Spell(other[j]))}
		}
	}
	return nil
}
