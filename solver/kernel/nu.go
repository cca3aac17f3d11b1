package kernel

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// Nu is decomposition for machines that are given a share nu of rows: one class,
// nu-classification, nu-regression (Schoelkopf et al. 2000; Chang and Lin 2001).
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
// to all responses, as Working does it.
//
// A run begins with the first rows at their caps, as many as have the sum. Returned is
// the last iterate, with the best bias. Cost per round: Q rows of K.
type Nu struct{ Q int } // 0: 512

var _ solver.Solver = Nu{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "nu", Summary: "one class, nu-classification, nu-regression; q=parts in a working set",
		New: func(p *registry.Params) (solver.Solver, error) {
			q := p.Int("q", 0, 2, 1<<14)
			return Nu{q}, p.Err()
		}})
}

// Accepts takes problem.Nu only.
func (Nu) Accepts(p problem.Problem) error {
	k, ok := p.(*problem.Nu)
	if !ok {
		return fmt.Errorf("nu solves one class, nu-classification and nu-regression: found a problem of type %T", p)
	}
	if !k.Definite() {
		return fmt.Errorf("nu needs a positive semidefinite kernel, found %+v: expected another kernel", k.Kernel)
	}
	return nil
}

// Start begins at from, or at the first rows.
func (s Nu) Start(p problem.Problem, from *problem.Point, _ uint64) solver.State {
	k := p.(*problem.Nu)
	n := k.Len()
	st := &nu{p: k, q: s.Q, r: make([]float64, n), beta: make([]float64, n), estimate: math.Inf(1)}
	if st.q == 0 {
		st.q = 512
	}
	for side := range st.x {
		st.x[side], st.cap[side] = make([]float64, n), make([]float64, n)
		for i, c := range k.Sides[side].Cap {
			st.cap[side][i] = c / k.Lambda
		}
	}
	if from != nil && from.A != nil {
		st.take(from.A)
	} else {
		st.begin()
	}
	return st
}

type nu struct {
	p        *problem.Nu
	q        int
	x, cap   [2][]float64
	beta, r  []float64
	rounds   uint
	pair     pairs
	pt       problem.Point
	estimate float64
}

// begin fills the first rows of each side up to its mass.
func (s *nu) begin() {
	for side := range s.x {
		rest := s.p.Sides[side].Mass / s.p.Lambda
		for i, c := range s.cap[side] {
			s.x[side][i] = min(c, rest)
			rest -= s.x[side][i]
		}
	}
	changes := make([]float64, len(s.r))
	for i := range s.beta {
		s.beta[i] = s.x[0][i] - s.x[1][i]
		changes[i] = s.beta[i]
	}
	s.respondTo(changes)
}

