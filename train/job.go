package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	jointsolver "github.com/fenchel-ml/fenchel/solver/joint"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// job is one call of Fit.
type job struct {
	spec    Spec
	set     *dataset.Set
	labels  *labels
	scaling *dataset.Scaling
	weights []float64 // of all rows

	features matrix.Matrix // scaled, or their images
	kernel   kernel.Kernel // nil: linear
	problems *problems
	first    objective // of output 0; the others are made when needed

	start   *start  // nil: at zero
	from    *Fitted // or at this solution; nil: not
	part    *Part   // whose rows these are; nil: of none
	c       float64 // 1/(lambda N), as it was given if it was
	solver  solver.Solver
	why     string // the solver was chosen so
	biasWhy string // the bias is not the usual one; "": it is, or was asked for

	margins     []float64 // Result.Margins
	pairsAtOnce int       // matrices of pairs of classes that fit into memory; 0: they have none
	beside      bool      // the matrix is at hand, and several outputs read it at the same time
	released    bool      // the first problem no longer has its matrix

	last []problem.Point // of each output, of its last look; kept for those who watch

	mapped  kernel.Map    // whose images are the rows; nil: they are as they were
	mapping time.Duration // took so long
}

// prepare does everything before the first epoch: a spec becomes a statement, and with the
// targets and rows of the data the problems of that.
func prepare(ctx context.Context, set *dataset.Set, spec Spec) (*job, error) {
	j := &job{spec: spec, set: set}
	return j, j.prepare(ctx)
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
	if j.labels, err = readLabels(j.set, j.spec.target()); err != nil {
		return err
	}
	return cmp.Or(j.checkSingle(), j.spec.checkNu(j.spec.Task))
}

