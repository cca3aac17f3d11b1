// Package root solves problems with a bound on the norm or on the slack by other solvers: their
// optimum is that of a problem with a penalty, for one C, which it finds.
//
//	Problem   norm    minimise (1/N) sum_i s_i l_i(<w,x_i> + b) over |w| <= R
//	          slack   maximise over |w| <= 1 the margin after corrections xi of volume sum_i s_i xi_i <= N nu
//	Symbols   w(C) the optimum of sum_i s_i l_i + |w|^2/(2C), L its mean loss, a its dual variables;
//	          h(C) = log(|w|/R), or log(nu |w|/L), which rises with C
//	Update    the root of h: by the secant of h against log C, upwards from a C that is certainly too
//	          small; once it is between C_1 and C_2 by the C of the mixture
//
//	            w = (1-t) w_1 + t w_2,   C = (1-t) C_1 + t C_2,   a = ((1-t) C_1 a_1 + t C_2 a_2)/C
//
//	          of which the bound holds with equality. Each C is begun at the mixture for it, and solved
//	          as far as the distance from the root needs
//	Returned  the mixture, which is the optimum where w is linear in C between C_1 and C_2 (losses with
//	          corners), and else is off by the square of that distance; where no C reaches the bound
//	          the point of the largest C: the answer is that of lambda 0
//	Proof     the certificate of the bounded problem at the mixture's dual variables: its dual is
//	          tangent to the loss as a function of the norm
//	Cost      that of the other solver for each C, of which the last two need the whole accuracy
//	Source    Hastie, Rosset, Tibshirani, Zhu 2004 (w along C); Dowell, Jarratt 1971 (the secant);
//	          Hazan, Koren, Srebro 2011 and Cotter 2013, 2.1 (the three problems have one front)
package root

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Space is what the search needs to know of a family of predictors.
type Space struct {
	Risk    *problem.Risk                                            // the rows
	Weigh   func(v []float64) (squared float64)                      // |sum_i v_i x_i|^2
	At      func(lambda float64) problem.Problem                     // with a penalty
	Choose  func(p problem.Problem, gap float64) solver.Solver       // for that
	Respond func(dst []float64, pt problem.Point, from solver.State) // <w,x_i>, with a bias that is a part of w
	Inner   func(u, v, responses []float64) float64                  // <u,v>, of the v that has the responses
	Cheap   bool                                                     // a certificate costs no more than an epoch
	Machine bool                                                     // w are coefficients of rows, whose products with responses may cancel
}

// Start begins the search for a bound on the norm, or where radius is 0 for one on the slack of the
// margins.
func Start(space Space, radius float64, margins *problem.Margins, start solver.Start) solver.State {
	s := &search{Space: space, start: start, sharp: 1, goal: cmp.Or(start.Gap, solver.DefaultGap)}
	if s.bound = (norm{space.Risk, radius, min(max(1e-5*s.goal, 1e-12), 1e-8)}); radius == 0 {
		s.bound = slack{margins}
	}
	v, unit := slopes(space.Risk) // whose squares may underflow
	for i := range v {
		v[i] /= unit
	}
	if s.first = s.bound.least(unit * math.Sqrt(space.Weigh(v))); !(s.first > 1e-180 && s.first < 1e180) {
		s.first = 1
	}
	s.start.Support = &solver.Support{}
	if start.Support != nil {
		start.Support.Rows = s.support
	}
	return s
}

// support counts the coefficients and the dual variables of the point.
func (s *search) support() (all, spared int) {
	if s.best.w == nil && s.start.Support.Rows != nil {
		all, _ = s.start.Support.Rows()
		return 4 * all, 4 * all
	}
	for _, v := range [][]float64{s.best.w, s.best.a} {
		for _, x := range v {
			if x != 0 {
				all++
			}
		}
	}
	return all, all
}

// slopes are those of the losses at w = 0 and the best bias, times the weights of the rows: of at most
// mostSlopes rows, each for as many others, and with the sum 0 of a free bias; and the largest.
func slopes(p *problem.Risk) (v []float64, largest float64) {
	v = make([]float64, len(p.Y))
	bias := 0.0
	if p.Bias == problem.Free {
		bias = p.BestBias(nil, 0, 1e-6)
	}
	each := (len(v) + mostSlopes - 1) / mostSlopes
	sum, weights := 0.0, 0.0
	for i := 0; i < len(v); i += each {
		v[i] = float64(each) * p.S[i] * p.Loss.Derivative(bias, p.Y[i])
		sum, weights = sum+v[i], weights+p.S[i]
	}
	for i := 0; i < len(v) && p.Bias == problem.Free; i += each {
		v[i] -= float64(p.S[i] / weights * sum)
	}
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return v, largest
}

