package blas

import (
	"cmp"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Products of a matrix of few columns with itself, as second moments are. What they cost is
// to read the rows and to convert them: a worker takes runs of rows, with sums of its own,
// and copies them once, for both factors and all tiles, as they follow each other.

const (
	colsOfNarrow = 128  // most columns: the sums fit into the second cache
	leastOfRun   = 4096 // terms of a run
	mostRuns     = 64
	termsOfStep  = 128 // that are copied at once
)

// narrow reports whether the product is one of few columns.
func (p multiplication[T, S]) narrow() bool {
	return p.lower && p.room == nil && p.n <= colsOfNarrow && p.k >= p.n
}

// termsOfRun is how many terms of k are summed by themselves, a multiple of all depths.
func termsOfRun(k int) int {
	return roundUp(max(leastOfRun, (k+mostRuns-1)/mostRuns), rowsOfSingle)
}

// runNarrow computes the sums of each run, the first from c on and the others from 0, and adds
// them in order.
func (p multiplication[T, S]) runNarrow(threads int) {
	terms, width := termsOfRun(p.k), roundUp(p.n, p.tile.cols)
	sums := make([]Block[S], (p.k+terms-1)/terms)
	rooms := make([]narrowRoom[T], min(threads, len(sums)))
	parallel.Each(len(sums), threads, func(worker, i int) {
		sums[i] = Block[S]{Value: make([]S, roundUp(p.n, p.tile.rows)*width), Rows: p.n, Cols: p.n, Stride: width}
		if i == 0 {
			copyLower(sums[0], p.c)
		}
		p.addTerms(sums[i], &rooms[worker], i*terms, min(p.k, (i+1)*terms))
	})
	for _, run := range sums[1:] {
		for i := range p.n {
			to := sums[0].Value[i*width:][:i+1]
			for j, v := range run.Value[i*width:][:i+1] {
				to[j] += v
			}
		}
	}
	copyLower(p.c, sums[0])
}

// copyLower copies the lower triangle.
func copyLower[S vec.Float](dst, src Block[S]) {
	for i := range dst.Rows {
		copy(dst.Value[i*dst.Stride:][:i+1], src.Value[i*src.Stride:])
	}
}

// narrowRoom is memory for the rows of a step as both factors have them.
type narrowRoom[T any] struct{ a, b []T }

// addTerms adds terms lo to hi.
func (p multiplication[T, S]) addTerms(c Block[S], room *narrowRoom[T], lo, hi int) {
	t, stride, most := p.tile, roundUp(p.n, 8), cmp.Or(p.depth, termsOfStep)
	if room.a == nil {
		length := most*stride + max(t.rows, t.cols) // a tile reads beyond the last column
		room.a = make([]T, length)
		if room.b = room.a; p.packB != nil {
			room.b = make([]T, length)
		}
	}
	for k := lo; k < hi; k += most {
		depth := min(most, hi-k)
		p.packA(room.a, stride, 0, p.n, k, depth)
		if p.packB != nil {
			p.packB(room.b, stride, 0, p.n, k, depth)
		}
		for j := 0; j < p.n; j += t.cols {
			for i := j / t.rows * t.rows; i < p.n; i += t.rows {
				t.kernel(depth, room.a[i:], stride, room.b[j:], stride, c.Value[i*c.Stride+j:], c.Stride)
			}
		}
	}
}
