package train

import (
	"context"
	"sync"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Progress is how far the training of one class is.
type Progress struct {
	Class, Classes int // of so many that are trained; 0 of 1 without classes
	solver.Progress
	Evaluations kernel.Counts // of the kernel so far, for all classes

	// Model returns the current point as a model without certificate, for
	// evaluation during the call; nil when there are several classes.
	Model func() *model.Model
}

// solve runs the solver on every problem.
func (j *job) solve(ctx context.Context, limit *limit) ([]*solver.Solution, error) {
	if j.single() {
		return []*solver.Solution{j.constant()}, nil
	}
	outputs := j.labels.outputs()
	solutions, errs := make([]*solver.Solution, outputs), make([]error, outputs)
	var telling sync.Mutex
	parallel.Blocks(outputs, 1, j.workers(), func(c, _, _ int) {
		opt := solver.Options{Gap: j.spec.Gap, Epochs: j.spec.Epochs, Seed: j.spec.Seed + uint64(c), Short: j.spec.short()}
		opt.Time = limit.share(outputs, j.workers())
		p, err := j.problem(c)
		if err != nil {
			errs[c] = err
			return
		}
		opt.From = j.start.point(c, p)
		if j.spec.Progress != nil {
			opt.Trace = func(look solver.Progress) {
				telling.Lock()
				defer telling.Unlock()
				j.spec.Progress(Progress{c, outputs, look, j.evaluations(), j.snapshot(look)})
			}
		}
		if solutions[c], errs[c] = solver.Run(ctx, j.solver, p.Problem, opt); errs[c] == nil {
			solutions[c].Point = p.lift(solutions[c].Point)
		}
	})
	return solutions, first(errs)
}

// workers is how many outputs are trained at the same time.
func (j *job) workers() int {
	if j.spec.IsMachine() { // its matrix serves one at a time, on all cores
		return 1
	}
	return min(parallel.Cores(j.spec.Threads), j.labels.outputs())
}

// threadsEach is how many cores each of them may use.
func (j *job) threadsEach() int { return max(1, parallel.Cores(j.spec.Threads)/max(1, j.workers())) }

// problem returns the problem of output c.
func (j *job) problem(c int) (objective, error) {
	if c == 0 {
		return j.first, nil
	}
	return j.stated.output(c)
}

// snapshot returns what makes the point of a look into a model.
func (j *job) snapshot(p solver.Progress) func() *model.Model {
	if j.labels.outputs() > 1 {
		return nil
	}
	return func() *model.Model {
		m := &model.Model{Classes: j.labels.classes, Scaling: j.scaling, Map: j.mapped, Data: model.Data{Features: j.set.Cols()}, Outputs: make([]model.Output, 1)}
		j.stated.family.store(m, []problem.Point{p.Point})
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