// trainable refuses data from which nothing can be learned.
func trainable(set *dataset.Set, task string) error {
	if set.Target.Absent() && task != OneClass {
		return DataError{"the data have no targets: expected a label in every row"}
	}
	if set.Rows() == 0 {
		return DataError{"the data have no rows: expected at least two"}
	}
	if set.Cols() == 0 {
		return DataError{"the rows have no features: expected at least one"}
	}
	return gapless(set.X)
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
	if j.scaling, err = dataset.NewScaling(j.spec.Scaling, j.set); err != nil {
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
	opt := kernel.Options{Cache: j.spec.Cache, Threads: j.threadsEach()}
	var rows family
	if j.part != nil {
		rows, err = j.part.rows(ctx, j, opt)
	} else {
		if rows, err = newFamily(j.kernel, j.features, opt); err == nil {
			err = j.fill(ctx, rows)
		}
	}
	if err != nil {
		return err
	}
	if j.problems, err = problemsOf(j.statement(), j.spec.own(), j.labels, j.weights, rows, opt.Threads); err != nil {
		return err
	}
	j.problems.beside, j.problems.threads = j.beside, j.threadsEach()
	if f, ok := j.problems.family.(machineFamily); ok {
		j.spec.Kernel = kernel.Fitted(j.spec.Kernel, f.gram.Shift())
		if j.problems.pairs = j.pairs(rows); j.problems.pairs != nil {
			j.problems.threads = j.threadsEach()
			defer f.gram.StopWhen(nil)
			f.gram.StopWhen(func() bool { return ctx.Err() != nil })
		}
	}
	j.first, err = j.problems.output(0)
	return err
}

// fill computes the whole matrix of a kernel once for the problems of several classes, which else
// compute it again for each class. Of pairs of classes each has its own matrix.
func (j *job) fill(ctx context.Context, rows family) error {
	f, machine := rows.(machineFamily)
	if !machine || j.labels.outputs() < 3 || j.labels.pairs || !j.spec.auto() {
		return nil
	}
	err := fillTable(ctx, f.gram, func() {
		if kernel.TableFits(f.gram.Len(), j.spec.Cache) {
			f.gram.Fill(nil)
		} else {
			f.gram.FillSingle()
		}
	})
	j.beside = f.gram.Filled()
	return err
}

// pairs prepares the matrices of pairs of classes, if they fit into memory; else nil.
func (j *job) pairs(rows family) *kernel.Pairs {
	f, machine := rows.(machineFamily)
	if !machine || !j.labels.pairs || j.labels.outputs() < 3 || !j.spec.auto() || f.gram.Filled() {
		return nil
	}
	var classes [][]int
	var sizes []int
	for _, of := range j.labels.rowsOf() {
		numbers := make([]int, len(of))
		for k, i := range of {
			numbers[k] = int(i)
		}
		classes, sizes = append(classes, numbers), append(sizes, len(of))
	}
	if j.pairsAtOnce = kernel.PairsAtOnce(sizes, j.spec.Cache); j.pairsAtOnce == 0 {
		return nil
	}
	return f.gram.Pairs(classes)
}

// chooseSolver names the solver and how many partitions it works on, and makes it.
func (j *job) chooseSolver(context.Context) (err error) {
	if j.single() {
		j.spec.Solver, j.why = "none", "one target, nothing to tell apart"
		return nil
	}
	if j.spec.auto() {
		j.spec.Solver, j.why = j.problems.choose(j.first.Problem, j.spec.Gap)
		if j.spec.Partitions > 0 {
			j.spec.Solver, j.why = "sdca", "it works in partitions"
		} else if _, linear := j.first.Problem.(*problem.Linear); linear && j.spec.Solver == "sdca" && j.part != nil && j.part.beside {
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

// total is the sum of the row weights.
func (j *job) total() float64 {
	if j.first.rows == nil {
		return j.first.N
	}
	return sum(j.weights)
}

// makeSolver makes the solver of the job.
func (j *job) makeSolver() (solver.Solver, error) {
	if j.spec.CustomSolver != nil {
		return j.spec.CustomSolver, nil
	}
	if j.problems.joint != nil {
		return jointsolver.New(j.spec.Solver)
	}
	return j.problems.family.solver(j.spec.Solver)
}

// imageRows replaces the rows that the problems are about by their images.
func (j *job) imageRows(ctx context.Context, k kernel.Kernel, x matrix.Matrix) (matrix.Matrix, error) {
	started := time.Now()
	var err error
	j.mapped, x, err = image(ctx, j.spec.Map, k, x, j.spec.Seed, j.spec.Threads)
	j.mapping = time.Since(started)
	return x, err
}

// state completes the spec with what the targets and the weights decide: the loss and lambda.
// Then statement is the whole problem.
func (j *job) state(context.Context) error {
	if j.spec.Loss == "" && j.spec.Nu != 0 {
		j.spec.Loss = shareLosses[j.spec.Task]
	}
	if j.spec.Loss == "" {
		j.spec.Loss = map[bool]string{true: "hinge", false: "squared"}[j.labels.classes != nil]
	}
	t, err := j.spec.terms()
	if err != nil {
		return err
	}
	if _, margin := t.loss.(loss.Margin); margin && j.labels.classes == nil {
		return fmt.Errorf("loss %q separates classes, but the targets%s are numbers: choose a regression loss such as squared, or --task classification", j.spec.Loss, j.set.TargetBy)
	}
	if t.margin() && j.spec.Loss != "hinge" {
		return fmt.Errorf("slack=%g is for classes: expected the loss hinge, found %s", t.slack, j.spec.Loss)
	}
	if t.hard && (j.set.Weight != nil || j.labels.factor != nil) {
		return errors.New("a hard margin with weights of rows or classes: expected none, as it has no slack to weigh")
	}
	j.weights = orOnes(j.labels.weights(j.set.Weight), j.set.Rows())
	total := sum(j.weights)
	if math.IsInf(total, 1) {
		return DataError{"the row weights add up to +Inf, expected a finite number"}
	}
	j.c = j.spec.scaled(t.loss, j.labels.number, j.weights)
	if j.spec.Lambda != 0 {
		j.c = 1 / (j.spec.Lambda * total)
	} else if j.spec.hasLambda() {
		j.spec.Lambda = 1 / (j.c * total)
	}
	if t.nu != 0 && j.spec.Task == "classification" {
		return j.labels.checkShares(t.nu, j.weights)
	}
	return nil
}

// statement writes down the problem.
func (j *job) statement() model.Statement {
	s := model.Statement{Loss: j.spec.Loss, Penalty: j.spec.Penalty, Kernel: j.spec.Kernel, Map: j.spec.Map, TargetLog: j.spec.TargetLog, Lambda: j.spec.Lambda, Radius: j.spec.Radius, Slack: j.spec.Slack, HardMargin: j.spec.HardMargin, Nu: j.spec.Nu, Bias: j.spec.Bias,
		Solver: j.spec.Solver, Gap: j.spec.Gap, Seed: j.spec.Seed, ZeroBased: j.spec.ZeroBased}
	if j.spec.Task == OneClass {
		s.Task = OneClass
	}
	if j.labels.pairs && j.labels.outputs() > 1 {
		s.Scheme = model.OneAgainstOne
	}
	if j.labels.joint {
		s.Scheme = model.Joint
	}
	if j.labels.factor != nil {
		s.ClassWeight = map[string]float64{}
		for c, f := range j.labels.factor {
			s.ClassWeight[j.labels.classes[c]] = f
		}
	}
	return s
}

// posed is the case of a job that is prepared.
func (j *job) posed() *Case {
	return &Case{Statement: j.statement(), Labels: j.labels, Problems: j.problems, First: j.first, Features: j.features, Weighed: j.set.Weight != nil,
		Single: j.single(), C: j.c, Solver: j.solver, Why: j.why, Threads: j.threadsEach()}
}

// Pose states the problem of the spec on the rows of a set as [Fit] does, and solves nothing.
func (spec Spec) Pose(ctx context.Context, set *dataset.Set) (*Case, error) {
	if err := checkSet(set); err != nil {
		return nil, err
	}
	j, err := newLimit(0).prepare(ctx, set, spec)
	if err != nil {
		return nil, err
	}
	return j.posed(), nil
}
