package pcatest

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Angles returns the principal angles between the spaces that two bases span, in
// radians, rising, min(a.K, b.K) of them (Bjorck and Golub 1973). The rows of each
// must be orthonormal, and Cols be equal.
//
// The cosines are the singular values of B A^T. They say nothing about angles
// below 1e-8, so up to 45 degrees the angle comes from its sine, a singular value
// of B - (B A^T) A. Both sets of singular values are found by one-sided rotations,
// which leave small ones accurate beside large ones: the error of an angle is a
// few roundings of 1. Cost: k^2 d a sweep.
func Angles(a, b method.Basis) []float64 {
	if b.K > a.K {
		a, b = b, a
	}
	d := a.Cols
	product := make([]float64, b.K*a.K)
	rest := slices.Clone(b.Component[:b.K*d])
	for i := range b.K {
		algebra.TakeOff(rest[i*d:(i+1)*d], a.Component[:a.K*d], product[i*a.K:(i+1)*a.K])
	}
	sines, cosines := singularValues(rest, b.K, d), singularValues(product, b.K, a.K)
	angles := make([]float64, b.K)
	for i := range angles {
		s, c := sines[b.K-1-i], cosines[i]
		if s <= c {
			angles[i] = arcsine(s)
		} else {
			angles[i] = math.Pi/2 - arcsine(c)
		}
	}
	slices.Sort(angles)
	return angles
}

// singularValues returns the singular values of a, of rows x cols numbers, falling:
// the lengths of its rows after rotations of pairs have made them orthogonal
// (Hestenes 1958). It overwrites a.
func singularValues(a []float64, rows, cols int) []float64 {
	for range 60 {
		moved := false
		for p := range rows {
			for q := p + 1; q < rows; q++ {
				moved = orthogonalise(a[p*cols:(p+1)*cols], a[q*cols:(q+1)*cols]) || moved
			}
		}
		if !moved {
			break
		}
	}
	values := make([]float64, rows)
	for i := range values {
		values[i] = math.Sqrt(vec.SquaredNorm64(a[i*cols : (i+1)*cols]))
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values
}

// orthogonalise rotates x and y until they are orthogonal, unless they are.
func orthogonalise(x, y []float64) bool {
	xx, yy, xy := vec.SquaredNorm64(x), vec.SquaredNorm64(y), vec.Dot64(x, y)
	if !(math.Abs(xy) > 1e-15*math.Sqrt(xx)*math.Sqrt(yy)) || math.Abs(xy) < 1e-300 {
		return false
	}
	theta := (yy - xx) / (2 * xy)
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	for j, u := range x {
		v := y[j]
		x[j], y[j] = float64(c*u)-float64(s*v), float64(s*u)+float64(c*v)
	}
	return true
}

// arcsine returns the angle in [0, pi/2] of which s in [0, 1] is the sine, by
// Newton's method from the side where it converges without a swing: the same bits
// on every machine, and relative to small angles. It is meant for s <= 0.9; above,
// its error is that of s.
func arcsine(s float64) float64 {
	if s >= 1 {
		return math.Pi / 2
	}
	turns := s / (2 * math.Pi)
	for range 60 {
		step := (s - elementary.Sin(turns)) / (2 * math.Pi * elementary.Cos(turns))
		turns += step
		if !(math.Abs(step) > 1e-16*turns) {
			break
		}
	}
	return turns * (2 * math.Pi)
}
