// Package nu solves the machines of which nu says what share of the rows has errors, by the pairs
// and working sets of package dual on both classes.
package nu

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Nu is decomposition with large working sets for machines that are given a share nu of
// rows: one class, nu-classification, nu-regression (Schoelkopf et al. 2000; Chang and Lin
// 2001).
//
// Problem: problem.Nu, in units of lambda: the parts x of the coefficients beta = x+ -
// x- have caps and, on each side, a sum. With the responses r = K beta,
//
//	min  beta^T K beta/2 - t^T beta,   h_i = +-(t_i - r_i)  what it pays to grow x_i
//
// so that a step moves a pair of the same side, as those of SMO:
//
//	d = (h_i - h_j)/(K_ii + K_jj - 2K_ij),   x_i += d,   x_j -= d,
//
// cut off at the caps. A point is optimal where on either side no part that may grow
// pays more than one that may shrink. Each round takes the Q parts that violate this
// most, solves for them by such steps with the others fixed, and adds up what that does
// to all responses. Q grows with the number of parts that are at neither end.
//
// It begins at the caps of random rows, as many as have the sum: of a regression the same on both sides,
// which is the predictor 0 and needs no row of K. To begin on samples as Working does takes 0.8 to 0.9 of
// the time on all rows of a9a, and 1.05 to 1.2 times as much on 5000 of them and in regressions.
// Returned is the last iterate, with the best bias. With a kernel that is not positive semidefinite
// steps go to the caps where K_ii + K_jj - 2K_ij is negative, and the run ends, without a gap, where
// LIBSVM's does: see rest.
// Cost per round: Q^2 values of K, and a row of K for each coefficient that changed.
type Nu struct{ Q int } // 0: DefaultSet, and more where it takes more, see widen

var _ solver.Solver = Nu{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "nu", Summary: "one class, nu-classification, nu-regression; q=parts in a working set",
		Facts: registry.Facts{Rate: "linear in the end; rounds grow with 1/nu", Memory: "rows of K up to the cache", Source: "Schoelkopf, Smola, Williamson, Bartlett 2000"},
		New: func(p *registry.Params) (solver.Solver, error) {
			q := p.Int("q", 0, 2, 1<<14)
			return Nu{q}, p.Err()
		}})
}

// Traits hold the memory of the matrix of the largest set.
func (s Nu) Traits() solver.Traits {
	return solver.Traits{Memory: func(rows int) int64 {
		q := int64(min(2*rows, cmp.Or(s.Q, mostParts)))
		return 8 * q * q
	}}
}

// Accepts takes problem.Nu only.
func (Nu) Accepts(p problem.Problem) error {
	if _, ok := p.(*problem.Nu); !ok {
		return support.OtherKind("nu", "nu", p)
	}
	return nil
}

// Start begins at the warm start, or at the caps of random rows.
func (s Nu) Start(p problem.Problem, start solver.Start) solver.State {
	k, from := p.(*problem.Nu), start.From
	n, most := k.Len(), s.Q
	if s.Q == 0 {
		s.Q, most = dual.DefaultSet, mostParts
	}
	st := &nu{p: k, q: s.Q, most: most, leave: leastLeave, unproved: !k.Definite(), r: make([]float64, n), beta: make([]float64, n), estimate: math.Inf(1)}
	st.inside.Limit = start.Over
	for side := range st.cap {
		st.mass[side] = k.Sides[side].Mass / k.Lambda
		st.x[side], st.cap[side] = make([]float64, n), make([]float64, n)
		for i, c := range k.Sides[side].Cap {
			st.cap[side][i] = c / k.Lambda
		}
	}
	support.SupportOf(start, func() (all, spared int) { return support.Nonzeros(st.beta) })
	if from != nil && from.A != nil {
		st.take(from.A)
	} else {
		st.begin(rand.New(rand.NewPCG(start.Seed, 0)).Perm(n))
	}
	return st
}

// nu is a run.
type nu struct {
	p        *problem.Nu
	q, most  int        // parts in a set, at first, and at most
	mass     [2]float64 // of the parts of each side
	unproved bool       // nothing bounds the gap: the matrix may not be positive semidefinite
	x, cap   [2][]float64
	beta, r  []float64
	past     []float64 // the responses before a change that may be cut short
	set      []part
	inside   pairs
	leave    float64 // share of the violation that a round leaves
	before   float64 // the violation before the last round; 0: none
	size     float64 // of the objective
	rows     []int   // whose coefficients change, and by how much
	changes  []float64
	drift    float64 // squared, of what the responses may be off by
	moved    bool    // since the responses were computed as a whole
	estimate float64
	pt       problem.Point
}

