//go:build !purego

package vec

// The sizes of tiles are those of internal/asm.

func tallMixed() tallTile {
	switch {
	case hasAVX512:
		return tallTile{12, 16,
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
		return tallTile{6, 8,
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
	return tallTile{}
}
