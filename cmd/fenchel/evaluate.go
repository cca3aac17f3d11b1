package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/components"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/internal/survey"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/model"
)

// evaluator is one run of the verb evaluate.
type evaluator struct {
	in       option.Input
	training []string // sources
	richer   string   // model file
	proved   bool
	figure   string // SVG file
	json     bool
}

func newEvaluate() *cobra.Command {
	v := &evaluator{}
	cmd := &cobra.Command{
		Use:   "evaluate MODEL DATA...",
		Short: "Compare a model's predictions with the truth, or say what components capture of rows",
		Long: `Evaluate predicts every row of DATA and compares with its target. Classes:
accuracy, and that of always predicting the most frequent class, confusion matrix, precision, recall and F1 of each class, for two
classes the area under the ROC curve, and log-loss and Brier score where the model
has probabilities: of the logistic loss, or of train --probabilities. The Brier score is
followed by its parts (Murphy 1973) by ten bins of the probability: reliability, 0 where
probabilities are true, resolution, what they tell apart, and uncertainty, of the shares
of the classes; and by the expected calibration error. --figure draws the curve.
The error is followed by the exact 95 % interval (Clopper and Pearson; Hoeffding's of
rows with weights) for the error on new rows of the same distribution; it holds if
the model was trained and chosen without DATA. Of two classes a table says what
other thresholds of the score would give; the one that predicts has a star, and
"train --cost" chooses it.
Numbers: root mean squared error, mean and median absolute error, R2; of the loss
quantile its pinball loss, of poisson the mean deviance; of several targets the means
over these, and each. One class: the share
of outliers, and if the targets are 1 and -1, the same as of classes.

Principal components: what they capture of the variance of DATA (of the second
moment, if they are not centred), with its standard error; what they leave of it,
the mean squared error of reconstruct; what the best components of DATA itself
capture more; and a proof of how much any others of the same number could capture.`,
		Args: option.Arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, args[0], args[1:]) },
	}
	v.in.Register(cmd, false)
	f := cmd.Flags()
	f.StringArrayVar(&v.training, "train", nil, "the rows that the model was trained on: says which part of the mean loss is due to its class, to the sample and to stopping early (may be repeated)")
	f.StringVar(&v.richer, "richer", "", "with --train: a model of a richer class by the same loss, whose mean loss counts as the least possible (default 0)")
	f.BoolVar(&v.proved, "proved", false, "say in how many rows the class of every exact optimum is sure, and between which two numbers its error is: of a model of train --proved, or without a free bias")
	f.StringVar(&v.figure, "figure", "", "write the reliability curve of probabilities to this SVG file")
	f.BoolVar(&v.json, "json", false, "print one JSON object")
	return cmd
}

func (v *evaluator) run(cmd *cobra.Command, path string, sources []string) error {
	if v.richer != "" && v.training == nil {
		return fmt.Errorf("--richer %s: found it without --train, expected the rows that the model was trained on", v.richer)
	}
	m, basis, err := option.ReadModel(cmd, path)
	if err != nil {
		return err
	}
	if err := v.checkFigure(m, slices.Concat([]string{path}, sources, v.training)); err != nil {
		return err
	}
	if basis != nil {
		if v.training != nil || v.proved {
			return errors.New("--train, --proved: found principal components, expected a model that predicts")
		}
		return components.Evaluate(cmd, &v.in, basis, sources, v.json)
	}
	v.in.ForModel(cmd, m)
	v.in.SkipAs(m.Schema)
	v.in.Opt.InOrder = true
	set, err := v.in.Read(cmd, sources)
	if err != nil {
		return err
	}
	e, err := fenchel.Evaluate(cmd.Context(), m, set, fenchel.Options{Threads: v.in.Opt.Threads})
	if err != nil {
		return exitcode.BadData(err)
	}
	printing.Warn(cmd, e.Warnings)
	if err := v.draw(e); err != nil {
		return err
	}
	out := result.Evaluation{Evaluation: e}
	if v.training != nil {
		if out.Decomposition, err = v.decompose(cmd, m, set, sources); err != nil {
			return err
		}
	}
	if v.proved {
		if out.Proved, err = survey.SureOf(m, set, v.in.Opt.Threads); err != nil {
			return exitcode.BadData(fmt.Errorf("--proved: %w", err))
		}
	}
	return printing.Print(cmd, v.json, printing.InOrder{Report: out}, func(r printing.Report) {
		printEvaluation(r, e)
		printSure(r, m, out.Proved)
		printDecomposition(r, out.Decomposition)
	})
}

