package joint

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// SDCA is stochastic dual coordinate ascent on blocks: the K dual variables of a row move
// together (Shalev-Shwartz and Zhang 2013, 2014; for the loss crammer-singer Keerthi et al. 2008,
// whose step solves the same block by sorting).
//
//	Problem      minimise P(W,b) of problem.Joint, Omega = l1 |W|_1 + l2 |W|^2/2, l2 > 0; or of
//	             problem.JointKernel
//	Symbols      a_i dual variables of row i; U = -X^T(s.A)/(lambda N), W = shrink(U, l1)/l2
//	Update       for rows i in random order, with p = W x_i + b and
//	             q = s_i |x_i|^2/(lambda N l2):
//	             a_i <- (v - prox_{q l}(v))/q,  v = p + q a_i
//	             which maximises the dual over the block (Moreau), but for a q that is a fifth
//	             smaller; then U follows, in the classes that moved
//	Shrinking    a row that a step would not move, or whose part of the gap is below a twentieth
//	             of the mean, is left alone, and visited after 2, 4, ... epochs: 64 at most
//	             in the first case, 16 in the second
//	Feature bias a constant column
//	Free bias    the constraints sum_i s_i a_ik = 0 by the method of multipliers, as the sdca
//	             of linear predictors has it; with a kernel too
//	Returned     A, and W; where the loss has corners the mean of the last epochs' W
//	Cost         O(K nonzeros) an epoch, with a kernel K n for each row that moves; memory
//	             O(K (n + d))
//
// Rejected, for crammer-singer: passes over the dual variables that are not 0 alone (Keerthi et al. 2008, section 4).
// They lie scattered in memory: on sector's 12 of 105 a pass takes half the time and gets two thirds as far; with 1,000
// classes a pass takes a sixth of the time, but two runs together were no shorter. Steps on rows of one class
// after the other, or twice in a row, take more epochs.
type SDCA struct{}

var _ solver.Solver = SDCA{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "sdca",
		Facts:   registry.Facts{Rate: "linear for smooth losses, 1/t else", Memory: "K numbers a row and a feature", Source: "Shalev-Shwartz, Zhang 2013; Keerthi et al. 2008"},
		Summary: "dual ascent on the block of each row: any loss, penalty l2 or elastic-net; kernels",
		New:     func(*registry.Params) (solver.Solver, error) { return SDCA{}, nil }})
}

// Accepts wants a strongly convex penalty.
func (SDCA) Accepts(p problem.Problem) error {
	if _, ok := p.(*problem.JointKernel); ok {
		return nil
	}
	l, err := linearProblem(p)
	if err != nil {
		return err
	}
	if l.Penalty.StrongConvexity() == 0 {
		return errors.New("solver sdca needs a strongly convex penalty (l2 or elastic-net): without one the dual does not determine the weights")
	}
	return nil
}

// Start begins at 0, or at the dual variables of the warm start.
func (SDCA) Start(p problem.Problem, start solver.Start) solver.State {
	switch p := p.(type) {
	case *problem.JointKernel:
		return newMachine(p, start)
	case *problem.Joint:
		return newSDCA(p, start)
	}
	panic(fmt.Sprintf("joint: found a problem of type %T", p))
}

// blocks are the dual variables of the rows, and when each is visited.
type blocks struct {
	risk  *problem.JointRisk
	seed  uint64
	epoch uint64
	limit parts.Limit

	a          []float64 // n x K
	sum        []float64 // K: sum_i s_i a_ik
	factor     float64   // 1/(lambda N)
	calm       []uint8   // n: consecutive visits that left a_i as it was
	wake       []uint64  // n: epoch of the next visit
	order      []uint32
	p, v, move []float64 // K: predictions, where the step goes, what it changes
	moved      []int     // classes that it changes

	rowGap    float64   // parts of the rows in the gap, as met in this epoch, by weight
	spare     float64   // below this part a row is not worth a step
	conjugate float64   // sum_i s_i l*(a_i)
	own       []float64 // n: l*(a_i)
}

