//go:build !purego

package vec

// The sizes of tiles are those of internal/asm.

func tall32() tallTile[float32, float32] {
	switch {
	case hasAVX512:
		return tallTile[float32, float32]{12, 32,
			func(k int, a []float32, stride int, b, c []float32, cStride int) {
				rows32AVX512(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float32, stride int, b, c []float32, cStride int) {
				rows32NarrowAVX512(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float32, b []float32, stride int, c []float32, cStride int) {
				cols32AVX512(k, &a[0], &b[0], stride, &c[0], cStride)
			}}
	case hasAVX2:
		return tallTile[float32, float32]{6, 16,
			func(k int, a []float32, stride int, b, c []float32, cStride int) {
				rows32AVX2(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float32, stride int, b, c []float32, cStride int) {
				rows32NarrowAVX2(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float32, b []float32, stride int, c []float32, cStride int) {
				cols32AVX2(k, &a[0], &b[0], stride, &c[0], cStride)
			}}
	}
	return tallTile[float32, float32]{}
}

func tallMixed() tallTile[float32, float64] {
	switch {
	case hasAVX512:
		return tallTile[float32, float64]{12, 16,
			func(k int, a []float32, stride int, b, c []float64, cStride int) {
				rowsMixedAVX512(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float32, stride int, b, c []float64, cStride int) {
				rowsMixedNarrowAVX512(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float64, b []float32, stride int, c []float64, cStride int) {
				colsMixedAVX512(k, &a[0], &b[0], stride, &c[0], cStride)
			}}
	case hasAVX2:
		return tallTile[float32, float64]{6, 8,
			func(k int, a []float32, stride int, b, c []float64, cStride int) {
				rowsMixedAVX2(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float32, stride int, b, c []float64, cStride int) {
				rowsMixedNarrowAVX2(k, &a[0], stride, &b[0], &c[0], cStride)
			},
			func(k int, a []float64, b []float32, stride int, c []float64, cStride int) {
				colsMixedAVX2(k, &a[0], &b[0], stride, &c[0], cStride)
			}}
	}
	return tallTile[float32, float64]{}
}
