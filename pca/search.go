package pca

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/solver"
)

// How a run for components ends: with the gap, after another run for less loss, or with
// what keeps it from it.

// refine reports whether another run may prove the gap, after it asked for less loss.
func (j *pcaJob) refine() bool {
	m, ok := j.method.(method.Refining)
	found, goal := j.result.Model.Proof.Relative(), j.spec.goal()
	if !ok || j.cut != "" || j.late() || !(found > goal) || !m.Refines(j.problem) || j.problem.Loss == method.LeastLoss {
		return false
	}
	j.problem.Loss = method.NextLoss(cmp.Or(j.problem.Loss, method.FirstLoss(goal)), goal, found)
	return true
}

// end says how the run ended: a method that learns row by row did what was asked
// when it has seen its rows, unless a gap was asked for too.
func (j *pcaJob) end(relative float64) solver.Status {
	switch {
	case j.rows.Missing != nil && j.cut == "" && !j.late():
		return solver.EpochLimit // the method did what was asked
	case relative <= j.spec.goal():
		return solver.Converged
	case j.cut != "":
		return j.cut
	case j.late():
		return solver.TimeLimit
	}
	if _, restricted := j.method.(method.Restricted); restricted {
		return solver.EpochLimit
	}
	if _, batch := j.method.(method.Batch); batch || isStuck(j.result.State) {
		return solver.Stalled
	}
	return solver.EpochLimit
}

// whyStalled says what another run could do.
func (j *pcaJob) whyStalled() error {
	switch _, refines := j.method.(method.Refining); {
	case j.result.State != nil:
		return stuckError(j.spec.Method)
	case refines:
		return fmt.Errorf("method %s: no gap of %g is proved; expected more passes, a smaller tol, or a gap that rounding leaves room for", j.spec.Method, j.spec.goal())
	}
	return fmt.Errorf("method %s: no gap of %g is proved; expected a method that stops by the gap, such as krylov, or a gap that rounding leaves room for", j.spec.Method, j.spec.goal())
}

// isStuck reports whether a state says that it will stay away from the answer.
func isStuck(s method.State) bool {
	stuck, ok := s.(method.Stuck)
	return ok && stuck.Stuck()
}

func stuckError(method string) error {
	return fmt.Errorf("method %s is stuck: new directions are forgotten at once; expected another method, such as capped-msg", method)
}

// How a search for components is cut short: by a limit on the time, or from outside. What was
// found until then is certified and is the answer.

// fitting returns the context of a search: of the time that is left, half is for the
// certificate, which may look at the rows as often.
func (j *pcaJob) fitting(ctx context.Context) (context.Context, context.CancelFunc) {
	if j.spec.Time == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, (j.spec.Time-time.Since(j.begun))/2)
}

// certifying returns the context of a certificate, which an interruption does not end.
func (j *pcaJob) certifying(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx = context.WithoutCancel(ctx)
	if j.spec.Time == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, j.begun.Add(j.spec.Time))
}

// late reports whether the time is over.
func (j *pcaJob) late() bool { return j.spec.Time > 0 && time.Since(j.begun) >= j.spec.Time }

// cutShort notes what ended ctx.
func (j *pcaJob) cutShort(ctx context.Context) {
	if j.cut = solver.TimeLimit; errors.Is(ctx.Err(), context.Canceled) {
		j.cut = solver.Interrupted
	}
}

// rescue makes components of what a search has found until ctx ended, or else of a few
// rows. Those of an earlier search may be better.
func (j *pcaJob) rescue(ctx context.Context, earlier method.Basis) (err error) {
	j.cutShort(ctx)
	rows := j.rows
	rows.Work = nil
	if j.basis.K < j.problem.K {
		if j.basis, err = batch.OfSample(rows, j.problem); err != nil {
			return err
		}
	}
	b := method.RayleighRitz(rows, j.basis, j.spec.Threads)
	b.K = min(b.K, j.problem.K)
	b.Component, b.Value = b.Component[:b.K*b.Cols], b.Value[:b.K]
	if j.basis = b; earlier.K == b.K && pose.Sum(earlier.Value) >= pose.Sum(b.Value) {
		j.basis = earlier
	}
	return nil
}