const mostSlopes = 512

// A node is the optimum of one C, as nearly as its gap says.
type node struct {
	c       float64
	w, a, r []float64 // r are the responses
	squared float64   // |w|^2
	h       float64
	gap     float64 // relative
	best    bool    // the arithmetic gives no smaller gap
}

type search struct {
	Space
	bound bound
	start solver.Start
	goal  float64
	first float64 // C

	p           problem.Problem // of the C that is being solved
	state       solver.State    // nil: none is
	c, gap      float64         // of that: the gap that is sought
	rounds      int
	lo, hi      *node // nearest to the root from either side; nil: none
	past        *node // what lo was before
	side, again int   // of the last node, and how many were there one after the other
	solved      int
	sharp       float64   // by how much smaller the gaps of nodes must be than they seemed to need
	now, best   candidate // of the last nodes, and of all
	end         error
}

// The most C that are solved, the most rounds for one, and the smallest gap sought.
const (
	mostSolved = 150
	mostRounds = 2000
	leastGap   = 1e-15
	mostC      = 1e20 // times the first
)

// Epoch is one of the solver of a C; where that is solved, the next C begins.
func (s *search) Epoch() {
	if s.end != nil {
		return
	}
	if s.state == nil {
		s.begin()
	}
	s.state.Epoch()
	s.rounds++
	if s.over() {
		return
	}
	gap, ended := s.reached()
	if !(gap <= s.gap) && !ended && s.rounds < mostRounds {
		return
	}
	x := s.node(s.state.Point(), gap, ended || s.rounds >= mostRounds)
	if s.over() {
		return
	}
	switch s.state = nil; {
	case !(x.squared <= math.MaxFloat64 && x.h-x.h == 0):
		s.end = fmt.Errorf("the solver of C = %.3g has left all numbers", s.c)
		return
	case s.cancelled(x):
		s.end = fmt.Errorf("no C as large as %.3g is tried: its norm is lost in roundings", s.c)
		return
	}
	s.insert(x)
	s.improve()
}

// cancelled reports whether |w|^2, a sum of products of coefficients and responses, is far below
// their sizes: kernels of low rank have large coefficients that cancel where C is large.
func (s *search) cancelled(x *node) bool {
	if !s.Machine { // |w|^2 is a sum of squares
		return false
	}
	size := 0.0
	for i, r := range x.r {
		size += math.Abs(x.w[i] * r)
	}
	return x.squared < 1e-11*size
}

func (s *search) over() bool {
	cut, ok := s.p.(problem.Interruptible)
	return s.start.Over != nil && s.start.Over() || ok && cut.Cut()
}

// reached returns the relative gap of the state, and whether it can do no more.
func (s *search) reached() (gap float64, ended bool) {
	gap = math.NaN()
	if r, ok := s.state.(solver.Reporter); ok {
		report := r.Report()
		gap, ended = report.Gap, report.End != nil
	}
	if math.IsNaN(gap) || s.Cheap && (gap <= s.gap || ended) {
		gap = s.p.Certify(s.state.Point()).Relative()
	}
	return gap, ended
}

// node is the point of the C that is being solved.
func (s *search) node(pt problem.Point, gap float64, best bool) *node {
	x := &node{c: s.c, w: slices.Clone(pt.W), a: slices.Clone(pt.A), r: make([]float64, len(s.Risk.Y)), gap: gap, best: best}
	s.Respond(x.r, pt, s.state)
	x.squared = max(0, s.Inner(x.w, x.w, x.r))
	x.h = s.bound.level(x.squared, x.w, x.r)
	return x
}

// insert takes in a node. What it contradicts was not solved well enough, and is dropped.
func (s *search) insert(x *node) {
	s.solved++
	for _, old := range []*node{s.lo, s.hi} {
		if old != nil && old.c == x.c && old.gap <= x.gap { // all that could be had
			old.best = true
			return
		}
	}
	side := 1
	if x.h < 0 {
		side = -1
	}
	if side < 0 && s.lo != nil && x.c > s.lo.c && x.h < s.lo.h && x.gap > max(0.01, s.lo.gap) { // h does not fall where C grows
		s.lo.best, s.end = true, fmt.Errorf("no larger C than %.3g is solved as exactly", s.lo.c)
		return
	}
	if s.again++; side != s.side {
		s.side, s.again = side, 1
	}
	if side < 0 {
		if s.lo != nil && s.lo.c < x.c {
			s.past = s.lo
		}
		if s.lo = x; s.hi != nil && s.hi.c <= x.c {
			s.hi = nil
		}
		return
	}
	if s.hi = x; s.lo != nil && s.lo.c >= x.c {
		s.lo, s.past = s.past, nil
		if s.lo != nil && s.lo.c >= x.c {
			s.lo = nil
		}
	}
}

