package train

import (
	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
)

// checkSet refuses what is no set.
func checkSet(set *dataset.Set) error {
	if err := set.Check(); err != nil {
		return DataError{err.Error()}
	}
	return nil
}

// gapless is dataset.Gapless, as a fault of the data.
func gapless(x matrix.Matrix) error {
	if err := dataset.Gapless(x); err != nil {
		return DataError{err.Error()}
	}
	return nil
}

// columns returns how many columns a table has; 0: there is none.
func columns(s *dataset.Schema) int {
	if s == nil {
		return 0
	}
	return len(s.Columns)
}
