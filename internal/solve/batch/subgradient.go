package batch

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Subgradient is the projected subgradient method on all rows (Shor 1985; Shalev-Shwartz et al. 2011 with
// all rows in every step), along the subgradient of least norm, which is the steepest descent.
//
//	Problem   minimise P(w,b), penalty l2, l1 or elastic-net, or on a ball; any loss of bounded slope
//	          or curvature
//	Symbols   g the mean of s_i g_i x_i plus lambda l2 w, and of lambda l1 |w|_1 the part that makes it
//	          shortest: lambda l1 sign w_j, at w_j = 0 what shrinks |g_j| by lambda l1
//	Update    w <- w - eta g, then to the nearest point of the ball that contains the optimum
//	          inverse   eta = 1/(mu t + L), mu = lambda l2; L = 0 for losses with corners
//	          distance  eta = largest |w_s - w_0| so far over the root of sum |g_s|^2 (Ivgi, Hinder,
//	                    Carmon 2023: no parameter to choose); where there is no mu
//	Returned  the best iterate or the average, steps with weight t (distance: by the distance),
//	          whichever is better; and the average of the slopes, or those at the point
//	Cost      two products with X a step
//	Memory    four numbers a row, five a feature
//	Rate      1/(mu t) with an average; 1/sqrt(t) without strong convexity
type Subgradient struct{ step string }

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "subgradient",
		Facts:   registry.Facts{Rate: "1/(lambda t) in passes, 1/sqrt(t) without strong convexity", Memory: "four numbers a row", Source: "Shor 1985; Ivgi, Hinder, Carmon 2023"},
		Summary: "subgradients of least norm of all rows: any loss, elastic penalties or a radius; to be compared with; step=auto, inverse or distance",
		New: func(p *registry.Params) (solver.Solver, error) {
			return Subgradient{p.Choice("step", "auto", "inverse", "distance")}, p.Err()
		}})
}

// Accepts wants steps that stay finite, and a penalty of which the shortest subgradient is known.
func (s Subgradient) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	norm, _ := penalty.BallOf(l.Penalty)
	_, l2, elastic := penalty.Coefficients(l.Penalty)
	switch {
	case math.IsInf(l.Loss.Smoothness(), 1) && parts.Steep(l):
		return fmt.Errorf("solver subgradient needs a loss that is smooth or of bounded slope, which %s is not: its steps would overflow; use sdca", loss.Name(l.Loss))
	case !elastic && norm == 0:
		return fmt.Errorf("solver subgradient needs the penalty l2, l1 or elastic-net, or a bound on the norm, 'radius': found the penalty %s", penalty.Name(l.Penalty))
	case s.step == "inverse" && l2 == 0:
		return fmt.Errorf("solver subgradient needs a strongly convex penalty (l2 or elastic-net) for step=inverse: expected step=distance")
	}
	return nil
}

// Start begins at 0, or at the weights of the warm start.
func (s Subgradient) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	l1, l2, _ := penalty.Coefficients(l.Penalty)
	g := &subgradient{objective: newObjective(l), limit: start.Over, l1: l.Lambda * l1, mu: l.Lambda * l2, radius: math.Inf(1), least: math.Inf(1),
		w: append([]float64(nil), l.Inside(begin(l, start.From))...), g: make([]float64, d+1), sum: make([]float64, d+1), m: make([]float64, n), slopes: make([]float64, n)}
	g.inverse = g.mu > 0 && s.step != "distance"
	if g.mu > 0 {
		g.radius = math.Sqrt(2 * l.Zero() / g.mu)
	}
	if smooth := g.smoothness(); !math.IsInf(smooth, 1) {
		g.smooth = smooth
	}
	g.first = append([]float64(nil), g.w...)
	g.best = append([]float64(nil), g.w...)
	if from := start.From; from != nil && len(from.A) == n {
		g.from = append(g.from, from.A...)
	}
	return g
}

type subgradient struct {
	*objective
	limit        parts.Limit
	inverse      bool
	l1, mu       float64 // times lambda
	smooth       float64 // L, 0 for losses with corners
	radius       float64 // of a ball that contains the optimum
	w, g, first  []float64
	best         []float64
	least        float64   // the objective of best
	sum, slopes  []float64 // weighted sums of iterates, and of slopes
	weights      float64
	from         []float64 // dual variables of the warm start, may be nil
	m            []float64
	t            float64
	far, squares float64 // largest distance from the first iterate, and the sum of |g|^2
}

