package dual

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// ActiveSet solves for all coefficients between their bounds at once, and lets one row at a time
// leave its bound: exact solutions after finitely many steps (Scheinberg 2006: SVM-QP; reference
// kernel_qp, section 6).
//
// Problem: problem.Kernel with any bias, a positive semidefinite kernel and a loss with a single
// corner t_i, such as hinge, absolute and quantile: with beta as in dual,
//
//	min  beta^T K beta/2 - t^T beta,  lo <= beta <= hi,  sum_i beta_i = 0 if the bias is free.
//
// With S the free rows and r = K beta, the step is d = v - b u, v = -K'_SS^-1 (r - t)_S, u =
// K'_SS^-1 1, b = sum v / sum u, cut off at the first bound, whose row leaves S. K' = K + rho 1 1^T
// has the same steps, as d adds up to 0, and is regular where K_SS alone need not be: its Cholesky
// factor is changed by a row at a time. Then the row with the largest violation enters S; one that
// K' of S determines moves along the direction of no curvature until a bound is met. Prices are
// those of some promising rows, until none of them is left.
//
// Returned is the last iterate. Cost of a step: |S|^2, and |S| n where all rows are priced;
// memory |S| rows of K in double precision, and |S|^2. A warm start computes the |S| rows at once:
// its factor needs |S|^2 of their values, and the prices of all rows, as soon as coefficients of S
// move, the others. No file could give them but one of |S| n numbers; bounds by |w - w'| on how far
// responses have moved are larger than most margins, and would spare few rows. Ten rows more on
// 3,000 of the set Adult compute 165 rows of K, 152 of them those of S, an eighth of the 1,356 of a
// fresh run; on overlapping Gaussians it is an eleventh.
type ActiveSet struct {
	Candidates int // 0: 64
	Steps      int // rows that enter in an epoch; 0: 64
}

var _ solver.Solver = ActiveSet{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "active-set", Summary: "exact solutions by equations of the free rows: losses with one corner, few free rows; candidates=64 rows priced between passes over all",
		Facts: registry.Facts{Rate: "finite; a row a step, about twice the rows in all", Memory: "|S| rows of K and |S|^2, S the free rows", Source: "Scheinberg 2006; Cauwenberghs, Poggio 2000"},
		New: func(p *registry.Params) (solver.Solver, error) {
			return ActiveSet{Candidates: p.Int("candidates", 64, 1, 1<<20)}, p.Err()
		}})
}

// Accepts takes losses with one corner, and kernels that are inner products.
func (ActiveSet) Accepts(p problem.Problem) error {
	if err := accepts("active-set", p); err != nil {
		return err
	}
	k := p.(*problem.Kernel)
	l, ok := k.Loss.(loss.Cornered)
	if ok {
		_, ramps := l.Ramps(1)
		ok = ramps[0].Width == 0 && ramps[1].Jump == 0
	}
	if !ok {
		return fmt.Errorf("active-set needs a loss with a single corner, such as hinge or absolute, found %s: expected another loss, or the solver working", loss.Name(k.Loss))
	}
	if !k.Definite() {
		return fmt.Errorf("active-set needs a positive semidefinite kernel, found %s: expected another kernel, or the solver smo", kernel.Name(k.Kernel))
	}
	return nil
}

// Start begins at the warm start, or at zero.
func (s ActiveSet) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	n := k.Len()
	a := &activeSet{Dual: newDual(k, support.Kept(k, start)), p: k, most: cmp.Or(s.Candidates, 64), steps: cmp.Or(s.Steps, 64), t: make([]float64, n), pending: make([]float64, n), near: []int{}}
	a.Limit = start.Over
	support.SupportOf(start, a.support)
	a.gram = k.Gram.InDouble(min(n, max(64, int(gram.DefaultCache/8/int64(n+128)))))
	corner := k.Loss.(loss.Cornered)
	for i := range n {
		_, ramps := corner.Ramps(k.Y[i])
		a.t[i] = ramps[0].At
	}
	shift := k.Constant()
	if a.free {
		sum := 0.0
		for _, v := range a.K {
			sum += v
		}
		shift += max(sum/float64(n), 1e-300)
	}
	a.set = support.NewFreeSet(a.gram, n, shift, a.free)
	for i, b := range a.Beta {
		if b > a.Lo[i] && b < a.Hi[i] {
			a.enter(i, 1)
		}
	}
	return a
}

// activeSet is one run.
type activeSet struct {
	*Dual
	p        *problem.Kernel
	gram     *gram.Gram // rows in double precision
	most     int        // candidates
	steps    int        // of an epoch
	t        []float64  // corners
	set      support.FreeSet
	slope    []float64   // (r - t) of the set, up to date
	b        float64     // the bias
	pending  []float64   // changes of beta that are not in r
	touched  []int       // rows that have some
	near     []int       // candidates
	prices   []float64   // their responses, up to date
	block    [][]float64 // of each row of the set, K of it and the candidates
	idle     int         // steps of length 0 one after another
	optimal  bool        // no row violates its condition
	estimate float64
}

