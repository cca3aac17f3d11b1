package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Accelerated is Nesterov's accelerated gradient method on a smoothed hinge (Nesterov 2005; Beck,
// Teboulle 2009; O'Donoghue, Candes 2015 for the restarts; reference kernel_qp, section 9).
//
// Problem: problem.Kernel with the hinge, bias none or feature. The hinge is replaced by the
// loss.HuberHinge of width h, which is below it by h/2 at most:
//
//	F_h(w) = lambda/2 |w|^2 + mean phi_h(y_i w(x_i)),   g = lambda z + sum_i d_i Phi(x_i),  d_i = s_i phi_h'/N
//	x+ <- z - g/L,  L doubled until F_h(x+) <= F_h(z) - |g|^2/(2 L)
//	z <- x+ + (t-1)/t' (x+ - x),  t' = (1 + sqrt(1 + 4 t^2))/2;  t = 1 again where <g, x+ - x> > 0
//
// The slopes phi_h' are dual variables of the hinge too, and -sum_i d_i Phi(x_i)/lambda is their
// predictor: what is reported, and proved, is the gap of the hinge. At the optimum of F_h it is at
// most h/2. Without h, the width begins at 1 and is divided by 4 each time that the gap of the
// smoothed problem is below h/8.
//
// Returned is the last x, with the best dual variables met. Cost of a step: the rows of K where d
// is not 0, in double precision. Steps: like 1/epsilon for h = epsilon.
type Accelerated struct{ H float64 } // 0: falls

var _ solver.Describer = Accelerated{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "accelerated", Summary: "accelerated gradient on a smoothed hinge, bias none or feature; h=0 (its width: 0 for one that falls as the gap does)",
		Facts: registry.Facts{Rate: "1/gap in steps, each of which sees all rows", Memory: "ten numbers a row", Source: "Nesterov 2005; Beck, Teboulle 2009"},
		New: func(p *registry.Params) (solver.Solver, error) {
			h := p.Float("h", 0, "a number from 0 to 1", func(v float64) bool { return v >= 0 && v <= 1 })
			return Accelerated{h}, p.Err()
		}})
}

// Traits say that the bias is a feature.
func (Accelerated) Traits() solver.Traits { return solver.Traits{Bias: "feature"} }

// Accepts wants the hinge, a definite kernel and no free bias.
func (Accelerated) Accepts(p problem.Problem) error {
	if err := acceptsPlain("accelerated", p); err != nil {
		return err
	}
	if l := p.(*problem.Kernel).Loss; !loss.IsHinge(l) {
		return fmt.Errorf("accelerated smooths the hinge: found the loss %s, expected hinge, or another solver", loss.Name(l))
	}
	return nil
}

// Start begins at the predictor of the dual variables of the warm start, or at zero.
func (s Accelerated) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	n := k.Len()
	a := &accelerated{p: k, span: newSpan(k), over: start.Over, fixed: s.H > 0, h: s.H, t: 1,
		x: newVector(n), z: newVector(n), next: newVector(n), g: newVector(n), slope: make([]float64, n), dual: math.Inf(-1), lower: math.Inf(-1)}
	if !a.fixed {
		a.h = 1
	}
	a.smooth = k.Lambda + support.Longest(k.Gram, k.Constant())
	support.SupportOf(start, a.support)
	if from := support.Kept(k, start); from != nil && from.A != nil {
		w := make([]float64, n+1)
		k.Weights(w, from.A)
		if copy(a.x.c, w[:n]); a.span.multiply(a.x.r, a.x.c) {
			copy(a.z.c, a.x.c)
			copy(a.z.r, a.x.r)
		} else {
			a.x = newVector(n)
		}
	}
	return a
}

// accelerated is one run.
type accelerated struct {
	p             *problem.Kernel
	span          *span
	over          support.Limit
	fixed         bool
	h, t, smooth  float64 // width, momentum, L
	x, z, next, g vector
	slope         []float64 // phi_h' at z
	a             []float64 // the best dual variables
	dual          float64   // their objective, of the hinge
	lower         float64   // the best objective of dual variables for this h
	primal        float64   // of x, of the hinge
	steps         int
	end           error
}

