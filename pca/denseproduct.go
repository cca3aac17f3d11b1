package pca

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// A denseProduct copies stripes of dense rows, offset and factor applied, and
// multiplies in the precision of T. Over stripes it adds up in double precision.
type denseProduct[T float32 | float64] struct {
	of            Rows
	rows, cols, m int // rows: of the stripe
	threads       int

	x     []T // the stripe, rows x cols
	turn  []T // its transpose
	q     []T // m x cols
	y     []T // rows x m
	yturn []T
	part  []T       // of the sum, cols x m
	total []float64 // the sum, cols x m
}

func newDenseProduct[T float32 | float64](r Rows, m, threads int) *denseProduct[T] {
	_, cols := r.Dims()
	return &denseProduct[T]{of: r, cols: cols, m: m, threads: threads}
}

// height lets a stripe have a million numbers, but not too few rows.
func (p *denseProduct[T]) height() int { return min(max(1<<20/max(p.cols, 1), 16), 4096) }

func (p *denseProduct[T]) set(lo, hi int) {
	p.rows = hi - lo
	p.x, p.turn = sized(p.x, p.rows*p.cols), sized(p.turn, p.rows*p.cols)
	const size = 32
	matrix.Blocks(p.rows, size, p.threads, func(_, from, to int) {
		row := make([]float64, p.cols)
		for i := from; i < to; i++ {
			p.of.Row(row, lo+i)
			convert(p.x[i*p.cols:(i+1)*p.cols], row)
		}
		transpose(p.turn[from:], p.rows, p.x[from*p.cols:], p.cols, to-from, p.cols)
	})
}

func (p *denseProduct[T]) right(q []float64) {
	p.q = sized(p.q, len(q))
	convert(p.q, q)
}

func (p *denseProduct[T]) times(dst []float64) {
	p.multiply()
	convert(dst, p.y)
}

func (p *denseProduct[T]) multiply() {
	p.y = sized(p.y, p.rows*p.m)
	clear(p.y)
	gemm(p.y, p.x, p.q, p.rows, p.m, p.cols, p.threads)
}

func (p *denseProduct[T]) add(y []float64) {
	p.y = sized(p.y, len(y))
	convert(p.y, y)
	p.accumulate()
}

func (p *denseProduct[T]) power() {
	p.multiply()
	p.accumulate()
}

// accumulate adds Y^T R to the sum.
func (p *denseProduct[T]) accumulate() {
	if p.total == nil {
		p.total, p.part = make([]float64, p.cols*p.m), make([]T, p.cols*p.m)
	}
	p.yturn = sized(p.yturn, len(p.y))
	transpose(p.yturn, p.rows, p.y, p.m, p.rows, p.m)
	clear(p.part)
	gemm(p.part, p.turn, p.yturn, p.cols, p.m, p.rows, p.threads)
	for i, x := range p.part {
		p.total[i] += float64(x)
	}
}

func (p *denseProduct[T]) sum(dst []float64) {
	if p.total == nil { // there are no rows
		clear(dst)
		return
	}
	transpose(dst, p.cols, p.total, p.m, p.cols, p.m)
}

// gemm adds A B^T to C, where A is m x k, B is n x k.
func gemm[T float32 | float64](c, a, b []T, m, n, k, threads int) {
	switch c := any(c).(type) {
	case []float32:
		vec.Gemm32(block(c, m, n, n), block(any(a).([]float32), m, k, k), block(any(b).([]float32), n, k, k), threads)
	case []float64:
		vec.Gemm64(block(c, m, n, n), block(any(a).([]float64), m, k, k), block(any(b).([]float64), n, k, k), threads)
	}
}

// transpose sets dst, cols x rows, to the transpose of src.
func transpose[T float32 | float64](dst []T, dstStride int, src []T, srcStride, rows, cols int) {
	switch dst := any(dst).(type) {
	case []float32:
		vec.Transpose32(block(dst, cols, rows, dstStride), block(any(src).([]float32), rows, cols, srcStride))
	case []float64:
		vec.Transpose64(block(dst, cols, rows, dstStride), block(any(src).([]float64), rows, cols, srcStride))
	}
}

func block[T float32 | float64](x []T, rows, cols, stride int) vec.Block[T] {
	return vec.Block[T]{Value: x, Rows: rows, Cols: cols, Stride: stride}
}

func convert[T, S float32 | float64](dst []T, src []S) {
	for i, x := range src {
		dst[i] = T(x)
	}
}
