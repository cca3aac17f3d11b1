package training

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// print tells a person what came out.
func (t *Trainer) print(cmd *cobra.Command, sources []string) {
	m, s := t.Result.Model, t.Result.Summary
	r := printing.Report{W: cmd.OutOrStdout()}
	r.Line("data", "%s: %s", strings.Join(sources, " "), printing.Sizes(m.Data.Rows, m.Data.Features, m.Data.Nonzeros))
	report.PrintColumns(r, m.Schema)
	report.PrintTask(r, m)
	t.printScores(r)
	report.PrintProblem(r, m, t.Result.C, t.verbose)
	t.printMeans(r)
	report.PrintProof(r, m, s, string(t.Result.Status), t.Result.Unproved)
	report.PrintRounding(r, t.Set.Rounding, s.Gap)
	report.PrintSize(r, m)
	report.PrintCalibration(r, m, t.calibratedBy())
	report.PrintThreshold(r, m)
	if t.verbose {
		if m.Support != nil {
			r.Line("kernel", "%s", report.Evaluated(t.Result.Evaluations))
		}
		r.Line("time", "%s", t.Times())
	}
	t.printModel(r)
}

// printMeans says by what the problem was solved, as far as it was asked for or is not the usual.
func (t *Trainer) printMeans(r printing.Report) {
	if t.Result.BiasWhy != "" {
		r.Line("bias", "%s: %s", t.Result.Model.Statement.Bias, t.Result.BiasWhy)
	}
	if t.unlikeTable() {
		r.Line("scale", "none, the default of data that are no table; of CSV, TSV and ARFF it is std")
	}
	if t.verbose {
		report.PrintSolver(r, t.Result.Model, t.Result.Why)
	}
}

// printModel says where the model is, and what it is for.
func (t *Trainer) printModel(r printing.Report) {
	if t.Out == "" {
		r.Line("model", "not saved (give -o FILE)")
		return
	}
	r.Line("model", "%s", t.Out)
	r.Line("next", "fenchel predict %s NEW", printing.Word(t.Out))
}

// printScores prints the scores of the model, and those of the trivial model on the same rows.
func (t *Trainer) printScores(r printing.Report) {
	if t.evaluation != nil {
		r.Line("test", "%s", report.Headline(t.evaluation))
	}
	if t.crossed != nil {
		r.Line(t.judgedBy(), "%s", t.crossWords())
	}
	if t.learned != nil {
		r.Line("learned", "%s (rows that it has learned from)", report.Headline(t.learned))
		r.Line("", "of new rows nothing is known yet: --holdout 0.2, --folds 5 or --test FILE judges by others")
	}
}

// judgeLearned judges the model on rows that it learned from, where no others were given.
func (t *Trainer) judgeLearned(cmd *cobra.Command) {
	if t.TestSet != nil || t.crossed != nil || cmd.Context().Err() != nil {
		return
	}
	e, err := parallel.Until(cmd.Context(), func() (*fenchel.Evaluation, error) { return t.Result.EvaluateLearned(t.Set, t.In.Opt.Threads) })
	if err == nil {
		t.learned = e
		printing.Warn(cmd, e.Warnings)
	}
}

// calibratedBy says which rows the probabilities were fitted to.
func (t *Trainer) calibratedBy() string {
	switch {
	case t.Result.Model.OneClass():
		return "the scores of all rows"
	case t.Spec.Held != nil || t.Spec.Folds != nil:
		return t.judged
	}
	return "5 folds at random"
}

// Times says where the time went, in parts that add up. Several outputs are trained at the
// same time: what they took together is no part.
func (t *Trainer) Times() string {
	fit := fmt.Sprintf("train %s, certify %s", printing.Seconds(t.Result.Train), printing.Seconds(t.Result.Certify))
	other := t.Total - t.Read - t.Result.Train - t.Result.Certify
	if n := len(t.Result.Model.Outputs); n > 1 && !t.Result.Model.IsJoint() {
		fit = fmt.Sprintf("fit %s (train %s, certify %s, summed over %d classifiers)", printing.Seconds(t.Fitted), printing.Seconds(t.Result.Train), printing.Seconds(t.Result.Certify), n)
		other = t.Total - t.Read - t.Fitted
	}
	return fmt.Sprintf("read %s, %s, other %s, total %s", printing.Seconds(t.Read), fit, printing.Seconds(max(0, other)), printing.Seconds(t.Total))
}

