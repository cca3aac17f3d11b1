package dual

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Working is decomposition with large working sets (Joachims 1999; with hundreds
// of rows at a time Cotter, Srebro, Keshet 2011, GTSVM; Wen et al. 2018,
// ThunderSVM), begun on samples.
//
// Problem: problem.Kernel with any bias and a loss that is loss.Invertible and straight or curved;
// dual is its form here. Each round takes the Q rows that violate the optimality
// condition most, half of them because they should grow and half because they
// should shrink, solves the dual problem of these coefficients with the others
// fixed, by steps of pairs or of single coefficients as SMO makes them, and where
// these lead nowhere by steps of all that are free, see face; then it adds up
// what that does to all responses:
//
//	r += sum over the set of (beta_i after - beta_i before) K_i
//
// Many rows are not begun at zero, where all violate the condition alike and
// most of the first rounds must be undone: see sample. Returned is the last iterate. Cost per round: Q^2 values of K, and a row of K for each coefficient
// that changed.
type Working struct{ Q int } // 0: DefaultSet

// DefaultSet is how many rows are in a working set: more than there are free
// coefficients wherever possible, as these only move together. Sets of half that size take twice the rows of K on a9a, and four
// times on w8a.
const DefaultSet = 2048

// MostWhole is up to how many rows the set is all of them, of the default size.
const MostWhole = 3072

// size is how many of n rows are in a set.
func (s Working) size(n int) int {
	q := cmp.Or(s.Q, DefaultSet)
	if q == DefaultSet && n <= MostWhole {
		return n
	}
	return min(q, n)
}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "working", Summary: "large working sets, solved by pairs inside; q=rows in a set",
		Facts: registry.Facts{Rate: "linear in the end; few rounds of many rows", Memory: "rows of K up to the cache", Source: "Joachims 1999; Zanni, Serafini, Zanghirati 2006"},
		New: func(p *registry.Params) (solver.Solver, error) {
			q := p.Int("q", DefaultSet, 2, 1<<14)
			return Working{q}, p.Err()
		}})
}

// Accepts takes every loss whose slope can be inverted.
func (Working) Accepts(p problem.Problem) error { return accepts("working", p) }

// Traits hold the memory of the matrices of halves of the rows, halves of these and so on, and
// of two of the working set.
func (s Working) Traits() solver.Traits {
	return solver.Traits{Memory: func(rows int) int64 {
		n, q := int64(rows), int64(s.size(rows))
		return 8 * (n*n/3 + 2*q*q)
	}}
}

// Start begins at the warm start, or at zero.
func (s Working) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	random := rand.New(rand.NewPCG(start.Seed, 0))
	begin := func(from *problem.Point) *working {
		w := newWorking(k, s.size(k.Len()), 0.1, from, start.Over)
		w.clusters.random = random
		return w
	}
	w := begin(start.From)
	if start.Growth > 0 && start.Growth < 1 && w.exceeds() { // each answers those around it, and stays
		w, start.Growth = begin(support.Kept(k, start)), 0
	}
	support.SupportOf(start, w.support)
	if start.From == nil || start.From.A == nil {
		w.halve(w.clusters.random)
	} else {
		w.resume(start.Growth)
	}
	return w
}

type working struct {
	*Dual
	sample
	clusters clusters
	broad    broad
	p        *problem.Kernel
	q        int
	leave    float64 // how far a round goes: share of the violation that it leaves
	pt       problem.Point
	set      []int
	inside   block
	changes  []float64 // of the coefficients of the set
	drift    float64   // squared, of what the responses may be off by
	estimate float64
	idle     int // rounds that the arithmetic ended, one after another
}

func newWorking(p *problem.Kernel, q int, leave float64, from *problem.Point, over support.Limit) *working {
	s := &working{Dual: newDual(p, from), p: p, q: min(q, p.Len()), leave: leave, estimate: math.Inf(1), sample: sample{share: 1}}
	s.Limit = over
	return s
}

// Epoch is one round.
func (s *working) Epoch() {
	switch {
	case s.below != nil:
		s.descend()
		return
	case s.clusters.on:
		s.sweep()
		return
	case s.order != nil:
		s.enter()
	case s.share != 1:
		s.grow(2)
		s.choose()
	default:
		if s.turns++; s.turns > sampleTurns && s.estimate > goodSample/10 && s.exceeds() {
			s.clusters.on = true
		}
		s.choose()
	}
	if len(s.set) > 0 {
		s.round()
	}
	if !s.partial() && (len(s.set) == 0 || !s.few() || s.turns%(longSet/s.q) == 0) { // which costs as much as a small set
		s.judge()
	}
}

// few reports whether a set is few of many rows.
func (s *working) few() bool { return s.q < longSet && s.q < len(s.R) }

// round solves the dual problem of the working set, or goes on along the face of all rows.
func (s *working) round() {
	if s.broaden() {
		return
	}
	s.inside.begin(s.Dual, s.set, s.p)
	if s.p.Cut() {
		return
	}
	s.inside.solve(s.leave, s.mostInside())
	s.take()
	s.inside.square.lend(s.inside.allRows)
}

// support counts the coefficients of the point, and as long as not all rows are in play
// also those of the dual variables, which are others.
func (s *working) support() (all, spared int) {
	switch {
	case s.below != nil && s.below.partial():
		return s.below.support()
	case s.below != nil:
		all, spared = s.below.support()
		return 2 * all, 2 * spared
	}
	all, spared = s.Dual.support()
	if s.partial() {
		return 2 * all, 2 * spared
	}
	return all, spared
}

// Report holds the gap, and why no step is left.
func (s *working) Report() solver.Report { return s.Dual.report(s.estimate, s.ended()) }

