package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// print tells a person what came out.
func (t *trainer) print(cmd *cobra.Command, sources []string) {
	m, s := t.result.Model, t.result.Summary
	r := printing.Report{W: cmd.OutOrStdout()}
	r.Line("data", "%s: %s", strings.Join(sources, " "), printing.Sizes(m.Data.Rows, m.Data.Features, m.Data.Nonzeros))
	printColumns(r, m.Schema)
	printTask(r, m)
	t.printScores(r)
	printProblem(r, m, t.result.C, t.verbose)
	t.printMeans(r)
	printProof(r, m, s, string(t.result.Status), t.result.Unproved)
	printRounding(r, t.set.Rounding, s.Gap)
	printSize(r, m)
	printCalibration(r, m, t.calibratedBy())
	printThreshold(r, m)
	if t.verbose {
		if m.Support != nil {
			r.Line("kernel", "%s", evaluated(t.result.Evaluations))
		}
		r.Line("time", "%s", t.times())
	}
	t.printModel(r)
}

// printMeans says by what the problem was solved, as far as it was asked for or is not the usual.
func (t *trainer) printMeans(r printing.Report) {
	if t.result.BiasWhy != "" {
		r.Line("bias", "%s: %s", t.result.Model.Statement.Bias, t.result.BiasWhy)
	}
	if t.unlikeTable() {
		r.Line("scale", "none, the default of data that are no table; of CSV, TSV and ARFF it is std")
	}
	if t.verbose {
		printSolver(r, t.result.Model, t.result.Why)
	}
}

// printModel says where the model is, and what it is for.
func (t *trainer) printModel(r printing.Report) {
	if t.out == "" {
		r.Line("model", "not saved (give -o FILE)")
		return
	}
	r.Line("model", "%s", t.out)
	r.Line("next", "fenchel predict %s NEW", printing.Word(t.out))
}

// printScores prints the scores of the model, and those of the trivial model on the same rows.
func (t *trainer) printScores(r printing.Report) {
	if t.evaluation != nil {
		r.Line("test", "%s", headline(t.evaluation))
	}
	if t.crossed != nil {
		r.Line(t.judgedBy(), "%s", t.crossWords())
	}
	if t.learned != nil {
		r.Line("learned", "%s (rows that it has learned from)", headline(t.learned))
		r.Line("", "of new rows nothing is known yet: --holdout 0.2, --folds 5 or --test FILE judges by others")
	}
}

// judgeLearned judges the model on rows that it learned from, where no others were given.
func (t *trainer) judgeLearned(cmd *cobra.Command) {
	if t.testSet != nil || t.crossed != nil || cmd.Context().Err() != nil {
		return
	}
	e, err := parallel.Until(cmd.Context(), func() (*fenchel.Evaluation, error) { return t.result.EvaluateLearned(t.set, t.in.opt.Threads) })
	if err == nil {
		t.learned = e
		printing.Warn(cmd, e.Warnings)
	}
}

// calibratedBy says which rows the probabilities were fitted to.
func (t *trainer) calibratedBy() string {
	switch {
	case t.result.Model.OneClass():
		return "the scores of all rows"
	case t.spec.Held != nil || t.spec.Folds != nil:
		return t.judged
	}
	return "5 folds at random"
}

// times says where the time went, in parts that add up. Several outputs are trained at the
// same time: what they took together is no part.
func (t *trainer) times() string {
	fit := fmt.Sprintf("train %s, certify %s", printing.Seconds(t.result.Train), printing.Seconds(t.result.Certify))
	other := t.total - t.read - t.result.Train - t.result.Certify
	if n := len(t.result.Model.Outputs); n > 1 && !t.result.Model.IsJoint() {
		fit = fmt.Sprintf("fit %s (train %s, certify %s, summed over %d classifiers)", printing.Seconds(t.fitted), printing.Seconds(t.result.Train), printing.Seconds(t.result.Certify), n)
		other = t.total - t.read - t.fitted
	}
	return fmt.Sprintf("read %s, %s, other %s, total %s", printing.Seconds(t.read), fit, printing.Seconds(max(0, other)), printing.Seconds(t.total))
}

