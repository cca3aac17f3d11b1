// Package blas multiplies dense matrices.
//
// Every element of a product is one chain: c = fma(a, b, c) over the terms in
// order, beginning with the element that was there. How the matrices are cut
// into blocks and tiles, and by how many threads, does not change a bit. Of a matrix of
// few columns times itself there are several chains, which are added in order: multiplication.go.
//
// The method is Goto and van de Geijn's (2008): panels of both factors are
// copied so that a tile reads them in the order of memory; a panel of B stays
// in the first cache and a block of A in the second.
package blas

import (
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A Block is a matrix inside a slice: element (i, j) is Value[i*Stride+j].
type Block[T vec.Float] struct {
	Value              []T
	Rows, Cols, Stride int
}

// check panics unless the block lies inside its slice.
func (b Block[T]) check() {
	if b.Rows < 0 || b.Cols < 0 || b.Stride < b.Cols {
		panic("blas: negative size of a block, or rows that overlap")
	}
	if b.Rows > 0 && b.Cols > 0 {
		_ = b.Value[(b.Rows-1)*b.Stride+b.Cols-1]
	}
}

// Gemm64 adds A*B^T to C, where A is m x k, B is n x k and C is m x n, on at most
// threads goroutines (0: as many as there are cores). C must not overlap the
// others.
func Gemm64(c, a, b Block[float64], threads int) { gemm(c, a, b, threads) }

// GemmMixed is Gemm64 for an A in single precision: c = fma(float64(a), b, c).
func GemmMixed(c Block[float64], a Block[float32], b Block[float64], threads int) {
	few := tallMixed()
	if few.rows > 0 && b.Rows <= rowsOfTall && a.Rows >= few.rows && a.Cols > 0 {
		checkFactors(a, b, a.Cols, b.Cols)
		checkResult(c, a.Rows, b.Rows)
		tall{tile: few, c: c, a: a}.run(b, threads)
		return
	}
	gemm(c, a, b, threads)
}

func gemm[A vec.Float](c Block[float64], a Block[A], b Block[float64], threads int) {
	checkFactors(a, b, a.Cols, b.Cols)
	multiplication[float64, float64]{tile: tile64(), c: c, m: a.Rows, n: b.Rows, k: a.Cols, packA: packRows[float64](a), packB: packRows[float64](b)}.run(threads)
}

// GemmCols64 adds A^T*B to C, row after row, where A is k x m, B is k x n and C is m x n,
// on at most threads goroutines. C must not overlap the others.
func GemmCols64(c, a, b Block[float64], threads int) { gemmCols(c, a, b, threads) }

// GemmColsMixed is GemmCols64 for an A in single precision.
func GemmColsMixed(c Block[float64], a Block[float32], b Block[float64], threads int) {
	few := tallMixed()
	if few.rows > 0 && b.Cols <= rowsOfTall && a.Cols >= few.cols && b.Cols > 0 {
		checkFactors(a, b, a.Rows, b.Rows)
		checkResult(c, a.Cols, b.Cols)
		tallCols{few, c, a, b}.run(threads)
		return
	}
	gemmCols(c, a, b, threads)
}

func gemmCols[A vec.Float](c Block[float64], a Block[A], b Block[float64], threads int) {
	checkFactors(a, b, a.Rows, b.Rows)
	multiplication[float64, float64]{tile: tile64(), c: c, m: a.Cols, n: b.Cols, k: a.Rows, packA: packCols[float64](a), packB: packCols[float64](b)}.run(threads)
}

// checkFactors panics unless the factors are blocks with as many terms.
func checkFactors[A vec.Float](a Block[A], b Block[float64], ours, theirs int) {
	a.check()
	b.check()
	if ours != theirs {
		panic("blas: factors of different length")
	}
}

// SyrkRows64 adds A*A^T to the symmetric C: the products of the rows of A. It
// reads C on and below the diagonal and writes all of it.
func SyrkRows64(c, a Block[float64], threads int) {
	syrk(c, a, a.Rows, a.Cols, packRows[float64](a), threads)
}

// SyrkCols64 adds A^T*A to the symmetric C: the products of the columns of A, row
// after row. It reads C on and below the diagonal and writes all of it.
func SyrkCols64(c, a Block[float64], threads int) {
	syrk(c, a, a.Cols, a.Rows, packCols[float64](a), threads)
}

// Room is memory that products may share, one after another.
type Room struct{ packed[float64, float64] }

// SyrkColsLower64 is SyrkCols64 in the memory of room, but for what is above the diagonal: that is
// unspecified.
func SyrkColsLower64(c, a Block[float64], room *Room, threads int) {
	a.check()
	multiplication[float64, float64]{tile: tile64(), c: c, m: a.Cols, n: a.Cols, k: a.Rows, lower: true, packA: packCols[float64](a), room: &room.packed}.run(threads)
}

// GemmColsLower64 is GemmCols64 of a square C in the memory of room, but for what is above the diagonal:
// that is unspecified.
func GemmColsLower64(c, a, b Block[float64], room *Room, threads int) {
	checkFactors(a, b, a.Rows, b.Rows)
	multiplication[float64, float64]{tile: tile64(), c: c, m: a.Cols, n: b.Cols, k: a.Rows, lower: true, packA: packCols[float64](a), packB: packCols[float64](b), room: &room.packed}.run(threads)
}

// syrk adds the products of n vectors, the rows or columns of a block, of k terms each.
func syrk[A vec.Float](c Block[float64], a Block[A], n, k int, pack packer[float64], threads int) {
	a.check()
	multiplication[float64, float64]{tile: tile64(), c: c, m: n, n: n, k: k, lower: true, mirrored: true, packA: pack}.run(threads)
}

// WeightedGram adds sum_i weight[i] x_i x_i^T over the rows x_i of x to the
// symmetric h, in double precision: h[j][l] = fma(weight[i]*x[i][j], x[i][l],
// h[j][l]) for j >= l and i in order. It reads h on and below the diagonal and
// writes all of it. Where h has one row more than x has columns, each row has a one behind it.
func WeightedGram(h Block[float64], weight []float64, x Block[float32], threads int) {
	x.check()
	weight = weight[:x.Rows]
	size := x.Cols
	if h.Rows == size+1 {
		size++
	}
	multiplication[float64, float64]{tile: tile64(), c: h, m: size, n: size, k: x.Rows, lower: true, mirrored: true,
		packA: packWide(x, weight), packB: packWide(x, nil)}.run(threads)
}

// Gram adds the sum of x_i x_i^T over the rows x_i of x to the symmetric h, in double
// precision: h[j][l] = fma(x[i][j], x[i][l], h[j][l]) for j >= l and i in order. It reads h
// on and below the diagonal and writes all of it.
func Gram(h Block[float64], x Block[float32], threads int) {
	syrk(h, x, x.Cols, x.Rows, packCols[float64](x), threads)
}

// GramSingle is a faster Gram that sums 256 rows at a time in single precision:
// s = fma(x[i][j], x[i][l], s) from 0 over 256 rows in order, and then h[j][l] += s.
//
// The error of every h[j][l] is at most 256*2^-24 = 2^-16 times the sum of the
// |x[i][j]*x[i][l]|; in practice about 2^-22. Integers below 2^8 have none (255^2*256 is
// less than 2^24), as long as the sums stay below 2^53. Products beyond 3e38 are infinite.
func GramSingle(h Block[float64], x Block[float32], threads int) {
	x.check()
	multiplication[float32, float64]{tile: tileWide(), c: h, m: x.Cols, n: x.Cols, k: x.Rows, lower: true, mirrored: true, depth: rowsOfSingle, packA: packCols[float32](x)}.run(threads)
}

// A packer copies elements k, k+1, ... of rows first, first+1, ... to dst: element k+r of
// row first+i to dst[r*width+i].
type packer[S vec.Float] func(dst []S, width, first, count, k, depth int)

// packRows returns the packer of the rows of b.
func packRows[S, T vec.Float](b Block[T]) packer[S] {
	return func(dst []S, width, first, count, k, depth int) {
		i := 0
		for ; i+4 <= count; i += 4 {
			packFour(dst[i:], width, b.Value[(first+i)*b.Stride+k:], b.Stride, depth)
		}
		for ; i < count; i++ {
			for r, v := range b.Value[(first+i)*b.Stride+k:][:depth] {
				dst[r*width+i] = S(v)
			}
		}
	}
}

// packFour packs four rows at once, which takes less than half as long as one by one: a
// line of dst is written while it is at hand.
func packFour[S, T vec.Float](dst []S, width int, rows []T, stride, depth int) {
	row0, row1 := rows[:depth], rows[stride:][:depth]
	row2, row3 := rows[2*stride:][:depth], rows[3*stride:][:depth]
	for r, v := range row0 {
		to := dst[r*width:][:4]
		to[0], to[1], to[2], to[3] = S(v), S(row1[r]), S(row2[r]), S(row3[r])
	}
}

// packCols returns the packer of the columns of b.
func packCols[S, T vec.Float](b Block[T]) packer[S] {
	same, ok := any(b).(Block[S])
	if !ok {
		return any(packWide(any(b).(Block[float32]), nil)).(packer[S])
	}
	return func(dst []S, width, first, count, k, depth int) {
		if count == width && (width == 12 || width == 32) {
			packWhole(dst, same.Value[k*same.Stride+first:], width, same.Stride, depth)
			return
		}
		for r := range depth {
			copy(dst[r*width:], same.Value[(k+r)*same.Stride+first:][:count])
		}
	}
}

// ones are as many factors as any panel has terms.
var ones = slices.Repeat([]float64{1}, depthOfPanel)

// packWide returns the packer of the columns of b in double precision, and of one of ones behind them, each
// row times its weight; nil: 1.
func packWide(b Block[float32], weight []float64) packer[float64] {
	return func(dst []float64, width, first, count, k, depth int) {
		factor := ones[:depth]
		if weight != nil {
			factor = weight[k:][:depth]
		}
		if first+count > b.Cols {
			count--
			for r, f := range factor {
				dst[r*width+count] = f
			}
			if count == 0 {
				return
			}
		}
		src := b.Value[k*b.Stride+first:][:(depth-1)*b.Stride+count]
		dst = dst[:(depth-1)*width+count]
		if widen(dst, width, src, b.Stride, count, factor) {
			return
		}
		for r, f := range factor {
			to := dst[r*width:][:count]
			for j, v := range src[r*b.Stride:][:count] {
				to[j] = float64(f * float64(v))
			}
		}
	}
}

// packWhole copies rows of 12 or 32 numbers without a call for each.
func packWhole[S vec.Float](dst, src []S, width, stride, depth int) {
	if width == 12 {
		for r := range depth {
			*(*[12]S)(dst[r*12:]) = *(*[12]S)(src[r*stride:])
		}
		return
	}
	for r := range depth {
		*(*[32]S)(dst[r*32:]) = *(*[32]S)(src[r*stride:])
	}
}

// checkResult panics unless c is a block of this size.
func checkResult[T vec.Float](c Block[T], rows, cols int) {
	c.check()
	if c.Rows != rows || c.Cols != cols {
		panic("blas: a product of another size than its block")
	}
}
