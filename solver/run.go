package solver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// Run drives s on p until one of the ends listed at Status. It returns an
// error only when s does not accept p or Options.From has another shape; a
// cancelled context is a Status, and the Solution then holds the best point
// found. Of a start that is worse than zero the run takes what is of use.
func Run(ctx context.Context, s Solver, p problem.Problem, opt Options) (*Solution, error) {
	if err := s.Accepts(p); err != nil {
		return nil, err
	}
	if err := fits(opt.From, p); err != nil {
		return nil, err
	}
	if opt.Gap == 0 {
		opt.Gap = DefaultGap
	}
	traits := TraitsOf(s)
	if opt.Epochs == 0 {
		opt.Epochs = traits.Passes
	}
	r := run{clock: clock{ctx: ctx, begun: time.Now(), limit: opt.Time}, unproved: traits.Passes > 0, traits: traits, problem: p, opt: opt, record: record{first: math.NaN()}}
	defer r.interruptProblem(nil)
	r.measureCost()
	r.start(s)
	r.step(false)
	switch {
	case opt.From == nil || opt.Growth >= Far || r.machine() && opt.Growth > 0 && opt.Growth <= 1.0/Far:
	case opt.From.W != nil && opt.From.A != nil:
		r.assess(*opt.From) // whatever the solver makes of it: it may be the answer
		r.dropWorseThanZero(s)
	default:
		r.assess(r.point())
	}
	for r.status == "" {
		r.advance()
		if point := r.point(); !r.skips(point) {
			r.assess(point)
		}
	}
	if r.status == Diverged && r.certified < r.epoch && !r.unproved && !r.over() {
		r.retrace(s)
	}
	r.fallBack()
	r.settle()
	if r.status == Stalled && r.report.End != nil {
		r.bestCertificate.Warnings = append(r.bestCertificate.Warnings, r.report.End)
	}
	r.bestCertificate.Warnings = append(r.bestCertificate.Warnings, r.report.Warnings...)
	return &Solution{
		Status: r.status, Point: r.best, Certificate: r.bestCertificate,
		Epochs: r.before + r.epoch, Done: r.report.Done, Train: r.train, Certify: r.certify,
	}, nil
}

// machine reports whether certificates cost rows of a kernel matrix.
func (r *run) machine() bool {
	_, ok := r.problem.(problem.Interruptible)
	return ok
}

// dropWorseThanZero starts anew without the parts of a warm start that are worse than zero:
// weights with a higher objective, and dual variables beside them that bound no loss.
func (r *run) dropWorseThanZero(s Solver) {
	c := r.bestCertificate
	if r.status != "" && r.status != Diverged || c.Primal <= c.Zero {
		return
	}
	from := problem.Point{A: r.opt.From.A}
	if r.opt.From = &from; !(c.Dual > 0) {
		r.opt.From = nil
	}
	r.status, r.first = "", math.NaN()
	r.start(s)
}

// fits refuses a warm start that belongs to a problem of another shape.
func fits(from *problem.Point, p problem.Problem) error {
	if from == nil {
		return nil
	}
	rows, cols := p.Dims()
	if n := len(from.W); from.W != nil && n != cols+1 {
		return fmt.Errorf("warm start: found %d weights, expected %d and the bias", n, cols)
	}
	if n := len(from.A); from.A != nil && n != rows {
		return fmt.Errorf("warm start: found %d dual variables, expected one for each of %d rows", n, rows)
	}
	return nil
}

// start starts the solver at the first epoch.
func (r *run) start(s Solver) {
	begin := time.Now()
	r.interruptProblem(r.over)
	rows, _ := r.problem.Dims()
	r.schedule, r.certified = schedule{rows: rows, goal: r.opt.Gap}, 0
	r.state = nil // that of a lost run need not stay beside the new one
	r.support, r.report = &Support{}, Report{Gap: math.NaN()}
	r.state = s.Start(r.problem, Start{From: r.opt.From, Growth: r.opt.Growth, Seed: r.opt.Seed, Gap: r.opt.Gap, Over: r.askOver, Support: r.support})
	r.train += time.Since(begin)
}

