// Package dual solves problems of linear predictors by ascent in the dual, one variable for each
// row: SDCA, and what it goes over to where its epochs are slow.
//
//	sdca.go      the method. visit.go takes the step of a row, rounds.go shares rows among
//	             partitions (partition.go) and merges them (columns.go); clock.go tells what
//	             more cores would bring
//	state.go     its state; sizes.go and objective.go are sizes and sums, report.go is what it
//	             returns
//	warm.go      begins at dual variables of another problem
//	escape.go    decides when epochs are slow, and which of two methods takes over
//	face.go      solves for all free rows at once, and moves them there: face_apply.go
//	proximal.go  the method of multipliers: its matrix sees proximal_rows.go, the corner of the
//	             penalty is proximal_corner.go, the search along a step along.go
//
// The dual and its certificate are in package problem, ascent for kernel machines is in
// solver/kernel. Another method in dual variables is a file that registers its name, and a row in
// the table of solver/linear. The package imports solver, its internal packages and rooms above.
package dual

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
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
//	             which maximises the dual over a_i alone (Moreau), but for a q that
//	             is a fifth smaller (overRelaxed); then u follows
//	Order        a fresh permutation of short blocks of consecutive rows per
//	             epoch: nearly as random as single rows, and kinder to the cache
//	Shrinking    a row that a step would not move, or would move within its domain
//	             though its part of the gap is below a twentieth of the mean, is
//	             left alone, and on consecutive such visits visited after 2, 4, 8
//	             ... epochs: 64 at most in the first case, 16 in the second
//	Partitions   work on shares of the rows side by side, merged many times an
//	             epoch (rounds.go): as many threads as there are partitions help
//	Escape       from slow epochs, where the loss has corners (escape.go): all
//	             rows that are free at once (face.go), or the method of multipliers
//	             (proximal.go)
//	Feature bias a constant column: |x_i|^2 + 1 instead of |x_i|^2
//	Free bias    the constraint sum_i s_i a_i = 0 by the method of multipliers
//	             (Hestenes, Powell): the bias is a constant column of squared
//	             weight beta whose penalty is centred at the last bias and
//	             re-centred after every epoch; along it no step goes further
//	             than the best (overRelaxed)
//	Returned     a, and u; or the best weights that an escape found, while their
//	             primal is the lower one
//	Cost         O(nonzeros) per epoch; memory O(n + d)
//
// Alternating exact minimisation over w and over b was rejected: with a
// non-smooth loss it stops at kinks that are not optimal.
type SDCA struct {
	Partitions int    // that work side by side; 0: by rule, see divide
	Clock      *Clock // simulates a core for every partition; of one run only
}

// MostPartitions bounds the copies of the weights.
const MostPartitions = 4096

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "sdca", Facts: registry.Facts{Rate: "linear for smooth losses, 1/t else", Memory: "two numbers a row", Source: "Shalev-Shwartz, Zhang 2013"},
		Summary: "stochastic dual coordinate ascent: any loss, penalty l2 or elastic-net",
		New: func(p *registry.Params) (solver.Solver, error) {
			return SDCA{Partitions: p.Int("partitions", 0, 1, MostPartitions)}, p.Err()
		}})
}

// Accepts wants a strongly convex penalty that gives single weights.
func (SDCA) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if _, ok := l.Penalty.(penalty.Strong); !ok {
		return errors.New("solver sdca needs a strongly convex penalty (l2 or elastic-net): without one the dual does not determine the weights")
	}
	if _, ok := l.Penalty.(penalty.Separable); !ok {
		return fmt.Errorf("solver sdca needs a penalty of single weights (l2 or elastic-net), which %s does not say it is", penalty.Name(l.Penalty))
	}
	return nil
}

// Start begins at a = 0, or at the dual variables of the warm start. It asks for limits in
// steps for all rows at once, which may be hundreds of passes over the data.
func (k SDCA) Start(p problem.Problem, start solver.Start) solver.State {
	l, from := p.(*problem.Linear), start.From
	n, d := l.Dims()
	s := &sdca{p: l, seed: start.Seed, penalty: l.Penalty.(penalty.Separable), iterate: iterate{a: make([]float64, n)},
		factor: 1 / (l.Lambda * l.N), goal: cmp.Or(start.Gap, solver.DefaultGap)}
	s.addConjugates() // at 0; first, because it asks the other cores, which take a while to wake
	s.u, s.calm, s.wake = make([]float64, d+1), make([]uint8, n), make([]uint32, n)
	s.w = s.u
	if !penalty.IsRidge(l.Penalty) {
		s.w = make([]float64, d+1)
	}
	s.sigma = 1
	s.last[0] = uint32(d)
	s.step, s.exact = loss.StepOf(l.Loss)
	s.chooseSizes()
	if from != nil && len(from.A) == n {
		s.begin(from, start.Growth >= solver.Far)
	} else if l.Bias == problem.Free {
		s.u[d] = l.BestBias(nil, 0, 1e-6)
	}
	s.keepBias()
	s.clock, s.over = k.Clock, start.Over
	s.divide(k.Partitions)
	return s
}

// arrange lists the rows that are awake, in shuffled blocks: those of a few groups,
// then of a few others.
func (s *sdca) arrange() {
	if s.active == nil { // to grow a slice would cost more than the rest
		s.active, s.rows = make([]uint32, len(s.a)), make([]uint32, len(s.a))
	}
	s.listAwake()
	s.rows = s.rows[:0]
	awake := len(s.active)
	random := rand.NewPCG(s.seed, uint64(s.epoch))
	if s.group == 1 { // blocks of one row: the same order, made in half the time
		s.rows = append(s.rows, s.active...)
		parts.Shuffle(s.rows, random)
		return
	}
	s.groups = places(s.groups[:0], 0, awake, s.group)
	parts.Shuffle(s.groups, random)
	for groups := range slices.Chunk(s.groups, groupsAtATime) {
		s.order = s.order[:0]
		for _, g := range groups {
			s.order = places(s.order, int(g), min(int(g)+s.group, awake), s.block)
		}
		if s.group > s.block {
			parts.Shuffle(s.order, random)
		}
		for _, b := range s.order {
			s.rows = append(s.rows, s.active[b:min(int(b)+s.block, awake)]...)
		}
	}
}

// listAwake sets active.
func (s *sdca) listAwake() {
	active, awake := s.active[:len(s.wake)], 0
	for i, wake := range s.wake {
		active[awake] = uint32(i)
		if wake <= s.epoch {
			awake++
		}
	}
	s.active = active[:awake]
}

// places appends lo, lo+step, ... below hi to dst.
func places(dst []uint32, lo, hi, step int) []uint32 {
	for ; lo < hi; lo += step {
		dst = append(dst, uint32(lo))
	}
	return dst
}

// Epoch visits every row that is awake once, or makes a step for all at once.
func (s *sdca) Epoch() {
	if s.proximal != nil {
		s.stepProximal()
		return
	}
	if s.workOnFace() {
		return
	}
	s.spare = 0.05 * s.rowGap
	s.rowGap = 0
	s.arrange()
	s.work()
	s.rowGap /= s.p.N
	s.centre()
	s.epoch++
	s.watch()
}

// centre moves the bias, if it is free, to where its penalty is centred next.
func (s *sdca) centre() {
	if s.p.Bias != problem.Free {
		return
	}
	last := len(s.u) - 1
	s.u[last] -= float64(float64(s.beta*s.factor) * s.sum)
	for p := range s.part {
		s.part[p].u[last] = s.u[last]
	}
}