// begin starts the solver of the next C.
func (s *search) begin() {
	from := s.next()
	s.p = s.At(1 / (s.c * s.Risk.N))
	start := s.start
	start.Gap, start.From, start.Growth = s.gap, from, 0
	s.state, s.rounds = s.Choose(s.p, s.gap).Start(s.p, start), 0
}

// next sets C and the gap for it, and returns where to begin.
func (s *search) next() *problem.Point {
	least := max(leastGap, s.goal/4*s.sharp)
	wanted := func(distance float64) float64 { return min(max(distance*distance/20, least), 1e-2) }
	switch lo, hi := s.lo, s.hi; {
	case lo == nil && hi == nil:
		s.c, s.gap = s.first, max(least, 1e-2)
		return s.start.From
	case hi == nil && s.stays():
		if s.c, s.gap = lo.c*min(max(4*s.now.gap/s.goal, 2), math.Exp(7)), least; !lo.best && lo.gap >= s.now.gap/8 {
			s.c, s.gap = lo.c, min(least, lo.gap/10)
		}
		return s.kept(lo)
	case hi == nil:
		s.c, s.gap = lo.c*s.growth(), wanted(lo.h)
		return s.kept(lo)
	case lo == nil:
		s.c, s.gap = hi.c*math.Exp(-min(2*hi.h+0.05, 5)), wanted(hi.h)
		return s.kept(hi)
	case s.polishes():
		return s.kept(s.worse())
	}
	t := s.between()
	s.c, s.gap = mixed(s.lo.c, s.hi.c, t), wanted(min(-s.lo.h, s.hi.h)/2)
	if s.c > 4*s.lo.c && s.c < s.hi.c/4 {
		return nil
	}
	m := s.mixture(t)
	return &problem.Point{W: m.w, A: m.a}
}

// between returns where the next C is on the way from lo to hi: where the mixture is or, as long as
// these are far from each other, where the secant of h meets 0, by log C. From an end that is much
// nearer than the other it goes farther than that, and twice as far each time that the other stays.
func (s *search) between() float64 {
	t, apart, lopsided := s.now.t, math.Log(s.hi.c/s.lo.c), 0.01
	if s.wide() {
		t, lopsided = -s.lo.h/(s.hi.h-s.lo.h), 0.1
	}
	if near := min(t, 1-t); near < lopsided || s.again > 1 {
		near = min(math.Ldexp(near, min(s.again, 30)), 0.5)
		if t = near; s.hi.h < -s.lo.h {
			t = 1 - near
		}
	}
	if s.wide() {
		t = math.Expm1(t*apart) / math.Expm1(apart)
	}
	return t
}

// wide reports whether lo and hi are so far from each other that the mixture says little.
func (s *search) wide() bool { return s.hi.c > 1.35*s.lo.c }

// stays reports whether h has hardly risen: there may be no root.
func (s *search) stays() bool {
	return s.past != nil && s.lo.h-s.past.h < 1e-3*math.Log(s.lo.c/s.past.c)
}

// growth is the factor to the next C where all were too small: h rises with the power of C that
// it had last, at most 1 of the norm.
func (s *search) growth() float64 {
	power := 0.5
	if s.past != nil {
		power = max(0.02, (s.lo.h-s.past.h)/math.Log(s.lo.c/s.past.c))
	}
	return math.Exp(min(max(-1.03*s.lo.h/power, 0)+0.005, 7))
}

// worse is the node to solve more accurately; nil: the arithmetic allows neither.
func (s *search) worse() *node {
	lo, hi := s.lo, s.hi
	switch {
	case lo.best && hi.best:
		return nil
	case hi.best || !lo.best && (1-s.now.t)*lo.gap >= s.now.t*hi.gap:
		return lo
	}
	return hi
}

// inexact reports whether a part of the gap of the mixture that counts is that of the nodes.
func (s *search) inexact() bool {
	return mixed(s.lo.gap, s.hi.gap, s.now.t) >= s.now.gap/4
}

