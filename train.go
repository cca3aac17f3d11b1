// Package train is the front door for programs: from rows and a [Spec] to a
// model with its proof.
//
//	set, err := data.Read(ctx, []string{"train.svm"}, data.Options{})
//	result, err := fenchel.Train(ctx, set, fenchel.Spec{Loss: "logistic"})
//	row, err = result.Model.Schema.Row(row, record) // of a table: a map from columns to values
//	label := result.Model.Class(row)
//
// Here a target becomes classes or numbers, several classes become one problem
// each, features are scaled, and solutions become a model. [Verify] recomputes
// what a model claims. Formulas are in package problem, algorithms in package
// solver and below.
//
// A Fit goes through job.prepare (targets in labels.go, the statement in statement.go,
// features and problems in job.go and problems.go), the solver's runs (solve.go) and
// job.result (result.go), which makes the model. Verify and MakeAudit make the same problems of
// a model's statement.
package fenchel

import (
	"context"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// Result is what Fit made.
type Result struct {
	Model   *model.Model
	Status  solver.Status // the worst of all classes
	Summary Summary
	N       float64 // the sum of the row weights
	C       float64 // 1/(lambda N), where the problem has a lambda; as the Spec has it, if it has one
	Epochs  int     // of all classes together
	Why     string  // the solver was chosen; "" if it was asked for
	BiasWhy string  // the bias is another than the default that was asked for by giving none; "": it is not

	Unproved      string // why there is no gap; "": there is one
	ProvesNothing bool   // there can be none, by this solver or with this kernel: its passes are all that was asked

	// Margins are, of classes with nu, the margin rho of each output in the unit of its scores:
	// LIBSVM divides those of nu_svc by it. 1 where it is not above 0; nil: not classes with nu.
	Margins []float64

	Evaluations gram.Counts // of the kernel in training; certificates not counted

	// The time spent in solvers, and before in mapping rows, and in certificates,
	// added up over classes that may have run at the same time.
	Train, Certify time.Duration
	Warnings       []error

	constant error // all rows get one class by scores above 0; nil: not, or it is not known
}

// Fit trains a model. A cancelled context or a limit is no error: the
// result then holds the best model found, and says so in its Status. While rows
// are still prepared and mapped there is none: then the error is that of the context, or
// a LimitError.
func Train(ctx context.Context, set *data.Set, spec Spec) (*Result, error) {
	if err := pose.CheckSet(set); err != nil {
		return nil, err
	}
	if err := spec.CheckThreshold(set); err != nil {
		return nil, err
	}
	how := fit
	if spec.Probabilities || spec.Costs != nil {
		how = fitCalibrated
	}
	r, err := how(ctx, set, spec)
	if err == nil {
		err = spec.setThreshold(r.Model)
	}
	if err == nil && r.constant != nil && r.Model.Threshold == nil {
		r.Warnings = append(r.Warnings, r.constant)
	}
	return r, err
}

// fit is Fit of a set that is one, without a calibration.
func fit(ctx context.Context, set *data.Set, spec Spec) (*Result, error) {
	digest := set.BeginDigest(spec.Threads)
	defer digest.Stop()
	limit := newLimit(spec.Time)
	j, err := limit.prepare(ctx, set, spec)
	if err != nil {
		return nil, err
	}
	if j.start, err = newStart(j, digest); err != nil {
		return nil, err
	}
	solutions, err := j.solve(ctx, limit)
	if err != nil {
		return nil, err
	}
	return j.result(solutions, digest)
}