// A part is one variable.
type part struct{ row, side int }

// take begins at dual variables.
func (s *nu) take(a []float64) {
	w := make([]float64, len(a)+1)
	s.p.Weights(w, a)
	for i, b := range w[:len(a)] {
		s.x[0][i], s.x[1][i] = min(max(b, 0), s.cap[0][i]), min(max(-b, 0), s.cap[1][i])
	}
	if s.p.Tube() {
		s.pad()
	}
	s.refresh()
}

// pad lifts both parts of each row by the same, so that the sums are the masses.
func (s *nu) pad() {
	var room, sum float64
	for i, c := range s.cap[0] {
		room += c - max(s.x[0][i], s.x[1][i])
		sum += s.x[0][i]
	}
	if lift := (s.mass[0] - sum) / room; lift > 0 {
		for i, c := range s.cap[0] {
			more := float64(min(lift, 1) * (c - max(s.x[0][i], s.x[1][i])))
			s.x[0][i] += more
			s.x[1][i] += more
		}
	}
}

// begin gives rows in some order what their caps allow, until the sums are the masses.
func (s *nu) begin(order []int) {
	for side, missing := range s.mass {
		for _, i := range order {
			x := min(missing, s.cap[side][i])
			s.x[side][i] = x
			missing -= x
		}
	}
	slices.Sort(order)
	s.respond(order)
}

// pay returns what it pays to grow a part.
func (s *nu) pay(side, i int) float64 {
	if side == 1 {
		return s.r[i] - s.p.Targets[i]
	}
	return s.p.Targets[i] - s.r[i]
}

// Epoch is one round.
func (s *nu) Epoch() {
	s.moderate()
	s.choose()
	s.inside.begin(s)
	s.round()
	s.judge()
}

// round solves for the parts of the working set.
func (s *nu) round() {
	if len(s.set) == 0 {
		return
	}
	if s.p.Cut() {
		return
	}
	s.inside.solve(s.leave)
	s.rows = s.rows[:0]
	for k, v := range s.set {
		s.x[v.side][v.row] = math.Abs(s.inside.x[k])
		s.rows = append(s.rows, v.row)
	}
	s.respond(s.rows)
}

// respond adds to the responses what has changed of the coefficients of some rows. Where
// that is cut short these are again what they were.
func (s *nu) respond(rows []int) {
	changed := rows[:0]
	s.changes = s.changes[:0]
	for _, i := range rows {
		beta := s.x[0][i] - s.x[1][i]
		if change := beta - s.beta[i]; change != 0 {
			changed, s.changes = append(changed, i), append(s.changes, change)
			s.drift += float64(change * change * s.p.Diagonal[i] * s.p.Diagonal[i])
			s.beta[i], s.moved = beta, true
		}
	}
	before := support.Remember(&s.past, s.r)
	if s.p.Update(s.r, changed, s.changes); support.Undone(s.p, s.r, before) {
		for k, i := range changed {
			s.beta[i] -= s.changes[k]
		}
	}
}

// refresh computes the responses anew, in double precision.
func (s *nu) refresh() {
	for i := range s.beta {
		s.beta[i] = s.x[0][i] - s.x[1][i]
	}
	before := support.Remember(&s.past, s.r)
	if s.p.Combine(s.r, s.beta); support.Undone(s.p, s.r, before) {
		return
	}
	s.moved, s.drift = false, 0
}

// judge estimates the gap, and computes the responses anew where their rounding errors
// may be a part of it that counts, or hide what violation is left.
func (s *nu) judge() {
	s.estimate, s.size = s.gap()
	off, most := 0.0, 8*s.estimate*s.size // of each response
	if s.p.Single() {
		off = 0x1p-24 * math.Sqrt(s.drift)
	}
	if s.unproved {
		s.estimate, most = math.Inf(1), s.rest()/8
	}
	if off > most || s.moved && !(s.violation() > 0) {
		s.refresh()
		if s.estimate, s.size = s.gap(); s.unproved {
			s.estimate = math.Inf(1)
		}
	}
}
