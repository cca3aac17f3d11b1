package batch

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// FrankWolfe is the method of conditional gradients (Frank, Wolfe 1956; Jaggi 2013), on the ball of the
// l1-norm also with pairwise steps (Lacoste-Julien, Jaggi 2015).
//
//	Problem   minimise the mean loss f(w,b) over |w| <= R in the norm 1 or 2; the loss smooth
//	Symbols   g the gradient of f by w; s = argmin over the ball of <g,s>: in the norm 1 the corner
//	          -R sign(g_j) e_j of the largest |g_j|, in the norm 2 -R g/|g|
//	Update    w <- w + t (s - w), t by a line search or, with steps=open, 2/(k+2)
//	          pairwise: w = sum of shares a_v of corners v; w <- w + t (s - v), t <= a_v, v the corner
//	          with a share of which <g,v> is largest
//	          then the best bias, where that is free
//	Proof     <g, w-s> = <g,w> + R |g|_* is the gap of the slopes at w as dual variables
//	Returned  the iterate: after k steps at most k+1 weights are not zero, in the norm 1
//	Cost      a step takes X^T g and X (s - w) once, and O(n) for each trial of the line
//	Memory    three numbers a row, six a feature
//	Rate      1/k; pairwise linear for strongly convex f, with a constant of the corners
type FrankWolfe struct{ steps string }

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "frank-wolfe",
		Facts:   registry.Facts{Rate: "1/k, linear with pairwise steps", Memory: "three numbers a row", Source: "Frank, Wolfe 1956; Jaggi 2013; Lacoste-Julien, Jaggi 2015"},
		Summary: "conditional gradients: smooth losses, a radius with the penalty l1 or l2; steps=pairwise, search or open",
		New: func(p *registry.Params) (solver.Solver, error) {
			return FrankWolfe{p.Choice("steps", "pairwise", "search", "open")}, p.Err()
		}})
}

// Accepts wants a smooth loss on a ball.
func (FrankWolfe) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if norm, _ := penalty.BallOf(l.Penalty); norm == 0 {
		return fmt.Errorf("solver frank-wolfe needs a bound on the norm, 'radius' with the penalty l1 or l2: found the penalty %s", penalty.Name(l.Penalty))
	}
	return smooth("frank-wolfe", l.Loss)
}

// Start begins at 0, or at the weights of the warm start brought into the ball.
func (f FrankWolfe) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	s := &frankWolfe{objective: newObjective(l), limit: start.Over, steps: f.steps, w: append([]float64(nil), l.Inside(begin(l, start.From))...),
		g: make([]float64, d+1), direction: make([]float64, d+1), m: make([]float64, n), along: make([]float64, n)}
	s.norm, s.radius = penalty.BallOf(l.Penalty)
	s.radius *= 1 - 1e-14 // sums of corners stay inside, whatever the rounding
	if s.norm == 2 && s.steps == "pairwise" {
		s.steps = "search" // there are no corners
	}
	if s.steps == "pairwise" {
		s.shares = newShares(s.w[:l.Penalised()], s.radius)
	}
	l.Predict(s.m, s.w)
	return s
}

type frankWolfe struct {
	*objective
	limit     parts.Limit
	steps     string
	norm      int
	radius    float64
	w, g      []float64
	direction []float64
	m, along  []float64 // predictions, and those of the direction
	shares    *shares
	k         float64
}

// Epoch takes ten steps.
func (s *frankWolfe) Epoch() {
	for range 10 {
		if s.limit.Reached() || !s.step() {
			return
		}
	}
}

// step reports whether there is one.
func (s *frankWolfe) step() bool {
	s.Value(s.m, 0, nil)
	s.gradient(s.g)
	k := s.p.Penalised()
	most, to, from := s.aim(k)
	s.p.Predict(s.along, s.direction)
	t := min(most, 2/(s.k+2))
	if s.steps != "open" {
		t = s.search(most)
	}
	s.k++
	if !(t > 0) {
		return false
	}
	vec.Axpy64(s.w, t, s.direction)
	vec.Axpy64(s.m, t, s.along)
	if s.shares != nil {
		s.shares.move(s.w, from, to, t, t >= most, s.radius)
	}
	if d := len(s.w) - 1; s.p.Bias == problem.Free {
		before := s.w[d]
		for i, m := range s.m {
			s.m[i] = m - before
		}
		s.w[d] = s.p.BestBias(s.m, before, 1e-12)
		for i, m := range s.m {
			s.m[i] = m + s.w[d]
		}
	}
	return true
}

