package spectral

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// What others see of a [Spectral]; nothing here changes A.

// leftOver sets r to what the first k directions leave of x, and returns the
// product of x with the k-th, 0 if there is none. One pass of Gram and Schmidt.
func (s *Spectral) leftOver(r, x []float64, k int) (last float64) {
	s.c = algebra.Zeros(s.c, 2*s.m)
	c, back := s.c[:s.m], s.c[s.m:]
	lines := s.view(s.q, s.m, s.cols)
	for j, line := range lines {
		c[j] = vec.Dot64(line, x)
	}
	for i := range min(k, len(s.Value)) {
		row := s.v[i*s.m : (i+1)*s.m]
		product := vec.Dot64(row, c)
		vec.Axpy64(back, -product, row)
		if i == k-1 {
			last = product
		}
	}
	copy(r, x)
	vec.AddRows64(r, lines, 0, back)
	s.Flops += 4 * float64(s.m) * float64(s.cols)
	return last
}

// Directions returns the first k rows of U, or all r if there are fewer.
func (s *Spectral) Directions(k int) []float64 {
	k = min(k, len(s.Value))
	return algebra.Combine(nil, s.v[:k*s.m], s.q, k, s.m, s.cols)
}

// Keep visits everything. What is kept is Q and V as they are: to multiply them
// out would change the bits of what follows.
func (s *Spectral) Keep(k *method.Kept) {
	k.List("values", &s.Value)
	k.Number("background", &s.Background)
	k.Count("drift", &s.drift)
	k.Number("flops", &s.Flops)
	k.List("directions", &s.q)
	k.List("rotation", &s.v)
	if !k.Restoring() {
		return
	}
	s.m = len(s.q) / s.cols
	k.Require(len(s.q) == s.m*s.cols && s.m <= s.cols, "state: found %d numbers of directions, expected at most %d times %d", len(s.q), s.cols, s.cols)
	k.Require(len(s.Value) <= s.m && len(s.v) == len(s.Value)*s.m, "state: found a rotation of %d numbers, expected %d times %d", len(s.v), len(s.Value), s.m)
	if !k.Restoring() {
		return
	}
	k.Require(orthonormal(s.q, s.m, s.cols) && orthonormal(s.v, len(s.Value), s.m), "state: found directions that are not orthonormal")
	k.Require(!slices.ContainsFunc(s.Value, func(a float64) bool { return math.Abs(a) > largestEigenvalue }), "state: found eigenvalues of more than %g, too large to go on with", largestEigenvalue)
	s.fresh = algebra.Zeros(s.fresh, len(s.Value))
}

// largestEigenvalue bounds those of a state that is restored.
const largestEigenvalue = 1e200

// orthonormal reports whether the r rows of u, d numbers each, are so nearly.
func orthonormal(u []float64, r, d int) bool {
	return method.Basis{K: r, Cols: d, Component: u}.Departure() < 1e-6
}

// weighted returns x^T B x, where B has the directions of A, with other
// eigenvalues and another background.
func (s *Spectral) weighted(x, value []float64, background float64) float64 {
	u := s.Directions(len(value))
	sum := float64(background * vec.SquaredNorm64(x))
	for i, w := range value {
		product := vec.Dot64(u[i*s.cols:(i+1)*s.cols], x)
		sum += float64((w - background) * float64(product*product))
	}
	return sum
}
