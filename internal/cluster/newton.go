package cluster

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// newton is Newton's method where partitions sum gradients and Hessians: of the objective P = f + lambda l1 |w|_1 at w, f smooth,
//
//	g = lambda l2 w + sum of the partitions' gradients,   H = lambda l2 I + sum of their Hessians,
//	d = argmin <g,d> + <d,Hd>/2 + lambda l1 |w+d|_1:   -H^-1 g for l1 = 0, else by coordinates (Yuan, Ho, Lin 2012).
//
// Where columns are too many for H, it is what the last moves and the changes of g by them say (L-BFGS, Nocedal 1980; with l1 Scheinberg,
// Tang 2016). The step is the whole d. Where the slope of P along the step before has grown at its end, the step was too long: the next w
// is between, where a line through both slopes is 0.
type newton struct {
	p      *problem.Whole
	l1, l2 float64   // coefficients of the penalty, times lambda
	w      []float64 // where the partitions are asked next
	at     []float64 // where they were asked last
	from   []float64 // the weights before, and the direction and slope there
	d      []float64
	start  float64
	length float64
	value  float64 // P at at, about
	drop   float64 // the gap there, about
	factor lapack.Cholesky
	size   int
	bend   float64   // of f along the bias
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
	l1, l2 := p.Penalty.(penalty.Elastic).Coefficients()
	return &newton{p: p, l1: p.Risk.Lambda * l1, l2: p.Risk.Lambda * l2, w: w, d: make([]float64, d+1), size: size}
}

// arrive takes in what partitions say of w, and goes on.
func (s *newton) arrive(answers []*Answer, c int) {
	g, value := make([]float64, len(s.w)), 0.0
	var h []float64
	s.at, s.bend = append(s.at[:0], s.w...), 0
	for _, a := range answers {
		vec.Axpy64(g, 1, a.Output[c].Curve.Gradient)
		value, s.bend = value+a.Output[c].Curve.Loss, s.bend+a.Output[c].Curve.Bend
		if of := a.Output[c].Curve.Hessian; h == nil {
			h = slices.Clone(of)
		} else {
			vec.Axpy64(h, 1, of)
		}
	}
	if s.size < len(g) {
		g[len(g)-1] = 0
	}
	s.judge(g, value)
	for j := range s.p.Penalised() {
		g[j] += float64(s.l2 * s.w[j])
	}
	switch {
	case s.from == nil && s.value > 1.01*s.p.Zero(): // dual ascent swings: 0 is better
		clear(s.w)
		return
	case s.from != nil && s.shorten(g):
		return
	}
	s.direct(g, h)
	s.start, s.length = s.along(g, 1), 1
	s.from = append(s.from[:0], s.w...)
	s.step()
}

// judge sets value and drop by the mean loss at w and its gradient g: the gap is that of Fenchel and Young between w and -g/lambda, exactly
// so where the dual variables are the slopes of the losses.
func (s *newton) judge(g []float64, loss float64) {
	w, u := s.w[:s.p.Penalised()], make([]float64, s.p.Penalised())
	for j := range u {
		u[j] = -g[j] / s.p.Risk.Lambda
	}
	_, conjugate := s.p.Penalty.Conjugate(u)
	cost := s.p.Penalty.Value(w)
	s.value = loss + float64(s.p.Risk.Lambda*cost)
	s.drop = s.p.Risk.Lambda * max(0, cost+conjugate-vec.Dot64(w, u))
}

// along returns the slope of P along d at w, where g is that of f: forwards, or with sign -1 backwards.
func (s *newton) along(g []float64, sign float64) float64 {
	slope := vec.Dot64(g, s.d)
	if s.l1 == 0 {
		return slope
	}
	for j, w := range s.w[:s.p.Penalised()] {
		if w != 0 {
			slope += float64(s.l1 * math.Copysign(s.d[j], s.d[j]*w))
		} else {
			slope += float64(sign * s.l1 * math.Abs(s.d[j]))
		}
	}
	return slope
}

// direct sets d.
func (s *newton) direct(g, h []float64) {
	if h == nil {
		s.remember(g)
	} else {
		hessian.Regularise(h, s.size, s.p.Penalised(), s.l2)
	}
	clear(s.d)
	switch {
	case s.l1 > 0 && h == nil:
		s.descend(g, s.curved(), 2*len(s.pairs))
	case s.l1 > 0:
		s.descend(g, newFull(h, s.size), s.size)
	case h == nil:
		s.unbend(g)
	default:
		s.factor.Decompose(h, s.size, 0)
		s.factor.Solve(s.d[:s.size], g[:s.size])
		for j := range s.d {
			s.d[j] = -s.d[j]
		}
	}
}

// remember makes the last move a pair.
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
}

// unbend sets d to -H^-1 g by the pairs.
func (s *newton) unbend(g []float64) {
	copy(s.d, g)
	along := make([]float64, len(s.pairs))
	for k, p := range slices.Backward(s.pairs) {
		along[k] = vec.Dot64(p.move, s.d) / p.product
		vec.Axpy64(s.d, -along[k], p.bend)
	}
	for j, x := range s.diagonal() {
		s.d[j] /= x
	}
	for k, p := range s.pairs {
		vec.Axpy64(s.d, along[k]-vec.Dot64(p.bend, s.d)/p.product, p.move)
	}
	for j := range s.d {
		s.d[j] = -s.d[j]
	}
}

// diagonal is the diagonal matrix that the pairs correct: what the diagonal of H is at most, times what fits the last pair, or what keeps
// the first step short: it is above H. What f bends along the bias is known.
func (s *newton) diagonal() []float64 {
	bend := s.p.Risk.Loss.Smoothness() / s.p.Risk.N
	diagonal := make([]float64, len(s.d))
	for j, norm := range s.p.Norms {
		diagonal[j] = s.l2 + float64(bend*norm*norm)
	}
	fit := (s.l2 + float64(bend*vec.SquaredNorm64(s.p.Norms))) / s.l2
	if last := len(s.pairs) - 1; last >= 0 {
		squared := 0.0
		for j, x := range s.pairs[last].bend {
			squared += float64(x * x / diagonal[j])
		}
		fit = squared / s.pairs[last].product
	}
	for j := range diagonal {
		diagonal[j] *= fit
	}
	if last := len(diagonal) - 1; s.p.Risk.Bias == problem.Feature {
		diagonal[last] = s.bend + s.l2
	} else if s.bend > 0 {
		diagonal[last] = s.bend
	}
	return diagonal
}

// shorten goes back along the step where the slope at its end is more than half of what it was at its beginning, upwards.
func (s *newton) shorten(g []float64) bool {
	end := s.along(g, -1)
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
