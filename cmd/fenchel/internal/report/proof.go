// Package report has the words that several verbs say of models and their judgement, in lines.
package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// PrintColumns says what was made of the columns of a table.
func PrintColumns(r printing.Report, c *result.Columns) {
	if c == nil {
		return
	}
	r.Line("columns", "%s", c.Summary)
	var taken []string
	for _, name := range slices.Sorted(maps.Keys(c.Offsets)) {
		taken = append(taken, fmt.Sprintf("%s less %s", printing.Spell(name), strconv.FormatFloat(c.Offsets[name], 'f', -1, 64)))
	}
	if more := len(taken) - 10; more > 0 {
		taken = append(taken[:10], fmt.Sprintf("%d more", more))
	}
	if taken != nil {
		r.Line("offsets", "%s, before rounding to single precision", strings.Join(taken, ", "))
	}
}

// PrintRounding says that rounding changed the rows by more than the gap that is proved of
// them; 0: it did not.
func PrintRounding(r printing.Report, rounding float64) {
	if rounding > 0 {
		r.Line("rounding", "values differ from those of the data by up to %.1g of their column's spread, more than the gap: the proof is about the rows as stored", rounding)
	}
}

// PrintTask says what the model predicts.
func PrintTask(r printing.Report, m *model.Model) {
	if m.Statement.Targets != nil {
		names := pose.TargetNames(m)
		r.Line("task", "regression of %d targets: %s", len(names), printing.Few(names))
		return
	}
	if m.Classes == nil {
		r.Line("task", "regression")
		return
	}
	if m.OneClass() {
		r.Line("task", "one class: outliers are -1, others 1")
		return
	}
	r.Line("task", "%s: %s", printing.Count(len(m.Classes), "class"), printing.Few(m.Classes))
}

// PrintProblem states the problem that was solved.
func PrintProblem(r printing.Report, m *model.Model, given float64, verbose bool) {
	c := ""
	if m.Statement.Lambda > 0 {
		c = fmt.Sprintf(" (C %.6g)", given)
	}
	terms := fmt.Sprintf("%s, %s%s", TermsOf(m), Balance(m), c)
	if verbose {
		terms += fmt.Sprintf(", bias %s, scale %s", m.Statement.Bias, result.ScaleOf(m))
	}
	r.Line("problem", "%s", terms)
}

// PrintSolver names the solver, and says why it was chosen.
func PrintSolver(r printing.Report, m *model.Model, why string) {
	if why != "" {
		why = " (auto: " + why + ")"
	}
	r.Line("solver", "%s%s, seed %d", m.Statement.Solver, why, m.Statement.Seed)
}

// PrintProof states what was proved, or why nothing was, if that is known.
func PrintProof(r printing.Report, m *model.Model, s fenchel.Summary, status, unproved string) {
	if m.OnePass != nil {
		printOnePass(r, m, status)
		return
	}
	if s.Unproved() {
		if unproved != "" {
			unproved = ", " + unproved
		}
		r.Line("status", "%s: no gap is proved%s", status, unproved)
		r.Line("objective", "%.10g", s.Primal)
		printNetwork(r, m)
		return
	}
	r.Line("status", "%s: %s, asked for %.3g", status, GapOf(s), m.Statement.Gap)
	r.Line("proof", "objective %.10g, best possible at least %.10g", s.Primal, s.Dual)
	PrintApproximate(r, m)
	if len(m.Outputs) > 1 && !m.IsJoint() {
		o := m.Outputs[s.WorstOutput].Certificate
		r.Line("worst", "%s: relative gap %.3g, %s%s", NameOf(m, s.WorstOutput), s.Worst, o.Status, CutShort(m))
	}
}

