// Package train is the front door for programs: from rows and a [Spec] to a
// model with its proof.
//
//	set, err := dataset.Read(ctx, []string{"train.svm"}, dataset.Options{})
//	result, err := train.Fit(ctx, set, train.Spec{Loss: "logistic"})
//	label := result.Model.Class(row)
//
// Here a target becomes classes or numbers, several classes become one problem
// each, features are scaled, and solutions become a model. [Verify] recomputes
// what a model claims. Formulas are in package problem, algorithms in package
// solver and below.
package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/linear"
)

// Spec says what to train and when to stop. The zero value is a good default:
// a support vector machine for classes, least squares for numbers, with lambda
// = 1/N and a free bias, to a proved relative gap of 1e-3.
type Spec struct {
	Task    string // "classification", "regression" or "": decided by the targets, see Decide
	Loss    string // as loss.New takes it; "": hinge for classes, squared for numbers
	Penalty string // as penalty.New takes it; "": l2

	// Lambda is the weight of the penalty, C = 1/(lambda N) the same number
	// the other way round, N being the sum of the row weights. At most one may
	// be set; with neither, C = 1.
	Lambda, C float64

	Bias    string // "free", "none", "feature"; "": free
	Scaling string // "none", "max", "std"; "": std for tables, else none
	Solver  string // as linear.New takes it; "" or "auto": as linear.Choose says
	// Partitions is how many parts of the rows sdca works on side by side, at
	// most 4096; 0: by the sizes of the data. It changes the result, Threads do not.
	Partitions int

	// ClassWeight multiplies the weight of every row of a class, by label;
	// absent classes keep theirs. Balanced gives each class the same total.
	ClassWeight map[string]float64
	Balanced    bool

	Gap     float64       // relative, to be proved; 0: 1e-3
	Epochs  int           // at most so many for each class; 0: no limit
	Time    time.Duration // of training; 0: no limit
	Seed    uint64        // of everything random
	Threads int           // at most so many cores; 0: all. Never changes a result
	NoDual  bool          // leave the dual variables out of the model

	ZeroBased bool // noted in the model: how LIBSVM indices of the data begin

	// Progress, when set, is told of every certificate. Calls do not overlap.
	Progress func(Progress)
}

// Progress is one look at the training of one class.
type Progress struct {
	Class, Classes int // of so many that are trained; 0 of 1 without classes
	solver.Progress

	// Model returns the current point as a model without certificate, for
	// evaluation during the call; nil when there are several classes.
	Model func() *model.Model
}

// Result is what Fit made.
type Result struct {
	Model   *model.Model
	Status  solver.Status // the worst of all classes
	Summary Summary
	N       float64 // the sum of the row weights, for C = 1/(lambda N)
	Epochs  int     // of all classes together
	Why     string  // the solver was chosen; "" if it was asked for

	// The time spent in solvers and in certificates, added up over classes that
	// may have run at the same time.
	Train, Certify time.Duration
	Warnings       []error
}

// Summary is the certificate of a model as a whole: sums over its outputs, and
// the worst of them.
type Summary struct {
	Primal, Dual, Zero float64
	Gap                float64 // relative, of the sums
	Worst              float64 // the largest relative gap of an output
	WorstOutput        int
}

// Summarise adds up the certificates of a model.
func Summarise(m *model.Model) Summary {
	var s Summary
	for i, o := range m.Outputs {
		c := o.Certificate
		s.Primal, s.Dual, s.Zero = s.Primal+float64(c.Primal), s.Dual+float64(c.Dual), s.Zero+float64(c.Zero)
		gap := problem.Relative(float64(c.Primal), float64(c.Dual), float64(c.Zero))
		if i == 0 || gap > s.Worst {
			s.Worst, s.WorstOutput = gap, i
		}
	}
	s.Gap = problem.Relative(s.Primal, s.Dual, s.Zero)
	return s
}

// DataError says why nothing can be learned from the data. Other errors of Fit
// are about the Spec.
type DataError struct{ Reason string }

func (e DataError) Error() string { return e.Reason }

// Version is the program version noted in models: that of this module, in the
// command or in the program that uses it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/fenchel-ml/fenchel" && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return "devel"
}

// Fit trains a linear model. A cancelled context or a limit is no error: the
// result then holds the best model found, and says so in its Status.
func Fit(ctx context.Context, set *dataset.Set, spec Spec) (*Result, error) {
	j, err := prepare(set, spec)
	if err != nil {
		return nil, err
	}
	solutions, err := j.solve(ctx)
	if err != nil {
		return nil, err
	}
	return j.result(solutions)
}

// job is one call of Fit.
type job struct {
	spec    Spec
	set     *dataset.Set
	labels  *labels
	scaling *dataset.Scaling
	stated  stated
	first   *problem.Linear // of output 0; the others are made when needed
	solver  solver.Solver
	why     string // the solver was chosen so
}

