package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/components"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/sparsify"
	"github.com/fenchel-ml/fenchel/tune"
)

// verifier is one call of verify.
type verifier struct {
	in    option.Input
	json  bool
	audit auditFlags
	full  string // the model that a smaller one was made from

	refit       bool   // train the folds of a calibration again
	group, time string // the columns by which they were dealt
}

func newVerify() *cobra.Command {
	var v verifier
	cmd := &cobra.Command{
		Use:   "verify MODEL DATA...",
		Short: "Recompute what a model claims to be proved",
		Long: `Verify computes the objective, the lower bound and the gap again from MODEL and
the DATA it was trained on. No solver is involved, and nothing in the model is
trusted. The exit code is 0 if everything claimed is true, 5 if some claim is false,
as a number was changed or the data differ, and 3 if the claims are unproved: nothing
bounds the objective from below, a model without dual variables has to be believed, or
the data have no names to compare those of a table's columns with; for the others see
"fenchel help exit-codes". Of a loss that is not convex, such as ramp, it says to which
gap the convex problem of the concave-convex procedure is solved at the model.

A model file of LIBSVM or LIBLINEAR claims nothing. With --C, for one_class and
nu_svc --nu, and for nu_svr both, as they were in its training, verify says what
its objective is on DATA and how far that is from the best possible at most,
from dual variables that it rebuilds; --refine N has a solver improve this bound.
Probabilities of train --probabilities rest on models of parts of the rows, and are
unproved; with --refit a solver trains these again, and probabilities that are off by
more than 0.1 are found false. Folds of groups or in order of time need the column too.

Row weights (--weights) and class weights multiply C. All features of DATA are
part of the problem: a linear model has weight 0 for those it does not know.`,
		Example: `  fenchel verify news.model news.svm
  fenchel verify a9a.svm-model a9a --C 1 --refine 20`,
		Args: option.Arguments(2, 0),
		RunE: v.run,
	}
	v.in.Register(cmd, false)
	v.audit.register(cmd)
	cmd.Flags().StringVar(&v.full, "full", "", "the model that MODEL was made from by sparsify: check what is said of that too")
	cmd.Flags().BoolVar(&v.refit, "refit", false, "train the folds of a calibration or threshold again, by a solver, and compare probabilities or costs")
	cmd.Flags().StringVar(&v.group, "group", "", "column of the groups by which these folds were dealt")
	cmd.Flags().StringVar(&v.time, "time", "", "column of the times in whose order these folds are")
	cmd.Flags().BoolVar(&v.json, "json", false, "print one JSON object")
	return cmd
}

// run verifies a model of any kind.
func (v *verifier) run(cmd *cobra.Command, args []string) error {
	m, basis, err := option.ReadModel(cmd, args[0])
	tampered := errors.Is(err, model.ErrTampered)
	if err != nil && !tampered {
		return err
	}
	if basis != nil {
		return components.Verify(cmd, &v.in, basis, err, args[1:], v.json)
	}
	if err := cmp.Or(v.audit.check(cmd, m), v.checkRefit(m)); err != nil {
		return err
	}
	v.in.ForTraining(cmd, m)
	v.in.SkipAs(m.Schema)
	if m.IsImported() && v.in.Opt.Precomputed {
		v.in.Opt.Columns = m.Cols() // zeros of the last columns may be missing
	}
	set, readErr := v.in.Read(cmd, args[1:])
	if readErr != nil {
		return readErr
	}
	if m.IsImported() {
		v.audit.opt.Threads = v.in.Opt.Threads
		return v.audit.run(cmd, m, set, v.json)
	}
	found, verifyErr := fenchel.Verify(cmd.Context(), m, set, fenchel.Options{Threads: v.in.Opt.Threads})
	if verifyErr != nil {
		return exitcode.BadData(verifyErr)
	}
	if err := v.verifyFull(cmd, m, set, found); err != nil {
		return err
	}
	if v.refit {
		if err := tune.Refit(cmd.Context(), found, m, set, v.in.Opt.Threads); err != nil {
			return exitcode.BadData(err)
		}
	}
	if tampered {
		found.Problems = append([]string{err.Error()}, found.Problems...)
	}
	found.Unproved = printing.Message(found.Unproved)
	said := printing.Print(cmd, v.json, result.Verified(m, found), func(r printing.Report) { printVerification(r, m, found) })
	return cmp.Or(said, exitcode.Verified(found.Problems, found.Unproved))
}

