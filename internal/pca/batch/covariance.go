package batch

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Covariance forms the second moment Sigma = (1/n) sum_i x_i x_i^T, d x d, and takes
// its eigenvectors of the k largest eigenvalues.
//
// Sums in double precision cost twice the time of single precision, which loses nothing of
// small integers. So where there are many rows the products of 256 rows at a time are summed in single precision,
// in a matrix S, whose eigenvectors U are wrong by about 2^-22 / gap, and what they
// capture by the square of that. A sample of rows, summed in double precision too,
// tells how much rounding added to the values: up to 10^-6 of their sum is taken off,
// which leaves about 10^-8. Where it is more, one more pass over the rows gives what they
// capture exactly, and rotates them by it. With precision=single such passes are used to
// put right S instead, until U is what it is in double precision: the symmetric matrix
// next to S that maps U to U Sigma is
//
//	S + C^T U + U^T C - U^T (C U^T) U,     C = U Sigma - U S   (k x d)
//
// (Powell 1970), and its eigenvectors are wrong by the square of what U was.
//
// Cost: n d^2 operations, half of them by symmetry, and two matrices d x d. The
// eigenvectors cost about 20 products of S with 8 vectors, see [blockLanczos].
type Covariance struct{ Precision string } // auto, double or single

func init() {
	method.Register("covariance", "eigenvectors of the d x d second moment, which is formed (precision=auto|double|single)", func(p *registry.Params) (method.Method, error) {
		return Covariance{Precision: p.Choice("precision", "auto", "double", "single")}, p.Err()
	})
}

// mostFeatures is up to which d a d x d matrix is formed: 2 GB at most.
const mostFeatures = 16384

// Accepts refuses matrices that do not fit.
func (Covariance) Accepts(p method.Problem) error {
	if p.Cols > mostFeatures {
		return fmt.Errorf("covariance: found %d features, expected at most %d: use krylov", p.Cols, mostFeatures)
	}
	return nil
}

// Losses that are asked for from which on single precision is taken: singleLoss is what it may cost, with a
// margin; coarseLoss is where a proof needs no products of the rows with the components. These are
// not worth it where components are many.
const (
	singleLoss = 1e-11
	coarseLoss = 1e-7
)

// chooses reports whether single precision is taken where the loss allows it.
func (m Covariance) chooses(p method.Problem) bool {
	return m.Precision == "auto" && view.ManyRows(p.Rows, p.Cols)
}

// Refines is Refining's.
func (m Covariance) Refines(p method.Problem) bool {
	least := singleLoss
	if p.Share > 0 || 8*p.K > p.Cols {
		least = coarseLoss
	}
	return m.chooses(p) && (p.Loss == 0 || p.Loss >= least)
}

// Solve is Batch's.
func (m Covariance) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	n, d := x.Dims()
	p.Rows, p.Cols = n, d
	single := m.Precision == "single" || m.Refines(p) || m.chooses(p) && x.Whole(p.Threads)
	if csr, ok := x.X.(*matrix.CSR); ok && float64(len(csr.Value)) < float64(n)*float64(d)/16 {
		return pairsOf(ctx, x, p)(view.SparseSecond(ctx, x, csr, p.Threads))
	}
	if single {
		s, err := x.Single(ctx, p.Threads)
		if err != nil {
			return method.Basis{}, err
		}
		if s.OK && s.Whole {
			return Pairs(ctx, x, s.Value, d, p)
		}
		if s.OK && m.Precision == "auto" {
			return rotated(ctx, s.Value, x, p)
		}
		if s.OK {
			return corrected(ctx, slices.Clone(s.Value), x, p)
		}
	}
	return pairsOf(ctx, x, p)(view.SecondMoment(ctx, x, p.Threads))
}

func pairsOf(ctx context.Context, x view.Rows, p method.Problem) func(s []float64, err error) (method.Basis, error) {
	return func(s []float64, err error) (method.Basis, error) {
		if err != nil {
			return method.Basis{}, err
		}
		return Pairs(ctx, x, s, p.Cols, p)
	}
}

// rotated returns the components of s, rotated by what the rows say of them if rounding
// made a difference.
func rotated(ctx context.Context, s []float64, x view.Rows, p method.Problem) (method.Basis, error) {
	b, err := pairs(ctx, x, s, p.Cols, 1e-12, p)
	if err != nil {
		return b, err
	}
	if x.Factor == nil && view.NearZero(x) && unrounded(x.X, b, p.Threads) {
		return b, nil
	}
	g, err := view.CompressedTo(ctx, x, b.Component, b.K, p.Threads)
	if err != nil {
		return b, err
	}
	turn, err := allPairs(view.Rows{}, g, b.K, method.Problem{K: b.K, Threads: p.Threads})
	if err != nil {
		return method.Basis{}, err
	}
	algebra.RotateRows(b.Component, turn.Component, b.K, b.K, b.Cols, p.Threads)
	b.Value = turn.Value
	return b, nil
}

