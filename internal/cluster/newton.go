package cluster

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/problem"
)

// newton is Newton's method where places sum gradients and Hessians: of the objective P at w,
//
//	g = lambda w + sum of the places' gradients,   H = lambda I + sum of their Hessians,   d = -H^-1 g.
//
// Where columns are too many for H, H^-1 is what the last moves and the changes of g by them say (L-BFGS, Nocedal 1980). The step is the whole d. Where the slope along the step before has grown at its end, the step was too long: the next w is between,
// where a line through both slopes is 0.
type newton struct {
	p      *problem.Whole
	w      []float64 // where the places are asked next
	at     []float64 // where they were asked last
	from   []float64 // the weights before, and the direction and slope there
	d      []float64
	start  float64
	length float64
	drop   float64 // about the gap at w
	factor lapack.Cholesky
	size   int
	pairs  []pair    // of the last moves; without H
	slopes []float64 // g at from
}

// pair is a move and by how much g changed, with their product.
type pair struct {
	move, bend []float64
	product    float64
}

// mostPairs is how many moves are remembered.
const mostPairs = 20

// newNewton begins at w.
func newNewton(p *problem.Whole, w []float64) *newton {
	d := len(p.Norms) - 1
	size := d
	if p.Risk.Bias != problem.None {
		size++
	}
	return &newton{p: p, w: w, d: make([]float64, d+1), size: size}
}

// arrive takes in what places say of w, and goes on.
func (s *newton) arrive(answers []*Answer, c int) {
	g := make([]float64, len(s.w))
	var h []float64
	s.at = append(s.at[:0], s.w...)
	for _, a := range answers {
		vec.Axpy64(g, 1, a.Output[c].Curve.Gradient)
		if of := a.Output[c].Curve.Hessian; h == nil {
			h = slices.Clone(of)
		} else {
			vec.Axpy64(h, 1, of)
		}
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
	if h == nil {
		s.remember(g)
	} else {
		hessian.Regularise(h, s.size, s.p.Penalised(), s.p.Risk.Lambda)
		s.factor.Decompose(h, s.size, 0)
		clear(s.d)
		s.factor.Solve(s.d[:s.size], g[:s.size])
	}
	s.start, s.length = -vec.Dot64(g, s.d), 1
	if s.drop = -s.start; h == nil { // exactly, where the dual variables are the slopes of the losses
		s.drop = vec.SquaredNorm64(g[:s.p.Penalised()]) / (2 * s.p.Risk.Lambda)
	}
	for j := range s.d {
		s.d[j] = -s.d[j]
	}
	s.from = append(s.from[:0], s.w...)
	s.step()
}

// remember sets d to H^-1 g by the pairs, of which the last move makes one.
func (s *newton) remember(g []float64) {
	if s.from != nil {
		n := pair{move: slices.Clone(s.w), bend: slices.Clone(g)}
		vec.Axpy64(n.move, -1, s.from)
		vec.Axpy64(n.bend, -1, s.slopes)
		if n.product = vec.Dot64(n.move, n.bend); n.product > 0 {
			s.pairs = append(s.pairs[max(0, len(s.pairs)-mostPairs+1):], n)
		}
	}
	s.slopes = append(s.slopes[:0], g...)
	copy(s.d, g)
	along := make([]float64, len(s.pairs))
	for k, p := range slices.Backward(s.pairs) {
		along[k] = vec.Dot64(p.move, s.d) / p.product
		vec.Axpy64(s.d, -along[k], p.bend)
	}
	s.scale(s.d)
	for k, p := range s.pairs {
		vec.Axpy64(s.d, along[k]-vec.Dot64(p.bend, s.d)/p.product, p.move)
	}
}

// scale multiplies v by the diagonal matrix that the pairs correct: the inverse of what the diagonal of H is at most, times what fits
// the last pair, or what keeps the first step short: it is below H^-1.
func (s *newton) scale(v []float64) {
	lambda, bend := s.p.Risk.Lambda, s.p.Risk.Loss.Smoothness()/s.p.Risk.N
	diagonal := make([]float64, len(v))
	for j, norm := range s.p.Norms {
		diagonal[j] = lambda + float64(bend*norm*norm)
	}
	fit := lambda / (lambda + float64(bend*vec.SquaredNorm64(s.p.Norms)))
	if last := len(s.pairs) - 1; last >= 0 {
		squared := 0.0
		for j, x := range s.pairs[last].bend {
			squared += float64(x * x / diagonal[j])
		}
		fit = s.pairs[last].product / squared
	}
	for j := range v {
		v[j] *= fit / diagonal[j]
	}
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
