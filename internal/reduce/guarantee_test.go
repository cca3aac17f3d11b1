package reduce

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// The rows of the lower bound.

// Smooth is the loss of figure 3.3, 4-smooth, with
//
//	Slant(z, 1/2) <= Smooth(z) <= Slant(z-1/6, 1/2),  Smooth(z-1/3) <= max(0, 1-z)
func Smooth(z float64) float64 {
	switch {
	case z < -0.5:
		return 1
	case z > 2./3:
		return 0
	}
	return 0.5 * (1 + math.Cos(6*math.Pi*(z+0.5)/7))
}

// Orthogonal is the set of the lower bound (thesis, section 2.10.6): the basis e_1, ..., e_d of
// d = R^2 dimensions, by which a classifier of |u|^2 = R^2 has every row right by the margin 1,
// and one with fewer than R^2/2 support vectors has at least half as many wrong. Row i has the
// target y[i].
func Orthogonal(y []float64) matrix.Matrix {
	d := len(y)
	m := &matrix.CSR{Cols: d, Start: []int64{0}}
	for i := range d {
		m.Append([]uint32{uint32(i)}, []float32{1})
	}
	return m
}
