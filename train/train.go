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
//
// A Fit goes from file to file: spec.go, what may be asked for; labels.go, targets
// as classes or numbers; stated.go, the problems of all outputs; solve.go, the
// runs; result.go, the model made of them; end.go and summary.go, how they ended
// and what they prove together.
package train

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/linear"
)

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
