package kernel

import (
	"sync"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Expansion computes values of a kernel of any rows with given ones: what it
// takes to score rows by f(x) = sum_j c_j k(x_j,x), the x_j being its centres.
// It may be used by several goroutines at once.
type Expansion struct {
	kernel  Kernel
	centres set[float64]
	tiler   *tiler[float64]
	norms   sync.Pool
}

// NewExpansion looks at the centres once for all rows to come. They must be
// prepared, as the kernel takes them.
func NewExpansion(k Kernel, centres matrix.Matrix) *Expansion {
	n, _ := centres.Dims()
	norm := make([]float64, n)
	for j := range norm {
		norm[j] = SquaredNorm(centres.Row(j))
	}
	return &Expansion{kernel: k, centres: newSet[float64](centres, norm), tiler: newTiler(inDouble, k),
		norms: sync.Pool{New: func() any { return new([]float64) }}}
}

// RowsAtOnce is how many rows are best given to Values together.
const RowsAtOnce = 64

// Values sets row i of dst, which has one number for each centre, to the values
// of rows[i] with all of them: the bits of Eval.
func (e *Expansion) Values(dst []float64, rows []matrix.Vector) {
	n, cols := e.centres.Dims()
	if len(rows) < 4 || e.tiler.inner == nil { // a tile would not be worth its making
		for i, x := range rows {
			for j := range n {
				dst[i*n+j] = e.kernel.Eval(e.centres.Row(j), x)
			}
		}
		return
	}
	room := e.norms.Get().(*[]float64)
	defer e.norms.Put(room)
	norm := (*room)[:0]
	for _, x := range rows {
		norm = append(norm, SquaredNorm(x))
	}
	*room = norm
	e.tiler.tiles(set[float64]{some{rows, cols}, norm}, e.centres, 1, func(values [][]float64, k, lo, hi int) {
		for r, v := range values {
			copy(dst[(k+r)*n+lo:], v[:hi-lo])
		}
	})
}

// some is rows, of which the first columns matter to an inner product.
type some struct {
	rows []matrix.Vector
	cols int
}

func (s some) Dims() (rows, cols int) { return len(s.rows), s.cols }

// Row returns the first columns of a row.
func (s some) Row(i int) matrix.Vector {
	x := s.rows[i]
	n := len(x.Value)
	if x.Index == nil {
		return matrix.Vector{Value: x.Value[:min(n, s.cols)]}
	}
	for n > 0 && int64(x.Index[n-1]) >= int64(s.cols) {
		n--
	}
	return matrix.Vector{Index: x.Index[:n], Value: x.Value[:n]}
}
