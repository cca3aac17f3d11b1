package reduce

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// The bounds, and the rows of the lower bound.

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

// Compression is the bound by which the loss of a machine of k vectors, each a row, on new rows
// is at most this with probability 1-delta; see CompressionBound of package internal/solve/kernel. k is
// to be fixed before the rows are seen: 4 R^2 for a bound R on |w| (E12).
//
// Smoothness is the other bound, uniform over all machines within 1/3 of the band and of norm
// at most R, for n rows of which the trained machine has the mean hinge loss; up to its
// constant, which is not known, c:
//
//	loss + c (sqrt(loss R^2 log^3 n/n) + sqrt(loss log(1/delta)/n) + R^2 log^3 n/n + log(1/delta)/n)
func Smoothness(loss, radius float64, n int, delta, c float64) float64 {
	rows, log := float64(n), math.Log(float64(n))
	complexity, chance := radius*radius*log*log*log/rows, math.Log(1/delta)/rows
	return loss + c*(math.Sqrt(loss*complexity)+math.Sqrt(loss*chance)+complexity+chance)
}