// unrounded takes the estimated rounding off the values of b, if it is less than 10^-6 of
// their sum: what is left is then about a tenth of it.
func unrounded(x matrix.Matrix, b method.Basis, threads int) bool {
	errors, ok := view.Rounding(x, b.Component, b.K, threads)
	all := 0.0
	for _, e := range errors {
		all += math.Abs(e)
	}
	if !ok || !(all <= 1e-6*algebra.Total(b.Value)) {
		return false
	}
	below := math.Inf(1)
	for i, e := range errors {
		below = min(below, max(b.Value[i]-e, 0))
		b.Value[i] = below
	}
	return true
}

// corrected returns the components of s after it has been put right.
func corrected(ctx context.Context, s []float64, x view.Rows, p method.Problem) (method.Basis, error) {
	b, err := Pairs(ctx, x, s, p.Cols, p)
	for turned := 1.0; err == nil && turned > 1e-6; {
		if err = correct(ctx, s, x, b, p.Threads); err != nil {
			break
		}
		before, was := b, turned
		b, err = Pairs(ctx, x, s, p.Cols, p)
		turned = turnedBy(b, before, p.Threads)
		if turned > was/2 { // the gap is too small for that
			break
		}
	}
	return b, err
}

// turnedBy returns the largest length of a part of a row of b outside of the span of
// a's.
func turnedBy(b, a method.Basis, threads int) float64 {
	rest := append([]float64{}, b.Component...)
	h := make([]float64, a.K*b.K)
	algebra.Multiply(h, a.Component, rest, a.K, b.K, b.Cols, threads)
	algebra.Subtract(rest, h, a.Component, b.K, a.K, b.Cols, threads)
	longest := 0.0
	for i := range b.K {
		longest = max(longest, vec.SquaredNorm64(rest[i*b.Cols:(i+1)*b.Cols]))
	}
	return math.Sqrt(longest)
}

// Pairs returns the k largest eigenvalues of s, d x d and symmetric, which the rows may share, and their
// vectors: those found until ctx ended, with its error.
func Pairs(ctx context.Context, x view.Rows, s []float64, d int, p method.Problem) (method.Basis, error) {
	return pairs(ctx, x, s, d, 1e-26, p)
}

// pairs is Pairs to a tolerance.
func pairs(ctx context.Context, x view.Rows, s []float64, d int, tolerance float64, p method.Problem) (method.Basis, error) {
	if view.Dense(d, p.K) || p.Share > 0 && d <= mostAtOnce {
		return allPairs(x, s, d, p)
	}
	return newBlockLanczos(view.DenseOperator(s, d, p.Threads), p.K, tolerance, p).solve(ctx)
}

// allPairs is Pairs by all eigenvalues, of which a share may want more vectors than k.
func allPairs(x view.Rows, s []float64, d int, p method.Problem) (method.Basis, error) {
	k := p.K
	all, vectors := x.Leading(s, d, p.Threads, func(values []float64) int {
		if p.Share > 0 && d <= mostAtOnce {
			k, _ = Fewest(values, p.Share*p.Squared*(1+shareSlack))
			k = max(k, p.K)
		}
		return min(d, k+view.MoreThan(k))
	})
	b := method.Basis{K: k, Cols: d, Component: slices.Clone(vectors[:k*d]), Value: slices.Clone(all[:k])}
	for i, v := range b.Value {
		if v != v {
			return method.Basis{}, method.ErrTooLarge(v)
		}
		b.Value[i] = max(v, 0)
	}
	return b, nil
}

// mostAtOnce is up to which size all eigenvalues are found at once to see how many have a share.
const mostAtOnce = 1024

// shareSlack is what rounding may take off the sum of eigenvalues.
const shareSlack = 1e-6

// correct makes s map the rows of b to what Sigma maps them to.
func correct(ctx context.Context, s []float64, x view.Rows, b method.Basis, threads int) error {
	k, d := b.K, b.Cols
	c, was := make([]float64, k*d), make([]float64, k*d)
	if err := view.MomentOf(x, threads).Apply(ctx, c, b.Component, k); err != nil {
		return err
	}
	algebra.Multiply(was, b.Component, s, k, d, d, threads)
	vec.Axpy64(c, -1, was)
	inner := make([]float64, k*k)
	algebra.Multiply(inner, c, b.Component, k, k, d, threads)
	algebra.Scale(inner, -0.5)
	blas.GemmCols64(algebra.Block(c, k, d), algebra.Block(inner, k, k), algebra.Block(b.Component, k, d), threads)
	blas.GemmCols64(algebra.Block(s, d, d), algebra.Block(c, k, d), algebra.Block(b.Component, k, d), threads)
	blas.GemmCols64(algebra.Block(s, d, d), algebra.Block(b.Component, k, d), algebra.Block(c, k, d), threads)
	algebra.Symmetrise(s, d)
	return nil
}
