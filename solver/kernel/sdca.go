package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// SDCA is stochastic dual coordinate ascent (Hsieh et al. 2008; thesis 4.2).
//
// Problem: problem.Kernel with bias none or feature, any loss. With beta =
// -s.a/(lambda N) and the responses r = K beta, one step moves one dual variable
// to the maximum along it, by the proximal map of its loss:
//
//	q = s_i K_ii/(lambda N),  v = r_i + q a_i,  a_i <- (v - prox_{q l_i}(v))/q
//
// and the responses follow: r -= s_i delta K_i/(lambda N), which takes a row of K
// only if the variable moved. Rows come in a random order, a new one each epoch.
// Returned is the last iterate. Cost per step: one row of the matrix.
type SDCA struct{}

var _ solver.Solver = SDCA{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "sdca", Summary: "stochastic dual coordinate ascent; bias none or feature",
		New: func(*registry.Params) (solver.Solver, error) { return SDCA{}, nil }})
}

// Accepts refuses a free bias: its dual constraint leaves single variables no
// room to move.
func (SDCA) Accepts(p problem.Problem) error {
	k, err := kernelProblem(p)
	if err != nil {
		return err
	}
	if k.Bias == problem.Free {
		return fmt.Errorf("sdca moves one dual variable at a time, which a free bias forbids: expected bias none or feature, or another solver")
	}
	return nil
}

// Start begins at from, or at zero.
func (SDCA) Start(p problem.Problem, from *problem.Point, seed uint64) solver.State {
	s := &sdca{p: p.(*problem.Kernel), seed: seed}
	n := s.p.Len()
	s.a, s.r, s.w = make([]float64, n), make([]float64, n), make([]float64, n+1)
	if from != nil && from.A != nil {
		copy(s.a, from.A)
		s.p.Weights(s.w, s.a)
		s.p.Combine(s.r, s.w[:n])
		for i := range s.r {
			s.r[i] += s.w[n]
		}
	}
	return s
}

type sdca struct {
	p     *problem.Kernel
	seed  uint64
	epoch uint64
	a, r  []float64 // dual variables; responses, with the bias that is a feature
	w     []float64
}

func (s *sdca) Epoch() {
	p := s.p
	random := rand.New(rand.NewPCG(s.seed, s.epoch))
	s.epoch++
	for _, i := range random.Perm(p.Len()) {
		scale := p.S[i] / (p.Lambda * p.N)
		q := scale * (p.Diagonal[i] + p.Constant())
		lo, hi := p.Loss.Domain(p.Y[i])
		v := s.r[i] + float64(q*s.a[i])
		after := (v - p.Loss.Prox(v, q, p.Y[i])) / q
		if !(q > 0) || math.IsNaN(after) {
			after = p.Loss.Derivative(s.r[i], p.Y[i])
		}
		after = min(max(after, lo), hi)
		delta := after - s.a[i]
		if delta == 0 {
			continue
		}
		s.a[i] = after
		row := p.Rows([]int{i})[0]
		for j := range s.r {
			s.r[j] -= float64(float64(scale*delta) * (row.At(j) + p.Constant()))
		}
	}
}

func (s *sdca) Point() problem.Point {
	s.p.Weights(s.w, s.a)
	return problem.Point{W: s.w, A: s.a}
}
