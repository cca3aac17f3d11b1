// Package fenchel is the front door for programs: from rows and a [Spec] to a model with its proof.
//
//	set, err := fenchel.Read(ctx, []string{"train.svm"}, data.Options{})
//	result, err := fenchel.Train(ctx, set, fenchel.Spec{Loss: "logistic"})
//	row, err = result.Model.Schema.Row(row, record) // of a table: a map from columns to values
//	label := result.Model.Class(row)
//	v, err := fenchel.Verify(ctx, result.Model, set, fenchel.Options{}) // v.OK()
//
// Every function takes a context, a model or a set, and options, in this order, and ends soon after
// its context. Models are written and read by package model, rows by package data; formulas are in
// package problem, algorithms below package solver. Searches are in package tune, components in pca,
// smaller kernel machines in sparsify: this package reaches none of them.
//
// Train prepares a job (the statement and the problems of package internal/pose, by the targets and
// rows), runs its solver, and makes the model of the solutions, with certificates of exactly what the
// model holds. Verify and Audit make the same problems of a model's statement.
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

// Result is what Train made.
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

// Train trains a model. A cancelled context or a limit is no error: the
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

// fit is Train of a set that is one, without a calibration.
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
