package tune

import (
	"context"
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/data"
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

// Run judges every candidate on every fold. When ctx or the budget ends it returns what was found until then.
func Run(ctx context.Context, set *data.Set, spec Spec) (*Result, error) {
	r, err := newRun(set, spec)
	if err != nil {
		return nil, err
	}
	if spec.Budget > 0 {
		var cancel func()
		r.ctx, cancel = context.WithTimeout(ctx, spec.Budget)
		defer cancel()
	} else {
		r.ctx = ctx
	}
	members, err := r.axes()
	if err != nil {
		return nil, err
	}
	solve := r.rounds
	if r.leavesOne() {
		solve = r.leaveOneOut
	}
	if err := solve(members); err != nil {
		return nil, err
	}
	if err := r.refine(solve); err != nil {
		return nil, err
	}
	switch {
	case ctx.Err() != nil:
		r.result.Stopped = "interrupted"
	case r.ctx.Err() != nil:
		r.result.Stopped = "budget"
	}
	r.result.choose()
	if err := r.judgeTrivial(); err != nil {
		return nil, err
	}
	if r.spec.Path && spec.Estimate == "" { // nothing is chosen
		r.result.Best, r.result.Top = -1, -1
		return r.result, r.firstError()
	}
	if r.result.Best < 0 && r.result.Stopped == "" {
		return nil, r.noneHasScore()
	}
	return r.result, nil
}
