package linear

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// SDCA is stochastic dual coordinate ascent (Shalev-Shwartz and Zhang, 2013;
// with a general strongly convex penalty, Prox-SDCA, 2014).
//
//	Problem      minimise P(w,b) of package problem; Omega mu-strongly convex
//	Symbols      a_i dual variable of row i; u = -X^T(s.a)/(lambda N);
//	             w = grad Omega*(u), which is u itself for l2
//	Update       for rows i in random order, with p = <w,x_i> + b and
//	             q = s_i |x_i|^2 / (lambda N mu):
//	             a_i <- (v - prox_{q l_i}(v)) / q,  v = p + q a_i
//	             which maximises the dual over a_i alone (Moreau); then u follows
//	Order        a fresh permutation of short blocks of consecutive rows per
//	             epoch: nearly as random as single rows, and kinder to the cache
//	Shrinking    a row whose a_i stays where it was on consecutive visits is
//	             visited after 2, 4, 8 ... epochs; every certificate wakes all
//	Feature bias a constant column: |x_i|^2 + 1 instead of |x_i|^2
//	Free bias    the constraint sum_i s_i a_i = 0 by the method of multipliers
//	             (Hestenes, Powell): the bias is a constant column of squared
//	             weight beta whose penalty is centred at the last bias and
//	             re-centred after every epoch
//	Cost         O(nonzeros) per epoch; memory O(n + d)
//
// Alternating exact minimisation over w and over b was rejected: with a
// non-smooth loss it stops at kinks that are not optimal.
type SDCA struct{}

var _ solver.Solver = SDCA{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "sdca",
		Summary: "stochastic dual coordinate ascent: any loss, penalty l2 or elastic-net",
		New:     func(*registry.Params) (solver.Solver, error) { return SDCA{}, nil }})
}

// Accepts wants a strongly convex penalty.
func (SDCA) Accepts(p problem.Problem) error {
	l, err := linearProblem(p)
	if err != nil {
		return err
	}
	if _, ok := l.Penalty.(penalty.Strong); !ok {
		return errors.New("solver sdca needs a strongly convex penalty (l2 or elastic-net): without one the dual does not determine the weights")
	}
	return nil
}

// Start begins at a = 0, or at the dual variables of from.
func (SDCA) Start(p problem.Problem, from *problem.Point, seed uint64) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	s := &sdca{p: l, seed: seed, penalty: l.Penalty.(penalty.Strong), a: make([]float64, n), u: make([]float64, d+1),
		factor: 1 / (l.Lambda * l.N), calm: make([]uint8, n), wake: make([]uint32, n)}
	s.w = s.u
	if _, same := l.Penalty.(penalty.L2); !same {
		s.w = make([]float64, d+1)
	}
	s.chooseSizes()
	if from != nil && len(from.A) == n {
		s.resume(from)
	} else if l.Bias == problem.Free {
		s.u[d] = l.BestBias(nil, 0, 1e-6)
	}
	return s
}

type sdca struct {
	p       *problem.Linear
	penalty penalty.Strong
	seed    uint64
	factor  float64 // 1/(lambda N)
	block   int     // rows of a block
	beta    float64 // squared weight of the constant column
	mu      float64 // strong convexity

	a, u, w []float64 // w is u itself for l2
	sum     float64   // sum_i s_i a_i
	epoch   uint32
	calm    []uint8  // consecutive visits that left a_i as it was
	wake    []uint32 // epoch of the next visit
	active  []uint32 // rows of this epoch
	order   []uint32 // blocks of active, shuffled
	gather  []float64
}

// chooseSizes sets what is a fixed function of the problem: the rows of a
// block (see blockSize) and the weight of the constant column.
func (s *sdca) chooseSizes() {
	n, _ := s.p.Dims()
	s.mu = s.penalty.StrongConvexity()
	s.block = blockSize(n, s.p.Nonzeros)
	switch s.p.Bias {
	case problem.Feature:
		s.beta = 1
	case problem.Free:
		// Much weaker than an average row, or the rows would have to work
		// against each other through it (at equal weight the epochs triple),
		// but some thirty times stronger than lambda, so that each centring
		// takes most of what is left of the constraint. Epochs to gap 1e-6 with
		// the share 0.1, 0.05, 0.01, 0.003 of the average row (without bias):
		// ijcnn1 logistic 8, 10, 27, 67 (7); a9a hinge -, 3597, 2447, 2930 (2398).
		share := 0.05
		if math.IsInf(s.p.Loss.Smoothness(), 1) {
			share = 0.01
		}
		total := 0.0
		for _, r := range s.p.SquaredNorm {
			total += r
		}
		s.beta = max(share*total/float64(n), 30*s.p.Lambda)
	}
}

