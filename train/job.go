package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// job is one call of Fit.
type job struct {
	spec    Spec
	set     *dataset.Set
	labels  *labels
	scaling *dataset.Scaling
	stated  *stated
	first   objective // of output 0; the others are made when needed
	start   *start    // nil: at zero
	c       float64   // 1/(lambda N), as it was given if it was
	solver  solver.Solver
	why     string // the solver was chosen so
	biasWhy string // the bias is not the usual one; "": it is, or was asked for

	machine *MachineFacts // of the model that was made; nil: none

	last []problem.Point // of each output, of its last look; kept for those who watch

	mapped  kernel.Map    // whose images are the rows; nil: they are as they were
	mapping time.Duration // took so long
}

// prepare checks everything before any work is done, and states the problems.
func prepare(ctx context.Context, set *dataset.Set, spec Spec) (*job, error) {
	j := &job{spec: spec, set: set}
	if err := j.spec.Check(); err != nil {
		return nil, err
	}
	if err := trainable(set, j.spec.Task); err != nil {
		return nil, err
	}
	j.biasWhy = j.spec.adopt()
	j.spec.complete(set)
	if set.Text && !takesText(j.spec.Kernel) {
		return nil, DataError{"found texts, of which only kernels of strings make sense: expected --kernel spectrum or --kernel ssk (or words counted as features, such as LIBSVM text)"}
	}
	var err error
	if j.labels, err = readLabels(set, &j.spec); err != nil {
		return nil, err
	}
	if err := cmp.Or(j.checkSingle(), j.spec.checkNu(j.spec.Task)); err != nil {
		return nil, err
	}
	if j.spec.Loss == "" && j.spec.Nu != 0 {
		j.spec.Loss = shareLosses[j.spec.Task]
	}
	if j.spec.Loss == "" {
		j.spec.Loss = map[bool]string{true: "hinge", false: "squared"}[j.labels.classes != nil]
	}
	if j.scaling, err = dataset.NewScaling(j.spec.Scaling, set); err != nil {
		return nil, err
	}
	if err := j.state(ctx); err != nil {
		return nil, err
	}
	if j.single() {
		j.spec.Solver, j.why = "none", "one class, nothing to tell apart"
		return j, nil
	}
	if j.solver, err = j.makeSolver(); err != nil {
		return nil, err
	}
	return j, j.solver.Accepts(j.first.Problem)
}

// trainable refuses data from which nothing can be learned.
func trainable(set *dataset.Set, task string) error {
	if set.Target.Absent() && task != OneClass {
		return DataError{"the data have no targets: expected a label in every row"}
	}
	if set.Rows() == 0 {
		return DataError{"the data have no rows: expected at least two"}
	}
	return gapless(set.X)
}

// takesText reports whether a kernel is one of strings: it does not take every row.
func takesText(spec string) bool {
	k, err := kernel.New(spec)
	return spec != "" && err == nil && kernel.Selective(k)
}

// gapless refuses rows of which the features are numbered with such gaps that what
// is learned of each would not fit into memory.
func gapless(x matrix.Matrix) error {
	_, d := x.Dims()
	if stored := matrix.Nonzeros(x); d > 1<<24 && int64(d)/256 > stored {
		return DataError{fmt.Sprintf("found %d features but only %d values that are not zero, expected features to be numbered without such gaps: their weights alone would take %.1f GB", d, stored, 8e-9*float64(d))}
	}
	return nil
}

// state works out what the problems of all outputs share, and makes the first.
func (j *job) state(ctx context.Context) error {
	t, err := j.spec.terms()
	if err != nil {
		return err
	}
	if _, margin := t.loss.(loss.Margin); margin && j.labels.classes == nil {
		return fmt.Errorf("loss %q separates two classes, but the targets are numbers: choose a regression loss such as squared, or --task classification", j.spec.Loss)
	}
	if t.slack != 0 && j.spec.Loss != "hinge" {
		return fmt.Errorf("slack=%g is for classes: expected the loss hinge, found %s", t.slack, j.spec.Loss)
	}
	if t.slack != 0 && (j.set.Weight != nil || j.labels.factor != nil) {
		return fmt.Errorf("slack=%g with weights of rows or classes: expected none", t.slack)
	}
	x := j.set.X
	if j.scaling != nil {
		x = j.scaling.Matrix(x)
	}
	weights := orOnes(j.labels.weights(j.set.Weight), j.set.Rows())
	total := sum(weights)
	if math.IsInf(total, 1) {
		return DataError{"the row weights add up to +Inf, expected a finite number"}
	}
	if j.c = cmp.Or(j.spec.C, 1); j.spec.Lambda != 0 {
		j.c = 1 / (j.spec.Lambda * total)
	}
	if j.spec.Lambda == 0 && j.spec.Radius == 0 && j.spec.Slack == 0 && (j.spec.Nu == 0 || j.spec.Task == "regression") {
		j.spec.Lambda = 1 / (j.c * total)
	}
	if t.nu != 0 && j.spec.Task == "classification" {
		if err := j.labels.checkShares(t.nu, weights); err != nil {
			return err
		}
	}
	k, err := j.spec.kernel(j.set.Cols())
	if err != nil {
		return err
	}
	if j.spec.Map != "" {
		if x, err = j.imageRows(ctx, k, x); err != nil {
			return err
		}
		k = nil // the problem is linear
	}
	if j.stated, err = newStated(t, k, x, kernel.Options{Cache: j.spec.Cache, Threads: j.threadsEach()}); err != nil {
		return err
	}
	if f, ok := j.stated.family.(machineFamily); ok {
		j.spec.Kernel = kernel.Fitted(j.spec.Kernel, f.gram.Shift())
	}
	j.stated.labels, j.stated.weights, j.stated.lambda = j.labels, weights, j.spec.Lambda
	if j.first, err = j.stated.output(0); err != nil {
		return err
	}
	j.chooseSolver()
	return nil
}

// chooseSolver names the solver and how many partitions it works on.
func (j *job) chooseSolver() {
	if j.spec.auto() {
		j.spec.Solver, j.why = j.stated.family.choose(j.first.Problem, j.spec.Gap)
		if j.spec.Partitions > 0 {
			j.spec.Solver, j.why = "sdca", "it works in partitions"
		}
	}
	if j.spec.Partitions > 0 {
		j.spec.Solver = fmt.Sprintf("sdca:partitions=%d", j.spec.Partitions)
	}
}

// total is the sum of the row weights.
func (j *job) total() float64 {
	if j.first.rows == nil {
		return j.first.N
	}
	return sum(j.stated.weights)
}
