package main

import (
	"errors"
	"math"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

func newVerify() *cobra.Command {
	var in input
	var asJSON bool
	var audit auditFlags
	cmd := &cobra.Command{
		Use:   "verify MODEL DATA...",
		Short: "Recompute what a model claims to be proved",
		Long: `Verify computes the objective, the lower bound and the gap again from MODEL and
the DATA it was trained on. No solver is involved, and nothing in the model is
trusted. Exit code: 0 everything claimed is true, 5 some claim is false: a
number was changed, or the data differ.

A model file of LIBSVM or LIBLINEAR claims nothing. With --C, for one_class and
nu_svc --nu, and for nu_svr both, as they were in its training, verify says what
its objective is on DATA and how far that is from the best possible at most,
from dual variables that it rebuilds; --refine N has a solver improve this bound.`,
		Example: `  fenchel verify news.model news.svm
  fenchel verify a9a.svm-model a9a --C 1 --refine 20`,
		Args: arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, components, err := readModel(cmd, args[0])
			tampered := errors.Is(err, model.ErrTampered)
			if err != nil && !tampered {
				return err
			}
			if components != nil {
				return verifyComponents(cmd, &in, components, err, args[1:], asJSON)
			}
			if err := audit.check(cmd, m); err != nil {
				return err
			}
			in.forTraining(cmd, m)
			if m.IsImported() {
				in.forModel(cmd, m)
			}
			set, readErr := in.read(cmd, args[1:])
			if readErr != nil {
				return readErr
			}
			if m.IsImported() {
				audit.opt.Threads = in.opt.Threads
				return audit.run(cmd, m, set, asJSON)
			}
			v, verifyErr := abandoned(cmd.Context(), func() (*train.Verification, error) { return train.Verify(m, set, in.opt.Threads) })
			if verifyErr != nil {
				return badData(verifyErr)
			}
			if tampered {
				v.Problems = append([]string{err.Error()}, v.Problems...)
			}
			if asJSON {
				err = printJSON(cmd, verificationJSON(m, v))
			} else {
				printVerification(report{cmd.OutOrStdout()}, m, v)
				err = nil
			}
			if err == nil && len(v.Problems) > 0 {
				return &exit{code: exitFalse}
			}
			return badData(err)
		},
	}
	in.register(cmd, false)
	audit.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printVerification(r report, m *model.Model, v *train.Verification) {
	for _, p := range v.Problems {
		r.line("FALSE", "%s", p)
	}
	if len(v.Problems) > 0 {
		return
	}
	verdict := "true"
	if unproved(m, v) {
		verdict = "unproved"
	}
	r.line(verdict, "objective %.10g, best possible at least %.10g: relative gap %.3g", v.Found.Primal, v.Found.Dual, v.Found.Gap)
	printApproximate(r, m)
	if v.Rebuilt {
		r.line("note", "the model was saved without dual variables: the bound was built from its predictions; %.3g was claimed", v.Claimed.Gap)
	}
	r.line("data", "%d rows of %d features, %s", m.Data.Rows, m.Data.Features, m.Data.Digest)
}

// unproved reports whether a claim could neither be proved nor refuted: because
// the model came without its proof, or because what was found is no bound.
func unproved(m *model.Model, v *train.Verification) bool {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	if !finite(v.Found.Primal) || !finite(v.Found.Dual) {
		return true
	}
	return v.Rebuilt && v.Found.Worst > max(m.Statement.Gap, v.Claimed.Worst)
}

func verificationJSON(m *model.Model, v *train.Verification) map[string]any {
	summary := func(s train.Summary) map[string]any {
		return map[string]any{"primal": model.Bound(s.Primal), "dual": model.Bound(s.Dual), "gap": model.Bound(s.Gap)}
	}
	problems := v.Problems
	if problems == nil {
		problems = []string{}
	}
	var valid any = len(v.Problems) == 0
	if valid == true && unproved(m, v) {
		valid = nil
	}
	return map[string]any{"valid": valid, "problems": problems, "claimed": summary(v.Claimed), "found": summary(v.Found),
		"rebuilt_dual": v.Rebuilt, "digest": m.Data.Digest}
}
