package view

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A SingleMoment is Sigma, of which products were summed in single precision, and a
// proven bound on what that is off by.
//
// Sums G of the products of rows z, in blocks of 256 that are added in double precision,
// are off by at most g |Z|^T |Z|, and by 2^-149 for every product that underflows. The
// Frobenius norm of |Z|^T |Z| is at most the sum R of the |z|^2, which is the trace of G
// but for its own error. In G the errors of rows cancel nearly all; no proof may count on it.
//
//   - Rows as they are stored, centred afterwards: z = x. With s the sums of columns,
//     s o^T + o s^T - n o o^T is off by gamma(n+16) for s, and the rest by 10 roundings of
//     numbers of Frobenius norm (sqrt(R) + sqrt(n) |o|)^2.
//   - The same of rows of integers up to 255, as images and counts have them: neither G nor s is off.
//   - Rows that are moved, and rounded to single precision: z = x + e, |e| <= u |z|, so
//     that z z^T is off by 2 |z||e| + |e|^2.
type SingleMoment struct {
	Value []float64 // d x d; read only where it is shared
	Wrong float64   // at least the Frobenius norm of value - Sigma
	Whole bool      // nothing was lost in single precision: the rows are Whole
	OK    bool      // numbers are neither too large nor too small for single precision
}

// singleUnit is the rounding of float32, tinySingle at least that of what underflows.
const (
	singleUnit = 0x1p-24
	tinySingle = 0x1p-149
	singleRows = 256 // summed in single precision, by [blas.GramSingle]
)

// ManyRows reports whether sums in single precision save time that would be seen.
func ManyRows(n, d int) bool { return float64(n)*float64(d)*float64(d) > 4e9 }

// Sharing returns the rows with room for their second moment, so that a method and the
// certificate of what it finds form it once, by the code of the certificate. X must not
// change from then on.
func (r Rows) Sharing() Rows {
	r.shared = &sharedMoment{of: r}
	return r
}

// A sharedMoment belongs to the very rows that it was made for, not to parts of them, nor
// to others that were made of them.
type sharedMoment struct {
	of     Rows
	moment *SingleMoment
	whole  *bool
	double []float64 // Sigma or, where n < d, the inner products; nil: not formed
	leads  leading
}

// leading are eigenvectors of a matrix.
type leading struct{ of, values, vectors []float64 }

// mostShared is up to how many numbers a matrix in double precision is kept: larger ones the
// certificate does not form.
const mostShared = 4096 * 4096

// InDouble reports whether the rows share what they were formed to in double precision, by the
// smaller of n and d.
func (r Rows) InDouble() bool { return r.shared.belongs(r) && r.shared.double != nil }

// once returns what form makes; of the smaller of the two matrices, what it made of these rows
// before.
func (r Rows) once(smaller bool, form func() ([]float64, error)) ([]float64, error) {
	if smaller && r.InDouble() {
		return r.shared.double, nil
	}
	value, err := form()
	if smaller && err == nil && len(value) <= mostShared && r.shared.belongs(r) {
		r.shared.double = value
	}
	return value, err
}

func (s *sharedMoment) belongs(r Rows) bool {
	return s != nil && sameMatrix(s.of.X, r.X) && sameNumbers(s.of.Offset, r.Offset) && sameNumbers(s.of.Factor, r.Factor)
}

func sameMatrix(a, b matrix.Matrix) bool {
	switch a := a.(type) {
	case *matrix.Dense:
		return b == matrix.Matrix(a)
	case *matrix.CSR:
		return b == matrix.Matrix(a)
	}
	return false
}

func sameNumbers(a, b []float64) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Single returns the second moment by sums in single precision: of rows that share it, the one
// that they share. Of rows of double precision it is not OK.
func (r Rows) Single(ctx context.Context, threads int) (*SingleMoment, error) {
	if matrix.IsDouble(r.X) {
		return &SingleMoment{}, nil
	}
	shares := r.shared.belongs(r)
	if shares && r.shared.moment != nil {
		return r.shared.moment, nil
	}
	s, err := singleSecond(ctx, r, threads)
	if err != nil {
		return nil, err
	}
	if shares {
		r.shared.moment = &s
	}
	return &s, nil
}

// singleSecond is single that is not shared. Rows are centred before they are summed if
// that makes a difference.
func singleSecond(ctx context.Context, x Rows, threads int) (SingleMoment, error) {
	if x.Factor == nil && NearZero(x) {
		if s, err := rawSecond(ctx, x, threads); err != nil || s.OK {
			return s, err
		}
	}
	n, d := x.Dims()
	x.CountReads(n, 0)
	value, err := sumSlabs(ctx, x, threads)
	if err != nil {
		return SingleMoment{}, err
	}
	wrong := movedError(n, d, traceOf(value, d))
	algebra.Scale(value, 1/float64(n))
	return SingleMoment{Value: value, Wrong: wrong, OK: inSingle(value, d)}, nil
}

// rawSecond returns Sigma of rows that are centred and scaled after they are summed:
// with s the sums of columns, (1/n) F (X^T X - s o^T - o s^T + n o o^T) F. The bound on
// its error is that of rows that are not scaled.
func rawSecond(ctx context.Context, x Rows, threads int) (SingleMoment, error) {
	n, d := x.Dims()
	x.CountReads(n, 0)
	sums := sumsOf(x, threads)
	value, err := sumSlabs(ctx, Rows{X: x.X}, threads)
	if err != nil {
		return SingleMoment{}, err
	}
	whole := x.Factor == nil && x.Whole(threads)
	wrong := rawError(n, d, traceOf(value, d), vec.SquaredNorm64(x.Offset), whole)
	centre(value, x, sums, threads)
	return SingleMoment{value, wrong, whole, inSingle(value, d)}, nil
}

