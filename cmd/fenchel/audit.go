package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
)

// auditFlags are those of verify for the models of other programs.
type auditFlags struct {
	opt         fenchel.AuditOptions
	classWeight string
	cache       string
}

func (a *auditFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&a.opt.C, "C", 0, "C of the training, for a model of LIBSVM or LIBLINEAR: its file does not hold it")
	f.Float64Var(&a.opt.Nu, "nu", 0, "nu of the training, for a model of LIBSVM of the types one_class, nu_svc and nu_svr")
	f.StringVar(&a.opt.Loss, "loss", "", "its loss, where the file does not say all, as in epsilon-insensitive:epsilon=0.2")
	f.StringVar(&a.classWeight, "class-weight", "", "its class weights, LABEL=WEIGHT,...: the options -wLABEL of svm-train and train")
	f.IntVar(&a.opt.Refine, "refine", 0, "improve the bound by at most so many epochs of a solver")
	f.StringVar(&a.cache, "cache", "", "keep at most so much of the kernel's matrix in memory meanwhile (default 1GB)")
	option.Complete(cmd, "loss", option.Names(loss.Entries())...)
}

// check compares the flags with the model, before any data are read.
func (a *auditFlags) check(cmd *cobra.Command, m *model.Model) (err error) {
	for _, flag := range []string{"C", "nu", "loss", "class-weight", "refine", "cache"} {
		if cmd.Flags().Changed(flag) && !m.IsImported() {
			return fmt.Errorf("--%s: the model states its own problem: expected a model of LIBSVM or LIBLINEAR", flag)
		}
	}
	needsC, needsNu := pose.Needs(m)
	kind := strings.TrimPrefix(m.Statement.Solver, "libsvm:")
	switch {
	case m.IsImported() && needsNu && !cmd.Flags().Changed("nu"):
		return fmt.Errorf("expected --nu, that of the training: the file of a model of the type %s does not hold it", kind)
	case cmd.Flags().Changed("nu") && !needsNu:
		return fmt.Errorf("--nu %g: found a model of the type %s, expected --C alone", a.opt.Nu, kind)
	case cmd.Flags().Changed("C") && !needsC:
		return fmt.Errorf("--C %g: found a model of the type %s, expected --nu alone", a.opt.C, kind)
	case needsNu && m.IsImported() && !(a.opt.Nu > 0 && a.opt.Nu <= 1):
		return fmt.Errorf("--nu %g: expected a number > 0 and at most 1", a.opt.Nu)
	case cmd.Flags().Changed("C") && !(a.opt.C > 0 && a.opt.C <= math.MaxFloat64):
		return fmt.Errorf("--C %g: expected a number > 0", a.opt.C)
	case m.IsImported() && needsC && a.opt.C == 0:
		return errors.New("expected --C, that of the training: the file of a model of LIBSVM or LIBLINEAR does not hold it")
	}
	if a.opt.Refine < 0 {
		return fmt.Errorf("--refine %d: expected a number >= 0", a.opt.Refine)
	}
	if a.opt.Loss != "" {
		if _, err := loss.New(a.opt.Loss); err != nil {
			return err
		}
	}
	if a.classWeight != "" {
		if a.opt.ClassWeight, err = option.ParseClassWeights(a.classWeight, "LABEL=WEIGHT,..."); err != nil {
			return err
		}
	}
	if a.cache != "" {
		if a.opt.Cache, err = option.ParseBytes(a.cache); err != nil {
			return fmt.Errorf("--cache %s: %w", a.cache, err)
		}
	}
	return nil
}

// run bounds what the model lacks.
func (a *auditFlags) run(cmd *cobra.Command, m *model.Model, set *data.Set, asJSON bool) error {
	found, err := fenchel.Audit(cmd.Context(), m, set, a.opt)
	if err != nil {
		return err
	}
	out := auditOf(m, found, a.opt, set)
	said := printing.Print(cmd, asJSON, out, func(r printing.Report) {
		printAudit(r, m, found, out)
		r.Line("data", "%s", a.data(m, set))
	})
	return cmp.Or(said, exitcode.Verified(nil, found.Unproved))
}

// data says what the problem is about.
func (a *auditFlags) data(m *model.Model, set *data.Set) string {
	text := fmt.Sprintf("%s of %s", printing.Count(set.Rows(), "row"), printing.Count(set.Cols(), "feature"))
	if set.Weight != nil {
		text += ", with row weights"
	}
	if d := m.Cols(); m.Support == nil && d != set.Cols() {
		text += fmt.Sprintf("; the model has weights for %d", d)
	}
	return text
}

// problemOf states the problem that is bounded: row weights, if any, multiply C.
func problemOf(m *model.Model, a *fenchel.AuditResult, opt fenchel.AuditOptions, weights []float64) string {
	given := ""
	if opt.Nu > 0 {
		given += fmt.Sprintf(", nu %g", opt.Nu)
	}
	if opt.C > 0 {
		given += fmt.Sprintf(", C %g", opt.C)
	}
	for _, label := range slices.Sorted(maps.Keys(opt.ClassWeight)) {
		given += fmt.Sprintf(", C %g of class %s", opt.ClassWeight[label]*opt.C, label)
	}
	asked := *m
	asked.Statement.Loss, asked.Statement.Kernel = a.Loss, a.Kernel
	text := fmt.Sprintf("%s%s, bias %s", report.TermsOf(&asked), given, m.Statement.Bias)
	if weights != nil {
		text += fmt.Sprintf(", row weights from %g to %g", slices.Min(weights), slices.Max(weights))
	}
	return text
}

func printAudit(r printing.Report, m *model.Model, a *fenchel.AuditResult, out result.Audit) {
	report.PrintTask(r, m)
	r.Line("problem", "%s", out.Problem.Statement)
	if m.Support != nil {
		r.Line("support", "%s, all among the rows", printing.Count(*out.Support, "vector"))
	}
	s := a.Summary
	if a.Unproved != "" {
		r.Line("unproved", "%s", a.Unproved)
		r.Line("objective", "%.10g", s.Primal)
		return
	}
	r.Line("proof", "objective %.10g, best possible at least %.10g: %s", s.Primal, s.Dual, report.GapOf(s))
	if len(a.Outputs) > 1 {
		r.Line("worst", "%s: relative gap %.3g", report.NameOf(m, s.WorstOutput), s.Worst)
	}
	if a.Solver != "" {
		r.Line("refined", "by solver %s", a.Solver)
	}
}

// auditOf is what is said of a model, which claims nothing that could be valid.
func auditOf(m *model.Model, a *fenchel.AuditResult, opt fenchel.AuditOptions, set *data.Set) result.Audit {
	out := result.Audit{Proof: result.Proved(a.Summary), C: result.OrNull(opt.C), Features: set.Cols(), Rows: set.Rows(), Nu: opt.Nu, Reason: result.OrNull(a.Unproved), RefinedBy: a.Solver,
		Problem: result.AuditProblem{Bias: m.Statement.Bias, ClassWeight: opt.ClassWeight, Kernel: a.Kernel, Loss: a.Loss, Penalty: m.Statement.Penalty, RowWeights: set.Weight != nil, Statement: problemOf(m, a, opt, set.Weight)}}
	if m.Support != nil {
		out.Support = new(m.Support.Len())
	}
	for i, o := range a.Outputs {
		out.Outputs = append(out.Outputs, result.AuditOutput{Class: result.ClassOf(m, i), Bounds: result.Certified(o), Rows: a.Rows[i]})
	}
	return out
}
