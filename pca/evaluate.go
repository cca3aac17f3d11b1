package pca

import (
	"context"
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Evaluation says what components capture of rows, centred and scaled as the model says, which need
// not be those that they were found in.
type Evaluation struct {
	Rows     int
	Captured float64 // mean over the rows of the squared length of their images
	Error    float64 // standard error of that mean; infinite of one row
	Total    float64 // mean squared length of the rows

	// Missed is what the best components found in these rows capture more, with the standard error
	// of that mean.
	Missed, MissedError float64

	Proof    model.PCAProof // that no components capture more than Upper of these rows
	Warnings []error
}

// Loss is the mean squared distance of a row from its image, the compression loss.
func (e *Evaluation) Loss() float64 { return e.Total - e.Captured }

// Evaluate says how much of the variance of some rows components capture, and proves how much
// any others of the same number could capture of them.
func Evaluate(ctx context.Context, m *model.PCA, set *data.Set, threads int) (*Evaluation, error) {
	basis, err := basisFor(m, set)
	if err != nil {
		return nil, err
	}
	digest := rowsDigest(set)
	rows := view.Rows{X: set.X, Offset: m.Mean, Factor: m.Scale}
	prove := func(b method.Basis) (certificate.Certificate, error) {
		return certificate.Certify(ctx, rows, b, threads, certificateSeed(m.Statement.Seed, digest))
	}
	found, err := prove(basis)
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	score := learner.NewHeldOut(rows, basis)
	e := &Evaluation{Rows: score.Rows, Captured: score.Captured, Error: score.StandardError, Total: score.Total}
	if found.Total > 0 {
		best, err := bestOf(ctx, rows, basis.K, m.Statement.Seed, threads)
		if err != nil {
			return nil, err
		}
		if missed, wrong := learner.Missed(rows, best, basis); missed > 0 { // else these are the best that were found
			e.Missed, e.MissedError = missed, wrong
		}
		if found.Route == "lanczos" { // whose bound is close for components that are nearly the best alone
			closer, err := prove(best)
			if err != nil {
				return nil, pose.DataError{Reason: err.Error()}
			}
			if closer.Upper < found.Upper {
				found.Upper, found.Failure = closer.Upper, closer.Failure
			}
		}
	}
	e.Proof = model.PCAProof{Total: model.Bound(found.Total), Captured: model.Bound(found.Captured), Upper: model.Bound(found.Upper), Failure: found.Failure, Route: found.Route}
	if digest == m.Data.Digest {
		e.Warnings = append(e.Warnings, errors.New("these are the rows that the components were found in: of others they capture less"))
	}
	return e, nil
}

// basisFor returns the components of m, if they can be compared with the rows.
func basisFor(m *model.PCA, set *data.Set) (method.Basis, error) {
	if err := m.Check(); err != nil {
		return method.Basis{}, err
	}
	if err := pose.CheckSet(set); err != nil {
		return method.Basis{}, err
	}
	basis := method.Basis{K: m.Statement.K, Cols: m.Cols(), Component: m.Components}
	n, d := set.X.Dims()
	switch off := basis.Departure(); {
	case set.Weight != nil:
		return basis, pose.DataError{Reason: "found row weights, which components have no use for"}
	case n == 0 || d != basis.Cols:
		return basis, pose.DataError{Reason: fmt.Sprintf("found %s of %s, expected at least one of %d, as the components have", registry.Count(n, "row"), registry.Count(d, "feature"), basis.Cols)}
	case !(off <= 1e-8):
		return basis, pose.DataError{Reason: fmt.Sprintf("the components are not orthonormal: products are off by %.3g", off)}
	}
	return basis, pose.Gapless(set.X)
}

// bestOf returns the best k components of rows, or as many as these can have.
func bestOf(ctx context.Context, rows view.Rows, k int, seed uint64, threads int) (method.Basis, error) {
	n, d := rows.Dims()
	p := method.Problem{Rows: n, Cols: d, K: min(k, n, d), Seed: seed, Threads: threads}
	p.Squared, p.Fourth = rows.Sizes(threads)
	name, _ := batch.Choose(n, d, matrix.Nonzeros(rows.X), !matrix.IsDense(rows.X), p.K)
	m, err := methods.New(name)
	if err != nil {
		return method.Basis{}, err
	}
	return parallel.Until(ctx, func() (method.Basis, error) { return m.(method.Batch).Solve(ctx, rows.Sharing(), p) })
}