// prepare checks everything before any work is done, and states the problems.
func prepare(set *dataset.Set, spec Spec) (*job, error) {
	j := &job{spec: spec, set: set}
	if err := checkSpec(&j.spec, set); err != nil {
		return nil, err
	}
	var err error
	if j.labels, err = readLabels(set, &j.spec); err != nil {
		return nil, err
	}
	if j.spec.Loss == "" {
		j.spec.Loss = map[bool]string{true: "hinge", false: "squared"}[j.labels.classes != nil]
	}
	if j.scaling, err = dataset.NewScaling(j.spec.Scaling, set); err != nil {
		return nil, err
	}
	if err := j.state(); err != nil {
		return nil, err
	}
	if j.solver, err = linear.New(j.spec.Solver); err != nil {
		return nil, err
	}
	return j, j.solver.Accepts(j.first)
}

// Check returns what is wrong with the names and numbers of a Spec, as far as
// that can be known without data.
func (spec Spec) Check() error {
	if spec.Task != "" && !slices.Contains(Tasks(), spec.Task) {
		return registry.Unknown("task", spec.Task, Tasks())
	}
	if spec.Scaling != "" && !slices.Contains(dataset.ScalingNames(), spec.Scaling) {
		return registry.Unknown("scaling", spec.Scaling, dataset.ScalingNames())
	}
	if _, err := problem.ParseBias(cmp.Or(spec.Bias, "free")); err != nil {
		return err
	}
	p, err := penalty.New(cmp.Or(spec.Penalty, "l2"))
	if err != nil {
		return err
	}
	if spec.Partitions < 0 || spec.Partitions > linear.MostPartitions {
		return fmt.Errorf("partitions=%d: expected a number from 1 to %d", spec.Partitions, linear.MostPartitions)
	}
	if spec.Partitions > 0 && !spec.auto() && spec.Solver != "sdca" {
		return fmt.Errorf("partitions=%d with solver %q: expected solver sdca, the one that works in partitions", spec.Partitions, spec.Solver)
	}
	if spec.Loss == "" {
		return nil
	}
	l, err := loss.New(spec.Loss)
	if err != nil {
		return err
	}
	if err := solvable(l, p); err != nil || spec.auto() {
		return err
	}
	_, err = linear.New(spec.Solver)
	return err
}

// auto reports whether the solver is to be chosen.
func (spec *Spec) auto() bool { return spec.Solver == "" || spec.Solver == "auto" }

// checkSpec fills in the defaults that do not depend on the targets.
func checkSpec(spec *Spec, set *dataset.Set) error {
	if err := spec.Check(); err != nil {
		return err
	}
	if set.Target.Absent() {
		return DataError{"the data have no targets: expected a label in every row"}
	}
	if set.Rows() == 0 {
		return DataError{"the data have no rows: expected at least two"}
	}
	if d, stored := set.Cols(), matrix.Nonzeros(set.X); d > 1<<24 && int64(d)/256 > stored {
		return DataError{fmt.Sprintf("found %d features but only %d values that are not zero, expected features to be numbered without such gaps: their weights alone would take %.1f GB", d, stored, 8e-9*float64(d))}
	}
	if spec.Lambda != 0 && spec.C != 0 {
		return fmt.Errorf("lambda=%g and C=%g: expected one of the two, as C = 1/(lambda N)", spec.Lambda, spec.C)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"lambda", spec.Lambda}, {"C", spec.C}, {"gap", spec.Gap}} {
		if p.value < 0 || math.IsNaN(p.value) || math.IsInf(p.value, 0) {
			return fmt.Errorf("%s=%g: expected a number > 0", p.name, p.value)
		}
	}
	if spec.Epochs < 0 || spec.Time < 0 {
		return fmt.Errorf("epochs=%d, time=%s: expected limits > 0", spec.Epochs, spec.Time)
	}
	spec.Penalty = cmp.Or(spec.Penalty, "l2")
	spec.Bias = cmp.Or(spec.Bias, "free")
	if spec.Scaling == "" {
		spec.Scaling = "none"
		if set.Schema != nil {
			spec.Scaling = "std"
		}
	}
	if spec.Gap == 0 {
		spec.Gap = solver.DefaultGap
	}
	return nil
}

