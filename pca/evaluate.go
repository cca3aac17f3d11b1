package pca

// Components evaluated on rows other than those they were found in, and compared with each other.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
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
	if m.Space != nil {
		if rows.X, err = m.Space.Images(ctx, set.X, threads); err != nil {
			return nil, pose.DataError{Reason: err.Error()}
		}
	}
	found, err := certificate.Certify(ctx, rows, basis, threads, certificate.Seed(m.Statement.Seed, digest))
	if err != nil {
		return nil, err
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
	}
	e.Proof = model.PCAProof{Total: model.Bound(found.Total), Captured: model.Bound(found.Captured), Upper: model.Bound(found.Upper), Failure: found.Failure, Route: found.Route}
	if digest == m.Data.Digest || sorted(m) && (&data.Set{X: set.X}).DigestSorted(threads) == m.Data.Digest {
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
	if m.Space != nil && m.Space.Map == nil {
		return method.Basis{}, ofKernelError(m)
	}
	basis := method.Basis{K: m.Statement.K, Cols: m.Width(), Component: m.Components}
	n, d := set.X.Dims()
	switch {
	case set.Weight != nil:
		return basis, pose.DataError{Reason: "found row weights, which components have no use for"}
	case n == 0 || d != m.Cols():
		return basis, pose.DataError{Reason: fmt.Sprintf("found %s of %s, expected at least one of %d, as the components have", registry.Count(n, "row"), registry.Count(d, "feature"), m.Cols())}
	}
	return basis, cmp.Or(orthonormal(basis), pose.Gapless(set.X))
}

// orthonormal refuses components that are not.
func orthonormal(b method.Basis) error {
	if off := b.Departure(); !(off <= 1e-8) {
		return pose.DataError{Reason: fmt.Sprintf("the components are not orthonormal: products are off by %.3g", off)}
	}
	return nil
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

// Comparison says how far apart the subspaces of two models are.
type Comparison struct {
	// Angles are the principal angles between them in radians, the smallest first: as many as the
	// smaller one has dimensions.
	Angles []float64

	// Distance is the Frobenius norm of the difference of the projections on them.
	Distance float64

	// Factors is the largest ratio of the factors by which both scale a feature; 1: they are the same.
	Factors float64
}

// Compare returns the principal angles between the components of two models of the same features.
// Their cosines are the singular values of A B^T, their sines those of A - A B^T B, A of no more
// rows than B; each angle is computed by the smaller of its two functions, which alone knows it to
// all digits (Björck and Golub 1973).
func Compare(a, b *model.PCA) (*Comparison, error) {
	if err := likeFeatures(a, b); err != nil {
		return nil, err
	}
	out := &Comparison{Factors: 1}
	for j := range a.Scale {
		if x, y := a.Scale[j], b.Scale[j]; x != y {
			out.Factors = max(out.Factors, x/y, y/x)
		}
	}
	if a.Statement.K > b.Statement.K {
		a, b = b, a
	}
	k, l, d := a.Statement.K, b.Statement.K, a.Cols()
	products, rest := make([]float64, k*l), slices.Clone(a.Components)
	for i := range k {
		for j := range l {
			products[i*l+j] = vec.Dot64(a.Component(i), b.Component(j))
		}
		for j := range l {
			vec.Axpy64(rest[i*d:(i+1)*d], -products[i*l+j], b.Component(j))
		}
	}
	cosines, sines := squaredSingular(products, k, l), squaredSingular(rest, k, d)
	slices.Reverse(sines) // rising with the angle, as the cosines fall
	squares := float64(l - k)
	for i, s := range sines {
		angle := math.Asin(math.Sqrt(s))
		if s > 0.5 {
			angle = math.Acos(math.Sqrt(cosines[i]))
		}
		out.Angles = append(out.Angles, angle)
		squares += 2 * s
	}
	out.Distance = math.Sqrt(squares)
	return out, nil
}

// squaredSingular returns the squares of the singular values of a, k x d, of which none is above 1,
// falling.
func squaredSingular(a []float64, k, d int) []float64 {
	gram, value := make([]float64, k*k), make([]float64, k)
	for i := range k {
		for j := range k {
			gram[i*k+j] = vec.Dot64(a[i*d:(i+1)*d], a[j*d:(j+1)*d])
		}
	}
	new(algebra.Eigensystem).Decompose(value, gram, k)
	for i, v := range value {
		value[i] = min(max(v, 0), 1)
	}
	return value
}

// likeFeatures refuses components that are no directions among the same features.
func likeFeatures(a, b *model.PCA) error {
	for _, m := range []*model.PCA{a, b} {
		if err := m.Check(); err != nil {
			return err
		}
		if m.Space != nil {
			return ofKernelError(m)
		}
		if err := orthonormal(method.Basis{K: m.Statement.K, Cols: m.Cols(), Component: m.Components}); err != nil {
			return err
		}
	}
	if err := pose.SameFeatures(a.Cols(), b.Cols(), a.Features, b.Features); err != nil {
		return err
	}
	if a.Statement.Scale != b.Statement.Scale {
		return pose.DataError{Reason: fmt.Sprintf("found the scales %s and %s, expected the same: directions of features in different units have no angle", a.Statement.Scale, b.Statement.Scale)}
	}
	return nil
}

// ofKernelError refuses components that are no directions among features.
func ofKernelError(m *model.PCA) error {
	return pose.DataError{Reason: fmt.Sprintf("found components of the kernel %s, expected directions among the features", m.Statement.Kernel)}
}