// aim sets the direction, and returns how far it may be followed and, of pairwise steps, the corners.
func (s *frankWolfe) aim(k int) (most float64, to, from int) {
	g := s.g[:k]
	clear(s.direction)
	if s.norm == 2 {
		size := math.Sqrt(vec.SquaredNorm64(g))
		for j, v := range g {
			if s.direction[j] = -s.w[j]; size > 0 {
				s.direction[j] -= float64(s.radius * v / size)
			}
		}
		return 1, 0, 0
	}
	j := 0
	for i, v := range g {
		if math.Abs(v) > math.Abs(g[j]) {
			j = i
		}
	}
	corner := -math.Copysign(s.radius, g[j])
	if s.shares == nil {
		for i, w := range s.w[:k] {
			s.direction[i] = -w
		}
		s.direction[j] += corner
		return 1, 0, 0
	}
	if to = 2 * j; corner < 0 {
		to++
	}
	from = s.shares.worst(g)
	s.direction[j] += corner
	s.direction[from/2] -= signed(from, s.radius)
	return s.shares.of[from], to, from
}

// search returns about the best t in [0, most]: where the derivative along the direction is 0, by
// false position with bisection.
func (s *frankWolfe) search(most float64) float64 {
	_, first := s.Value(s.m, 0, s.along)
	_, end := s.Value(s.m, most, s.along)
	if !(first < 0) || end <= 0 {
		if first < 0 {
			return most
		}
		return 0
	}
	lo, hi, atLo, atHi := 0.0, most, first, end
	for k := range 60 {
		t := lo + (hi-lo)/2
		if k%3 != 2 {
			t = lo + float64((hi-lo)*(atLo/(atLo-atHi)))
		}
		_, at := s.Value(s.m, t, s.along)
		if math.Abs(at) <= -1e-3*first || !(t > lo && t < hi) {
			return t
		}
		if at < 0 {
			lo, atLo = t, at
		} else {
			hi, atHi = t, at
		}
	}
	return lo
}

// Point returns the iterate; the slopes there are the dual variables.
func (s *frankWolfe) Point() problem.Point {
	s.p.Predict(s.m, s.w) // against drift
	return problem.Point{W: append([]float64(nil), s.w...), A: s.dual(s.m)}
}

// shares are those of the corners of the l1-ball in the weights: corner 2j is R e_j, 2j+1 is -R e_j.
type shares struct{ of []float64 }

// newShares returns shares of w: what w leaves of the radius is halved between two opposite corners.
func newShares(w []float64, radius float64) *shares {
	s := &shares{make([]float64, 2*len(w))}
	rest := 1.0
	for j, x := range w {
		share := math.Abs(x) / radius
		rest -= share
		if s.of[2*j] = share; x < 0 {
			s.of[2*j], s.of[2*j+1] = 0, share
		}
	}
	if rest > 0 && len(w) > 0 {
		s.of[0] += rest / 2
		s.of[1] += rest / 2
	}
	return s
}

// signed returns the number that a corner has.
func signed(corner int, radius float64) float64 {
	if corner%2 == 1 {
		return -radius
	}
	return radius
}

// worst returns the corner with a share of which the inner product with g is largest.
func (s *shares) worst(g []float64) int {
	worst, most := 0, math.Inf(-1)
	for v, share := range s.of {
		if at := signed(v, g[v/2]); share > 0 && at > most {
			worst, most = v, at
		}
	}
	return worst
}

// move takes t of one corner to another, all: the rest of it. The two weights are what the shares say,
// so that no rounding stays in them.
func (s *shares) move(w []float64, from, to int, t float64, all bool, radius float64) {
	if s.of[to] += t; all {
		s.of[from] = 0
	} else {
		s.of[from] = max(0, s.of[from]-t)
	}
	for _, j := range []int{from / 2, to / 2} {
		w[j] = radius * (s.of[2*j] - s.of[2*j+1])
	}
}
