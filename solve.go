package fenchel

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// solve runs the solver on every problem.
func (j *job) solve(ctx context.Context, limit *limit) ([]*solver.Solution, error) {
	if j.single() {
		return []*solver.Solution{j.constant()}, nil
	}
	outputs := j.labels.Outputs()
	solutions, errs := make([]*solver.Solution, outputs), make([]error, outputs)
	turns := newTurns(limit, outputs, j.workers(), j.runsAtOnce(), matrix.Nonzeros(j.set.X))
	var telling sync.Mutex
	defer j.stopPairs(ctx, limit)()
	turns.each(func(c int) {
		opt := solver.Options{Gap: j.spec.Gap, Epochs: j.spec.Epochs, Seed: j.spec.Seed + uint64(c), Short: j.spec.short()}
		opt.Time = turns.share()
		opt.Turn = func(epochs int) time.Duration { return turns.next(c, epochs) }
		p, err := j.problem(c)
		if err != nil {
			errs[c] = err
			return
		}
		if opt.From, opt.Growth = j.start.point(c, p); opt.From == nil {
			opt.From, opt.Growth = j.from.begin(c, p, j.problems.Lambda)
		}
		j.watch(&opt, c, p, &telling)
		if solutions[c], errs[c] = solver.Run(ctx, j.solver, p.Problem, opt); errs[c] == nil {
			solutions[c].Point = p.Extend(solutions[c].Point)
		}
		j.release(c, p)
	})
	return solutions, first(errs)
}

// release takes back the matrix of a pair of classes whose run is over.
func (j *job) release(c int, o pose.Objective) {
	if j.problems.Pairs != nil {
		j.problems.Pairs.Release(o.Family.(pose.MachineFamily).Gram)
		if c == 0 { // no other goroutine writes it
			j.released = true
		}
	}
}

// stopPairs has the matrices of pairs of classes left undone where the run ends before, until what
// it returns is called.
func (j *job) stopPairs(ctx context.Context, limit *limit) (done func()) {
	if j.problems.Pairs == nil {
		return func() {}
	}
	gram := j.problems.Family.(pose.MachineFamily).Gram
	gram.StopWhen(func() bool { return ctx.Err() != nil || limit.over() })
	return func() { gram.StopWhen(nil) }
}

// watch has the run of output c tell what the spec asks for, never two at once.
func (j *job) watch(opt *solver.Options, c int, p pose.Objective, telling *sync.Mutex) {
	output := Output{c, j.labels.Outputs(), j.labels.Name(c)}
	if tell := j.spec.Progress; tell != nil {
		opt.Trace = func(look solver.Progress) {
			telling.Lock()
			defer telling.Unlock()
			tell(Progress{output, look, j.problems.Evaluations(), j.snapshot(c, p, look.Point)})
		}
	}
	if tell := j.spec.Step; tell != nil {
		opt.Step = func(step solver.Step) {
			telling.Lock()
			defer telling.Unlock()
			tell(Step{output, step, j.problems.Evaluations})
		}
	}
}

// mostNumbers is up to how many numbers the last points of all classes are kept.
const mostNumbers = 1 << 24

// snapshot returns what makes the point of a look, and the last ones of other outputs, into a
// model; nil if some are missing.
func (j *job) snapshot(c int, o pose.Objective, point problem.Point) func() *model.Model {
	points := []problem.Point{point}
	if outputs := j.labels.Outputs(); outputs > 1 {
		if outputs*len(point.W) > mostNumbers {
			return nil
		}
		if j.last == nil {
			j.last = make([]problem.Point, outputs)
		}
		j.last[c] = problem.Point{W: slices.Clone(o.Extend(problem.Point{W: point.W}).W)}
		if points = j.last; slices.ContainsFunc(points, func(p problem.Point) bool { return p.W == nil }) {
			return nil
		}
	}
	return func() *model.Model {
		m := j.draft(len(points))
		j.problems.Store(m, points)
		return m
	}
}

// first returns the first error that is not nil.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
