//go:build !purego

package blas

import (
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
)

// The sizes of tiles are those of internal/asm.
var (
	tile64s = map[cpu.Level]tile[float64, float64]{
		cpu.Portable: tile64Portable,
		cpu.AVX2: {6, 8, func(k int, a []float64, aStride int, b []float64, bStride int, c []float64, stride int) {
			tile64AVX2(k, &a[0], aStride, &b[0], bStride, &c[0], stride)
		}},
		cpu.AVX512: {12, 16, func(k int, a []float64, aStride int, b []float64, bStride int, c []float64, stride int) {
			tile64AVX512(k, &a[0], aStride, &b[0], bStride, &c[0], stride)
		}},
	}
	tileWides = map[cpu.Level]tile[float32, float64]{
		cpu.Portable: tileWidePortable,
		cpu.AVX2: {6, 16, func(k int, a []float32, aStride int, b []float32, bStride int, c []float64, stride int) {
			tileWideAVX2(k, &a[0], aStride, &b[0], bStride, &c[0], stride)
		}},
		cpu.AVX512: {12, 32, func(k int, a []float32, aStride int, b []float32, bStride int, c []float64, stride int) {
			tileWideAVX512(k, &a[0], aStride, &b[0], bStride, &c[0], stride)
		}},
	}
)

func tile64() tile[float64, float64]   { return tile64s[cpu.Chosen()] }
func tileWide() tile[float32, float64] { return tileWides[cpu.Chosen()] }

// The sizes of tiles are those of internal/asm.

func tallMixed() tallTile {
	switch {
	case cpu.HasAVX512:
		return tallTile{12, 16,
			func(k int, a []float64, stride int, b, c []float64, cStride int) {
				rowsWideAVX512(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float64, stride int, b, c []float64, cStride int) {
				rowsNarrowAVX512(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float64, b []float32, stride int, c []float64, cStride int) {
				colsMixedAVX512(k, &a[0], &b[0], stride, &c[0], cStride)
			},
			func(dst []float64, x []float32) int {
				copySingleAVX512(len(x)/8, unsafe.SliceData(dst), unsafe.SliceData(x))
				return len(x) &^ 7
			}}
	case cpu.HasAVX2:
		return tallTile{6, 8,
			func(k int, a []float64, stride int, b, c []float64, cStride int) {
				rowsWideAVX2(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float64, stride int, b, c []float64, cStride int) {
				rowsNarrowAVX2(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float64, b []float32, stride int, c []float64, cStride int) {
				colsMixedAVX2(k, &a[0], &b[0], stride, &c[0], cStride)
			},
			func(dst []float64, x []float32) int {
				copySingleAVX2(len(x)/4, unsafe.SliceData(dst), unsafe.SliceData(x))
				return len(x) &^ 3
			}}
	}
	return tallTile{}
}

// transpose32 does squares of the first rows and columns of src, and returns
// how many of these.
func transpose32(dst, src Block[float32]) (rows, cols int) {
	const size = 8
	count := src.Rows / size
	if count == 0 || !cpu.HasAVX2 {
		return 0, 0
	}
	for cols+size <= src.Cols {
		transpose32AVX2(dst.Value[cols*dst.Stride:], src.Value[cols:], dst.Stride, src.Stride, count)
		cols += size
	}
	return count * size, cols
}

// transpose64 does squares of the first rows and columns of src, and returns
// how many of these.
func transpose64(dst, src Block[float64]) (rows, cols int) {
	const size = 4
	count := src.Rows / size
	if count == 0 || !cpu.HasAVX2 {
		return 0, 0
	}
	for cols+size <= src.Cols {
		transpose64AVX2(dst.Value[cols*dst.Stride:], src.Value[cols:], dst.Stride, src.Stride, count)
		cols += size
	}
	return count * size, cols
}

// widen sets rows of dst to those of src, times their factors, and reports whether it did.
func widen(dst []float64, width int, src []float32, stride, cols int, factor []float64) bool {
	if !cpu.HasAVX2 || cols == 0 || len(factor) == 0 {
		return false
	}
	widenAVX2(&dst[0], width, &src[0], stride, cols, factor)
	return true
}
