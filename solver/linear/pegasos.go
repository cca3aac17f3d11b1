package linear

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/internal/parts"
)

// Pegasos is the primal stochastic subgradient method (Shalev-Shwartz, Singer,
// Srebro, Cotter: Pegasos, 2011, algorithm 1) for any loss.
//
//	Problem     minimise P(w,b) of package problem with Omega = |w|^2/2
//	Symbols     t step, i a random row, g = l_i'(<w,x_i> + b), eta = 1/(lambda t)
//	Update      w <- (1 - 1/t) w - eta r_i g x_i,   r_i = s_i n/N
//	            w <- w min(1, R/|w|),               R^2 = P(0)/lambda
//	            R contains the optimum: P(0) >= P(w*) + lambda |w*|^2 by convexity
//	Free bias   b <- b - r_i g / sqrt(t), and the best b for the returned w
//	Returned    the average of the iterates, step t with weight t, or the last
//	            iterate, whichever is better; dual variables are the means of the
//	            g used on each row, step t with weight t again, or the derivatives at the returned point,
//	            whichever bound is better
//	Scaling     w = c v, so that shrinking and projecting cost O(1); the average
//	            is A v + z with A and z updated in O(nonzeros of the row)
//	Cost        O(nonzeros) per epoch of n steps; memory O(n + d)
//
// It approaches the optimum like 1/t. For a small gap use sdca.
type Pegasos struct{}

var _ solver.Solver = Pegasos{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "pegasos",
		Summary: "primal stochastic subgradient with projection and averaging: any loss, penalty l2, small gaps take long",
		New:     func(*registry.Params) (solver.Solver, error) { return Pegasos{}, nil }})
}

// Accepts wants the penalty l2, and a loss of bounded slope or curvature.
func (Pegasos) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if !penalty.IsRidge(l.Penalty) {
		return errors.New("solver pegasos needs the penalty l2: its steps and its projection rely on it")
	}
	if math.IsInf(l.Loss.Smoothness(), 1) && unbounded(l) {
		return fmt.Errorf("solver pegasos needs a loss that is smooth or of bounded slope, which %T is not: its steps would overflow; use sdca", l.Loss)
	}
	return nil
}

// unbounded reports whether the slope of the loss of some row has no bound.
func unbounded(p *problem.Linear) bool {
	return slices.ContainsFunc(p.Y, func(y float64) bool {
		lo, hi := p.Loss.Domain(y)
		return math.IsInf(hi-lo, 1)
	})
}

// Start begins at w = 0, or at the weights of the warm start with the steps of the first
// epoch already taken.
func (Pegasos) Start(p problem.Problem, start solver.Start) solver.State {
	l, from := p.(*problem.Linear), start.From
	n, d := l.Dims()
	s := &pegasos{p: l, limit: start.Over, random: rand.NewPCG(start.Seed, 0), radius: math.Sqrt(l.Zero() / l.Lambda),
		c: 1, v: make([]float64, d+1), z: make([]float64, d+1),
		slopes: make([]float64, n), visits: make([]float64, n), predictions: make([]float64, n)}
	if from != nil && len(from.W) == d+1 {
		s.t = float64(n)
		copy(s.v, from.W)
		if l.Bias == problem.Free {
			s.b = from.W[d]
		}
		if len(from.A) == n {
			s.start = slices.Clone(from.A)
		}
	} else if l.Bias == problem.Free {
		s.b = l.BestBias(nil, 0, 1e-6)
	}
	if l.Bias != problem.Feature {
		s.v[d] = 0 // the bias is then kept in b
	}
	s.refresh()
	return s
}

type pegasos struct {
	limit  parts.Limit
	p      *problem.Linear
	random *rand.PCG
	radius float64
	t      float64 // steps taken

	c       float64   // w = c v
	v       []float64 // d+1; v[d] is the bias if that is a feature
	squared float64   // |v|^2
	b       float64   // free bias

	z           []float64 // the weighted sum of the iterates is sumA v + z
	sumA, total float64   // A and the sum of the weights
	sumB        float64   // weighted sum of the biases

	start       []float64 // dual variables of the warm start; nil: none
	slopes      []float64 // per row, the weighted sum of the derivatives used
	visits      []float64 // per row, the sum of their weights
	predictions []float64 // scratch
}

