package dual

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/problem"
)

// lowRank is about K: L L^T, with some columns of L that Cholesky's method finds if
// it always takes the row of which most is left (Fine, Scheinberg 2001). An
// ill-conditioned K has few large eigenvalues, so that little is left.
//
// Cost: m rows of K for m columns and n m^2/2 multiplications for L; for each weight n m^2/2
// more, by the formula of Sherman, Morrison and Woodbury.
type lowRank struct {
	value   []float64 // L, row by row
	columns int
	threads int
	left    []float64 // of the diagonal of K

	inside []int
	weight []float64
	scaled []float64 // the rows inside of L, divided by the roots of the weights
	inner  []float64 // 1 + their squares
	lower  lapack.Cholesky
	short  []float64
}

// mostColumns is how many columns L has at most.
const mostColumns = 512

// newLowRank finds as many columns as K has, up to roundings, or mostColumns.
func newLowRank(p *problem.Kernel, diagonal []float64) *lowRank {
	n := len(diagonal)
	most := min(mostColumns, n)
	k := &lowRank{value: make([]float64, n*most), threads: p.Threads(), left: slices.Clone(diagonal), columns: most, short: make([]float64, most)}
	enough := 0x1p-40 * slices.Max(diagonal)
	if p.Single() {
		enough = 0x1p-21 * slices.Max(diagonal)
	}
	var row []float64
	found := 0
	for m := range most {
		pivot := 0
		for i, left := range k.left {
			if left > k.left[pivot] {
				pivot = i
			}
		}
		if !(k.left[pivot] > enough) {
			break
		}
		if row = widen(row, p.Rows([]int{pivot})[0], p.Constant()); p.Cut() {
			break
		}
		k.eliminate(m, pivot, row)
		found++
	}
	k.trim(found)
	return k
}

// trim leaves so many columns.
func (k *lowRank) trim(columns int) {
	for i := range k.left {
		copy(k.value[i*columns:(i+1)*columns], k.row(i)[:columns])
	}
	k.columns = columns
	k.value, k.short = k.value[:len(k.left)*columns], k.short[:columns]
}

// eliminate finds column m from a row of K.
func (k *lowRank) eliminate(m, pivot int, row []float64) {
	own := slices.Clone(k.row(pivot)[:m])
	root := math.Sqrt(k.left[pivot])
	parallel.Blocks(len(row), 256, k.threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l := k.row(i)
			l[m] = (row[i] - vec.Dot64(own, l[:m])) / root
			k.left[i] = max(0, k.left[i]-float64(l[m]*l[m]))
		}
	})
	k.left[pivot] = 0
}

func (k *lowRank) row(i int) []float64 { return k.value[i*k.columns : (i+1)*k.columns] }

func (k *lowRank) times(dst, x []float64) {
	clear(k.short)
	for i, v := range x {
		if v != 0 {
			vec.Axpy64(k.short, v, k.row(i))
		}
	}
	parallel.Blocks(len(x), 256, k.threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = vec.Dot64(k.short, k.row(i))
		}
	})
}

func (k *lowRank) factor(inside []int, weight []float64) {
	m := k.columns
	k.inside, k.weight = inside, weight
	k.scaled = slices.Grow(k.scaled[:0], len(inside)*m)[:len(inside)*m]
	for r, i := range inside {
		root := 1 / math.Sqrt(weight[r])
		for c, v := range k.row(i) {
			k.scaled[r*m+c] = v * root
		}
	}
	k.inner = slices.Grow(k.inner[:0], m*m)[:m*m]
	clear(k.inner)
	for c := range m {
		k.inner[c*m+c] = 1
	}
	blas.SyrkCols64(blas.Block[float64]{Value: k.inner, Rows: m, Cols: m, Stride: m},
		blas.Block[float64]{Value: k.scaled, Rows: len(inside), Cols: m, Stride: m}, k.threads)
	k.lower.Decompose(k.inner, m, k.threads)
}

// solve is x <- W^-1 (x - L (1 + L^T W^-1 L)^-1 L^T W^-1 x).
func (k *lowRank) solve(x []float64) {
	clear(k.short)
	for r, i := range k.inside {
		vec.Axpy64(k.short, x[r]/k.weight[r], k.row(i))
	}
	k.lower.Solve(k.short, k.short)
	for r, i := range k.inside {
		x[r] = (x[r] - vec.Dot64(k.short, k.row(i))) / k.weight[r]
	}
}