// polishes reports whether it is the gaps of the nodes that make up that of the mixture; then C and
// the gap are those of one of them.
func (s *search) polishes() bool {
	x := s.worse()
	if x == nil || s.wide() || !s.inexact() && s.hi.c > s.lo.c*(1+1e-13) {
		return false
	}
	s.sharp = max(s.sharp/10, 1e-12)
	s.c, s.gap = x.c, max(x.gap/10, leastGap)
	return true
}

// kept returns the point of another C for this: dual variables inside their domains are those of the
// same coefficients. From a C that is far away that takes longer than from zero.
func (s *search) kept(x *node) *problem.Point {
	if s.c > 2*x.c || s.c < x.c/2 {
		return nil
	}
	a := slices.Clone(x.a)
	if x.c != s.c {
		for i := range a {
			if lo, hi := s.Risk.Loss.Domain(s.Risk.Y[i]); a[i] > lo && a[i] < hi {
				a[i] *= x.c / s.c
			}
		}
	}
	return &problem.Point{W: x.w, A: a}
}

// mixed returns (1-t) u + t v.
func mixed(u, v, t float64) float64 { return float64((1-t)*u) + float64(t*v) }

// mixture is the point between lo and hi.
func (s *search) mixture(t float64) *node {
	lo, hi := s.lo, s.hi
	x := &node{c: mixed(lo.c, hi.c, t), w: make([]float64, len(lo.w)), a: make([]float64, len(lo.a)), r: make([]float64, len(lo.r))}
	for j := range x.w {
		x.w[j] = mixed(lo.w[j], hi.w[j], t)
	}
	for i := range x.r {
		x.r[i] = mixed(lo.r[i], hi.r[i], t)
		x.a[i] = mixed(float64(lo.c*lo.a[i]), float64(hi.c*hi.a[i]), t) / x.c
	}
	x.squared = max(0, s.Inner(x.w, x.w, x.r))
	return x
}

// A candidate is a point of the bounded problem, with about its gap.
type candidate struct {
	w, a  []float64
	t     float64
	loose bool // the bound is not reached

	gap          float64 // relative, of these
	primal, dual float64
}

// improve makes the best point of what is known; where neither C nor gaps can come nearer to the
// root the search ends.
func (s *search) improve() {
	t, x := 0.0, s.lo
	if s.lo == nil {
		t, x = 1, s.hi
	} else if s.hi != nil {
		t = s.bound.share(s.lo, s.hi, s.Inner(s.lo.w, s.hi.w, s.hi.r))
		x = s.mixture(t)
	}
	y := s.bound.judge(x, s.hi == nil)
	y.t = t
	if s.now = y; s.best.w == nil || y.gap <= s.best.gap {
		s.best = y
	}
	switch {
	case y.gap <= s.goal/2: // a certificate will say
	case s.solved >= mostSolved:
		s.end = fmt.Errorf("%d values of C were solved", s.solved)
	case s.hi == nil && (s.lo.c > mostC*s.first || s.lo.best && s.lo.gap >= y.gap/8 && s.past != nil && s.stays()):
		s.end = fmt.Errorf("no larger C is tried than %.3g", s.lo.c)
	case s.lo != nil && s.hi != nil && s.lo.best && s.hi.best && (s.hi.c <= s.lo.c*(1+1e-12) || s.inexact()):
		s.end = errors.New("the machines of two neighbouring C are as exact as the arithmetic allows")
	}
}

// Point is the best candidate; before there is one, that of the first C.
func (s *search) Point() problem.Point {
	if s.best.w == nil && s.state != nil {
		x := s.node(s.state.Point(), math.Inf(1), false)
		y := s.bound.judge(x, x.h < 0)
		return problem.Point{W: y.w, A: y.a}
	}
	if s.best.w == nil {
		_, cols := s.At(1 / (s.first * s.Risk.N)).Dims()
		return problem.Point{W: make([]float64, cols+1), A: make([]float64, len(s.Risk.Y))}
	}
	return problem.Point{W: s.best.w, A: s.best.a}
}

// Report holds the gap of the candidate, and what its point is where no C reaches the bound.
func (s *search) Report() solver.Report {
	r := solver.Report{Gap: math.Inf(1), Exact: true, End: s.end}
	if s.best.w != nil {
		r.Gap, r.Objectives = s.best.gap, &solver.Objectives{Primal: s.best.primal, Dual: s.best.dual, Zero: s.Risk.Zero()}
	}
	if s.best.loose && r.Gap <= s.goal {
		r.Warnings = []error{s.bound.loose(s.lo)}
	}
	return r
}