// printOnePass says how well rows were predicted, each before it was learned from, and that nothing is proved.
func printOnePass(r printing.Report, m *model.Model, status string) {
	r.Line("status", "%s: %s", status, fenchel.OnePassUnproved)
	p := result.OnePassOf(m)
	line := func(name string, l *result.MeanLoss, what string) {
		if l == nil {
			return
		}
		sure := ""
		if l.Rows > 1 {
			sure = fmt.Sprintf(", standard error %.2g", l.Error)
		}
		r.Line(name, "%.6f%s, of %s%s", l.Loss, sure, printing.Count(int(l.Rows), "row"), what)
	}
	line("loss", &p.MeanLoss, ", each predicted before it was learned from (progressive loss)")
	line("last rows", p.Last, map[bool]string{true: ": more than of all, the rows drift or are in order", false: ""}[p.Drifts])
	line("held out", p.HeldOut, ", which were not learned from")
}

// printNetwork says what is known of the point of a network.
func printNetwork(r printing.Report, m *model.Model) {
	n := m.Network
	if n == nil {
		return
	}
	r.Line("gradient", "norm %.4g, 0 where the objective is stationary", n.Gradient)
	if n.Held > 0 {
		r.Line("held out", "%s of training judged when to stop: mean loss %.6g", printing.Count(n.Held, "row"), n.HeldLoss)
	}
}

// CutShort says of how many of several classifiers the run did not reach its end; "": none.
func CutShort(m *model.Model) string {
	done, begun := 0, 0
	for _, o := range m.Outputs {
		if o.Certificate.Status == string(solver.Converged) {
			done++
		} else if o.Certificate.Epochs > 0 {
			begun++
		}
	}
	if all := len(m.Outputs); done < all {
		return fmt.Sprintf("; of %d classifiers %d converged, %d stopped earlier, %d were not begun", all, done, begun, all-done-begun)
	}
	return ""
}

// GapOf writes the relative gap, and what it is relative to if that is not the objective.
func GapOf(s fenchel.Summary) string {
	text := fmt.Sprintf("relative gap %.3g", s.Gap)
	if problem.RelativeToZero(s.Primal, s.Dual, s.Zero) {
		text += " (relative to 1e-12 of the zero model's objective: this model's is smaller)"
	}
	return text
}

// PrintApproximate says which problem a proof is about, if it is not that of the
// kernel named.
func PrintApproximate(r printing.Report, m *model.Model) {
	if m.Map == nil {
		return
	}
	_, features := m.Map.Dims()
	r.Line("proved", "of the approximate kernel, the inner products of %s of the map %s", printing.Count(features, "feature"), m.Statement.Map)
}

// NameOf says which output it is.
func NameOf(m *model.Model, c int) string {
	kind := "class "
	if m.Classes == nil {
		kind = "target "
	}
	return kind + printing.Spell(result.OutputName(m, c))
}

// PrecisionOf says where the rows of a model are of double precision; others are rounded to single.
func PrecisionOf(d model.Data) string {
	return map[bool]string{true: " of double precision"}[d.Precision != ""]
}

// TermsOf names what the objective is made of.
func TermsOf(m *model.Model) string {
	p := m.Statement
	if m.OnePass != nil {
		return "loss " + p.Loss + ", adaptive, normalised and invariant steps; no penalty"
	}
	text := fmt.Sprintf("loss %s, penalty %s", p.Loss, p.Penalty)
	if p.TargetLog {
		text = fmt.Sprintf("loss %s of the target's logarithm, penalty %s", p.Loss, p.Penalty)
	}
	if p.Kernel != "" {
		text += ", kernel " + p.Kernel
	}
	if p.Hidden != nil {
		text += fmt.Sprintf(", hidden layers %s, activation %s", joined(p.Hidden, ","), network.ActivationOf(p.Activation))
	}
	if p.Map != "" {
		text += " approximated by " + p.Map
	}
	return text
}

