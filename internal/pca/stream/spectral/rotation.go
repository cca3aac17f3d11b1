package spectral

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// rotate makes U diagonalise diag(a) + eta y y^T: O(r^2) for the eigensystem, by its
// secular equation, and O(r^2 m) for the directions, of which those that do not
// take part, as all but one of MSG's many ones, cost nothing. To prefer new
// directions it lists them first, for equal eigenvalues stay in their order.
func (s *Spectral) rotate(eta float64, y []float64, entered bool) {
	r, own := len(y), len(y)-1
	if s.PreferNew && entered {
		s.toFront(y)
		own = 0
	}
	vectors := s.small.RankOne(s.Value, eta, y)
	s.next = algebra.Zeros(s.next, r*s.m)
	s.fresh = algebra.Zeros(s.fresh, r)
	for i := range r {
		row := vectors[i*r : (i+1)*r]
		s.lines, s.some = s.lines[:0], s.some[:0]
		for j, c := range row {
			if c != 0 {
				s.lines, s.some = append(s.lines, s.v[j*s.m:(j+1)*s.m]), append(s.some, c)
			}
		}
		vec.AddRows64(s.next[i*s.m:(i+1)*s.m], s.lines, 0, s.some)
		s.Flops += float64(2 * len(s.some) * s.m)
		if entered {
			s.fresh[i] = row[own] * row[own]
		}
	}
	s.Flops += 40 * float64(r*r)
	s.v, s.next = s.next, s.v
}

// toFront moves the last direction before all others.
func (s *Spectral) toFront(y []float64) {
	r := len(y)
	last, value, own := y[r-1], s.Value[r-1], append([]float64{}, s.v[(r-1)*s.m:r*s.m]...)
	copy(y[1:], y[:r-1])
	copy(s.Value[1:], s.Value[:r-1])
	copy(s.v[s.m:], s.v[:(r-1)*s.m])
	y[0], s.Value[0] = last, value
	copy(s.v, own)
}
