package cluster

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/problem"
)

// newton is Newton's method where places sum gradients and Hessians: of the objective P at w,
//
//	g = lambda w + sum of the places' gradients,   H = lambda I + sum of their Hessians,   d = -H^-1 g.
//
// The step is the whole d. Where the slope along the step before has grown at its end, the step was too long: the next w is between,
// where a line through both slopes is 0.
type newton struct {
	p      *problem.Whole
	w      []float64 // where the places are asked next
	at     []float64 // where they were asked last
	from   []float64 // the weights before, and the direction and slope there
	d      []float64
	start  float64
	length float64
	drop   float64 // g^T H^-1 g at w
	factor lapack.Cholesky
	size   int
}

func newNewton(p *problem.Whole) *newton {
	d := len(p.Norms) - 1
	size := d
	if p.Risk.Bias != problem.None {
		size++
	}
	return &newton{p: p, w: make([]float64, d+1), d: make([]float64, d+1), size: size}
}

// arrive takes in what places say of w, and goes on.
func (s *newton) arrive(answers []*Answer, c int) {
	g, h := make([]float64, len(s.w)), make([]float64, s.size*s.size)
	s.at = append(s.at[:0], s.w...)
	for _, a := range answers {
		vec.Axpy64(g, 1, a.Output[c].Curve.Gradient)
		vec.Axpy64(h, 1, a.Output[c].Curve.Hessian)
	}
	for j := range s.p.Penalised() {
		g[j] += float64(s.p.Risk.Lambda * s.w[j])
	}
	if s.size < len(g) {
		g[len(g)-1] = 0
	}
	if s.from != nil && s.shorten(g) {
		s.drop = math.Inf(1)
		return
	}
	hessian.Regularise(h, s.size, s.p.Penalised(), s.p.Risk.Lambda)
	s.factor.Decompose(h, s.size, 0)
	clear(s.d)
	s.factor.Solve(s.d[:s.size], g[:s.size])
	s.drop, s.start, s.length = vec.Dot64(g, s.d), -vec.Dot64(g, s.d), 1
	for j := range s.d {
		s.d[j] = -s.d[j]
	}
	s.from = append(s.from[:0], s.w...)
	s.step()
}

// shorten goes back along the step where the slope at its end is more than half of what it was at its beginning, upwards.
func (s *newton) shorten(g []float64) bool {
	end := vec.Dot64(g, s.d)
	if !(end > -0.5*s.start) && !math.IsNaN(end) || s.length < 1e-6 {
		return false
	}
	if s.length *= max(0.1, s.start/(s.start-end)); math.IsNaN(end) {
		s.length *= 0.1
	}
	s.step()
	return true
}

// step sets w.
func (s *newton) step() {
	copy(s.w, s.from)
	vec.Axpy64(s.w, s.length, s.d)
}