// Balance says what stands between the loss and the size of the weights.
func Balance(m *model.Model) string {
	switch p := m.Statement; {
	case p.Radius > 0:
		return fmt.Sprintf("norm at most %.6g", p.Radius)
	case p.HardMargin:
		return "hard margin"
	case p.Slack > 0:
		return fmt.Sprintf("slack %.6g", p.Slack)
	case p.Nu > 0 && p.Lambda > 0:
		return fmt.Sprintf("nu %.6g, lambda %.6g", p.Nu, p.Lambda)
	case p.Nu > 0:
		return fmt.Sprintf("nu %.6g", p.Nu)
	default:
		return fmt.Sprintf("lambda %.6g", p.Lambda)
	}
}

// joined writes whole numbers with a separator.
func joined(numbers []int, separator string) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", separator), "[]")
}

// PrintSize says how large the model is.
func PrintSize(r printing.Report, m *model.Model) {
	if n := m.Network; n != nil {
		r.Line("network", "%s of %s units", printing.Count(m.Parameters(), "parameter"), joined(n.Units, "-"))
		return
	}
	if m.Support == nil {
		r.Line("weights", "%d of %d not zero", m.Nonzeros(), len(m.Outputs)*len(m.Outputs[0].Weights))
		if rank := result.RankOf(m); rank != nil {
			r.Line("rank", "%d of the matrix of all weights, at most %d", *rank, min(len(m.Outputs), len(m.Outputs[0].Weights)))
		}
		return
	}
	of := ""
	if m.Data.Rows > 0 {
		of = " of " + printing.Count(m.Data.Rows, "row")
	}
	if m.Facts != nil {
		of += fmt.Sprintf(", %d at the bound", m.Facts.Bounded)
	}
	r.Line("support", "%s%s", printing.Count(m.Support.Len(), "vector"), of)
	if m.Facts != nil {
		printFacts(r, m, m.Facts)
	}
}

// printFacts says what is known of a kernel machine besides its gap.
func printFacts(r printing.Report, m *model.Model, f *model.Facts) {
	known := func(x model.Bound) bool { return !math.IsNaN(float64(x)) }
	if f.Norm > 0 && m.Classes != nil {
		r.Line("margin", "1/|w| %.6g, sum of losses %.6g%s", 1/f.Norm, f.Losses, errorsOf(f))
	}
	if known(f.Violation) {
		r.Line("KKT", "largest violation %.3g", f.Violation)
	}
	if f.LeaveOneOut != nil {
		r.Line("left out", "leave-one-out error at most %s if this is the optimum (%s)", printing.Percent(*f.LeaveOneOut), f.By)
	}
	if known(f.Steps) && int(f.Steps) < f.Support {
		r.Line("sparser", "%.0f vectors are enough to lose no more than half of the margin (4 kappa |w|^2): fenchel sparsify", f.Steps)
	}
	if known(f.Alignment) {
		r.Line("alignment", "%.3g of the kernel with the classes (%s)", f.Alignment, printing.Count(f.Sample, "row"))
	}
	var same []string
	for _, p := range []struct {
		flag  string
		value model.Bound
	}{{"C", f.Same.C}, {"lambda", f.Same.Lambda}, {"radius", f.Same.Radius}, {"slack", f.Same.Slack}, {"nu", f.Same.Nu}} {
		if known(p.value) {
			same = append(same, fmt.Sprintf("--%s %.6g", p.flag, p.value))
		}
	}
	if len(same) > 0 {
		r.Line("same as", "%s, if this is the optimum", strings.Join(same, " or "))
	}
}

// errorsOf says how many rows are wrong, which the hinge's losses bound.
func errorsOf(f *model.Facts) string {
	switch {
	case math.IsNaN(float64(f.Errors)):
		return ""
	case f.Same.Lambda > 0:
		return fmt.Sprintf(" (a bound on the training errors, %.6g: %.6g more)", f.Errors, f.Losses-f.Errors)
	}
	return fmt.Sprintf(", training errors %.6g", f.Errors)
}
