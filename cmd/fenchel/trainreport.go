package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

// print tells a person what came out.
func (t *trainer) print(cmd *cobra.Command, sources []string) {
	m, s := t.result.Model, t.result.Summary
	r := report{cmd.OutOrStdout()}
	r.line("data", "%s: %s", strings.Join(sources, " "), sizes(m.Data.Rows, m.Data.Features, m.Data.Nonzeros))
	printColumns(r, m.Schema)
	printTask(r, m)
	printProblem(r, m, t.result.C, t.result.Why)
	if t.unlikeTable() {
		r.line("scale", "none, the default of data that are no table; of CSV, TSV and ARFF it is std")
	}
	printProof(r, m, s, string(t.result.Status), t.result.Unproved)
	printRounding(r, t.set.Rounding, s.Gap)
	printSize(r, m)
	if m.Support != nil {
		r.line("kernel", "%d values requested, %d computed", t.result.Evaluations.Requested, t.result.Evaluations.Computed)
	}
	if t.evaluation != nil {
		r.line("test", "%s", headline(t.evaluation))
	}
	summed := ""
	if n := len(m.Outputs); n > 1 { // they run side by side
		summed = fmt.Sprintf(" (summed over %d classes)", n)
	}
	r.line("time", "read %s, train %s, certify %s%s, total %s", seconds(t.read), seconds(t.result.Train), seconds(t.result.Certify), summed, seconds(t.total))
	if t.out != "" {
		r.line("model", "%s", t.out)
	} else {
		r.line("model", "not saved (give -o FILE)")
	}
}

// unscaled reports whether nothing scales the features, though that was not asked for and
// would make sense.
func (t *trainer) unscaled() bool {
	k, err := kernel.New(t.spec.Kernel)
	return t.spec.Scaling == "" && !t.set.Schema.Table() && (err != nil || !kernel.Selective(k))
}

// adviseScale warns of columns that differ so much in size that the penalty, or the
// distances of rows, are a matter of a few of them.
func (t *trainer) adviseScale(cmd *cobra.Command) {
	const much = 1e4
	if !t.unscaled() || t.set.Text {
		return
	}
	ratio, small, large := dataset.Disparity(t.set.X)
	if ratio <= much {
		return
	}
	name := func(j int) string {
		if t.set.Feature != nil {
			return strconv.Quote(t.set.Feature[j])
		}
		if t.set.ZeroBased {
			return strconv.Itoa(j)
		}
		return strconv.Itoa(j + 1)
	}
	warn(cmd, []error{fmt.Errorf("columns differ in size by %.0e (%s is the largest, %s the smallest): use --scale std", ratio, name(large), name(small))})
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
	if t.result.Unproved != "" {
		out["unproved"] = t.result.Unproved
	}
	if m.Schema != nil {
		addColumns(out, m.Schema)
	}
	if s := m.Statement; s.Radius > 0 || s.Slack > 0 || s.Nu > 0 {
		out["radius"], out["slack"], out["nu"] = given(s.Radius), given(s.Slack), given(s.Nu)
		if s.Lambda == 0 {
			out["lambda"], out["C"] = nil, nil
		}
	}
	if m.Notes != nil {
		out["notes"] = m.Notes
	}
	if m.OneClass() {
		out["task"] = train.OneClass
	}
	if m.Support != nil {
		out["kernel"], out["support"] = m.Statement.Kernel, m.Support.Len()
		out["kernel_evaluations"], out["kernel_evaluations_computed"] = t.result.Evaluations.Requested, t.result.Evaluations.Computed
	}
	if m.Map != nil { // the proof is of the kernel that the map approximates this one by
		out["kernel"], out["map"] = m.Statement.Kernel, m.Statement.Map
		_, out["map_features"] = m.Map.Dims()
	}
	if rounding := t.set.Rounding; rounding > s.Gap {
		out["rounding"] = rounding
	}
	if t.result.Why != "" {
		out["solver_why"] = t.result.Why
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
	return printJSON(cmd, out)
}