// checkFigure refuses a model that has no curve, nil: it is none that predicts, and a file that holds what is read.
func (v *evaluator) checkFigure(m *model.Model, inputs []string) error {
	if v.figure == "" || m != nil && m.HasProbabilities() {
		return paths.CheckOutputs([][2]string{{"--figure", v.figure}}, inputs)
	}
	return fmt.Errorf("--figure %s: found a model without probabilities, expected one of train --probabilities or of the losses logistic and softmax", v.figure)
}

// draw draws the curve that was asked for.
func (v *evaluator) draw(e *fenchel.Evaluation) error {
	switch {
	case v.figure == "":
		return nil
	case e.Calibrated == nil:
		return exitcode.BadData(fmt.Errorf("--figure %s: found labels that the model does not know, expected its own, for a reliability curve", v.figure))
	}
	return exitcode.BadData(file.WriteFile(v.figure, reportpage.Reliability(e.Calibrated).WriteSVG))
}

// decompose reads what it takes to say where the mean loss of m on the set comes from.
func (v *evaluator) decompose(cmd *cobra.Command, m *model.Model, set *data.Set, sources []string) (*theory.Decomposition, error) {
	least := 0.0
	if v.richer != "" {
		r, err := model.ReadFile(v.richer)
		if err != nil {
			return nil, exitcode.BadData(option.NotModel(cmd, v.richer, err))
		}
		other := v.in
		other.ForModel(cmd, r)
		same, err := other.ReadAgain(cmd, sources)
		if err != nil {
			return nil, err
		}
		if least, err = survey.Risk(r, m, same, v.in.Opt.Threads); err != nil {
			return nil, exitcode.BadData(fmt.Errorf("--richer %s: %w", v.richer, err))
		}
	}
	rows, err := v.in.Read(cmd, v.training)
	if err != nil {
		return nil, err
	}
	d, err := survey.Decompose(m, rows, set, least, v.in.Opt.Threads)
	return d, exitcode.BadData(err)
}

// printSure says what is proved of the predictions of exact optima.
func printSure(r printing.Report, m *model.Model, s *survey.Sure) {
	if s == nil {
		return
	}
	if m.Classes != nil {
		r.Line("proved", "every exact optimum predicts the same class as this model in %d of %s (%s)", s.Classes, printing.Count(s.Rows, "row"), printing.Percent(float64(s.Classes)/float64(s.Rows)))
	}
	switch {
	case s.Error != nil:
		r.Line("", "its error is from %.6g to %.6g", s.Error[0], s.Error[1])
	case s.RMSE != nil:
		r.Line("proved", "the RMSE of every exact optimum is from %.6g to %.6g", s.RMSE[0], s.RMSE[1])
	}
	r.Line("", "its scores are known to %.3g in the mean, %.3g at most", s.Mean/2, s.Widest/2)
}

// printDecomposition says where the mean loss comes from.
func printDecomposition(r printing.Report, d *theory.Decomposition) {
	if d == nil {
		return
	}
	r.Line("excess", "%.6g (mean loss above the least)", d.Excess())
	r.Line("", "%.6g approximation (of the class of models, by the training rows)", d.Approximation)
	r.Line("", "%.6g estimation (of the sample)", d.Estimation)
	r.Line("", "%.6g optimisation (the proved gap, at most)", d.Optimisation)
}

