// Package nu solves the machines of which nu says what share of the rows has errors, by the pairs
// and working sets of package dual on both classes.
package nu

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Nu is decomposition with large working sets, begun on samples, for machines that
// are given a share nu of rows: one class, nu-classification, nu-regression
// (Schoelkopf et al. 2000; Chang and Lin 2001). It is to problem.Nu what Working is
// to problem.Kernel.
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
// Many rows are begun on samples of them, see nuSample; few at the caps of those that
// pay most, as many as have the sum. Returned is the last iterate, with the best bias.
// With a kernel that is not positive semidefinite steps go to the caps where K_ii + K_jj
// - 2K_ij is negative, and the run ends, without a gap, where LIBSVM's does: see rest.
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

// Traits are those of [Working].
func (s Nu) Traits() solver.Traits { return dual.Working(s).Traits() }

// Accepts takes problem.Nu only.
func (Nu) Accepts(p problem.Problem) error {
	if _, ok := p.(*problem.Nu); !ok {
		return support.OtherKind("nu", "nu", p)
	}
	return nil
}

// Start begins at the warm start, or on samples.
func (s Nu) Start(p problem.Problem, start solver.Start) solver.State {
	k, from := p.(*problem.Nu), start.From
	most := s.Q
	if s.Q == 0 {
		s.Q, most = dual.DefaultSet, mostParts
	}
	var caps [2][]float64
	for side := range caps {
		caps[side] = make([]float64, k.Len())
		for i, c := range k.Sides[side].Cap {
			caps[side][i] = c / k.Lambda
		}
	}
	st := newNu(k, k.Gram, k.Targets, caps, s.Q, most)
	st.heed(start.Over)
	st.support = support.SupportOf(start, st.rowsOfPoint)
	if from != nil && from.A != nil {
		st.take(from.A)
	} else {
		st.begin(rand.New(rand.NewPCG(start.Seed, 0)))
	}
	return st
}

// nu is a run on all rows of a problem, or on a sample of them.
type nu struct {
	p    *problem.Nu // the whole
	gram *gram.Gram
	q    int // parts in a set, at first, and at most
	most int
	t    []float64    // targets
	mass [2]float64   // of the parts of each side
	full [2][]float64 // caps of all rows

	nuSample
	limit    support.Limit
	unproved bool            // nothing bounds the gap: the matrix may not be positive semidefinite
	support  *solver.Support // nil: of a sample
	past     []float64       // the responses before a change that may be cut short
	x, cap   [2][]float64
	beta, r  []float64
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

func newNu(p *problem.Nu, gram *gram.Gram, targets []float64, caps [2][]float64, q, most int) *nu {
	n := gram.Len()
	s := &nu{p: p, gram: gram, q: q, most: most, leave: leastLeave, unproved: !p.Definite(), t: targets, full: caps, r: make([]float64, n), beta: make([]float64, n), estimate: math.Inf(1)}
	for side := range caps {
		s.mass[side] = p.Sides[side].Mass / p.Lambda
		s.x[side], s.cap[side] = make([]float64, n), slices.Clone(caps[side])
	}
	return s
}

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

// fill gives some rows what a side's sum lacks of its mass, those first that it pays
// most to grow, as far as there is room.
func (s *nu) fill(side int, rows []int) {
	missing := s.mass[side] - vec.Total(s.x[side])
	if !(missing > 1e-14*s.mass[side]) {
		return
	}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(i, j int) int {
		return cmp.Or(cmp.Compare(s.pay(side, j), s.pay(side, i)), i-j)
	})
	for _, i := range rows {
		room := s.cap[side][i] - s.x[side][i]
		if missing <= room {
			s.x[side][i] += missing
			return
		}
		s.x[side][i] = s.cap[side][i]
		missing -= room
	}
}

// pay returns what it pays to grow a part.
func (s *nu) pay(side, i int) float64 {
	if side == 1 {
		return s.r[i] - s.t[i]
	}
	return s.t[i] - s.r[i]
}

// Epoch is one round.
func (s *nu) Epoch() {
	switch {
	case s.below != nil:
		s.descend()
		return
	case s.order != nil:
		s.enter()
		s.round()
		if s.order != nil {
			return
		}
		s.complete()
	default:
		s.turns++
		s.moderate()
		s.choose()
		s.inside.begin(s)
		s.round()
	}
	s.judge()
}

// complete gives any rows what those of a sample had no room for.
func (s *nu) complete() {
	all := make([]int, len(s.r))
	for i := range all {
		all[i] = i
	}
	s.fill(0, all)
	s.fill(1, all)
	s.respond(all)
}

// round solves for the parts of the working set.
func (s *nu) round() {
	if len(s.set) == 0 {
		return
	}
	if s.gram.Cut() {
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
			s.drift += float64(change * change * s.gram.Diagonal[i] * s.gram.Diagonal[i])
			s.beta[i], s.moved = beta, true
		}
	}
	before := support.Remember(&s.past, s.r)
	if s.gram.Update(s.r, changed, s.changes); support.Undone(s.gram, s.r, before) {
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
	if s.gram.Combine(s.r, s.beta); support.Undone(s.gram, s.r, before) {
		return
	}
	s.moved, s.drift = false, 0
}

// judge estimates the gap, and computes the responses anew where their rounding errors
// may be a part of it that counts, or hide what violation is left.
func (s *nu) judge() {
	s.estimate, s.size = s.gap()
	off, most := 0.0, 8*s.estimate*s.size // of each response
	if s.gram.Single() {
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
