package vec

// Products of matrices.
//
// Every element of a product is one chain: c = fma(a, b, c) over the terms in
// order, beginning with the element that was there. How the matrices are cut
// into blocks and tiles, and by how many threads, does not change a bit.
//
// The method is Goto and van de Geijn's (2008): panels of both factors are
// copied so that a tile reads them in the order of memory; a panel of B stays
// in the first cache and a block of A in the second.

// A Block is a matrix inside a slice: element (i, j) is Value[i*Stride+j].
type Block[T float] struct {
	Value              []T
	Rows, Cols, Stride int
}

// check panics unless the block lies inside its slice.
func (b Block[T]) check() {
	if b.Rows < 0 || b.Cols < 0 || b.Stride < b.Cols {
		panic("vec: negative size of a block, or rows that overlap")
	}
	if b.Rows > 0 && b.Cols > 0 {
		_ = b.Value[(b.Rows-1)*b.Stride+b.Cols-1]
	}
}

// Gemm32 adds A*B^T to C, where A is m x k, B is n x k and C is m x n, on at most
// threads goroutines (0: as many as there are cores). C must not overlap the
// others.
func Gemm32(c, a, b Block[float32], threads int) { gemm(tile32(), c, a, b, threads) }

// Gemm64 is Gemm32 in double precision.
func Gemm64(c, a, b Block[float64], threads int) { gemm(tile64(), c, a, b, threads) }

// SyrkRows32 adds A*A^T to the symmetric C: the products of the rows of A. It
// reads C on and below the diagonal and writes all of it.
func SyrkRows32(c, a Block[float32], threads int) { syrkRows(tile32(), c, a, threads) }

// SyrkRows64 is SyrkRows32 in double precision.
func SyrkRows64(c, a Block[float64], threads int) { syrkRows(tile64(), c, a, threads) }

// SyrkCols32 adds A^T*A to the symmetric C: the products of the columns of A, row
// after row. It reads C on and below the diagonal and writes all of it.
func SyrkCols32(c, a Block[float32], threads int) { syrkCols(tile32(), c, a, threads) }

// SyrkCols64 is SyrkCols32 in double precision.
func SyrkCols64(c, a Block[float64], threads int) { syrkCols(tile64(), c, a, threads) }

// WeightedGram adds sum_i weight[i] x_i x_i^T over the rows x_i of x to the
// symmetric h, in double precision: h[j][l] = fma(weight[i]*x[i][j], x[i][l],
// h[j][l]) for j >= l and i in order. It reads h on and below the diagonal and
// writes all of it.
func WeightedGram(h Block[float64], weight []float64, x Block[float32], threads int) {
	x.check()
	weight = weight[:x.Rows]
	multiplication[float64]{tile: tile64(), c: h, m: x.Cols, n: x.Cols, k: x.Rows, lower: true,
		packA: func(dst []float64, width, first, count, k, depth int) {
			for r := range depth {
				row := x.Value[(k+r)*x.Stride+first:][:count]
				for j, v := range row {
					dst[r*width+j] = float64(weight[k+r] * float64(v))
				}
			}
		},
		packB: func(dst []float64, width, first, count, k, depth int) {
			for r := range depth {
				row := x.Value[(k+r)*x.Stride+first:][:count]
				for j, v := range row {
					dst[r*width+j] = float64(v)
				}
			}
		},
	}.run(threads)
}

func gemm[T float](t tile[T], c, a, b Block[T], threads int) {
	a.check()
	b.check()
	if a.Cols != b.Cols {
		panic("vec: factors of different length")
	}
	multiplication[T]{tile: t, c: c, m: a.Rows, n: b.Rows, k: a.Cols, packA: a.packRows, packB: b.packRows}.run(threads)
}

func syrkRows[T float](t tile[T], c, a Block[T], threads int) {
	a.check()
	multiplication[T]{tile: t, c: c, m: a.Rows, n: a.Rows, k: a.Cols, lower: true, packA: a.packRows, packB: a.packRows}.run(threads)
}

func syrkCols[T float](t tile[T], c, a Block[T], threads int) {
	a.check()
	multiplication[T]{tile: t, c: c, m: a.Cols, n: a.Cols, k: a.Rows, lower: true, packA: a.packCols, packB: a.packCols}.run(threads)
}

// packRows copies elements k, k+1, ... of rows first, first+1, ...: element k+r
// of row first+i to dst[r*width+i].
func (b Block[T]) packRows(dst []T, width, first, count, k, depth int) {
	for i := range count {
		row := b.Value[(first+i)*b.Stride+k:][:depth]
		for r, v := range row {
			dst[r*width+i] = v
		}
	}
}

// packCols is packRows for the columns of b.
func (b Block[T]) packCols(dst []T, width, first, count, k, depth int) {
	for r := range depth {
		copy(dst[r*width:], b.Value[(k+r)*b.Stride+first:][:count])
	}
}