// take begins at dual variables.
func (s *nu) take(a []float64) {
	n := s.p.Len()
	w := make([]float64, n+1)
	s.p.Weights(w, a)
	for i, b := range w[:n] {
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
	if lift := (s.p.Sides[0].Mass/s.p.Lambda - sum) / room; lift > 0 {
		for i, c := range s.cap[0] {
			more := float64(min(lift, 1) * (c - max(s.x[0][i], s.x[1][i])))
			s.x[0][i] += more
			s.x[1][i] += more
		}
	}
}

// refresh computes the responses anew, in double precision.
func (s *nu) refresh() {
	for i := range s.beta {
		s.beta[i] = s.x[0][i] - s.x[1][i]
	}
	s.p.Combine(s.r, s.beta)
}

// respondTo adds what changes of the coefficients do to the responses.
func (s *nu) respondTo(changes []float64) {
	var rows []int
	var c []float64
	flush := func() {
		s.p.AddRows(s.r, s.p.Rows(rows), c)
		rows, c = rows[:0], c[:0]
	}
	for i, change := range changes {
		if change != 0 {
			if rows, c = append(rows, i), append(c, change); len(rows) == min(s.q, s.p.Capacity()) {
				flush()
			}
		}
	}
	flush()
}

// Epoch is one round. Rows in single precision leave the responses a little off,
// so that they are computed anew after rounds 16, 32, 64, ...
func (s *nu) Epoch() {
	s.pair.begin(s, s.choose())
	if s.pair.solve(); len(s.pair.set) > 0 {
		changes := make([]float64, len(s.r))
		for k, v := range s.pair.set {
			s.x[v.side][v.row] = s.pair.x[k]
			beta := s.x[0][v.row] - s.x[1][v.row]
			changes[v.row] += beta - s.beta[v.row]
			s.beta[v.row] = beta
		}
		s.respondTo(changes)
	}
	if s.rounds++; s.rounds >= 16 && bits.OnesCount(s.rounds) == 1 {
		s.refresh()
	}
	s.estimate = s.gap()
}

func (s *nu) Estimate() float64 { return s.estimate }
func (s *nu) Present()          {}

// pays returns what it pays to grow a part, and whether it may grow or shrink.
func (s *nu) pays(side, i int) (h float64, grows, shrinks bool) {
	h = s.p.Targets[i] - s.r[i]
	if side == 1 {
		h = -h
	}
	x := s.x[side][i]
	return h, x < s.cap[side][i], x > 0
}

// span returns the most that growing pays on a side, and the least.
func (s *nu) span(side int) (top, bottom float64) {
	top, bottom = math.Inf(-1), math.Inf(1)
	for i := range s.r {
		h, grows, shrinks := s.pays(side, i)
		if grows {
			top = max(top, h)
		}
		if shrinks {
			bottom = min(bottom, h)
		}
	}
	return top, bottom
}

// A part is one variable.
type part struct {
	row, side int
	worth     float64 // by how much it is beyond its side's other end
}

// choose returns the parts that violate the condition most, a quarter of them of
// each kind: of either side those that should grow, and that should shrink.
func (s *nu) choose() (set []part) {
	taken := make(map[part]bool)
	for side := range s.x {
		top, bottom := s.span(side)
		if !(top > bottom) {
			continue
		}
		var grow, shrink []part
		for i := range s.r {
			h, grows, shrinks := s.pays(side, i)
			if grows && h > bottom {
				grow = append(grow, part{i, side, h - bottom})
			}
			if shrinks && h < top {
				shrink = append(shrink, part{i, side, top - h})
			}
		}
		for _, list := range [2][]part{grow, shrink} {
			slices.SortFunc(list, func(a, b part) int {
				return cmp.Or(cmp.Compare(b.worth, a.worth), a.row-b.row)
			})
			for _, v := range list[:min(len(list), max(1, s.q/4))] {
				if v.worth = 0; !taken[v] {
					taken[v] = true
					set = append(set, v)
				}
			}
		}
	}
	return set
}

// level returns the best rho of a side for the responses, in the units of x.
func (s *nu) level(side int) float64 {
	var c, weight []float64
	for i, w := range s.cap[side] {
		if w > 0 {
			h, _, _ := s.pays(side, i)
			c, weight = append(c, -h), append(weight, w)
		}
	}
	return problem.Quantile(c, weight, s.p.Sides[side].Mass/s.p.Lambda)
}

// gap returns about the relative gap that Certify would find: every part costs what
// it could still gain, x where growing pays too little and cap - x where it pays.
func (s *nu) gap() float64 {
	gap, dual := 0.0, 0.0
	for side := range s.x {
		rho := s.level(side)
		for i, x := range s.x[side] {
			h, _, _ := s.pays(side, i)
			gap += float64((s.cap[side][i]-x)*max(0, rho+h)) + float64(x*max(0, -rho-h))
		}
	}
	for i, b := range s.beta {
		dual += float64(b * (s.p.Targets[i] - s.r[i]/2))
	}
	return problem.Relative(s.p.Lambda*(dual+gap), s.p.Lambda*dual, s.p.Zero())
}

// Point writes the coefficients as weights and dual variables, with the best bias.
func (s *nu) Point() problem.Point {
	n := s.p.Len()
	if s.pt.W == nil {
		s.pt = problem.Point{W: make([]float64, n+1), A: make([]float64, n)}
	}
	for i, b := range s.beta {
		s.pt.A[i] = -float64(s.p.Lambda*b) * (s.p.N / s.p.S[i])
	}
	s.p.Weights(s.pt.W, s.pt.A)
	s.pt.W[n] = s.p.Bias(s.r)
	return s.pt
}
