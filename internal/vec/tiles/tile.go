// Package tiles computes tiles of kernel matrices.
//
// Products of sparse rows with a block of dense ones: many inner products for
// one pass over an index. The block holds width dense rows side by side, element
// j of row l at block[width*j+l], so that one load and one multiply-add serve a
// whole vector of products.
//
// Every product is one chain in the order of the columns, fma(value, block, .)
// from 0, so that it does not depend on what it is computed together with, nor
// on zeros that a row stores or leaves out.
package tiles

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// The widths that blocks can have: the first is the fastest for each product,
// the second wastes the least on few rows.
const (
	Width32, NarrowWidth32 = 64, 16
	Width64, NarrowWidth64 = 32, 8
)

// Sparse32 sets dst[at[r]+l], for l below width, to the product of sparse
// row r and row l of the block. Row r has the elements start[r] to start[r+1] of
// index and value. Unless slot is nil, slot[index[k]] stands for index[k].
func Sparse32(dst []float32, at []int, block []float32, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	checkTile(len(dst), at, len(block), width, Width32, NarrowWidth32, start, index, value)
	done := sparseTile32(dst, at, block, width, slot, start, index, value)
	sparseTilePortable(vec.FMA32, dst, at[done:], block, width, slot, start[done:], index, value)
}

// Sparse64 is Sparse32 in double precision.
func Sparse64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	checkTile(len(dst), at, len(block), width, Width64, NarrowWidth64, start, index, value)
	done := sparseTile64(dst, at, block, width, slot, start, index, value)
	sparseTilePortable(math.FMA, dst, at[done:], block, width, slot, start[done:], index, value)
}

// checkTile panics unless what start and at say lies inside the slices.
func checkTile(dst int, at []int, block, width, wide, narrow int, start []int64, index []uint32, value []float32) {
	if width != wide && width != narrow || block%width != 0 || len(start) != len(at)+1 || len(index) < len(value) {
		panic("tiles: a tile of wrong shape")
	}
	if start[0] < 0 || start[len(at)] > int64(len(value)) {
		panic("tiles: rows outside their slices")
	}
	for r, to := range at {
		if to < 0 || to > dst-width || start[r] > start[r+1] {
			panic("tiles: a row outside its slices")
		}
	}
}

// sparseTilePortable panics with an index that is too large.
func sparseTilePortable[T vec.Float](fma func(a, b, c T) T, dst []T, at []int, block []T, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	for r, to := range at {
		sum := dst[to:][:width]
		clear(sum)
		for k := start[r]; k < start[r+1]; k++ {
			j := index[k]
			if slot != nil {
				j = slot[j]
			}
			x := T(value[k])
			for l, b := range block[width*int(j):][:width] {
				sum[l] = fma(x, b, sum[l])
			}
		}
	}
}