// whyFewer says of components of a share of the variance that they were to have more.
func (j *pcaJob) whyFewer(c certificate.Certificate) []error {
	if j.spec.Likeliest {
		return []error{fmt.Errorf("%s: the %d components found until then are kept, expected all, of which the most likely number follows", j.cut, j.spec.K)}
	}
	if found := c.Captured / c.Total; found < j.spec.Share {
		return []error{fmt.Errorf("%s: the %d components found until then capture %.3g of the variance, expected %g", j.cut, j.spec.K, found, j.spec.Share)}
	}
	return nil
}

// How many components a share of the variance needs is not known beforehand: some are
// found, and four times as many if these are too few.

const firstComponents = 32

// firstGuess returns how many components to begin with, of at most so many: all of them for share 0,
// of which the most likely number is to be found. Where they are more than a sixth of all, all are
// found by the same decomposition.
func firstGuess(most int, share float64) int {
	if share == 1 || share == 0 || 6*firstComponents > most {
		return most
	}
	return firstComponents
}

// solveShare finds the fewest components that capture the share.
func (j *pcaJob) solveShare(ctx context.Context) error {
	most := min(j.problem.Rows, j.problem.Cols)
	for {
		if err := j.solve(ctx); err != nil {
			return err
		}
		k, enough := batch.Fewest(j.basis.Value, j.spec.Share*j.problem.Squared)
		if j.cut != "" {
			j.keep(max(k, 1))
			return nil
		}
		if k < 1 {
			return pose.DataError{Reason: fmt.Sprintf("found no direction in which the rows vary, expected components of %g of their variance", j.spec.Share)}
		}
		if enough || j.problem.K == most {
			j.keep(k)
			return nil
		}
		if j.problem.K *= 4; 6*j.problem.K > most {
			j.problem.K = most
		}
		if j.spec.K = j.problem.K; j.result.Why != "" {
			j.spec.Method = "auto"
		}
		if err := j.pick(); err != nil {
			return err
		}
	}
}

// solveLikeliest finds the most likely number of components, or, where the search is cut short, keeps all
// that were found, as the variances beyond are not known.
func (j *pcaJob) solveLikeliest(ctx context.Context) error {
	if err := j.solve(ctx); err != nil {
		return err
	}
	k := j.basis.K
	if j.cut == "" {
		k = j.likeliest()
	}
	j.keep(k)
	return nil
}

// likeliest returns the most likely number of components, of the eigenvalues of all.
func (j *pcaJob) likeliest() int {
	n, values := j.problem.Rows, make([]float64, j.problem.Cols)
	copy(values, j.basis.Value)
	algebra.Scale(values, float64(n)/float64(max(n-1, 1)))
	return batch.Likeliest(values, n)
}

// keep makes the first k components the answer, of a problem that asked for so many.
func (j *pcaJob) keep(k int) {
	j.basis.K, j.basis.Component, j.basis.Value = k, j.basis.Component[:k*j.basis.Cols], j.basis.Value[:k]
	j.spec.K, j.problem.K = k, k
}

// ofKernel is the search for components by S.
func (j *pcaJob) ofKernel(ctx context.Context) (err error) {
	n := j.problem.Rows
	if j.spec.Share > 0 {
		j.problem.K = n
	}
	if j.basis, err = batch.Pairs(ctx, view.Rows{}, j.products.S, n, j.problem); err != nil {
		if ctx.Err() == nil {
			return err
		}
		j.cutShort(ctx)
		j.basis = j.products.Rough(j.basis, j.problem.K, n, j.spec.Threads)
	}
	if j.spec.Share > 0 {
		if j.spec.K, _ = batch.Fewest(j.basis.Value, j.spec.Share*j.products.Total); j.spec.K == 0 {
			return pose.DataError{Reason: nothingVaries(j.products.Mean != nil)}
		}
	} else if k, _ := batch.Fewest(j.basis.Value, math.Inf(1)); k < j.spec.K && j.cut == "" {
		return pose.DataError{Reason: fmt.Sprintf("found only %d of k = %d components: the images of the rows lie in fewer dimensions", k, j.spec.K)}
	}
	j.keep(min(j.spec.K, j.basis.K))
	return nil
}
