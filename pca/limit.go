package pca

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/solver"
)

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

// rescue makes components of what a search has found until ctx ended, or else of a few
// rows. Those of an earlier search may be better.
func (j *pcaJob) rescue(ctx context.Context, earlier method.Basis) (err error) {
	if j.cut = solver.TimeLimit; errors.Is(ctx.Err(), context.Canceled) {
		j.cut = solver.Interrupted
	}
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
	if found := c.Captured / c.Total; found < j.spec.Share {
		return []error{fmt.Errorf("%s: the %d components found until then capture %.3g of the variance, expected %g", j.cut, j.spec.K, found, j.spec.Share)}
	}
	return nil
}