// blockSize returns how many consecutive rows are visited together: as many as
// make about 8 kB, up to 8, once the data outgrow the caches. Small sets gain
// nothing from blocks, and correlated neighbours cost them epochs: a9a needs
// 128 for hinge to gap 1e-3 with single rows, 366 with blocks of 8.
func blockSize(n int, nonzeros int64) int {
	if nonzeros < 1<<20 {
		return 1
	}
	return int(max(1, min(8, 1024*int64(n)/nonzeros)))
}

// resume takes over the dual variables of a point; the weights follow.
func (s *sdca) resume(from *problem.Point) {
	_, d := s.p.Dims()
	v := make([]float64, len(s.a))
	for i, a := range from.A {
		lo, hi := s.p.Loss.Domain(s.p.Y[i])
		s.a[i] = min(max(a, lo), hi)
		v[i] = s.p.S[i] * s.a[i]
	}
	sum, _ := s.p.Combine(v)
	for j := range sum[:d] {
		s.u[j] = -s.factor * sum[j]
	}
	s.sum = sum[d]
	switch s.p.Bias {
	case problem.Feature:
		s.u[d] = -s.factor * s.sum
	case problem.Free:
		if len(from.W) == d+1 {
			s.u[d] = from.W[d]
		}
	}
}

// Epoch visits every row that is awake once.
func (s *sdca) Epoch() {
	s.active = s.active[:0]
	for i, wake := range s.wake {
		if wake <= s.epoch {
			s.active = append(s.active, uint32(i))
		}
	}
	blocks := (len(s.active) + s.block - 1) / s.block
	s.order = s.order[:0]
	for b := range blocks {
		s.order = append(s.order, uint32(b))
	}
	shuffle(s.order, s.seed, uint64(s.epoch))
	for _, b := range s.order {
		lo := int(b) * s.block
		for _, i := range s.active[lo:min(lo+s.block, len(s.active))] {
			s.visit(int(i))
		}
	}
	if s.p.Bias == problem.Free {
		s.u[len(s.u)-1] -= float64(float64(s.beta*s.factor) * s.sum)
	}
	s.epoch++
}

// visit makes the step of row i.
func (s *sdca) visit(i int) {
	x := s.p.X.Row(i)
	weight := s.p.S[i]
	prediction := s.predict(x)
	q := weight * s.factor * (s.p.SquaredNorm[i] + s.beta) / s.mu
	before := s.a[i]
	after := dualStep(s.p.Loss, before, prediction, q, s.p.Y[i])
	if after == before {
		s.rest(i)
		return
	}
	s.calm[i] = 0
	s.a[i] = after
	change := float64(weight * (after - before))
	s.sum += change
	_, d := s.p.Dims()
	x.AddTo(s.u[:d], -s.factor*change)
	s.u[d] -= float64(s.beta * float64(s.factor*change))
}

// rest lets a row sleep that did not move: 1, 2, 4, ... 64 epochs.
func (s *sdca) rest(i int) {
	s.calm[i] = min(s.calm[i]+1, 8)
	if s.calm[i] > 2 {
		s.wake[i] = s.epoch + 1<<(s.calm[i]-2)
	}
}

// dualStep returns the a that maximises the dual over one variable:
// -l*(a) + p (a - before) - q/2 (a - before)^2.
func dualStep(l loss.Loss, before, p, q, y float64) float64 {
	lo, hi := l.Domain(y)
	v := p + float64(q*before)
	a := (v - l.Prox(v, q, y)) / q
	if !(q > 0) || math.IsNaN(a) { // an empty row: nothing to pull back
		a = l.Derivative(p, y)
	}
	// Rounding in v must not keep a variable from its bound.
	slack := min(4e-16*(1+math.Abs(v)/q), 1e-9)
	switch {
	case a <= lo+slack:
		return lo
	case a >= hi-slack:
		return hi
	}
	return a
}

// predict returns <w,x> + b, forming the weights from u where they differ.
func (s *sdca) predict(x matrix.Vector) float64 {
	d := len(s.u) - 1
	if &s.w[0] == &s.u[0] {
		return x.Dot(s.u[:d]) + s.u[d]
	}
	n := x.Nonzeros()
	if cap(s.gather) < n {
		s.gather = make([]float64, n)
	}
	g := s.gather[:n]
	for k := range g {
		g[k] = s.u[x.Column(k)]
	}
	s.penalty.Weights(g, g)
	return matrix.Vector{Value: x.Value}.Dot(g) + s.bias()
}

// bias returns b, which the penalty sees only when it is a feature.
func (s *sdca) bias() float64 {
	b := s.u[len(s.u)-1:]
	if s.p.Bias == problem.Feature {
		var w [1]float64
		s.penalty.Weights(w[:], b)
		return w[0]
	}
	return b[0]
}

// Point returns the weights that belong to the dual variables, and wakes all
// rows for the next epoch.
func (s *sdca) Point() problem.Point {
	clear(s.wake)
	if &s.w[0] != &s.u[0] {
		d := len(s.u) - 1
		s.penalty.Weights(s.w[:d], s.u[:d])
		s.w[d] = s.bias()
	}
	return problem.Point{W: s.w, A: s.a}
}