// Epoch lets some rows enter.
func (s *activeSet) Epoch() {
	for range s.steps {
		if s.Limit.Reached() || s.p.Cut() {
			break
		}
		if !s.advance() {
			break
		}
	}
	s.flush()
	s.estimate, _ = s.gap(s.p, s.estimate)
}

// Report holds the gap, and why no step is left.
func (s *activeSet) Report() solver.Report { return s.report(s.estimate, s.finished()) }

// finished is errSettled where no row violates its condition.
func (s *activeSet) finished() error {
	if s.optimal {
		return errSettled
	}
	return nil
}

func (s *activeSet) Point() problem.Point {
	var pt problem.Point
	s.flush()
	return s.Dual.point(s.p, &pt)
}

// advance solves for the free rows, and has the worst of the others enter; false: there is none.
func (s *activeSet) advance() bool {
	s.settle()
	i, sign := s.worst(s.near)
	if i < 0 {
		s.flush()
		if i, sign = s.worst(nil); i < 0 {
			s.settle() // by responses that were computed anew
			s.flush()
			if i, sign = s.worst(nil); i < 0 {
				s.optimal = true
				return false
			}
		}
		s.candidates(i)
	}
	s.enter(i, sign)
	return true
}

// values are K of row i and the candidates.
func (s *activeSet) values(i int) []float64 {
	return s.gram.Elements(make([]float64, 0, len(s.near)), i, s.near)
}

// settle moves the free coefficients to where they are best, with the bounds that they meet.
func (s *activeSet) settle() {
	for len(s.set.Rows) > 0 && !s.Limit.Reached() {
		d, b := s.direction()
		step, hit := s.reach(d, 1)
		s.take(d, step)
		for k, g := range s.slope {
			s.slope[k] = g + float64(step*(-g-b))
		}
		if s.count(d, step); hit < 0 {
			s.b = b
			return
		}
		s.drop(hit)
	}
}

// direction is the step to the best coefficients of the set, and the bias there.
func (s *activeSet) direction() (d []float64, b float64) {
	if s.free && len(s.set.Rows) == 1 { // of one row the sum of all leaves nothing to choose
		return []float64{0}, -s.slope[0]
	}
	right := make([]float64, len(s.slope))
	for k, g := range s.slope {
		right[k] = -g
	}
	return s.set.Solve(right, 0)
}

// reach returns how far the set may go along d, at most so far, and which bound is hit first: the
// place in the set, -1 if none is.
func (s *activeSet) reach(d []float64, most float64) (step float64, hit int) {
	step, hit = most, -1
	for k, i := range s.set.Rows {
		room := math.Inf(1)
		switch {
		case d[k] < 0:
			room = (s.Lo[i] - s.Beta[i]) / d[k]
		case d[k] > 0:
			room = (s.Hi[i] - s.Beta[i]) / d[k]
		}
		if room < step {
			step, hit = max(0, room), k
		}
	}
	return step, hit
}

// take moves the set, the rows that end at a bound exactly onto it.
func (s *activeSet) take(d []float64, step float64) {
	for k, i := range s.set.Rows {
		s.put(i, s.Beta[i]+float64(step*d[k]))
	}
}

// put changes a coefficient.
func (s *activeSet) put(i int, beta float64) {
	before := s.Beta[i]
	s.Beta[i] = min(max(beta, s.Lo[i]), s.Hi[i])
	change := s.Beta[i] - before
	if change == 0 {
		return
	}
	if s.pending[i] == 0 {
		s.touched = append(s.touched, i)
	}
	s.pending[i] += change
	s.moved = true
	if at := s.set.Place[i]; at >= 0 {
		vec.Axpy64(s.prices, change, s.block[at])
	} else {
		vec.Axpy64(s.prices, change, s.values(i))
	}
	if c := float64(change * s.p.Constant()); c != 0 {
		for k := range s.prices {
			s.prices[k] += c
		}
	}
}

// count notices steps of no length, of which there may be circles.
func (s *activeSet) count(d []float64, step float64) {
	if s.idle++; step > 0 && vec.SquaredNorm64(d) > 0 {
		s.idle = 0
	}
}

// drop has a row that hit a bound leave the set.
func (s *activeSet) drop(at int) {
	i := s.set.Remove(at)
	s.slope, s.block = slices.Delete(s.slope, at, at+1), slices.Delete(s.block, at, at+1)
	bound := s.Lo[i]
	if s.Hi[i]-s.Beta[i] < s.Beta[i]-bound {
		bound = s.Hi[i]
	}
	s.put(i, bound)
	s.retarget(i)
}

