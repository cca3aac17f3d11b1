package kernel

import (
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// Working is decomposition with large working sets (Joachims 1999; with hundreds
// of rows at a time Cotter, Srebro, Keshet 2011, GTSVM; Wen et al. 2018,
// ThunderSVM).
//
// Problem: problem.Kernel with any bias and any loss that is loss.Invertible;
// dual is its form here. Each round takes the Q rows that violate the optimality
// condition most, half of them because they should grow and half because they
// should shrink, computes their rows of K as one product, solves the dual problem
// of these coefficients with the others fixed, by steps of pairs or of single
// coefficients as SMO makes them, and adds up what that does to all responses:
//
//	r += sum over the set of (beta_i after - beta_i before) K_i
//
// Returned is the last iterate. Cost per round: Q rows of K.
type Working struct{ Q int } // 0: by the number of rows

var _ solver.Solver = Working{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "working", Summary: "large working sets, solved by pairs inside; q=rows in a set",
		New: func(p *registry.Params) (solver.Solver, error) {
			q := p.Int("q", 0, 2, 1<<14)
			return Working{q}, p.Err()
		}})
}

// Accepts takes every loss whose slope can be inverted.
func (Working) Accepts(p problem.Problem) error { return accepts("working", p) }

// Start begins at from, or at zero.
func (s Working) Start(p problem.Problem, from *problem.Point, _ uint64) solver.State {
	k := p.(*problem.Kernel)
	q := s.Q
	if q == 0 {
		q = 512
	}
	return &working{dual: newDual(k, from), p: k, q: min(q, k.Len())}
}

type working struct {
	*dual
	p        *problem.Kernel
	q        int
	pt       problem.Point
	set      []int
	inside   block
	changes  []float64
	estimate float64
}

// Epoch is one round.
func (s *working) Epoch() {
	s.choose()
	if len(s.set) > 0 {
		s.inside.begin(s.dual, s.set)
		s.parts(func(lo, hi int, rows []kernel.Row) { s.inside.fill(lo, s.set, rows, s.p.Constant()) })
		s.inside.solve()
		s.take()
	}
	s.estimate = s.gap(s.p)
}

func (s *working) Estimate() float64    { return s.estimate }
func (s *working) Present()             {}
func (s *working) Point() problem.Point { return s.point(s.p, &s.pt) }

// parts calls do with the rows of the working set from lo to hi, all at once if
// the cache holds them.
func (s *working) parts(do func(lo, hi int, rows []kernel.Row)) {
	most := s.p.Capacity()
	for lo := 0; lo < len(s.set); lo += most {
		hi := min(lo+most, len(s.set))
		do(lo, hi, s.p.Rows(s.set[lo:hi]))
	}
}

// take carries the solution of the inner problem over.
func (s *working) take() {
	s.changes = s.changes[:0]
	total := 0.0
	for k, i := range s.set {
		change := s.inside.beta[k] - s.beta[i]
		s.changes = append(s.changes, change)
		total += change
		s.dual.set(i, s.inside.beta[k])
	}
	s.parts(func(lo, hi int, rows []kernel.Row) { s.p.AddRows(s.r, rows, s.changes[lo:hi]) })
	if s.p.Constant() != 0 {
		for i := range s.r {
			s.r[i] += total
		}
	}
}
