package problem

import (
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Rows is the data of one or several problems: the classes of a
// one-against-the-rest problem share one.
type Rows struct {
	X           matrix.Matrix
	SquaredNorm []float64 // squared norm of each row
	Nonzeros    int64
	Threads     int // cores at most; 0: all. Never changes a result

	mean struct {
		sync.Once
		squaredNorm float64
	}
	columns struct {
		sync.Once
		norm []float64
	}
	products struct {
		sync.Mutex
		all *gram.Gram // nil: not computed yet
	}
	turned struct {
		sync.Mutex
		all *matrix.CSR // nil: not made yet
	}
	spare spare
}

// spare is memory for other certificates: fresh one costs more than what is
// done with it.
type spare struct{ weights, duals sync.Pool } // of *[]float64 with d+1 and with n numbers

// blockRows is the number of rows of a block in every sum over rows. It is
// part of the order of summation, and so of the results' bits.
const blockRows = 1024

// blocksOf returns the number of blocks of n rows.
func blocksOf(n int) int { return (n + blockRows - 1) / blockRows }

// A scratch holds some numbers for each row of a block.
type scratch [4][blockRows]float64

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// NewRows prepares x, in one pass. Of nil it makes no rows, which no problem takes.
func NewRows(x matrix.Matrix, threads int) *Rows {
	if x == nil {
		x = &matrix.Dense{}
	}
	n, _ := x.Dims()
	r := &Rows{X: x, SquaredNorm: make([]float64, n), Nonzeros: matrix.Nonzeros(x), Threads: threads}
	parallel.Blocks(n, blockRows, threads, func(_, lo, hi int) {
		matrix.SquaredNorms(r.SquaredNorm[lo:hi], x, lo)
	})
	return r
}

// Gram returns the matrix of the inner products of all rows, 8 n^2 bytes, which is computed once:
// each call has a view of it. It is nil where over, which is asked on the way, was true before
// all were computed; nil: never.
func (r *Rows) Gram(over func() bool) (*gram.Gram, error) {
	r.products.Lock()
	defer r.products.Unlock()
	if r.products.all == nil {
		g, err := gram.NewGram(kernel.Linear{}, r.X, gram.Options{Threads: r.Threads})
		if err != nil {
			return nil, err
		}
		g.StopWhen(over)
		g.Fill(nil)
		if g.StopWhen(nil); !g.Filled() {
			return nil, nil
		}
		r.products.all = g
	}
	return r.products.all.ViewAll(r.Threads)
}

// Columns returns the columns of X as the rows of a matrix, which all problems of these rows share: it is
// made once. It is nil where over, which is asked on the way, was true before it was.
func (r *Rows) Columns(over func() bool) *matrix.CSR {
	r.turned.Lock()
	defer r.turned.Unlock()
	if r.turned.all == nil {
		r.turned.all = matrix.TransposeUnless(over, r.X)
	}
	return r.turned.all
}

// size returns how many rows there are, 0 if r is nil, and how many threads go over them.
func (r *Rows) size() (n, threads int) {
	if r == nil || r.X == nil {
		return 0, 0
	}
	n, _ = r.X.Dims()
	return n, r.Threads
}

// checkFinite refuses rows with a value that is not finite: their norms tell, as no finite
// values of single precision have a norm that is too large.
func (r *Rows) checkFinite() error {
	for i, x := range r.SquaredNorm {
		if !(x <= math.MaxFloat64) {
			return dataError("row %d: found a value that is not finite, expected finite ones", i+1)
		}
	}
	return nil
}

// MeanSquaredNorm returns the mean of SquaredNorm, which is summed once.
func (r *Rows) MeanSquaredNorm() float64 {
	r.mean.Do(func() {
		var total vec.Sum
		for _, norm := range r.SquaredNorm {
			total.Add(norm)
		}
		r.mean.squaredNorm = total.Value() / float64(len(r.SquaredNorm))
	})
	return r.mean.squaredNorm
}

// ColumnNorms returns the norm of each column, and of the constant one, d+1 numbers which
// are made once.
func (r *Rows) ColumnNorms() []float64 {
	r.columns.Do(func() {
		_, d := r.X.Dims()
		squares := make([]float64, d+1)
		r.SumTo(squares, func(s []float64, lo, hi int) {
			var value []float64
			for i := lo; i < hi; i++ {
				row := r.X.Row(i)
				value = matrix.Values(value, r.X, i)
				for k, x := range value {
					s[row.Column(k)] += float64(x * x)
				}
			}
			s[d] += float64(hi - lo)
		})
		for j, s := range squares {
			squares[j] = math.Sqrt(s)
		}
		r.columns.norm = squares
	})
	return r.columns.norm
}

// Predict writes <w,x_i> + w[d] to dst[i] for every row.
func (r *Rows) Predict(dst, w []float64) {
	_, d := r.X.Dims()
	weights, bias := w[:d], w[d]
	parallel.Blocks(len(dst), blockRows, r.Threads, func(_, lo, hi int) {
		matrix.Dots(dst[lo:hi], r.X, lo, weights)
		for i := lo; i < hi && bias != 0; i++ {
			dst[i] += bias
		}
	})
}

// partitions is the number of partial sums in which a sum of rows is formed: a
// function of the sizes alone, so that the bits do not depend on the cores.
// A partial sum costs d additions, which must stay small against the rows.
func (r *Rows) partitions() int {
	n, d := r.X.Dims()
	return max(1, min(8, n/blockRows, int(r.Nonzeros/int64(8*d+1))))
}

// Combine returns X^T v, followed by the sum of v: d+1 numbers. chain is the
// number of additions that any of them went through one after another.
func (r *Rows) Combine(v []float64) (sum []float64, chain int) {
	_, d := r.X.Dims()
	sum = make([]float64, d+1)
	return sum, r.combine(sum, v)
}

// CombineTo is Combine into sum, d+1 numbers.
func (r *Rows) CombineTo(sum, v []float64) (chain int) {
	clear(sum)
	return r.combine(sum, v)
}

// combine is Combine into a slice of zeros.
func (r *Rows) combine(sum, v []float64) (chain int) {
	d := len(sum) - 1
	return r.sumRuns(sum, func(s []float64, lo, hi int) {
		matrix.AddRows(s[:d], r.X, lo, v[lo:hi])
		for _, v := range v[lo:hi] {
			s[d] += v
		}
	})
}

// sumRuns is sum in runs of rows with sums of their own, so that no chain of additions is long: a few thousand rows,
// and as many as make the sum itself cheap beside them.
func (r *Rows) sumRuns(sum []float64, add func(s []float64, lo, hi int)) (chain int) {
	n, parts := len(r.SquaredNorm), r.partitions()
	size := (n + parts - 1) / parts
	run := max(4*blockRows, int(float64(32*len(sum))*float64(n)/float64(r.Nonzeros+1)))
	if size <= run {
		return r.sum(sum, add)
	}
	return run + size/run + 1 + r.sum(sum, func(s []float64, lo, hi int) {
		one := make([]float64, len(s))
		for ; lo < hi; lo += run {
			clear(one)
			add(one, lo, min(lo+run, hi))
			vec.Axpy64(s, 1, one)
		}
	}) - size
}

// SumTo sets sum, d+1 numbers, to what add adds to its s for rows lo to hi, over all
// parts of the rows: on all cores, with the same bits for any number of them.
func (r *Rows) SumTo(sum []float64, add func(s []float64, lo, hi int)) {
	clear(sum)
	r.sum(sum, add)
}

// sum is SumTo into a slice of zeros; chain as in Combine.
func (r *Rows) sum(sum []float64, add func(s []float64, lo, hi int)) (chain int) {
	n, _ := r.X.Dims()
	if n == 0 {
		return 0
	}
	parts := r.partitions()
	size := (n + parts - 1) / parts
	partial := make([][]float64, (n+size-1)/size)
	parallel.Blocks(n, size, r.Threads, func(part, lo, hi int) {
		s := sum
		if part > 0 {
			s = borrow(&r.spare.weights, len(sum))
			clear(s)
		}
		add(s, lo, hi)
		partial[part] = s
	})
	parallel.Blocks(len(sum), 4*blockRows, r.Threads, func(_, lo, hi int) {
		for _, s := range partial[1:] {
			vec.Axpy64(sum[lo:hi], 1, s[lo:hi])
		}
	})
	for _, s := range partial[1:] {
		r.spare.weights.Put(&s)
	}
	return size + parts
}

// borrow returns n numbers, whatever they are, which may be put back.
func borrow(pool *sync.Pool, n int) []float64 {
	if s, ok := pool.Get().(*[]float64); ok && cap(*s) >= n { // those of several classes are longer
		return (*s)[:n]
	}
	return make([]float64, n)
}

// lengths sets dst[k] to the number of nonzeros of row first+k.
func (r *Rows) lengths(dst []float64, first int) {
	switch x := r.X.(type) {
	case *matrix.CSR:
		start := x.Start[first : first+len(dst)+1]
		for k := range dst {
			dst[k] = float64(start[k+1] - start[k])
		}
		return
	case *matrix.Dense:
		for k := range dst {
			dst[k] = float64(x.Cols)
		}
		return
	}
	for k := range dst {
		dst[k] = float64(r.X.Row(first + k).Nonzeros())
	}
}

// norm returns the Euclidean norm of row i, with a constant column of the given
// squared weight beside it.
func (r *Rows) norm(i int, constant float64) float64 {
	return math.Sqrt(r.SquaredNorm[i] + constant)
}

// dense reports whether products of matrices with the zeros of the rows cost less than the numbers alone.
func (r *Rows) dense() bool {
	n, d := r.X.Dims()
	return d > 0 && 2*r.Nonzeros >= int64(n)*int64(d)
}

// denseRows is how many rows are copied with their zeros at a time; it does not enter the results.
const denseRows = 128

// eachDense hands out the rows from lo to hi with their zeros, a block after the other.
func (r *Rows) eachDense(lo, hi int, do func(from, to int, x blas.Block[float32])) {
	_, d := r.X.Dims()
	if whole, ok := r.X.(*matrix.Dense); ok {
		do(lo, hi, blas.Block[float32]{Value: whole.Value[lo*d : hi*d], Rows: hi - lo, Cols: d, Stride: d})
		return
	}
	x := blas.Block[float32]{Value: make([]float32, min(denseRows, hi-lo)*d), Cols: d, Stride: d}
	for from := lo; from < hi; from += denseRows {
		to := min(hi, from+denseRows)
		x.Rows = to - from
		for i := from; i < to; i++ {
			r.X.Row(i).CopyTo(x.Value[(i-from)*d : (i-from+1)*d])
		}
		do(from, to, x)
	}
}
