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
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/region"
	"github.com/fenchel-ml/fenchel/model"
)

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
	if spec.Probabilities || spec.Costs != nil || spec.Interval != 0 {
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
	defer func() { digest.Stop() }()
	limit := newLimit(spec.Time)
	j, err := limit.prepare(ctx, set, spec)
	if err != nil {
		return nil, err
	}
	if j.set != set { // rounded to single precision
		digest.Stop()
		digest = j.set.BeginDigest(spec.Threads)
	}
	if err := j.provable(); err != nil {
		return nil, err
	}
	if j.start, err = newStart(j, digest); err != nil {
		return nil, err
	}
	solutions, err := j.solve(ctx, limit)
	if err != nil {
		return nil, err
	}
	r, err := j.result(solutions, digest)
	if err == nil && spec.Proved && !j.single() {
		err = region.Locate(ctx, r.Model, j.problems, j.problem, j.workers())
	}
	return r, err
}

// provable refuses Spec.Proved of a problem of which nothing can be said of single predictions.
func (j *job) provable() error {
	m := j.draft(0)
	m.CustomPenalty = j.spec.Custom.Penalty
	if err := m.Provable(); j.spec.Proved && err != nil {
		return fmt.Errorf("'proved': %w", err)
	}
	return nil
}

// fitCalibrated is Train with a calibration. Of a limited time the model gets one half, and
// the folds the other together.
func fitCalibrated(ctx context.Context, set *data.Set, spec Spec) (*Result, error) {
	whole := spec
	whole.Time = spec.Time / 2
	r, err := fit(ctx, set, whole)
	if err != nil {
		return nil, err
	}
	c := &calibrator{set: set, spec: spec, result: r}
	err = c.calibrate(ctx)
	var late LimitError
	switch {
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		r.Model.Calibration, r.Model.Threshold, r.Model.Coverage = nil, nil, nil
		r.Warnings = append(r.Warnings, fmt.Errorf("interrupted: the model has no %s", c.what()))
	case errors.As(err, &late):
		r.Model.Calibration, r.Model.Threshold, r.Model.Coverage = nil, nil, nil
		r.Warnings = append(r.Warnings, fmt.Errorf("the model has no %s: %w", c.what(), late))
	case err != nil:
		return nil, err
	}
	return r, nil
}

// Pose states the problem of the spec on the rows of a set as [Train] does, and solves nothing.
func (spec Spec) Pose(ctx context.Context, set *data.Set) (*pose.Case, error) {
	if err := pose.CheckSet(set); err != nil {
		return nil, err
	}
	j, err := newLimit(0).prepare(ctx, set, spec)
	if err != nil {
		return nil, err
	}
	return j.posed(), nil
}

// DataError says why nothing can be learned from the data, or judged with it. Other errors of
// Train are about the Spec.
type DataError = pose.DataError

// Read makes one set of the rows of files, globs, standard input ("-") and generators ("@name"): see
// [data.Read].
func Read(ctx context.Context, sources []string, opt data.Options) (*data.Set, error) {
	return data.Read(ctx, sources, opt)
}

// Load reads the model in path.
func Load(path string) (*model.Model, error) { return model.ReadFile(path) }