// enter adds row i to the set, on the way up or down. Where the set determines it, it moves until
// a bound is met, which may be its own.
func (s *activeSet) enter(i int, sign float64) {
	for !s.Limit.Reached() {
		d, added := s.set.Add(i)
		slope := s.response(i) - s.t[i]
		if added {
			s.slope, s.block = append(s.slope, slope), append(s.block, s.values(i))
			return
		}
		slope -= vec.Dot64(d, s.slope)
		if slope*sign > 0 { // a warm start is on neither bound
			sign = -sign
		}
		for k := range d {
			d[k] *= -sign
		}
		room := s.Hi[i] - s.Beta[i]
		if sign < 0 {
			room = s.Beta[i] - s.Lo[i]
		}
		step, hit := s.reach(d, room)
		s.take(d, step)
		s.put(i, s.Beta[i]+float64(sign*step))
		s.count(d, step)
		if hit < 0 {
			s.put(i, map[bool]float64{true: s.Hi[i], false: s.Lo[i]}[sign > 0])
			s.retarget(i)
			return
		}
		s.drop(hit)
	}
}

// response is r of a row, with what is pending.
func (s *activeSet) response(i int) float64 {
	if at := slices.Index(s.near, i); at >= 0 {
		return s.prices[at]
	}
	r := s.R[i]
	for _, j := range s.touched {
		r += float64(s.pending[j] * s.element(j, i))
	}
	return r
}

// element is K of two rows, from a row that is likely to be kept.
func (s *activeSet) element(j, i int) float64 {
	return s.gram.At(j, i) + s.p.Constant()
}

// flush brings all responses up to date, and the slopes of the set.
func (s *activeSet) flush() {
	if len(s.touched) == 0 {
		return
	}
	by := make([]float64, len(s.touched))
	for k, j := range s.touched {
		by[k], s.pending[j] = s.pending[j], 0
	}
	s.gram.Update(s.R, s.touched, by)
	if c := s.p.Constant(); c != 0 {
		sum := float64(c * vec.Total(by))
		for i := range s.R {
			s.R[i] += sum
		}
	}
	s.touched = s.touched[:0]
	s.prices = Gather(s.prices, s.R, s.near)
	for k, i := range s.set.Rows {
		s.slope[k] = s.R[i] - s.t[i]
		s.retarget(i)
	}
	if s.set.IsWorn() {
		s.refactor()
	}
}

// refactor makes the factor anew: rotations add up roundings.
func (s *activeSet) refactor() {
	rows := s.set.Rows
	s.set.Clear()
	s.slope, s.block = nil, nil
	for _, i := range rows {
		s.enter(i, 1)
	}
}

// price is by how much row i violates its condition, and the sign of the step that mends it.
func (s *activeSet) price(i int, response float64) (violation, sign float64) {
	pull := s.t[i] - response
	if s.free {
		pull -= s.b
	}
	switch {
	case s.Beta[i] < s.Hi[i] && s.set.Place[i] < 0 && pull > 0:
		return pull, 1
	case s.Beta[i] > s.Lo[i] && s.set.Place[i] < 0 && pull < 0:
		return -pull, -1
	}
	return 0, 0
}

// settled is the violation that counts as none, relative to the responses.
var settled = 1e-11

// worst returns the row of the largest violation among some, all if they are nil, and the sign of
// its step; -1: none violates its condition. After many steps of no length it is the first one.
func (s *activeSet) worst(among []int) (row int, sign float64) {
	row = -1
	most := settled
	look := func(i int, response float64) {
		v, way := s.price(i, response)
		if v > most*(1+math.Abs(response)+math.Abs(s.t[i])) && (row < 0 || s.idle < 2*len(s.t)) {
			row, sign, most = i, way, v/(1+math.Abs(response)+math.Abs(s.t[i]))
		}
	}
	if len(s.set.Rows) == 0 && s.free {
		return s.open()
	}
	if among == nil {
		for i, r := range s.R {
			look(i, r)
		}
		return row, sign
	}
	for k, i := range among {
		look(i, s.prices[k])
	}
	return row, sign
}

// open returns a row to begin a set with, where the bias is free and no row is: the one that pulls
// the bias up most, unless a bias suits all.
func (s *activeSet) open() (row int, sign float64) {
	s.flush()
	up, down := -1, -1
	for i, r := range s.R {
		if s.Beta[i] < s.Hi[i] && (up < 0 || s.t[i]-r > s.t[up]-s.R[up]) {
			up = i
		}
		if s.Beta[i] > s.Lo[i] && (down < 0 || s.t[i]-r < s.t[down]-s.R[down]) {
			down = i
		}
	}
	if up < 0 || down < 0 {
		return -1, 0
	}
	top, bottom := s.t[up]-s.R[up], s.t[down]-s.R[down]
	if !(top-bottom > settled*(1+math.Abs(top)+math.Abs(bottom))) {
		return -1, 0
	}
	return up, 1
}

// candidates chooses the rows that are priced until none of them is left: row i, and those of the
// largest violations.
func (s *activeSet) candidates(i int) {
	var worst Worst
	worst.Reset(s.most - 1)
	for j, r := range s.R {
		if v, _ := s.price(j, r); j != i && v > settled*(1+math.Abs(r)+math.Abs(s.t[j])) {
			worst.Offer(j, v)
		}
	}
	s.near = append(s.near[:0], i)
	for _, c := range worst.List {
		s.near = append(s.near, c.row)
	}
	slices.Sort(s.near)
	s.prices = Gather(s.prices, s.R, s.near)
	for k, j := range s.set.Rows {
		s.block[k] = s.values(j)
	}
}
