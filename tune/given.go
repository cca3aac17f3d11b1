package tune

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// checkGiven refuses folds of the caller that are none.
func (r *run) checkGiven() error {
	if r.spec.Path || r.spec.Held != nil || r.leavesOne() || r.spec.Folds.Group || r.spec.Folds.Time || r.spec.Folds.Repeats > 1 {
		return errors.New("found given folds beside another way to split the rows, expected one of the two")
	}
	if len(r.spec.Given) == 0 {
		return errors.New("found no given folds in the list, expected at least one, or nil for folds of its own")
	}
	for f, fold := range r.spec.Given {
		for _, rows := range [][]int{fold.Learn, fold.Judge} {
			if len(rows) == 0 {
				return fmt.Errorf("fold %d: found %s to learn from and %d to be judged on, expected some of both", f+1, registry.Count(len(fold.Learn), "row"), len(fold.Judge))
			}
			for k, i := range rows {
				if i < 0 || i >= r.set.Rows() || k > 0 && i <= rows[k-1] {
					return fmt.Errorf("fold %d: found the row %d after %d others, expected increasing numbers below %d", f+1, i, k, r.set.Rows())
				}
			}
		}
	}
	return nil
}