// Whole reports whether the stored numbers are integers of which [blas.GramSingle] loses nothing, in rows
// that are not scaled and whose means are not large beside deviations.
func (r Rows) Whole(threads int) bool {
	shares := r.shared.belongs(r)
	if shares && r.shared.whole != nil {
		return *r.shared.whole
	}
	whole := r.Factor == nil && NearZero(r) && smallIntegers(r.X, threads)
	if shares {
		r.shared.whole = &whole
	}
	return whole
}

// smallIntegers reports whether all stored numbers are integers up to 255.
func smallIntegers(x matrix.Matrix, threads int) bool {
	var value []float32
	switch x := x.(type) {
	case *matrix.Dense:
		value = x.Value
	case *matrix.CSR:
		value = x.Value
	}
	var not atomic.Bool
	parallel.Blocks(len(value), 1<<14, threads, func(_, lo, hi int) {
		if not.Load() {
			return
		}
		largest := uint32(0)
		for _, v := range value[lo:hi] {
			whole := int32(v)
			if float32(whole) != v {
				not.Store(true)
				return
			}
			largest = max(largest, uint32(whole+255))
		}
		if largest > 2*255 {
			not.Store(true)
		}
	})
	return len(value) > 0 && !not.Load()
}

// inSingle reports whether Sigma is neither too large nor too small.
func inSingle(s []float64, d int) bool {
	trace := traceOf(s, d)
	return trace > 1e-25 && trace < 1e34
}

func traceOf(s []float64, d int) (sum float64) {
	for j := range d {
		sum += s[j*d+j]
	}
	return sum
}

// sumsError returns a bound on |G - Z^T Z| in Frobenius norm, and on |Z|^2, from the trace
// of G.
func sumsError(n, d int, trace float64) (wrong, squares float64) {
	blocks := n/singleRows + 1
	share := algebra.Up(singleRows*singleUnit/(1-singleRows*singleUnit)*(1+algebra.Gamma(blocks))) + algebra.Gamma(blocks)
	tiny := float64(float64(d) * float64(n) * tinySingle)
	squares = algebra.Up((float64(trace*(1+algebra.Gamma(d))) + tiny) / (1 - share))
	return algebra.Up(float64(share*squares) + tiny), squares
}

// rawError returns a bound on the error of rows that are centred afterwards.
func rawError(n, d int, trace, offset float64, whole bool) float64 {
	wrong, squares := sumsError(n, d, trace)
	count, roundings := float64(n), 2*n+64
	if whole {
		wrong, squares, roundings = 0, algebra.Up(trace*(1+algebra.Gamma(d))), 64
	}
	size := math.Sqrt(squares) + math.Sqrt(count*offset*(1+algebra.Gamma(d+8)))
	return algebra.Up((wrong + float64(algebra.Gamma(roundings)*size*size)) / count)
}

// movedError returns that of rows that are moved first.
func movedError(n, d int, trace float64) float64 {
	wrong, squares := sumsError(n, d, trace)
	length := math.Sqrt(squares)
	moved := algebra.Up(float64(singleUnit*(1+0x1p-20)*length) + float64(tinySingle*math.Sqrt(float64(n)*float64(d))))
	return algebra.Up((wrong + float64(2*moved*length) + float64(moved*moved) + float64(algebra.Gamma(8)*squares)) / float64(n))
}

// rowsOfSlab returns how many rows are summed between two looks at whether to go on:
// a multiple of what is summed in single precision, and about 4 10^9 operations.
func rowsOfSlab(d int) int { return 256 * min(max(int(4e9/256/float64(d*d)), 1), 64) }

// NearZero reports whether the rows are hardly longer than when they are centred, by
// some of them: then it makes no difference whether that is done before or after.
func NearZero(x Rows) bool {
	n, d := x.Dims()
	raw := Rows{X: x.X, Factor: x.Factor}
	row := make([]float64, d)
	centred, all := 0.0, 0.0
	for i := 0; i < n; i += (n + 255) / 256 {
		x.Row(row, i)
		centred += vec.SquaredNorm64(row)
		raw.Row(row, i)
		all += vec.SquaredNorm64(row)
	}
	return all <= 16*centred
}

// sumsOf returns the sums of the features, which centred rows know.
func sumsOf(x Rows, threads int) []float64 {
	if !x.centred {
		return columnSums(x.X, threads)
	}
	n, _ := x.Dims()
	sums := append([]float64{}, x.Offset...)
	algebra.Scale(sums, float64(n))
	return sums
}

// sumSlabs adds up the products of rows, in single precision 256 at a time.
func sumSlabs(ctx context.Context, x Rows, threads int) ([]float64, error) {
	n, d := x.Dims()
	second, height, rows := algebra.Square(d), rowsOfSlab(d), Formed[float32]{}
	for lo := 0; lo < n; lo += height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		blas.GramSingle(second, rows.Form(x, lo, min(lo+height, n), threads), threads)
	}
	return second.Value, nil
}

// centre makes the sum of the products of rows of X, whose sums are given, Sigma.
func centre(s []float64, x Rows, sums []float64, threads int) {
	n, d := x.Dims()
	parallel.Blocks(d, 16, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := s[i*d : (i+1)*d]
			if x.Offset != nil {
				moved := float64(float64(n)*x.Offset[i]) - sums[i]
				for j, o := range x.Offset {
					row[j] += float64(moved*o) - float64(x.Offset[i]*sums[j])
				}
			}
			for j, f := range x.Factor {
				row[j] *= float64(f * x.Factor[i])
			}
			algebra.Scale(row, 1/float64(n))
		}
	})
	algebra.Symmetrise(s, d)
}