// Epoch takes a step.
func (s *subgradient) Epoch() {
	if s.limit.Reached() {
		return
	}
	k := s.p.Penalised()
	s.p.Predict(s.m, s.w)
	value, _ := s.Value(s.m, 0, nil)
	if norm, _ := penalty.BallOf(s.p.Penalty); norm == 0 {
		value += s.p.Lambda * s.p.Penalty.Value(s.w[:k])
	}
	if value < s.least {
		s.least = value
		copy(s.best, s.w)
	}
	s.shortest(k)
	s.t++
	square := vec.SquaredNorm64(s.g)
	s.squares += square
	if square == 0 {
		return
	}
	eta, weight := s.length()
	vec.Axpy64(s.sum, weight, s.w)
	vec.Axpy64(s.slopes, weight, s.Slope)
	s.weights += weight
	vec.Axpy64(s.w[:k], -eta, s.g[:k])
	for j := k; j < len(s.w); j++ { // a free bias, which has no strong convexity
		s.w[j] -= float64(min(eta, 1/math.Sqrt(s.t)) * s.g[j])
	}
	s.confine(k)
}

// shortest sets g to the subgradient of least norm for the slopes that value left.
func (s *subgradient) shortest(k int) {
	s.gradient(s.g)
	vec.Axpy64(s.g[:k], s.mu, s.w[:k])
	if s.l1 > 0 {
		steepest(s.g[:k], s.w[:k], s.l1)
	}
}

// steepest adds to g, a gradient at w, the subgradient of l1 |w|_1 that makes it shortest.
func steepest(g, w []float64, l1 float64) {
	for j, x := range w {
		switch {
		case x > 0:
			g[j] += l1
		case x < 0:
			g[j] -= l1
		default:
			g[j] = vec.Shrink(g[j], l1)
		}
	}
}

// length returns that of a step, and the weight of the iterate it is from.
func (s *subgradient) length() (eta, weight float64) {
	if s.inverse {
		return 1 / (float64(s.mu*s.t) + s.smooth), s.t
	}
	square := 0.0
	for j, x := range s.w {
		square += float64((x - s.first[j]) * (x - s.first[j]))
	}
	if s.far = max(s.far, math.Sqrt(square)); s.far == 0 { // the first step, short enough for any scale
		s.far = 1e-6 / math.Sqrt(vec.SquaredNorm64(s.g))
		if s.smooth > 0 {
			s.far = 1e-3 * math.Sqrt(vec.SquaredNorm64(s.g)) / s.smooth
		}
	}
	return s.far / math.Sqrt(s.squares), s.far
}

// confine moves the weights into the ball of the problem, or that which contains the optimum.
func (s *subgradient) confine(k int) {
	if norm, _ := penalty.BallOf(s.p.Penalty); norm != 0 {
		s.p.Penalty.Prox(s.w[:k], s.w[:k], 1)
		return
	}
	if size := math.Sqrt(vec.SquaredNorm64(s.w[:k])); size > s.radius {
		for j := range k {
			s.w[j] *= s.radius / size
		}
	}
}

// Point returns the better of the best iterate and the average, each with the best free bias.
func (s *subgradient) Point() problem.Point {
	w := s.finish(s.best, 1)
	least, _ := s.p.Primal(w)
	if s.weights > 0 {
		average := s.finish(s.sum, 1/s.weights)
		if value, _ := s.p.Primal(average); value < least {
			w, least = average, value
		}
	}
	if least < s.least { // later points are no worse
		s.least = least
		copy(s.best, w)
	}
	m := make([]float64, len(s.m))
	s.p.Predict(m, w)
	return problem.Point{W: w, A: s.bestDual(s.dual(m))}
}

// bestDual returns the dual variables of the best bound: the slopes at a point, the average of those
// along the way, or those of the warm start.
func (s *subgradient) bestDual(there []float64) []float64 {
	candidates := [][]float64{there}
	if s.weights > 0 {
		means := make([]float64, len(there))
		for i, v := range s.slopes {
			means[i] = v / s.weights
		}
		candidates = append(candidates, means)
	}
	if s.from != nil {
		candidates = append(candidates, s.from)
	}
	best, most := there, math.Inf(-1)
	for _, a := range candidates {
		if value, bound := s.p.Dual(a); value-bound > most {
			best, most = a, value-bound
		}
	}
	return best
}

// finish returns factor w, with the best free bias.
func (s *subgradient) finish(w []float64, factor float64) []float64 {
	out := make([]float64, len(w))
	for j, v := range w {
		out[j] = factor * v
	}
	out = append(out[:0], s.p.Inside(out)...)
	if d := len(out) - 1; s.p.Bias == problem.Free {
		b := out[d]
		out[d] = 0
		m := make([]float64, len(s.m))
		s.p.Predict(m, out)
		out[d] = s.p.BestBias(m, b, 1e-12)
	}
	return out
}