// state works out what the problems of all outputs share, and makes the first.
func (j *job) state() error {
	l, err := loss.New(j.spec.Loss)
	if err != nil {
		return err
	}
	if _, margin := l.(loss.Margin); margin && j.labels.classes == nil {
		return fmt.Errorf("loss %q separates two classes, but the targets are numbers: choose a regression loss such as squared, or --task classification", j.spec.Loss)
	}
	p, err := penalty.New(j.spec.Penalty)
	if err != nil {
		return err
	}
	if err := solvable(l, p); err != nil {
		return err
	}
	bias, err := problem.ParseBias(j.spec.Bias)
	if err != nil {
		return err
	}
	x := j.set.X
	if j.scaling != nil {
		x = j.scaling.Matrix(x)
	}
	weights := orOnes(j.labels.weights(j.set.Weight), j.set.Rows())
	if j.spec.Lambda == 0 {
		j.spec.Lambda = 1 / (cmp.Or(j.spec.C, 1) * sum(weights))
	}
	j.stated = stated{rows: problem.NewRows(x, j.threadsEach()), labels: j.labels, weights: weights,
		loss: l, penalty: p, bias: bias, lambda: j.spec.Lambda}
	if j.first, err = j.stated.output(0); err != nil {
		return err
	}
	j.chooseSolver()
	return nil
}

// chooseSolver names the solver and how many partitions it works on.
func (j *job) chooseSolver() {
	if j.spec.auto() {
		j.spec.Solver, j.why = linear.Choose(j.first, j.spec.Gap)
		if j.spec.Partitions > 0 {
			j.spec.Solver, j.why = "sdca", "it works in partitions"
		}
	}
	if j.spec.Partitions > 0 {
		j.spec.Solver = fmt.Sprintf("sdca:partitions=%d", j.spec.Partitions)
	}
}

// problem returns the problem of output c.
func (j *job) problem(c int) (*problem.Linear, error) {
	if c == 0 {
		return j.first, nil
	}
	return j.stated.output(c)
}

// stated is what the problems of all outputs share. Their targets are made one
// output at a time: for many classes they would need more memory than the rows.
type stated struct {
	rows    *problem.Rows
	labels  *labels
	weights []float64
	loss    loss.Loss
	penalty penalty.Penalty
	bias    problem.Bias
	lambda  float64
}

// output makes the problem of output c.
func (s *stated) output(c int) (*problem.Linear, error) {
	return problem.NewLinear(s.rows, s.labels.targets(c, s.rows.Threads), s.weights, s.loss, s.penalty, s.lambda, s.bias)
}

// orOnes returns the weights, n ones if there are none.
func orOnes(weights []float64, n int) []float64 {
	if weights != nil {
		return weights
	}
	return slices.Repeat([]float64{1}, n)
}

// solvable returns why no solver can prove anything of a loss with a penalty.
func solvable(l loss.Loss, p penalty.Penalty) error {
	_, strong := p.(penalty.Strong)
	_, curved := l.(loss.Curved)
	if !strong && !curved {
		return fmt.Errorf("the penalty l1 needs a smooth loss such as squared-hinge, logistic or squared: with a non-smooth one neither the dual nor single weights determine the optimum; elastic-net works with every loss")
	}
	return nil
}

func sum(weights []float64) float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	return total
}

// snapshot returns what makes the point of a look into a model.
func (j *job) snapshot(p solver.Progress) func() *model.Model {
	if j.labels.outputs() > 1 {
		return nil
	}
	return func() *model.Model {
		d := j.set.Cols()
		return &model.Model{Classes: j.labels.classes, Scaling: j.scaling, Data: model.Data{Features: d},
			Outputs: []model.Output{{Weights: p.Point.W[:d], Bias: p.Point.W[d]}}}
	}
}

// workers is how many outputs are trained at the same time.
func (j *job) workers() int { return min(matrix.Cores(j.spec.Threads), j.labels.outputs()) }

// threadsEach is how many cores each of them may use.
func (j *job) threadsEach() int { return max(1, matrix.Cores(j.spec.Threads)/max(1, j.workers())) }

// solve runs the solver on every problem.
func (j *job) solve(ctx context.Context) ([]*solver.Solution, error) {
	started := time.Now()
	outputs := j.labels.outputs()
	solutions, errs := make([]*solver.Solution, outputs), make([]error, outputs)
	var telling sync.Mutex
	matrix.Blocks(outputs, 1, j.workers(), func(c, _, _ int) {
		opt := solver.Options{Gap: j.spec.Gap, Epochs: j.spec.Epochs, Seed: j.spec.Seed + uint64(c), Short: j.spec.short()}
		if j.spec.Time > 0 {
			opt.Time = max(1, j.spec.Time-time.Since(started))
		}
		if j.spec.Progress != nil {
			opt.Trace = func(p solver.Progress) {
				telling.Lock()
				defer telling.Unlock()
				j.spec.Progress(Progress{c, outputs, p, j.snapshot(p)})
			}
		}
		p, err := j.problem(c)
		if err == nil {
			solutions[c], err = solver.Run(ctx, j.solver, p, opt)
		}
		errs[c] = err
	})
	return solutions, first(errs)
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
