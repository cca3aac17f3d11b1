package root

import (
	"math"
	"testing"
)

// TestMixture: w = -C sum_i a_i x_i holds at two C, and so of every mixture with its own C: the dual
// variables are weighed by C, or they prove less than they could.
func TestMixture(t *testing.T) {
	point := func(c float64, a ...float64) *node { // of rows that are unit vectors
		x := &node{c: c, a: a, w: make([]float64, len(a)), r: make([]float64, len(a))}
		for i := range a {
			x.w[i] = -c * a[i]
			x.r[i] = x.w[i]
		}
		return x
	}
	s := &search{lo: point(0.5, 0.3, -1), hi: point(8, -0.25, -0.125)}
	s.Inner = func(u, _, r []float64) float64 { return u[0]*r[0] + u[1]*r[1] }
	for _, share := range []float64{0, 0.125, 0.5, 1} {
		x := s.mixture(share)
		for i, a := range x.a {
			if want := -x.c * a; math.Abs(x.w[i]-want) > 1e-15 || x.r[i] != x.w[i] {
				t.Errorf("%g of the way, C %g: found the weight %g and the response %g, expected %g", share, x.c, x.w[i], x.r[i], want)
			}
		}
		if want := x.w[0]*x.w[0] + x.w[1]*x.w[1]; x.squared != want || x.c != 0.5+7.5*share {
			t.Errorf("%g of the way: found C %g and the squared norm %g, expected %g", share, x.c, x.squared, want)
		}
	}
}
