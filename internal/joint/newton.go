package joint

import (
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// newton minimises f(u) = l(u) + |u-v|^2/(2 step) with l the loss softmax.
//
//	Update    u <- u + t d, d = -H^-1 g; t is halved until f falls, unless d is so short that
//	          the curvature hardly changes along it
//	H         diag(q) - qq^T + I/step, q the probabilities at u; inverted by the formula of
//	          Sherman and Morrison
//	Returned  q, once the squared norm of d is 1e-24 at most, in the metric of H
//	Cost      some exponentials for each class, two to six steps as a rule
type newton struct {
	v           []float64
	inverse     float64 // 1/step
	y           int
	u, q, d, g  []float64
	before, old []float64 // u and q before the step
}

var newtons = sync.Pool{New: func() any { return new(newton) }}

func newtonOf(v []float64, step float64, y int) *newton {
	s := newtons.Get().(*newton)
	s.v, s.inverse, s.y = v, 1/step, y
	for _, x := range []*[]float64{&s.u, &s.q, &s.d, &s.g, &s.before, &s.old} {
		if cap(*x) < len(v) {
			*x = make([]float64, len(v))
		}
		*x = (*x)[:len(v)]
	}
	return s
}

// solve leaves the probabilities at the minimum in q.
func (s *newton) solve() {
	copy(s.u, s.v)
	value := s.evaluate()
	for range 60 {
		decrease, longest := s.direction()
		if !(decrease > 1e-24) {
			return
		}
		s.u, s.before, s.q, s.old = s.before, s.u, s.old, s.q
		found, t := s.at(1), 1.0
		for !(longest < 0.5 && decrease < 1e-6) && !(found <= value-float64(0.25*t*decrease)) {
			if t /= 2; t < 1e-10 {
				s.q = append(s.q[:0], s.old...)
				return
			}
			found = s.at(t)
		}
		value = found
	}
}

// at moves to the point t along the direction, and returns f there.
func (s *newton) at(t float64) float64 {
	for k, x := range s.before {
		s.u[k] = x + float64(t*s.d[k])
	}
	return s.evaluate()
}

// evaluate sets q to the probabilities at u, and returns f.
func (s *newton) evaluate() float64 {
	most, squared := s.u[topOf(s.u)], 0.0
	for k, x := range s.u {
		s.q[k] = max(x-most, -1e4) // exp is 0 there
		away := x - s.v[k]
		squared += float64(away * away)
	}
	elementary.ExpTo(s.q, s.q)
	sum := 0.0
	for _, x := range s.q {
		sum += x
	}
	for k := range s.q {
		s.q[k] /= sum
	}
	return most - s.u[s.y] + elementary.Log(sum) + float64(squared*s.inverse)/2
}

// direction sets d to Newton's direction, and returns minus the slope along it, and its
// largest number. With D = diag(q) + I/step
//
//	(D - qq^T)^-1 g = D^-1 g + D^-1 q <q, D^-1 g> / (1 - <q, D^-1 q>)
//
// of which the divisor is the sum of q_k (1/step) / (q_k + 1/step).
func (s *newton) direction() (decrease, longest float64) {
	along, rest := 0.0, 0.0
	for k, q := range s.q {
		g := q + float64((s.u[k]-s.v[k])*s.inverse)
		if k == s.y {
			g--
		}
		s.g[k] = g
		s.d[k] = -g / (q + s.inverse)
		along += float64(q * s.d[k])
		rest += float64(q * (s.inverse / (q + s.inverse)))
	}
	factor := along / rest
	for k, q := range s.q {
		s.d[k] += float64(factor * (q / (q + s.inverse)))
		decrease -= float64(s.g[k] * s.d[k])
		longest = max(longest, math.Abs(s.d[k]))
	}
	return decrease, longest
}
