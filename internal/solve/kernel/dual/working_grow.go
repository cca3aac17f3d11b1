package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A run that begins at the answer for another C:
//
//	Problem  that of dual, of which C is doubled or halved before each round until it is what was asked for
//	Update   the dual variables stay as they are: coefficients at a bound go to where that now is, and the
//	         others with them, which keeps their sum and needs no row of K; or all coefficients stay, where
//	         a larger C frees no more than a set holds, or that gives the better dual
//	Why      were all coefficients left where they are, nearly all of those at the bound would violate
//	         the condition, all alike, and each set of a few moves as if it had to do the work of all
//	Cost     a round for each step; clusters, and a set of all rows, have no use for steps
//
// On the first 20000 rows of a9a (rbf, gamma 0.005), from C = 100 to 1000, that takes 190 million
// values of K, and 560 from zero.

// partial reports whether not all rows, or another C, are in play.
func (s *working) partial() bool { return s.order != nil || s.share != 1 }

// resume prepares a run that begins at the answer for a C so many times smaller; 0: for the same.
func (s *working) resume(growth float64) {
	s.clusters.on = s.exceeds()
	if growth > 0 {
		s.rescale(growth)
	}
	if s.clusters.on || s.q == len(s.R) {
		s.grow(math.Inf(1))
	}
}

// grow makes C at most so many times as large, or as small, until it is what it is to be.
func (s *working) grow(most float64) {
	times := s.share
	s.rescale(max(min(1, s.share*most), s.share/most))
	times /= s.share
	if s.share == 1 {
		s.bounds(s.p)
	}
	if stay := 1 / times; times > 1 && (s.sigma == 0 && 2*s.bounded() <= s.q || s.dualAt(stay) > s.dualAt(1)) {
		vec.Axpy64(s.R, stay-1, s.R)
		for i, b := range s.Beta {
			s.Dual.set(i, stay*b)
		}
	}
}

// dualAt returns the dual at so many times the coefficients, but for a factor.
func (s *working) dualAt(t float64) float64 {
	var sum vec.Sum
	for i, b := range s.Beta {
		lo, hi := s.loss.Domain(s.y[i])
		a := min(max(-t*b/s.C[i], lo), hi)
		sum.Add(-float64(s.C[i]*s.loss.Conjugate(a, s.y[i])) - float64(t*t/2*b*s.R[i]))
	}
	return sum.Value()
}

// bounded counts the coefficients at a bound other than 0.
func (s *working) bounded() (n int) {
	for i, b := range s.Beta {
		if b != 0 && (b <= s.Lo[i] || b >= s.Hi[i]) {
			n++
		}
	}
	return n
}