// evaluated says how many values of a kernel were computed, and how many were at hand.
func evaluated(c gram.Counts) string {
	ahead := ""
	if c.Prefetched > 0 {
		ahead = fmt.Sprintf(" (%s of them before they were needed)", printing.Short(c.Prefetched))
	}
	return fmt.Sprintf("%s values computed%s, cache hits %.0f %%", printing.Short(c.Computed), ahead, math.Floor(100*c.Hits()))
}

// unlikeTable reports whether features are as they were by default, but would have been
// scaled in a table of the same numbers, most of them not zero.
func (t *trainer) unlikeTable() bool {
	m := t.result.Model
	return t.unscaled() && 2*m.Data.Nonzeros > int64(m.Data.Rows)*int64(m.Data.Features)
}

// printJSON prints the contract's object.
func (t *trainer) printJSON(cmd *cobra.Command) error {
	m, s := t.result.Model, t.result.Summary
	out := map[string]any{
		"status": t.result.Status, "primal": model.Bound(s.Primal), "dual": model.Bound(s.Dual), "gap": model.Bound(s.Gap), "gap_absolute": model.Bound(s.Primal - s.Dual),
		"gap_worst": model.Bound(s.Worst), "lambda": m.Statement.Lambda, "C": model.Bound(t.result.C),
		"n": m.Data.Rows, "d": m.Data.Features, "nonzeros": m.Data.Nonzeros,
		"solver": m.Statement.Solver, "loss": m.Statement.Loss, "penalty": m.Statement.Penalty, "bias": m.Statement.Bias, "scale": scaleOf(m),
		"seed": m.Statement.Seed, "epochs": t.result.Epochs, "weights_nonzero": m.Nonzeros(),
		"seconds": map[string]float64{"read": t.read.Seconds(), "train": t.result.Train.Seconds(),
			"certify": t.result.Certify.Seconds(), "total": t.total.Seconds()},
		"model": nil, "unproved": nil,
	}
	t.addProblem(out)
	t.addMachine(out)
	if m.Schema != nil {
		addColumns(out, m.Schema)
	}
	if m.Notes != nil {
		out["notes"] = m.Notes
	}
	if rounding := t.set.Rounding; rounding > s.Gap {
		out["rounding"] = rounding
	}
	if t.out != "" {
		out["model"] = t.out
	}
	if m.Classes != nil {
		out["classes"] = m.Classes
		out["outputs"] = certificates(m)
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
			"holdout": given(t.holdout), "trivial": trivialJSON(t.crossed)}
	}
	return printing.JSON(cmd, out)
}

// addProblem adds what not every problem has, and what was chosen, with reasons.
func (t *trainer) addProblem(out map[string]any) {
	m := t.result.Model
	if s := m.Statement; s.Radius > 0 || s.Slack > 0 || s.HardMargin || s.Nu > 0 {
		out["radius"], out["slack"], out["nu"] = given(s.Radius), given(s.Slack), given(s.Nu)
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
	for name, why := range map[string]string{"unproved": t.result.Unproved, "bias_why": t.result.BiasWhy, "solver_why": t.result.Why} {
		if why != "" {
			out[name] = why
		}
	}
}

// addMachine adds the kernel, the map that approximates it, and what a kernel machine has.
func (t *trainer) addMachine(out map[string]any) {
	m := t.result.Model
	if m.Support != nil {
		out["kernel"], out["support"] = m.Statement.Kernel, m.Support.Len()
		c := t.result.Evaluations
		out["kernel_evaluations"], out["kernel_evaluations_computed"] = c.Requested, c.Computed
		out["kernel_evaluations_prefetched"], out["inner_products"] = c.Prefetched, c.Products
	}
	addFacts(out, m)
	if m.Map != nil { // the proof is of the kernel that the map approximates this one by
		out["kernel"], out["map"] = m.Statement.Kernel, m.Statement.Map
		_, out["map_features"] = m.Map.Dims()
	}
}
