package kernel

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Options say how a Gram works; none changes what its rows are, but Double.
type Options struct {
	Cache   int64 // bytes of rows to keep; 0: DefaultCache
	Threads int   // at most so many cores; 0: all
	Double  bool  // rows in double precision
}

// DefaultCache is how many bytes of rows are kept when nothing else is asked.
const DefaultCache = 1 << 30

// Gram is the matrix K_ij = k(x_i,x_j) of a set with itself. Its rows are
// computed when they are asked for.
type Gram struct {
	Kernel      Kernel
	X           matrix.Matrix
	SquaredNorm []float64 // of each row of X
	Terms       int       // the most values that a row of X stores
	Diagonal    []float64 // K_ii

	options Options
	counts  struct{ requested, computed atomic.Int64 }
}

// Counts say how many values of the kernel were needed.
type Counts struct {
	Requested int64 // by solvers
	Computed  int64 // because they were not kept
}

// Row is a row of the matrix, in one of two precisions.
type Row struct {
	Single []float32
	Double []float64
}

// At returns element j.
func (r Row) At(j int) float64 {
	if r.Double != nil {
		return r.Double[j]
	}
	return float64(r.Single[j])
}

// NewGram checks that the kernel suits the rows.
func NewGram(k Kernel, x matrix.Matrix, opt Options) (*Gram, error) {
	n, _ := x.Dims()
	g := &Gram{Kernel: k, X: x, SquaredNorm: make([]float64, n), Diagonal: make([]float64, n), options: opt}
	matrix.SquaredNorms(g.SquaredNorm, x, 0)
	for i := range n {
		row := x.Row(i)
		g.Terms = max(g.Terms, row.Nonzeros())
		if g.Diagonal[i] = k.Eval(row, row); !(math.Abs(g.Diagonal[i]) <= math.MaxFloat64) {
			return nil, fmt.Errorf("kernel: row %d: found the value %g with itself, expected a finite number", i+1, g.Diagonal[i])
		}
	}
	return g, nil
}

// Len returns the number of rows.
func (g *Gram) Len() int { return len(g.Diagonal) }

// Threads is how many cores may be used; 0: all.
func (g *Gram) Threads() int { return g.options.Threads }

// Counts returns what was counted so far.
func (g *Gram) Counts() Counts {
	return Counts{g.counts.requested.Load(), g.counts.computed.Load()}
}

// Rows returns rows of the matrix, all at once. They are valid until the next
// call.
func (g *Gram) Rows(rows []int) []Row {
	n := g.Len()
	g.counts.requested.Add(int64(n * len(rows)))
	g.counts.computed.Add(int64(n * len(rows)))
	result := make([]Row, len(rows))
	for k, i := range rows {
		row := make([]float64, n)
		matrix.Blocks(n, blockRows, g.options.Threads, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				row[j] = g.Kernel.Eval(g.X.Row(i), g.X.Row(j))
			}
		})
		result[k].Double = row
	}
	return result
}

// blockRows is the number of rows that are worked on at a time.
const blockRows = 256

// Combine sets dst = K beta in double precision, and chain to the number of
// additions that any element went through one after another. Its evaluations
// are not counted: it serves certificates.
func (g *Gram) Combine(dst, beta []float64) (chain int) {
	var support []int
	for j, b := range beta {
		if b != 0 {
			support = append(support, j)
		}
	}
	matrix.Blocks(g.Len(), blockRows, g.options.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum, x := 0.0, g.X.Row(i)
			for _, j := range support {
				sum = math.FMA(beta[j], g.Kernel.Eval(x, g.X.Row(j)), sum)
			}
			dst[i] = sum
		}
	})
	return len(support)
}
