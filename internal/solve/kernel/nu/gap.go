package nu

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// level returns the best rho of a side for the responses.
func (s *nu) level(side int) float64 {
	c, weight := make([]float64, 0, len(s.r)), make([]float64, 0, len(s.r))
	for i, w := range s.cap[side] {
		if w > 0 {
			c, weight = append(c, -s.pay(side, i)), append(weight, w)
		}
	}
	return problem.Quantile(c, weight, s.mass[side])
}

// bias returns the one that belongs to the levels.
func (s *nu) bias() float64 {
	if s.p.OneClass() {
		return -s.level(0)
	}
	return (s.level(1) - s.level(0)) / 2
}

// gap returns about the relative gap that Certify would find, and the size of the
// objective: every part costs what it could still gain, x where growing pays too
// little and cap - x where it pays.
func (s *nu) gap() (relative, size float64) {
	gap, dual := 0.0, 0.0
	for side := range s.x {
		rho := s.level(side)
		for i, x := range s.x[side] {
			h := s.pay(side, i)
			gap += float64((s.cap[side][i]-x)*max(0, rho+h)) + float64(x*max(0, -rho-h))
		}
	}
	for i, b := range s.beta {
		dual += float64(b * (s.p.Targets[i] - s.r[i]/2))
	}
	primal := float64(s.p.Lambda * (dual + gap))
	dual = float64(s.p.Lambda * dual)
	return problem.Relative(primal, dual, s.p.Zero()), math.Abs(dual)
}

// Point writes the coefficients as weights and dual variables, with the best bias. Where the responses of
// the first rows were cut short there are none, and no dual variables: the certificate would give their
// sums to any rows.
func (s *nu) Point() problem.Point {
	if s.pt.W == nil {
		n := s.p.Len()
		s.pt = problem.Point{W: make([]float64, n+1), A: make([]float64, n)}
	}
	for i, b := range s.beta {
		s.pt.A[i] = -float64(s.p.Lambda*b) * (s.p.N / s.p.S[i])
	}
	if all, _ := support.Nonzeros(s.beta); all == 0 && !s.p.Tube() {
		return problem.Point{W: make([]float64, len(s.pt.W))}
	}
	s.p.Weights(s.pt.W, s.pt.A)
	s.pt.W[len(s.beta)] = s.bias()
	return s.pt
}

// rest is the violation at which LIBSVM stops, in whose units a row of weight 1 has a
// cap of 1, or of C in a regression.
func (s *nu) rest() float64 {
	if s.p.Tube() {
		return dual.Resting
	}
	for i, c := range s.p.Sides[0].Cap {
		if c > 0 {
			return dual.Resting * c / (s.p.Lambda * s.p.S[i])
		}
	}
	return 0
}

// Report holds the gap, and why no step is left.
func (s *nu) Report() solver.Report {
	return solver.Report{Gap: s.estimate, Exact: true, Stationary: s.unproved, End: s.ended()}
}

// ended says why no step is left, or why none is worth while: without a margin the best
// objective is 0, and no gap is small beside it.
func (s *nu) ended() error {
	violation := s.violation()
	switch {
	case s.unproved && violation <= s.rest():
		return dual.Rested(s.inside.Negative)
	case s.unproved && (s.moved || violation > 0):
		return nil
	case !s.p.Tube() && s.size <= 1e-13*math.Abs(s.p.Zero()):
		return fmt.Errorf("nu=%g leaves no margin with this kernel, the best objective is 0 up to %.3g: expected a larger nu, or another kernel", s.p.Nu, s.size)
	case s.moved || violation > 0:
		return nil
	}
	return errors.New("the optimality condition is met as far as the arithmetic can tell")
}
