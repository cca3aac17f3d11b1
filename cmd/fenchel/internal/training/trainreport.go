package training

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
)

// print tells a person what came out.
func (t *Trainer) print(r printing.Report, out *result.Training, sources []string) {
	m := t.Result.Model
	r.Line("data", "%s: %s", strings.Join(sources, " "), printing.Sizes(m.Data.Rows, m.Data.Features, m.Data.Nonzeros))
	report.PrintColumns(r, out.Columns)
	report.PrintTask(r, m)
	t.printScores(r)
	report.PrintProblem(r, m, t.Result.C, t.verbose)
	t.printMeans(r)
	t.printProof(r)
	report.PrintRounding(r, out.Rounding)
	report.PrintSize(r, m)
	report.PrintCalibration(r, m, out.CalibratedBy)
	report.PrintThreshold(r, m)
	report.PrintCoverage(r, m)
	if t.verbose {
		if m.Support != nil {
			r.Line("kernel", "%s", report.Evaluated(t.Result.Evaluations))
		}
		r.Line("time", "%s", t.Times())
	}
	t.printModel(r)
}

// printProof says how the run ended, and what is proved.
func (t *Trainer) printProof(r printing.Report) {
	report.PrintProof(r, t.Result.Model, t.Result.Summary, string(t.Result.Status), t.Result.Unproved)
	if t.Result.Ended != "" {
		r.Line("ended", "%s", t.Result.Ended)
	}
}

// printMeans says by what the problem was solved, as far as it was asked for or is not the usual.
func (t *Trainer) printMeans(r printing.Report) {
	if t.Result.BiasWhy != "" {
		r.Line("bias", "%s: %s", t.Result.Model.Statement.Bias, t.Result.BiasWhy)
	}
	if t.unlikeTable() {
		r.Line("scale", "none, the default of vectors and of data that are no table; of CSV, TSV, ARFF and JSON it is std")
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
		which := "rows"
		if n := t.Set.Rows(); t.learned.Rows < n {
			which = fmt.Sprintf("a sample of the %d rows", n)
		}
		r.Line("learned", "%s (%s that it has learned from)", report.Headline(t.learned), which)
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

// calibratedBy says which rows the probabilities were fitted to; "": there are none.
func (t *Trainer) calibratedBy() string {
	switch {
	case t.Result.Model.Calibration == nil:
		return ""
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

// report is what is said of the run.
func (t *Trainer) report() *result.Training {
	out := result.Trained(t.Result, t.Out)
	out.CalibratedBy, out.Test, out.Learned = t.calibratedBy(), t.evaluation, t.learned
	out.Seconds = map[string]float64{"read": t.Read.Seconds(), "train": t.Result.Train.Seconds(), "certify": t.Result.Certify.Seconds(), "total": t.Total.Seconds()}
	if rounding := t.Set.Rounding; rounding > t.Result.Summary.Gap {
		out.Rounding = rounding
	}
	if t.crossed != nil {
		best := t.crossed.Candidates[0]
		out.Crossed = &result.Crossed{Folds: result.Numbers(best.Scores), Gap: model.Bound(best.Gap), Holdout: result.OrNull(t.holdout), Mean: model.Bound(best.Mean), Score: t.crossed.Score.Name, SD: model.Bound(best.SD), Trivial: result.TrivialOf(t.crossed)}
	}
	return out
}