// Epoch takes n steps.
func (s *pegasos) Epoch() {
	n, _ := s.p.Dims()
	for k := range n {
		if k%1024 == 0 && s.limit.Reached() {
			break
		}
		s.step(int(parts.Below(s.random, uint64(n))))
	}
	s.refresh()
}

// step makes one step, with row i.
func (s *pegasos) step(i int) {
	s.t++
	d := len(s.v) - 1
	x, weight := s.p.X.Row(i), s.p.S[i]*float64(len(s.p.Y))/s.p.N
	along := x.Dot(s.v[:d]) + s.v[d] // <v, x_i>, with the constant column
	g := s.p.Loss.Derivative(float64(s.c*along)+s.b, s.p.Y[i])
	s.slopes[i] += float64(s.t * g)
	s.visits[i] += s.t

	if s.t == 1 {
		s.clear()
		along = 0
	} else {
		s.c *= 1 - 1/s.t
	}
	if g != 0 {
		change := -float64(weight*g) / (s.p.Lambda * s.t * s.c)
		s.squared += float64(2*change*along) + float64(change*change*(s.p.SquaredNorm[i]+s.p.Constant()))
		x.AddTo(s.v[:d], change)
		x.AddTo(s.z[:d], -float64(s.sumA*change))
		if s.p.Bias == problem.Feature {
			s.v[d] += change
			s.z[d] -= float64(s.sumA * change)
		}
		if s.p.Bias == problem.Free {
			s.b -= float64(weight*g) / math.Sqrt(s.t)
		}
	}
	if size := s.c * math.Sqrt(max(s.squared, 0)); size > s.radius {
		s.c *= s.radius / size
	}
	s.sumA += float64(s.t * s.c)
	s.sumB += float64(s.t * s.b)
	s.total += s.t
	if s.c < 1e-9 {
		s.refresh()
	}
}

// clear forgets w, which the first step multiplies by zero.
func (s *pegasos) clear() {
	clear(s.v)
	s.c, s.squared = 1, 0
}

// refresh makes c = 1 and recomputes |v|^2, against drift.
func (s *pegasos) refresh() {
	for j, x := range s.v {
		s.z[j] += float64(s.sumA * x) // A v + z as one vector
		s.v[j] = s.c * x
	}
	s.sumA, s.c = 0, 1
	s.squared = 0
	for _, x := range s.v {
		s.squared += float64(x * x)
	}
}

// Point returns the better of average and last iterate, and the better of the
// two dual points.
func (s *pegasos) Point() problem.Point {
	s.refresh()
	last := slices.Clone(s.v)
	last[len(last)-1] += s.b
	best := last
	if s.total > 0 {
		average := make([]float64, len(s.z))
		for j, x := range s.z {
			average[j] = x / s.total
		}
		average[len(average)-1] += s.sumB / s.total
		best = s.better(last, average)
	}
	return problem.Point{W: best, A: s.dual(best)}
}

// better returns the point with the lower objective, each with its best bias.
func (s *pegasos) better(w1, w2 []float64) []float64 {
	s.fitBias(w1)
	s.fitBias(w2)
	p1, _ := s.p.Primal(w1)
	p2, _ := s.p.Primal(w2)
	if p2 < p1 {
		return w2
	}
	return w1
}

// fitBias sets a free bias to its best value for the weights.
func (s *pegasos) fitBias(w []float64) {
	if s.p.Bias != problem.Free {
		return
	}
	d := len(w) - 1
	start := w[d]
	w[d] = 0
	s.p.Predict(s.predictions, w)
	w[d] = s.p.BestBias(s.predictions, start, 1e-12)
}

// dual returns the better of two dual points for w.
func (s *pegasos) dual(w []float64) []float64 {
	means, there := make([]float64, len(s.slopes)), make([]float64, len(s.slopes))
	s.p.Predict(s.predictions, w)
	for i, y := range s.p.Y {
		there[i] = s.p.Loss.Derivative(s.predictions[i], y)
		switch {
		case s.visits[i] > 0:
			means[i] = s.slopes[i] / s.visits[i]
		case s.start != nil:
			means[i] = s.start[i]
		default:
			means[i] = there[i]
		}
	}
	d1, e1 := s.p.Dual(means)
	d2, e2 := s.p.Dual(there)
	if d2-e2 > d1-e1 {
		return there
	}
	return means
}