// checkRefit refuses columns of folds that the model's calibration does not have.
func (v *verifier) checkRefit(m *model.Model) error {
	if v.in.Opt.ID = v.group + v.time; v.time != "" {
		v.in.Opt.IDRole = "time"
	}
	folds, fitted := m.Refittable()
	switch {
	case !v.refit && v.in.Opt.ID != "":
		return errors.New("--group, --time: found them without --refit, which trains folds again")
	case !v.refit:
		return nil
	case !fitted || m.IsImported():
		return errors.New("--refit: found a model without a calibration or threshold of folds, expected one of train --probabilities or --cost")
	case folds != nil && (folds.By == "group") != (v.group != ""):
		return fmt.Errorf("--refit: the folds were dealt by %s, expected --group COLUMN for those of groups alone", folds.By)
	case folds != nil && (folds.By == "time") != (v.time != ""):
		return fmt.Errorf("--refit: the folds were dealt by %s, expected --time COLUMN for those in order of time alone", folds.By)
	}
	return nil
}

// verifyFull checks what a smaller model says of the model that it was made from.
func (v *verifier) verifyFull(cmd *cobra.Command, m *model.Model, set *data.Set, found *fenchel.Verification) error {
	if v.full == "" {
		return nil
	}
	if m.Sparse == nil {
		return fmt.Errorf("--full %s: found a model that was trained, expected one that sparsify made", v.full)
	}
	full, err := model.ReadFile(v.full)
	if err != nil {
		return exitcode.BadData(option.NotModel(cmd, v.full, err))
	}
	return exitcode.BadData(sparsify.Verify(found, m, full, set, v.in.Opt.Threads))
}

// printSparse says what was found of a model that sparsify made.
func printSparse(r printing.Report, m *model.Model, v *fenchel.Verification) {
	if m.Sparse == nil {
		return
	}
	s := m.Sparse
	r.Line("sparse", "made from %s, %s: slant loss %.6g", printing.Count(s.Vectors, "support vector"), s.Model, v.Slant)
	switch {
	case v.FullKnown && sparsify.Guaranteed(s):
		r.Line("guarantee", "that is at most the loss of the model it was made from, %.6g", v.FullLoss)
	case v.FullKnown:
		r.Line("guarantee", "none: that is above the loss of the model it was made from, %.6g", v.FullLoss)
	default:
		r.Line("note", "it claims a loss of %.6g of that model, which --full checks", float64(s.Full))
	}
}

func printVerification(r printing.Report, m *model.Model, v *fenchel.Verification) {
	for _, p := range v.Problems {
		r.Line("FALSE", "%s", p)
	}
	if len(v.Problems) > 0 {
		return
	}
	verdict := "verified"
	if v.Unproved != "" {
		verdict = "unproved"
		r.Line(verdict, "%s", v.Unproved)
		verdict = "found"
	}
	if m.OnePass != nil { // it has neither objective nor digest
		r.Line("data", "%s of %s", printing.Count(m.Data.Rows, "row"), printing.Count(m.Data.Features, "feature"))
		return
	}
	if v.Found.Unproved() {
		r.Line(verdict, "objective %.10g", v.Found.Primal)
	} else {
		r.Line(verdict, "objective %.10g, best possible at least %.10g: %s", v.Found.Primal, v.Found.Dual, report.GapOf(v.Found))
	}
	if v.Gradient != nil {
		r.Line("gradient", "norm %.4g, 0 where the objective is stationary", *v.Gradient)
	}
	if v.Tangent != nil {
		r.Line("tangent", "the convex problem that has the tangent of the loss's concave part is solved at this point to a relative gap of %.3g", *v.Tangent)
	}
	report.PrintApproximate(r, m)
	printSparse(r, m, v)
	if v.Rebuilt && v.Unproved == "" {
		r.Line("note", "the model was saved without dual variables: the bound was built from its predictions; %.3g was claimed", v.Claimed.Gap)
	}
	r.Line("data", "%s of %s, %s", printing.Count(m.Data.Rows, "row"), printing.Count(m.Data.Features, "feature"), m.Data.Digest)
}