// overRelaxed is as in the sdca of linear predictors.
const overRelaxed = 1.25

func newBlocks(risk *problem.JointRisk, start solver.Start) *blocks {
	n, k := len(risk.Y), risk.Classes
	s := &blocks{risk: risk, seed: start.Seed, limit: start.Over, a: make([]float64, n*k), sum: make([]float64, k), factor: 1 / (risk.Lambda * risk.N),
		own: make([]float64, n), calm: make([]uint8, n), wake: make([]uint64, n), order: make([]uint32, 0, n), p: make([]float64, k), v: make([]float64, k), move: make([]float64, k), moved: make([]int, 0, k)}
	if from := start.From; from != nil && len(from.A) == n*k {
		s.resume(from.A)
	}
	return s
}

// resume takes over dual variables, moved into their domain.
func (s *blocks) resume(a []float64) {
	k := s.risk.Classes
	for i, y := range s.risk.Y {
		row, total := s.a[i*k:(i+1)*k], 0.0
		for c, x := range a[i*k : (i+1)*k] {
			if x > 0 && c != int(y) {
				row[c] = min(x, 1)
				total += row[c]
			}
		}
		for c := range row {
			row[c] /= max(total, 1)
		}
		row[y] = -min(total, 1)
		vec.Axpy64(s.sum, s.risk.S[i], row)
		s.own[i] = s.risk.Loss.Conjugate(row, int(y))
		s.conjugate += float64(s.risk.S[i] * s.own[i])
	}
}

// arrange lists the rows that are awake in random order.
func (s *blocks) arrange() {
	s.spare, s.rowGap = 0.05*s.rowGap/s.risk.N, 0
	s.order = s.order[:0]
	for i, wake := range s.wake {
		if wake <= s.epoch {
			s.order = append(s.order, uint32(i))
		}
	}
	parts.Shuffle(s.order, rand.NewPCG(s.seed, s.epoch))
}

// step sets move to the change of the dual variables of row i at predictions p, of which one
// unit takes q off, and reports whether there is any; moved lists the classes.
func (s *blocks) step(i int, q float64) bool {
	k := s.risk.Classes
	a, y := s.a[i*k:(i+1)*k], int(s.risk.Y[i])
	part := s.risk.Loss.Value(s.p, y) + s.own[i]
	for c, x := range a {
		part -= float64(x * s.p[c])
		s.v[c] = s.p[c] + float64(q*x)
	}
	if s.rowGap += float64(s.risk.S[i] * max(part, 0)); part < s.spare {
		s.rest(i, 4)
		return false
	}
	s.risk.Loss.Dual(s.move, s.v, max(q, math.SmallestNonzeroFloat64*0x1p60), y)
	s.moved = s.moved[:0]
	for c, x := range a {
		after := s.move[c]
		if s.move[c] = after - x; s.move[c] != 0 {
			a[c] = after
			s.moved = append(s.moved, c)
		}
	}
	if len(s.moved) > 0 {
		s.calm[i] = 0
		vec.Axpy64(s.sum, s.risk.S[i], s.move)
		before := s.own[i]
		s.own[i] = s.risk.Loss.Conjugate(a, y)
		s.conjugate += float64(s.risk.S[i] * (s.own[i] - before))
		return true
	}
	s.rest(i, 6)
	return false
}

// rest lets a row sleep, longer each time, for 2^most epochs at most.
func (s *blocks) rest(i int, most uint8) {
	s.calm[i] = min(s.calm[i]+1, most)
	s.wake[i] = s.epoch + 1<<s.calm[i]
}

// report estimates the relative gap by what the last epoch met; cost is lambda Omega*.
func (s *blocks) report(cost float64) solver.Report {
	gap, dual := s.rowGap/s.risk.N, -s.conjugate/s.risk.N-cost
	return solver.Report{Gap: problem.Relative(dual+gap, dual, s.risk.Zero())}
}