// advance runs epochs until a certificate is due.
func (r *run) advance() {
	r.interruptProblem(r.over)
	for r.limit() == "" && r.turn() {
		begin := time.Now()
		r.asks.Store(false)
		r.state.Epoch()
		r.epoch++
		r.readReport()
		r.epochTime = time.Since(begin)
		r.train += r.epochTime
		due := r.schedule.due(r.epoch, r.report.Gap, r.report.Exact) || r.report.End != nil
		if r.step(due || r.limit() != ""); due {
			return
		}
	}
}

// readReport takes in what the state reports.
func (r *run) readReport() {
	if s, ok := r.state.(Reporter); ok {
		r.report = s.Report()
		r.unproved = r.unproved || r.report.Stationary
		r.schedule.stationary = r.report.Stationary
	}
}

// turn waits until the run may make its next epoch, and reports whether it still may. Other
// runs may have told the problem meanwhile when to stop.
func (r *run) turn() bool {
	if r.opt.Turn == nil {
		return true
	}
	limit := r.opt.Turn(r.before + r.epoch)
	r.begun, r.clock.limit = time.Now(), limit
	r.interruptProblem(r.over)
	return r.limit() == ""
}

// step calls Options.Step.
func (r *run) step(certifying bool) {
	if r.opt.Step != nil {
		r.opt.Step(Step{Epoch: r.before + r.epoch, Certifying: certifying, Train: r.train, Certify: r.certify, Estimate: r.report.Gap})
	}
}

// point returns the point at which the solver stands. To make it is part of
// certification, not of training.
func (r *run) point() problem.Point {
	begin := time.Now()
	r.interruptProblem(r.late)
	if r.over() && (r.sparing || r.ctx.Err() != nil) {
		r.support.Spare = true
	}
	point := r.state.Point()
	if r.epoch > 0 {
		r.readReport()
		r.schedule.revise(r.report.Gap)
	}
	r.pointTime = time.Since(begin)
	r.certify += r.pointTime
	return point
}

// assess certifies a point, keeps it if it is the best, and sets the status if the run ends.
func (r *run) assess(point problem.Point) {
	point, c, whole := r.certifyInTime(point)
	r.certified++
	r.skipped = 0
	if !whole {
		r.status = cmp.Or(r.limit(), TimeLimit)
		return
	}
	r.keep(point, c)
	if math.IsNaN(r.first) && r.epoch <= 1 { // later it may be lost already
		r.first = c.Primal
	}
	if r.opt.Trace != nil {
		r.opt.Trace(Progress{Epoch: r.before + r.epoch, Train: r.train, Certify: r.certify, Certificate: c, Point: point})
	}
	if r.bestCertificate.Relative() <= r.opt.Gap {
		r.settle()
	}
	r.schedule.record(r.epoch, r.bestCertificate, r.opt.Gap)
	switch {
	case r.bestCertificate.Relative() <= r.opt.Gap:
		r.status = Converged
	case r.epoch > 0 && r.diverges(c):
		r.status = Diverged
	case r.limit() != "":
		r.status = r.limit()
	case r.report.End != nil || r.traits.Passes == 0 && r.schedule.stalled():
		r.status = Stalled
	case r.settled() && r.epoch >= r.schedule.progress.epoch+2:
		r.status, r.report.End = Stalled, errSettled
	}
}

// settled reports whether the gap is what the certificate allows for rounding, to a thousandth, and
// the state too says that its point is exact. Where nothing is left of the objective another step or two
// find a point that allows for less.
func (r *run) settled() bool {
	c := r.bestCertificate
	return r.report.Exact && r.report.Gap <= 1e-3*r.opt.Gap && c.Gap() <= 1.001*c.Rounding && c.Relative() <= 0.01
}

var errSettled = errors.New("what is left of the gap is what the certificate allows for rounding errors")

// retrace makes a run again that was lost between two certificates, with one after every
// epoch as far as it got: what it had reached on the way was not certified. A certificate
// may change the course a little, so it ends as any run does; if only because its epochs
// are used up, it is lost all the same.
func (r *run) retrace(s Solver) {
	lost := r.epoch
	r.before, r.epoch, r.status = lost, 0, ""
	r.start(s)
	for r.status == "" {
		r.schedule.always = r.epoch < lost
		r.advance()
		r.assess(r.point())
	}
	if r.status == EpochLimit {
		r.status = Diverged
	}
}
