package linear

import (
	"cmp"
	"math"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/vec"
)

// Relay is dual ascent that hands over to a second solver where that is to be done sooner,
// and goes on itself where it turns out not to be, so that no choice between the two costs
// many times what the better one takes alone.
//
//	Second  Newton's method for l2, and for losses with corners; CD for elastic-net
//	Work    of each is counted in numbers touched, never by a clock (relay_work.go)
//	Left    the work until the goal, if the estimated gap goes on falling as it fell during
//	        the last half of the work; for the second, before it has begun, that of a usual
//	        run
//	Over    when the work done, times what is left, exceeds half the square of what the
//	        other has left: soon if it hardly moves, late if it is hardly slower, and the
//	        less counts what is promised, the longer it does not come. With every change
//	        four times as much; whoever takes over is first asked after half of what the
//	        other had left
//	Point   the second begins as it would alone, and dual ascent goes on where it was: its
//	        early weights are a worse start than none (logistic loss: up to three times the
//	        steps of Newton's method). Returned is the point of the lesser estimate
//	Cost    the memory of both once it was handed over
type Relay struct {
	Second solver.Solver
}

const (
	relayTrial = 0.1 // of a usual run of the second: when dual ascent is first asked
	relayShare = 0.5 // of the square of what the other has left; four times with every change,
	relayBack  = 4   // as steps of Newton's method bring most at the end
	relayMost  = 20  // usual runs before one that took over is asked, at most; twice with every change
	relayHope  = 20  // times what was done: all that one that waits is believed to need
)

func init() {
	register := func(name, summary string, second solver.Solver) {
		solvers.Register(registry.Entry[solver.Solver]{Name: name, Summary: summary,
			New: func(*registry.Params) (solver.Solver, error) { return Relay{Second: second}, nil }})
	}
	register("sdca+newton", "sdca that hands over to newton where that is to be done sooner: penalty l2, or a loss with corners", Newton{})
	register("sdca+cd", "sdca that hands over to cd where that is to be done sooner: smooth loss, elastic-net", CD{})
}

// Accepts wants what both want.
func (r Relay) Accepts(p problem.Problem) error {
	if err := r.Second.Accepts(p); err != nil {
		return err
	}
	return SDCA{}.Accepts(p)
}

// Start begins with dual ascent.
func (r Relay) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	s := &relay{p: l, goal: cmp.Or(start.Gap, solver.DefaultGap), usual: usualWork(l, r.Second), share: relayShare, unseen: true}
	s.patience = relayTrial * s.usual
	s.now = ascentLeg(SDCA{}.Start(p, start).(*sdca))
	s.other = &leg{left: s.usual, begin: func() *leg { return secondLeg(l, r.Second.Start(p, start)) }}
	return s
}

type relay struct {
	p          *problem.Linear
	goal       float64
	usual      float64 // work of a run of the second
	patience   float64 // work before the one that runs is asked
	share      float64 // of the square of what the other has left: see Over
	gap        float64 // estimated after the last epoch; 0: not asked for
	unseen     bool    // the rows, which may make a run of the second longer
	now, other *leg    // the one that runs, and the other
	shown      *leg    // whose the last point is
}

// Epoch makes one of the present solver.
func (s *relay) Epoch() {
	if l := s.now; l.work > 0 {
		if s.gap == 0 { // no report was asked for
			s.gap = l.Report().Gap
		}
		l.note(s.gap)
		if s.unseen && s.slow() { // only now, for what that costs
			s.look()
		}
		if s.slow() {
			s.handOver()
		}
	}
	s.now.work += s.now.epoch()
	s.gap = 0
}

// slow reports whether the one that runs should hand over.
func (s *relay) slow() bool {
	l, left := s.now, s.promised()
	return l.work-l.since > s.patience && l.least > s.goal && l.work*l.remain(s.goal) > s.share*left*left
}

// promised is the work that the other one has left. One that has begun may have stood still,
// which promises nothing, and may fall yet: else the one at work would go on for good.
func (s *relay) promised() float64 {
	if s.other.begin != nil {
		return s.other.left
	}
	return min(s.other.left, relayHope*(s.now.work+s.other.work))
}

// look makes a usual run of the second as long as the rows say.
func (s *relay) look() {
	wide := wideness(s.p)
	s.usual *= wide
	s.patience *= wide
	s.other.left = s.usual
	s.unseen = false
}

// handOver lets the other one run.
func (s *relay) handOver() {
	s.patience = min(s.now.left/2, relayMost*s.usual)
	s.usual *= 2
	s.share *= relayBack
	if s.other.begin != nil {
		s.other = s.other.begin()
	}
	s.now, s.other = s.other, s.now
	s.now.since = s.now.work
}

// Report is that of the one that runs, with the objectives of the one whose the last point is.
func (s *relay) Report() solver.Report {
	r := s.now.Report()
	s.gap, r.End = r.Gap, nil
	if s.shown != nil && s.shown != s.now {
		r.Objectives = s.shown.Report().Objectives
	}
	return r
}

// Point is that of the one that runs, unless the other got further. Newton's method may be
// lost, as where its matrix is singular but for rounding: then dual ascent goes on for good.
func (s *relay) Point() problem.Point {
	s.shown = s.now
	if s.other.least > 0 && s.other.least < s.now.Report().Gap {
		s.shown = s.other
		return s.other.Point()
	}
	point := s.now.Point()
	if s.other.least > 0 && math.IsNaN(vec.SquaredNorm64(point.W)) {
		s.handOver()
		s.patience = math.Inf(1)
		s.shown = s.now
		point = s.now.Point()
	}
	return point
}

// leg is one of the two, and how it gets on.
type leg struct {
	solver.Reporter
	epoch func() float64 // makes an epoch, and returns its work
	begin func() *leg    // makes it; nil: it was begun

	work, since float64 // in all; when it was last handed over to
	least       float64 // estimate so far; 0: none
	left        float64 // when it was last asked
	early, late mark    // since when work has doubled once, and not yet
}

// mark is the least estimate after some work.
type mark struct{ work, estimate float64 }

// note takes in the estimate after an epoch. Newton's method that can do no more says 0: if
// that was no proof it stands still where it was.
func (l *leg) note(estimate float64) {
	if !(l.least > 0) || estimate > 0 && estimate < l.least {
		l.least = estimate
	}
	if l.late.work == 0 || l.work >= 2*l.late.work {
		l.early, l.late = l.late, mark{l.work, l.least}
	}
}

// remain returns the work that is left until the goal.
func (l *leg) remain(goal float64) float64 {
	l.left = math.Inf(1)
	since := l.early
	if since.work == 0 {
		since = mark{0, 1} // the relative gap at 0
	}
	if fall := vec.Log(since.estimate / l.least); fall > 0 {
		l.left = vec.Log(l.least/goal) / fall * (l.work - since.work)
	}
	return l.left
}