// Epoch makes a step.
func (s *accelerated) Epoch() {
	if s.over.Reached() || s.end != nil || !s.gradient() {
		return
	}
	at, square := s.value(s.z), max(0, s.g.dot(s.g))
	for s.smooth *= 0.9; ; s.smooth *= 2 {
		copy(s.next.c, s.z.c)
		copy(s.next.r, s.z.r)
		s.next.add(-1/s.smooth, s.g)
		if after := s.value(s.next); !(after > at-square/(2*s.smooth)+1e-15*math.Abs(at)) || s.smooth > 1e300 {
			break
		}
	}
	s.steps++
	s.move()
	s.primal = objective(s.p, s.x)
	s.narrow()
}

// gradient sets g to that of F_h at z, and judges the slopes as dual variables.
func (s *accelerated) gradient() bool {
	smoothed := loss.HuberHinge{Width: s.h}
	for i, y := range s.p.Y {
		s.slope[i] = smoothed.Derivative(s.z.r[i], y)
		s.g.c[i] = s.p.S[i] * s.slope[i] / s.p.N
	}
	if !s.span.multiply(s.g.r, s.g.c) {
		return false
	}
	var sum, squares vec.Sum
	for i, a := range s.slope {
		sum.Add(-float64(s.p.S[i] * s.p.Loss.Conjugate(a, s.p.Y[i])))
		squares.Add(float64(s.p.S[i] * float64(a*a)))
	}
	value := sum.Value()/s.p.N - max(0, s.g.dot(s.g))/(2*s.p.Lambda)
	if value > s.dual {
		s.dual, s.a = value, append(s.a[:0], s.slope...)
	}
	s.lower = max(s.lower, value-float64(s.h/2*squares.Value())/s.p.N)
	s.g.add(s.p.Lambda, s.z)
	return true
}

// value returns F_h.
func (s *accelerated) value(v vector) float64 {
	smoothed := loss.HuberHinge{Width: s.h}
	var sum vec.Sum
	for i, r := range v.r {
		sum.Add(s.p.S[i] * smoothed.Value(r, s.p.Y[i]))
	}
	return sum.Value()/s.p.N + float64(s.p.Lambda/2*max(0, v.dot(v)))
}

// move takes the step, and goes on beyond it unless that leads uphill.
func (s *accelerated) move() {
	s.x, s.next = s.next, s.x // next is the point before
	uphill := s.g.dot(s.x) > s.g.dot(s.next)
	after := (1 + math.Sqrt(1+float64(4*s.t*s.t))) / 2
	ahead := (s.t - 1) / after
	if s.t = after; uphill {
		s.t, ahead = 1, 0
	}
	copy(s.z.c, s.x.c)
	copy(s.z.r, s.x.r)
	s.z.add(ahead, s.x)
	s.z.add(-ahead, s.next)
}

// narrow makes the width smaller where the smoothed problem is solved well enough, or ends the
// run if it is given.
func (s *accelerated) narrow() {
	gap := s.value(s.x) - s.lower
	switch {
	case s.fixed && gap <= s.h*1e-6:
		s.end = errors.New("the smoothed problem is solved: a smaller width h, or h=0, comes nearer to the hinge")
	case !s.fixed && gap <= s.h/8 && s.h > 1e-13:
		s.h, s.t, s.smooth, s.lower = s.h/4, 1, s.smooth*4, math.Inf(-1)
		copy(s.z.c, s.x.c)
		copy(s.z.r, s.x.r)
	}
}

// Report holds the gap of the hinge.
func (s *accelerated) Report() solver.Report {
	return solver.Report{Gap: problem.Relative(s.primal, s.dual, s.p.Zero()), Exact: true, End: s.end}
}

func (s *accelerated) support() (all, spared int) { return 2 * len(s.slope), 2 * len(s.slope) }

// Point returns x with the best dual variables.
func (s *accelerated) Point() problem.Point {
	return problem.Point{W: weights(s.p, s.x.c), A: slices.Clone(s.a)}
}

// A vector is coefficients of the rows, and predictions: K times these with the bias.
type vector struct{ c, r []float64 }

func newVector(n int) vector { return vector{make([]float64, n), make([]float64, n)} }

func (v vector) dot(w vector) float64 { return vec.Dot64(v.c, w.r) }

func (v vector) add(t float64, w vector) {
	vec.Axpy64(v.c, t, w.c)
	vec.Axpy64(v.r, t, w.r)
}

// objective returns that of a vector.
func objective(p *problem.Kernel, v vector) float64 {
	return risk(&p.Risk, v.r) + float64(p.Lambda/2*max(0, v.dot(v)))
}
