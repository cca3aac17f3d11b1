package fenchel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// prepare does everything before the first epoch: a spec becomes a statement, and with the
// targets and rows of the data the problems of that.
func prepare(ctx context.Context, set *data.Set, spec Spec) (*job, error) {
	if spec.IsMachine() || spec.IsNetwork() || spec.Proved {
		set = set.Single()
	}
	j := &job{spec: spec, set: set}
	err := j.prepare(ctx)
	if single := set.Single(); err == nil && single != set && !j.readsDouble() {
		j = &job{spec: spec, set: single}
		err = j.prepare(ctx)
	}
	return j, err
}

// readsDouble reports whether the solver, and so the certificate, sees rows of double precision as they are.
func (j *job) readsDouble() bool {
	l, ok := j.first.Problem.(*problem.Linear)
	return ok && matrix.IsDouble(l.X) && linear.ReadsDouble(l, j.spec.Solver)
}

// prepare takes the steps of the function of that name.
func (j *job) prepare(ctx context.Context) error {
	for _, step := range []func(context.Context) error{j.check, j.readTargets, j.state, j.readFeatures, j.makeProblems, j.chooseSolver} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what makes no sense whatever the targets are, and fills in defaults.
func (j *job) check(context.Context) error {
	if err := j.spec.Check(); err != nil {
		return err
	}
	if err := trainable(j.set, j.spec.Task); err != nil {
		return err
	}
	j.biasWhy = j.spec.adopt()
	j.spec.complete(j.set)
	return j.spec.takes(j.set.Structure)
}

// readTargets makes labels of the targets.
func (j *job) readTargets(context.Context) (err error) {
	if err := j.spec.DecideTask(j.set); err != nil {
		return err
	}
	if t := j.set.Target; j.spec.IsNetwork() && j.spec.Loss == "" && j.spec.Task == "classification" {
		j.spec.Loss = map[bool]string{true: "softmax", false: "logistic"}[len(t.Label) > 2]
	}
	if j.labels, err = pose.ReadLabels(j.set, j.spec.target()); err != nil {
		return err
	}
	if j.spec.IsNetwork() && j.labels.Names != nil {
		return pose.DataError{Reason: fmt.Sprintf("found %d targets, expected one: a network of several is not offered", len(j.labels.Names))}
	}
	return cmp.Or(j.checkTargets(), j.checkSingle(), j.spec.checkNu(j.spec.Task))
}

// trainable refuses data from which nothing can be learned.
func trainable(set *data.Set, task string) error {
	if set.Target.Absent() && task != pose.OneClass {
		return pose.DataError{Reason: "the data have no targets: expected a label in every row"}
	}
	if set.Rows() == 0 {
		return pose.DataError{Reason: "the data have no rows: expected at least two"}
	}
	if set.Cols() == 0 {
		return pose.DataError{Reason: "the rows have no features: expected at least one"}
	}
	return pose.Gapless(set.X)
}

// readFeatures takes the features of a part, or makes them.
func (j *job) readFeatures(ctx context.Context) (err error) {
	if j.part != nil {
		return j.part.prepare(ctx, j)
	}
	return j.makeFeatures(ctx)
}

// makeFeatures scales the rows, and makes the kernel or the images of the rows by a map.
func (j *job) makeFeatures(ctx context.Context) (err error) {
	if j.scaling, err = scaling.New(j.spec.Scaling, j.set); err != nil {
		return err
	}
	j.features = j.set.X
	if j.scaling != nil {
		j.features = j.scaling.Matrix(j.features)
	}
	if j.kernel, err = j.spec.kernel(j.set.Cols()); err != nil || j.spec.Map == "" {
		return err
	}
	j.features, err = j.imageRows(ctx, j.kernel, j.features)
	j.kernel = nil // the problem is linear
	return err
}

// makeProblems makes what the problems of all outputs share, and the first of them.
func (j *job) makeProblems(ctx context.Context) (err error) {
	opt := gram.Options{Cache: j.spec.Cache, Threads: j.threadsEach()}
	var rows pose.Family
	if j.part != nil {
		rows, err = j.part.rows(ctx, j, opt)
	} else {
		if rows, err = pose.NewFamily(j.kernel, j.features, opt); err == nil {
			err = j.fill(ctx, rows)
		}
	}
	if err != nil {
		return err
	}
	if j.problems, err = pose.ProblemsOf(j.statement(), j.spec.own(), j.labels, j.weights, rows, opt.Threads); err != nil {
		return err
	}
	j.problems.Concurrent, j.problems.Threads = j.concurrent, j.threadsEach()
	if f, ok := j.problems.Family.(pose.MachineFamily); ok {
		j.spec.Kernel = gram.Fitted(j.spec.Kernel, f.Gram.Shift())
		if j.problems.Pairs = j.pairs(rows); j.problems.Pairs != nil {
			j.problems.Threads = j.threadsEach()
			defer f.Gram.StopWhen(nil)
			f.Gram.StopWhen(func() bool { return ctx.Err() != nil })
		}
	}
	j.first, err = j.problems.Output(0)
	return err
}

// fill computes the whole matrix of a kernel once for the problems of several classes, which else
// compute it again for each class. Of pairs of classes each has its own matrix.
func (j *job) fill(ctx context.Context, rows pose.Family) error {
	f, machine := rows.(pose.MachineFamily)
	if !machine || j.labels.Outputs() < 3 || j.labels.Pairs || !j.spec.auto() {
		return nil
	}
	err := fillTable(ctx, f.Gram, func() {
		if gram.TableFits(f.Gram.Len(), j.spec.Cache) {
			f.Gram.Fill(nil)
		} else {
			f.Gram.FillSingle()
		}
	})
	j.concurrent = f.Gram.Filled()
	return err
}

// pairs prepares the matrices of pairs of classes, if they fit into memory; else nil.
func (j *job) pairs(rows pose.Family) *gram.Pairs {
	f, machine := rows.(pose.MachineFamily)
	if !machine || !j.labels.Pairs || j.labels.Outputs() < 3 || !j.spec.auto() || f.Gram.Filled() {
		return nil
	}
	var classes [][]int
	var sizes []int
	for _, of := range j.labels.RowsOf() {
		numbers := make([]int, len(of))
		for k, i := range of {
			numbers[k] = int(i)
		}
		classes, sizes = append(classes, numbers), append(sizes, len(of))
	}
	if j.pairsAtOnce = gram.PairsAtOnce(sizes, j.spec.Cache); j.pairsAtOnce == 0 {
		return nil
	}
	return f.Gram.Pairs(classes)
}

// chooseSolver names the solver and how many partitions it works on, and makes it.
func (j *job) chooseSolver(context.Context) (err error) {
	if j.single() {
		j.spec.Solver, j.why = "none", "one target, nothing to tell apart"
		return nil
	}
	if j.spec.auto() {
		j.spec.Solver, j.why = j.problems.Choose(j.first.Problem, j.spec.Gap)
		if j.spec.Partitions > 0 {
			j.spec.Solver, j.why = "sdca", "it works in partitions"
		} else if _, linear := j.first.Problem.(*problem.Linear); linear && j.spec.Solver == "sdca" && j.part != nil && j.part.concurrent {
			j.spec.Partitions = 1 // its epochs come further
		}
	}
	if j.spec.Partitions > 0 {
		j.spec.Solver = fmt.Sprintf("sdca:partitions=%d", j.spec.Partitions)
	}
	if j.solver, err = j.makeSolver(); err != nil {
		return err
	}
	return j.solver.Accepts(j.first.Problem)
}

// makeSolver makes the solver of the job.
func (j *job) makeSolver() (solver.Solver, error) {
	if j.spec.Custom.Solver != nil {
		return j.spec.Custom.Solver, nil
	}
	return j.problems.Solver(j.spec.Solver)
}

// imageRows replaces the rows that the problems are about by their images.
func (j *job) imageRows(ctx context.Context, k kernel.Kernel, x matrix.Matrix) (matrix.Matrix, error) {
	started := time.Now()
	var err error
	j.mapped, x, err = pose.Image(ctx, j.spec.Map, k, x, j.spec.Seed, j.spec.Threads)
	j.mapping = time.Since(started)
	return x, err
}

// state completes the spec with what the targets and the weights decide: the loss and lambda.
// Then statement is the whole problem.
func (j *job) state(context.Context) error {
	if j.spec.Loss == "" && j.spec.Nu != 0 {
		j.spec.Loss = pose.ShareLosses[j.spec.Task]
	}
	if j.spec.Loss == "" {
		j.spec.Loss = map[bool]string{true: "hinge", false: "squared"}[j.labels.Classes != nil]
	}
	t, err := j.spec.terms()
	if err != nil {
		return err
	}
	if _, margin := t.Loss.(loss.Margin); margin && j.labels.Classes == nil {
		return fmt.Errorf("loss %q separates classes, but the targets%s are numbers: choose a regression loss such as squared, or 'task=classification'", j.spec.Loss, j.set.TargetBy)
	}
	if t.Margin() && j.spec.Loss != "hinge" {
		return fmt.Errorf("slack=%g is for classes: expected the loss hinge, found %s", t.Slack, j.spec.Loss)
	}
	if t.Hard && (j.set.Weight != nil || j.labels.Factor != nil) {
		return errors.New("a hard margin with weights of rows or classes: expected none, as it has no slack to weigh")
	}
	j.weights = pose.OrOnes(j.labels.Weights(j.set.Weight), j.set.Rows())
	total := pose.Sum(j.weights)
	if math.IsInf(total, 1) {
		return pose.DataError{Reason: "the row weights add up to +Inf, expected a finite number"}
	}
	asked := j.spec
	j.c = j.spec.stateLambda(t.Loss, j.labels.Number, j.weights, total)
	for c, name := range j.labels.Names {
		of, one := model.Target{Name: name}, asked
		if j.labels.Joint { // one problem has one loss
			one = j.spec
		} else {
			one.stateLambda(t.Loss, j.labels.OfTarget(c).Number, j.weights, total)
		}
		if one.Loss != j.spec.Loss {
			of.Loss = one.Loss
		}
		if one.Lambda != j.spec.Lambda {
			of.Lambda = one.Lambda
		}
		j.targets = append(j.targets, of)
	}
	if t.Nu != 0 && j.spec.Task == "classification" {
		return j.labels.CheckShares(t.Nu, j.weights)
	}
	return nil
}

// stateLambda completes the loss and lambda by the targets, and returns C; total is the sum of the weights.
func (spec *Spec) stateLambda(l loss.Loss, y, weights []float64, total float64) (c float64) {
	c = spec.scaled(l, y, weights)
	if spec.Lambda != 0 {
		c = 1 / (spec.Lambda * total)
	} else if spec.hasLambda() {
		spec.Lambda = 1 / (c * total)
	}
	return c
}

// posed is the case of a job that is prepared.
func (j *job) posed() *pose.Case {
	return &pose.Case{Statement: j.statement(), Labels: j.labels, Problems: j.problems, First: j.first, Features: j.features,
		Single: j.single(), C: j.c, Solver: j.solver, Why: j.why, Threads: j.threadsEach()}
}

// prepare makes the job, unless that takes most of the time: a certificate of features
// that took so long to make would not fit into the rest.
func (l *limit) prepare(ctx context.Context, set *data.Set, spec Spec) (*job, error) {
	patient, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(parallel.Grace, giveUp) })()
	if l.time > 0 {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, l.begun.Add(l.time*3/4+parallel.Grace))
		defer cancel()
		defer context.AfterFunc(ctx, func() {
			if ctx.Err() == context.DeadlineExceeded {
				giveUp()
			}
		})()
	}
	j, err := parallel.Until(patient, func() (*job, error) { return prepare(ctx, set, spec) })
	if errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) && l.time > 0 {
		return nil, LimitError{l.time}
	}
	return j, err
}

// prepare gives a job the features of the part, which its first fit makes.
func (p *Part) prepare(ctx context.Context, j *job) (err error) {
	if !p.ready {
		if err := j.makeFeatures(ctx); err != nil {
			return err
		}
		p.scaling, p.features, p.mapped, p.kernel, p.ready = j.scaling, j.features, j.mapped, j.kernel, true
	}
	j.scaling, j.features, j.mapped, j.kernel = p.scaling, p.features, p.mapped, p.kernel
	return nil
}
