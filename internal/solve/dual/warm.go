package dual

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// A run that begins at the answer to a problem with a much larger lambda:
//
//	Problem   maximise D(t a) over one number t in (0, 1]
//	Why       with lambda the weights u = -X^T(s.a)/(lambda N) change too: at a tenth of
//	          lambda the same a make weights ten times as long, far beyond the best. Where
//	          the loss is smooth, a falls nearly as lambda does
//	Update    t is multiplied by 3/4 while D, which is concave, rises
//	Returned  t a, of a dual no lower than that of a
//	Cost      O(n + d) for each t, of which there are about three times the binary logarithm
//	          of what lambda has fallen by; no pass over the rows
//
// Losses with corners keep a: most of it lies at the ends of the domain, whatever lambda.

// begin takes over the dual variables of a warm start, and its weights unless it is of a problem
// far away: those that follow from the dual variables are soon better.
func (s *sdca) begin(from *problem.Point, away bool) {
	s.resume(from)
	if away && !math.IsInf(s.p.Loss.Smoothness(), 1) {
		s.multiply(s.bestLength())
	} else {
		s.keep(from.W)
	}
	s.addConjugates()
}

// keepBias keeps the bias alone for losses like poisson whose curvature has no bound: on the way the
// objective of the weights may be any power of ten, though the dual rises.
func (s *sdca) keepBias() {
	if _, curved := s.p.Loss.(loss.Curved); s.best == nil && curved && math.IsInf(s.p.Loss.Smoothness(), 1) {
		w := make([]float64, len(s.u))
		w[len(w)-1] = s.u[len(w)-1]
		s.keep(w)
	}
}

// resume takes over the dual variables of a point; the weights follow.
func (s *sdca) resume(from *problem.Point) {
	_, d := s.p.Dims()
	u, sum := parts.DualWeights(s.p, s.a, from.A)
	copy(s.u, u)
	s.sum = sum
	switch s.p.Bias {
	case problem.Feature:
		s.u[d] = -s.factor * s.sum
	case problem.Free:
		if len(from.W) == d+1 {
			s.u[d] = from.W[d]
		}
	}
}

// multiply makes the dual variables, and the weights that belong to them, t times as large.
func (s *sdca) multiply(t float64) {
	for i := range s.a {
		s.a[i] *= t
	}
	s.sum *= t
	for j := range s.u[:len(s.u)-1] {
		s.u[j] *= t
	}
	if s.p.Bias == problem.Feature {
		s.u[len(s.u)-1] *= t
	}
}

// bestLength returns about the t in (0, 1] for which D(t a) is largest.
func (s *sdca) bestLength() float64 {
	t, at := 1.0, s.dualAlong(1)
	for t > 0x1p-30 {
		next := s.dualAlong(0.75 * t)
		if !(next > at) {
			break
		}
		t, at = 0.75*t, next
	}
	return t
}

// dualAlong returns the dual objective of t times the dual variables; a free bias is left out.
func (s *sdca) dualAlong(t float64) float64 {
	sum, _ := parts.SumRows(s.p, func(lo, hi int) (sum, _ float64) {
		var a, conjugate [parts.BlockRows]float64
		for i, x := range s.a[lo:hi] {
			a[i] = t * x
		}
		loss.ConjugateTo(s.p.Loss, conjugate[:hi-lo], a[:hi-lo], s.p.Y[lo:hi])
		for i, c := range conjugate[:hi-lo] {
			sum += float64(s.p.S[lo+i] * c)
		}
		return sum, 0
	})
	u := make([]float64, s.p.Penalised())
	for j := range u {
		u[j] = t * s.u[j]
	}
	_, conjugate := s.p.Penalty.Conjugate(u)
	return -sum/s.p.N - float64(s.p.Lambda*conjugate)
}

// keep keeps weights w from which the run starts.
func (s *sdca) keep(w []float64) {
	_, d := s.p.Dims()
	if len(w) != d+1 || s.p.Bias == problem.None && w[d] != 0 {
		return
	}
	s.best = slices.Clone(w)
	s.primal, _ = s.p.Primal(w)
}