func printEvaluation(r printing.Report, e *fenchel.Evaluation) {
	r.Line("rows", "%d", e.Rows)
	if e.Outliers != nil {
		r.Line("outliers", "%s", report.Number(e.Outliers))
		if e.Classes == nil {
			return
		}
	}
	printCoverage(r, e)
	if e.Classes == nil {
		r.Line("RMSE", "%s", report.Number(e.RMSE))
		if e.Trivial != nil {
			r.Line("trivial", "RMSE %s, MAE %s%s (%s)", report.Number(e.Trivial.RMSE), report.Number(e.Trivial.MAE), report.OwnScore(e.Own, e.Trivial.Evaluation), e.Trivial.Prediction)
		}
		r.Line("MAE", "%s", report.Number(e.MAE))
		r.Line("median", "%s (of the absolute errors)", report.Number(e.MedianAbsolute))
		r.Line("R2", "%s", report.Number(e.R2))
		if what := report.OwnScores[e.Own]; what != "" {
			r.Line(e.Own, "%s (%s)", report.Number(e.Measure(e.Own)), what)
		}
		for _, t := range e.Targets {
			r.Line("target", "%s: %s", printing.Spell(t.Target), report.Numbers(&fenchel.Evaluation{NumberScores: t.NumberScores, Trivial: t.Trivial}))
		}
		return
	}
	r.Line("accuracy", "%s", report.Number(e.Accuracy))
	if e.Trivial != nil {
		r.Line("trivial", "accuracy %s (%s)", report.Number(e.Trivial.Accuracy), e.Trivial.Prediction)
	}
	r.Line("error", "%s%s", report.Number(e.Error), report.Within(e))
	if e.Cost != nil {
		r.Line("cost", "%s a row, by the costs that the model was trained with (%s: %s)", report.Number(e.Cost), e.Trivial.Prediction, report.Number(e.Trivial.Cost))
	}
	r.Line("balanced", "%s (mean recall)", report.Number(e.Balanced))
	r.Line("macro F1", "%s", report.Number(e.MacroF1))
	if e.AUC != nil {
		r.Line("AUC", "%s", report.Number(e.AUC))
		r.Line("AP", "%s (average precision)", report.Number(e.AP))
	}
	if e.LogLoss != nil {
		r.Line("log-loss", "%s", report.Number(e.LogLoss))
		r.Line("Brier", "%s", report.Number(e.Brier))
		if c := e.Calibrated; c != nil {
			r.Line("", "= %.4g reliability - %.4g resolution + %.4g uncertainty %+.4g within bins", c.Reliability, c.Resolution, c.Uncertainty, c.Within)
			r.Line("ECE", "%.4g (expected calibration error: mean distance of probabilities from shares)", c.CalibrationError)
		}
	}
	printClasses(r, e)
	printThresholds(r.W, e)
}

// printCoverage says how often intervals, or sets of labels, hold the truth.
func printCoverage(r printing.Report, e *fenchel.Evaluation) {
	if c := e.Coverage; c != nil {
		what := "width of the intervals"
		if e.Classes != nil {
			what = "number of labels"
		}
		r.Line("coverage", "%.4g of the rows, %g was asked for; mean %s %.6g", c.Covered, c.Level, what, c.Width)
	}
}

// printThresholds prints what thresholds of the score of the second class give.
func printThresholds(w io.Writer, e *fenchel.Evaluation) {
	if e.Thresholds == nil {
		return
	}
	digits := 4 // as many as tell the thresholds apart
	for k := 1; k < len(e.Thresholds); k++ {
		for lo, hi := e.Thresholds[k].Score, e.Thresholds[k-1].Score; lo != hi && digits < 17 && report.InDigits(lo, digits) == report.InDigits(hi, digits); digits++ {
		}
	}
	lines := [][]string{{"", "score above", "probability", "precision", "recall", "flagged", "cost", ""}}
	for _, t := range e.Thresholds {
		mark := ""
		if t.Used {
			mark = "*"
		}
		lines = append(lines, []string{mark, report.InDigits(t.Score, digits), report.FigureOf(t.Probability), report.FigureOf(t.Precision), fmt.Sprintf("%.4f", t.Recall), printing.Percent(t.Flagged), report.FigureOf(t.Cost), ""})
	}
	for k := len(lines[0]) - 2; k > 0; k-- {
		if !slices.ContainsFunc(lines[1:], func(l []string) bool { return l[k] != "-" }) {
			for n := range lines {
				lines[n] = slices.Delete(lines[n], k, k+1)
			}
		}
	}
	fmt.Fprintln(w)
	report.PrintColumnsOf(w, lines)
}

// printClasses prints the scores of every class and, for few classes, the
// confusion matrix.
func printClasses(r printing.Report, e *fenchel.Evaluation) {
	w := tabwriter.NewWriter(r.W, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\nclass\tprecision\trecall\tF1\trows\t\n")
	for _, c := range e.Classes {
		fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t%g\t\n", printing.Spell(c.Class), c.Precision, c.Recall, c.F1, c.Support)
	}
	w.Flush()
	const most = 30
	if len(e.Confusion.Predicted) > most {
		return
	}
	fmt.Fprintf(w, "\ntrue \\ predicted\t%s\t\n", strings.Join(printing.Spelled(e.Confusion.Predicted), "\t"))
	for t, class := range e.Confusion.True {
		fmt.Fprintf(w, "%s\t", printing.Spell(class))
		for _, n := range e.Confusion.Count[t] {
			fmt.Fprintf(w, "%g\t", n)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
