package kernel

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// Options say how a Gram works; none changes what its rows are, but Double.
type Options struct {
	Cache   int64 // bytes of rows to keep; 0: DefaultCache
	Threads int   // at most so many cores; 0: all
	Double  bool  // rows in double precision, also where single would do
}

// DefaultCache is how many bytes of rows are kept when nothing else is asked.
const DefaultCache = 1 << 30

// Gram is the matrix K_ij = k(x_i,x_j) of a set with itself. Its rows are
// computed when they are asked for, and some are kept. All but Rows, Update and
// Square may be called by several goroutines at once.
//
// A value has the same bits whatever it is computed together with, by however
// many threads, and whether it was kept.
type Gram struct {
	Kernel      Kernel
	X           matrix.Matrix
	SquaredNorm []float64 // of each row of X
	Terms       int       // the most values that a row of X stores
	Diagonal    []float64 // K_ii

	options Options
	double  *tiler[float64]
	single  *tiler[float32] // nil: rows are in double precision
	kept    struct {
		lru
		single []float32
		double []float64
		stride int
	}
	rows32 [][]float32 // of AddRows
	rows64 [][]float64
	counts struct{ requested, computed atomic.Int64 }
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

// NewGram checks that the kernel suits the rows, and that the cache holds two.
func NewGram(k Kernel, x matrix.Matrix, opt Options) (*Gram, error) {
	x, err := Prepare(k, x, 0)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	g := &Gram{Kernel: k, X: x, SquaredNorm: make([]float64, n), Diagonal: make([]float64, n), options: opt}
	matrix.Blocks(n, blockRows, opt.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := x.Row(i)
			g.SquaredNorm[i], g.Diagonal[i] = SquaredNorm(row), k.Eval(row, row)
		}
	})
	for i, value := range g.Diagonal {
		g.Terms = max(g.Terms, x.Row(i).Nonzeros())
		if !(math.Abs(value) <= math.MaxFloat64) {
			return nil, fmt.Errorf("kernel: row %d: found the value %g with itself, expected a finite number", i+1, value)
		}
	}
	if k, ok := k.(Inner); ok {
		g.double = newTiler(inDouble, k, x, g.SquaredNorm)
		if !opt.Double && n > fewRows && g.singleSuffices() {
			g.single = newTiler(inSingle, k, x, g.SquaredNorm)
		}
	}
	return g, g.reserve()
}

// fewRows is up to how many rows are always in double precision: small problems
// can then be solved to any accuracy, and take no time in either.
const fewRows = 4096

// singleSuffices returns whether rows in single precision are good to 1/4096 of
// the largest value. Of32 takes the steps of Of, whose errors are bounded by
// Error, with a unit of 2^-24; but of the many roundings of an inner product the
// square root counts, as is likely (Higham and Mary, 2019), where the worst case
// would refuse nearly all sets. Nothing is proved with rows in single precision.
func (g *Gram) singleSuffices() bool {
	largest, norm := 0.0, 0.0
	for i, value := range g.Diagonal {
		largest, norm = max(largest, math.Abs(value)), max(norm, g.SquaredNorm[i])
	}
	terms := int(math.Ceil(math.Sqrt(float64(g.Terms))))
	return norm < 0x1p100 && g.Kernel.Error(terms, norm, norm)*0x1p29 <= 0x1p-12*largest
}

// Len returns the number of rows.
func (g *Gram) Len() int { return len(g.Diagonal) }

// Threads is how many cores may be used; 0: all.
func (g *Gram) Threads() int { return g.options.Threads }

// Counts returns what was counted so far.
func (g *Gram) Counts() Counts {
	return Counts{g.counts.requested.Load(), g.counts.computed.Load()}
}

// Rows returns rows of the matrix, Capacity at most, all at once. They are valid
// until the next call.
func (g *Gram) Rows(rows []int) []Row {
	n := g.Len()
	place, missing := g.kept.use(rows)
	g.counts.requested.Add(int64(n) * int64(len(rows)))
	g.counts.computed.Add(int64(n) * int64(len(missing)))
	g.compute(missing)
	result := make([]Row, len(rows))
	for k, p := range place {
		at := p * g.kept.stride
		if g.kept.double != nil {
			result[k].Double = g.kept.double[at : at+n : at+n]
		} else {
			result[k].Single = g.kept.single[at : at+n : at+n]
		}
	}
	return result
}

// compute makes the rows that now have a place of their own.
func (g *Gram) compute(rows []int) {
	if len(rows) == 0 {
		return
	}
	at := make([]int, len(rows))
	for k, i := range rows {
		at[k] = int(g.kept.place[i]) * g.kept.stride
	}
	switch {
	case g.single != nil:
		g.single.rows(g.kept.single, at, rows, g.options.Threads)
	case g.double != nil:
		g.double.rows(g.kept.double, at, rows, g.options.Threads)
	default:
		matrix.Blocks(g.Len(), blockRows, g.options.Threads, func(_, lo, hi int) {
			for k, i := range rows {
				for j := lo; j < hi; j++ {
					g.kept.double[at[k]+j] = g.Kernel.Eval(g.X.Row(i), g.X.Row(j))
				}
			}
		})
	}
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
	if g.double != nil {
		g.double.combine(dst, support, beta, g.options.Threads)
		return len(support)
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

// AddRows adds to each dst[j] the terms c[k]*rows[k][j], in the order of k.
func (g *Gram) AddRows(dst []float64, rows []Row, c []float64) {
	g.rows32, g.rows64 = g.rows32[:0], g.rows64[:0]
	for _, row := range rows {
		if row.Double != nil {
			g.rows64 = append(g.rows64, row.Double)
		} else {
			g.rows32 = append(g.rows32, row.Single)
		}
	}
	matrix.Blocks(len(dst), addedRows, g.options.Threads, func(_, lo, hi int) {
		for k := 0; k < len(rows); k += addedAtOnce {
			end := min(k+addedAtOnce, len(rows))
			if len(g.rows64) > 0 {
				vec.AddRows64(dst[lo:hi], g.rows64[k:end], lo, c[k:end])
			} else {
				vec.AddRows32(dst[lo:hi], g.rows32[k:end], lo, c[k:end])
			}
		}
	})
}

// A part of dst stays in the first cache while several rows stream by.
const addedRows, addedAtOnce = 2048, 8
