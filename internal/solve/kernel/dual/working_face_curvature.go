package dual

import (
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// curvature is K, or about K, as Newton's method wants it.
type curvature interface {
	times(dst, x []float64)                // dst = K x
	factor(inside []int, weight []float64) // prepares solve
	solve(x []float64)                     // x <- (K + diag(weight))^-1 x, with K of the rows inside
}

// symmetric is a symmetric matrix, row by row: element (i,j) is value[i*stride+j].
type symmetric struct {
	value   []float64
	stride  int
	copied  []float64 // the memory of value, unless that is another's
	threads int
	part    []float64
	lower   lapack.Cholesky
}

// squares is memory of matrices that was used before: to make it takes as long as to fill it.
var squares sync.Pool

// room takes memory for so many values.
func (k *symmetric) room(size int) []float64 {
	if k.copied == nil {
		if used, ok := squares.Get().(*[]float64); ok {
			k.copied = *used
		}
	}
	k.copied = slices.Grow(k.copied[:0], size)[:size]
	k.value = k.copied
	return k.value
}

// lend gives the memory back, for another run or the next round of this one, unless the matrix is kept.
func (k *symmetric) lend(keep bool) {
	if used := k.copied; used != nil && !keep {
		squares.Put(&used)
		k.copied, k.value = nil, nil
	}
}

func (k *symmetric) times(dst, x []float64) {
	n := len(x)
	parallel.Blocks(n, 64, k.threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = vec.Dot64(x, k.value[i*k.stride:][:n])
		}
	})
}

func (k *symmetric) factor(inside []int, weight []float64) {
	m := len(inside)
	k.part = slices.Grow(k.part[:0], m*m)[:m*m]
	for r, i := range inside {
		row := k.part[r*m : (r+1)*m]
		for c, j := range inside[:r+1] {
			row[c] = k.value[i*k.stride+j]
		}
		row[r] += weight[r]
	}
	k.lower.Decompose(k.part, m, k.threads)
}

func (k *symmetric) solve(x []float64) { k.lower.Solve(x, x) }