// unlikeTable reports whether features are as they were by default, but would have been
// scaled in a table of the same numbers, most of them not zero.
func (t *Trainer) unlikeTable() bool {
	m := t.Result.Model
	return t.unscaled() && 2*m.Data.Nonzeros > int64(m.Data.Rows)*int64(m.Data.Features)
}

// printJSON prints the contract's object.
func (t *Trainer) printJSON(cmd *cobra.Command) error {
	m, s := t.Result.Model, t.Result.Summary
	out := map[string]any{
		"status": t.Result.Status, "primal": model.Bound(s.Primal), "dual": model.Bound(s.Dual), "gap": model.Bound(s.Gap), "gap_absolute": model.Bound(s.Primal - s.Dual),
		"gap_worst": model.Bound(s.Worst), "lambda": m.Statement.Lambda, "C": model.Bound(t.Result.C),
		"n": m.Data.Rows, "d": m.Data.Features, "nonzeros": m.Data.Nonzeros,
		"solver": m.Statement.Solver, "loss": m.Statement.Loss, "penalty": m.Statement.Penalty, "bias": m.Statement.Bias, "scale": report.ScaleOf(m),
		"seed": m.Statement.Seed, "epochs": t.Result.Epochs, "weights_nonzero": m.Nonzeros(),
		"seconds": map[string]float64{"read": t.Read.Seconds(), "train": t.Result.Train.Seconds(),
			"certify": t.Result.Certify.Seconds(), "total": t.Total.Seconds()},
		"model": nil, "unproved": nil,
	}
	t.addProblem(out)
	t.addMachine(out)
	if m.Schema != nil {
		report.AddColumns(out, m.Schema)
	}
	if m.Notes != nil {
		out["notes"] = m.Notes
	}
	if rounding := t.Set.Rounding; rounding > s.Gap {
		out["rounding"] = rounding
	}
	if t.Out != "" {
		out["model"] = t.Out
	}
	if m.Classes != nil {
		out["classes"] = m.Classes
		out["outputs"] = report.Certificates(m)
	}
	if t.evaluation != nil {
		out["test"] = t.evaluation
	}
	if t.learned != nil {
		out["learned_from"] = t.learned
	}
	if m.Threshold != nil {
		out["threshold"] = m.Threshold
	}
	if m.Calibration != nil {
		out["calibrated_by"] = t.calibratedBy()
	}
	if t.crossed != nil {
		best := t.crossed.Candidates[0]
		out["cross_validation"] = map[string]any{"score": t.crossed.Score.Name, "mean": model.Bound(best.Mean), "sd": model.Bound(best.SD), "folds": bounds(best.Scores), "gap": model.Bound(best.Gap),
			"holdout": report.Given(t.holdout), "trivial": trivialJSON(t.crossed)}
	}
	return printing.JSON(cmd, out)
}

// addProblem adds what not every problem has, and what was chosen, with reasons.
func (t *Trainer) addProblem(out map[string]any) {
	m := t.Result.Model
	if s := m.Statement; s.Radius > 0 || s.Slack > 0 || s.HardMargin || s.Nu > 0 {
		out["radius"], out["slack"], out["nu"] = report.Given(s.Radius), report.Given(s.Slack), report.Given(s.Nu)
		if s.HardMargin {
			out["hard_margin"], out["slack"] = true, 0
		}
		if s.Lambda == 0 {
			out["lambda"], out["C"] = nil, nil
		}
	}
	if m.OneClass() {
		out["task"] = pose.OneClass
	}
	if m.Statement.TargetLog {
		out["target_log"] = true
	}
	for name, why := range map[string]string{"unproved": t.Result.Unproved, "bias_why": t.Result.BiasWhy, "solver_why": t.Result.Why} {
		if why != "" {
			out[name] = why
		}
	}
}

// addMachine adds the kernel, the map that approximates it, and what a kernel machine has.
func (t *Trainer) addMachine(out map[string]any) {
	m := t.Result.Model
	if m.Support != nil {
		out["kernel"], out["support"] = m.Statement.Kernel, m.Support.Len()
		c := t.Result.Evaluations
		out["kernel_evaluations"], out["kernel_evaluations_computed"] = c.Requested, c.Computed
		out["kernel_evaluations_prefetched"], out["inner_products"] = c.Prefetched, c.Products
	}
	report.AddFacts(out, m)
	if m.Map != nil { // the proof is of the kernel that the map approximates this one by
		out["kernel"], out["map"] = m.Statement.Kernel, m.Statement.Map
		_, out["map_features"] = m.Map.Dims()
	}
}