// Point is, as long as not all rows are in play, the predictor of those that are.
func (s *working) Point() problem.Point {
	if s.below != nil {
		return s.lift(s.below.Point())
	}
	s.point(s.p, &s.pt)
	if s.partial() {
		n := copy(s.pt.W, s.Beta)
		if s.p.Bias == problem.Feature {
			s.pt.W[n] = vec.Total(s.Beta)
		}
	}
	return s.pt
}

// ended says why no step is left, nil if one is.
func (s *working) ended() error {
	if s.below != nil || s.partial() {
		return nil
	}
	if s.idle >= mostIdle {
		return errSettled
	}
	return s.end()
}

// take carries the solution of the inner problem over.
func (s *working) take() {
	all := len(s.set) == len(s.R)
	total := s.adopt(s.set, s.inside.Beta)
	s.Negative = min(s.Negative, s.inside.Negative)
	if all {
		copy(s.R, s.inside.R)
		return
	}
	s.respondTo(total)
}

// adopt gives some rows their coefficients. The set is then those that changed, and
// total the sum of the changes.
func (s *working) adopt(rows []int, beta []float64) (total float64) {
	s.set, s.changes = s.set[:0], s.changes[:0]
	for k, i := range rows { // which may be the set itself
		if change := beta[k] - s.Beta[i]; change != 0 {
			s.set, s.changes = append(s.set, i), append(s.changes, change)
			total += change
			s.Dual.set(i, beta[k])
		}
	}
	return total
}

// respondTo adds the changes, of which the sum is total, to the responses. Where that is
// cut short the coefficients are again what they were.
func (s *working) respondTo(total float64) {
	before := support.Remember(&s.before, s.R)
	if s.few() && len(s.set) <= s.p.Capacity() { // rows that are likely to change again
		s.p.Prefetch(s.set)
	}
	if s.p.Update(s.R, s.set, s.changes); support.Undone(s.p, s.R, before) {
		for k, i := range s.set {
			s.Dual.set(i, s.Beta[i]-s.changes[k])
		}
		return
	}
	constant := float64(total * s.p.Constant())
	for k := range s.changes {
		s.drift += float64(s.changes[k] * s.changes[k] * s.K[s.set[k]] * s.K[s.set[k]])
	}
	if constant != 0 {
		for i := range s.R {
			s.R[i] += constant
		}
	}
}

// judge estimates the gap, and computes the responses anew where their rounding
// errors may be a part of it that counts, or hide what violation is left.
func (s *working) judge() {
	last := s.estimate
	var primal float64
	s.estimate, primal = s.gap(s.p, last)
	off := 0.0 // of each response; in the gap most of it cancels
	if s.p.Single() {
		off = 0x1p-24 * math.Sqrt(s.drift)
	}
	settled := s.inside.settled && s.q == len(s.R)
	if off > 8*s.estimate*math.Abs(primal) || s.moved && (settled || !(s.violation() > 0)) {
		s.respond(s.p)
		s.drift = 0
		s.estimate, _ = s.gap(s.p, s.estimate)
	}
	if s.idle++; !settled || s.estimate < 0.9*last {
		s.idle = 0
	}
}

// mostIdle is after how many rounds that the arithmetic ended it is not asked for
// another.
const mostIdle = 3

// interior counts the coefficients that are at no bound, nor at a corner.
func (d *Dual) interior() (n int) {
	for i, up := range d.Up {
		if up == d.Low[i] {
			n++
		}
	}
	return n
}

// end says why no step of a dual problem is left, nil if one is.
func (d *Dual) end() error {
	switch violation := d.violation(); {
	case (d.unproved || d.Negative < 0) && violation <= Resting:
		return Rested(d.Negative)
	case !d.moved && !(violation > 0):
		return errSettled
	}
	return nil
}

// Rested says why a run without a gap has ended, and the most negative curvature that
// it met; 0: none.
func Rested(negative float64) error {
	if negative < 0 {
		return fmt.Errorf("the kernel is not positive definite, the most negative curvature met is %.3g: stopped where the optimality condition is met up to %g, at what need not be the optimum", negative, Resting)
	}
	return fmt.Errorf("no gap is proved: stopped where the optimality condition is met up to %g", Resting)
}

// report is that of a run with an estimate of the gap. Where nothing is proved, as the dual
// problem may not be convex, no gap is promised: certificates, which cost as much there, are rare.
func (d *Dual) report(estimate float64, end error) solver.Report {
	if d.unproved {
		estimate = math.Inf(1)
	}
	return solver.Report{Gap: estimate, Exact: true, Stationary: d.unproved, End: end}
}

var errSettled = errors.New("the optimality condition is met as far as the arithmetic can tell")

// Resting is the violation that LIBSVM stops at, for problems that have no gap.
const Resting = 1e-3

// Responses returns those of all rows that a run of [Working] keeps; nil: it keeps none of them,
// or of some rows alone.
func Responses(from solver.State) []float64 {
	if w, ok := from.(*working); ok && w.below == nil && !w.partial() {
		return w.R
	}
	return nil
}

// mechanism is a part of working that it converges without. The ablation of
// ablation_test.go leaves out one after the other, and measures what each saves.
type mechanism uint32

const (
	withoutFace     mechanism = 1 << iota // working_face.go: pairs alone
	withoutBroad                          // working_face_broad.go
	withoutSample                         // working_sample.go: begin at zero
	withoutClusters                       // working_cluster.go
)

// ablated is what is left out: nothing, outside of that test.
var ablated mechanism

// has reports whether m is left out.
func (a mechanism) has(m mechanism) bool { return a&m != 0 }
