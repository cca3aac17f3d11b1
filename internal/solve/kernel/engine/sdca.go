package engine

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
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
// Returned is the last iterate. Cost per step: one row of the matrix, or none.
//
// Rows in single precision leave the responses a little off. They are
// recomputed after epochs 16, 32, 64, ...: what is still to be gained then is
// small, and so is its error.
type SDCA struct{}

var _ solver.Describer = SDCA{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "sdca", Summary: "stochastic dual coordinate ascent; bias none or feature",
		Facts: registry.Facts{Rate: "linear for smooth losses, 1/t else", Memory: "a number a row", Source: "Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013"},
		New:   func(*registry.Params) (solver.Solver, error) { return SDCA{}, nil }})
}

// Traits say that the bias is a feature.
func (SDCA) Traits() solver.Traits { return solver.Traits{Bias: "feature"} }

// Accepts refuses a free bias: its dual constraint leaves single variables no
// room to move.
func (SDCA) Accepts(p problem.Problem) error {
	k, err := support.KernelProblem(p)
	if err != nil {
		return err
	}
	if k.Bias == problem.Free {
		return fmt.Errorf("sdca moves one dual variable at a time, which a free bias forbids: expected bias none or feature, or another solver")
	}
	return nil
}

// Start begins at the warm start, or at zero.
func (SDCA) Start(p problem.Problem, start solver.Start) solver.State {
	s := &sdca{p: p.(*problem.Kernel), seed: start.Seed}
	n := s.p.Len()
	s.a, s.w = make([]float64, n), make([]float64, n+1)
	if from := support.Kept(s.p, start); from != nil && from.A != nil {
		for i, a := range from.A {
			lo, hi := s.p.Loss.Domain(s.p.Y[i])
			if a = min(max(a, lo), hi); !math.IsNaN(a) {
				s.a[i] = a
			}
		}
	}
	s.p.Weights(s.w, s.a)
	s.supported = newSupported(newEngine(s.p.Gram, s.p.Constant(), s.w, false), start)
	return s
}

type sdca struct {
	p *problem.Kernel
	supported
	seed  uint64
	epoch uint64
	a, w  []float64 // dual variables; the point that belongs to them
}

func (s *sdca) Epoch() {
	random := rand.New(rand.NewPCG(s.seed, s.epoch))
	order := random.Perm(s.p.Len())
	for k, i := range order {
		if s.e.ended() {
			return
		}
		s.e.soon = among(order[k+1:], s.moves)
		s.step(i)
	}
	s.epoch++
	if s.epoch >= 16 && bits.OnesCount64(s.epoch) == 1 {
		s.e.refresh()
	}
}

func (s *sdca) step(i int) {
	if delta := s.delta(i); delta != 0 {
		s.a[i] += delta
		s.e.add(i, -float64(s.p.S[i]/(s.p.Lambda*s.p.N)*delta))
	}
}

// delta returns how far dual variable i is from the maximum along it.
func (s *sdca) delta(i int) float64 {
	q := s.p.S[i] / (s.p.Lambda * s.p.N) * (s.p.Diagonal[i] + s.p.Constant())
	return dualStep(&s.p.Risk, i, s.a[i], s.e.response(i), q)
}

func (s *sdca) moves(i int) bool { return s.delta(i) != 0 }

// dualStep returns how far dual variable i is from the maximum along it, at
// response r, when one unit of it takes q off the response.
func dualStep(p *problem.Risk, i int, a, r, q float64) float64 {
	lo, hi := p.Loss.Domain(p.Y[i])
	v := r + float64(q*a)
	after := (v - p.Loss.Prox(v, q, p.Y[i])) / q
	if !(q > 0) || math.IsNaN(after) {
		after = p.Loss.Derivative(r, p.Y[i])
	}
	return min(max(after, lo), hi) - a
}

func (s *sdca) Point() problem.Point {
	s.p.Weights(s.w, s.a)
	return problem.Point{W: s.w, A: s.a}
}
