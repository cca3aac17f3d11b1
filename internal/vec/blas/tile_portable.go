package blas

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// portableTile is the rows and columns of a tile in plain Go.
const portableTile = 4

var (
	tile64Portable   = tile[float64, float64]{portableTile, portableTile, multiplyTile64}
	tileWidePortable = tile[float32, float64]{portableTile, portableTile, multiplyTileWide}
)

func multiplyTile32(k int, a []float32, aStride int, b []float32, bStride int, c []float32, stride int) {
	for i := range portableTile {
		row := (*[portableTile]float32)(c[i*stride:])
		s0, s1, s2, s3 := row[0], row[1], row[2], row[3]
		for r := range k {
			x, y := a[r*aStride+i], (*[portableTile]float32)(b[r*bStride:])
			s0, s1 = vec.FMA32(x, y[0], s0), vec.FMA32(x, y[1], s1)
			s2, s3 = vec.FMA32(x, y[2], s2), vec.FMA32(x, y[3], s3)
		}
		*row = [portableTile]float32{s0, s1, s2, s3}
	}
}

func multiplyTile64(k int, a []float64, aStride int, b []float64, bStride int, c []float64, stride int) {
	for i := range portableTile {
		row := (*[portableTile]float64)(c[i*stride:])
		s0, s1, s2, s3 := row[0], row[1], row[2], row[3]
		for r := range k {
			x, y := a[r*aStride+i], (*[portableTile]float64)(b[r*bStride:])
			s0, s1 = math.FMA(x, y[0], s0), math.FMA(x, y[1], s1)
			s2, s3 = math.FMA(x, y[2], s2), math.FMA(x, y[3], s3)
		}
		*row = [portableTile]float64{s0, s1, s2, s3}
	}
}

func multiplyTileWide(k int, a []float32, aStride int, b []float32, bStride int, c []float64, stride int) {
	var sums [portableTile * portableTile]float32
	multiplyTile32(k, a, aStride, b, bStride, sums[:], portableTile)
	for i := range portableTile {
		for j := range portableTile {
			c[i*stride+j] += float64(sums[i*portableTile+j])
		}
	}
}
