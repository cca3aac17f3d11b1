package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/theory"
	"github.com/fenchel-ml/fenchel/train"
)

// evaluator is one run of the verb evaluate.
type evaluator struct {
	in       input
	training []string // sources
	richer   string   // model file
	json     bool
}

func newEvaluate() *cobra.Command {
	v := &evaluator{}
	cmd := &cobra.Command{
		Use:   "evaluate MODEL DATA...",
		Short: "Compare a model's predictions with the truth",
		Long: `Evaluate predicts every row of DATA and compares with its target. Classes:
accuracy, confusion matrix, precision, recall and F1 of each class, for two
classes the area under the ROC curve, and log-loss and Brier score where the model
has probabilities: of the logistic loss, or of train --probabilities.
The error is followed by Hoeffding's 95 % interval for the error on new rows of the
same distribution; it holds if the model was trained and chosen without DATA.
Numbers: root mean squared error, mean and median absolute error, R2. One class:
the share of outliers, and if the targets are 1 and -1, the same as of classes.`,
		Args: arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, args[0], args[1:]) },
	}
	v.in.register(cmd, false)
	f := cmd.Flags()
	f.StringArrayVar(&v.training, "train", nil, "the rows that the model was trained on: says which part of the mean loss is due to its class, to the sample and to stopping early (may be repeated)")
	f.StringVar(&v.richer, "richer", "", "with --train: a model of a richer class by the same loss, whose mean loss counts as the least possible (default 0)")
	f.BoolVar(&v.json, "json", false, "print one JSON object")
	return cmd
}

func (v *evaluator) run(cmd *cobra.Command, path string, sources []string) error {
	if v.richer != "" && v.training == nil {
		return fmt.Errorf("--richer %s: found it without --train, expected the rows that the model was trained on", v.richer)
	}
	m, err := model.ReadFile(path)
	if err != nil {
		return badData(notModel(cmd, path, err))
	}
	v.in.forModel(cmd, m)
	v.in.opt.InOrder = true
	set, err := v.in.read(cmd, sources)
	if err != nil {
		return err
	}
	warn(cmd, set.Warnings)
	e, err := parallel.Until(cmd.Context(), func() (*train.Evaluation, error) { return train.Evaluate(m, set, v.in.opt.Threads) })
	if err != nil {
		return badData(err)
	}
	warn(cmd, e.Warnings)
	if v.training != nil {
		if e.Decomposition, err = v.decompose(cmd, m, set, sources); err != nil {
			return err
		}
	}
	if v.json {
		return printJSON(cmd, e)
	}
	r := report{cmd.OutOrStdout()}
	printEvaluation(r, e)
	printDecomposition(r, e.Decomposition)
	return nil
}

// decompose reads what it takes to say where the mean loss of m on the set comes from.
func (v *evaluator) decompose(cmd *cobra.Command, m *model.Model, set *dataset.Set, sources []string) (*theory.Decomposition, error) {
	least := 0.0
	if v.richer != "" {
		r, err := model.ReadFile(v.richer)
		if err != nil {
			return nil, badData(notModel(cmd, v.richer, err))
		}
		other := v.in
		other.forModel(cmd, r)
		same, err := other.read(cmd, sources)
		if err != nil {
			return nil, err
		}
		if least, err = train.Risk(r, m, same, v.in.opt.Threads); err != nil {
			return nil, badData(fmt.Errorf("--richer %s: %w", v.richer, err))
		}
	}
	rows, err := v.in.read(cmd, v.training)
	if err != nil {
		return nil, err
	}
	warn(cmd, rows.Warnings)
	d, err := train.Decompose(m, rows, set, least, v.in.opt.Threads)
	return d, badData(err)
}

// printDecomposition says where the mean loss comes from.
func printDecomposition(r report, d *theory.Decomposition) {
	if d == nil {
		return
	}
	r.line("excess", "%.6g (mean loss above the least)", d.Excess())
	r.line("", "%.6g approximation (of the class of models, by the training rows)", d.Approximation)
	r.line("", "%.6g estimation (of the sample)", d.Estimation)
	r.line("", "%.6g optimisation (the proved gap, at most)", d.Optimisation)
}

// headline puts an evaluation into one line.
func headline(e *train.Evaluation) string {
	if e.Outliers != nil && e.Error == nil {
		return fmt.Sprintf("%s of %s are outliers", percent(*e.Outliers), count(e.Rows, "row"))
	}
	if e.Error != nil {
		return fmt.Sprintf("error %s, accuracy %s of %s", percent(*e.Error), percent(*e.Accuracy), count(e.Rows, "row"))
	}
	return fmt.Sprintf("RMSE %s, MAE %s, R2 %s of %s", number(e.RMSE), number(e.MAE), number(e.R2), count(e.Rows, "row"))
}

// number writes a figure that may be undefined.
func number(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.6g", *x)
}

func printEvaluation(r report, e *train.Evaluation) {
	r.line("rows", "%d", e.Rows)
	if e.Outliers != nil {
		r.line("outliers", "%s", number(e.Outliers))
		if e.Classes == nil {
			return
		}
	}
	if e.Classes == nil {
		r.line("RMSE", "%s", number(e.RMSE))
		r.line("MAE", "%s", number(e.MAE))
		r.line("median", "%s (of the absolute errors)", number(e.MedianAbsolute))
		r.line("R2", "%s", number(e.R2))
		return
	}
	r.line("accuracy", "%s", number(e.Accuracy))
	r.line("error", "%s%s", number(e.Error), within(e))
	r.line("balanced", "%s (mean recall)", number(e.Balanced))
	r.line("macro F1", "%s", number(e.MacroF1))
	if e.AUC != nil {
		r.line("AUC", "%s", number(e.AUC))
	}
	if e.LogLoss != nil {
		r.line("log-loss", "%s", number(e.LogLoss))
		r.line("Brier", "%s", number(e.Brier))
	}
	printClasses(r, e)
}

// within says how far the error on new rows may be from that on these.
func within(e *train.Evaluation) string {
	if e.Error == nil || e.Within == nil {
		return ""
	}
	return fmt.Sprintf(" (+- %s with probability %.0f %% for rows that no choice depended on, Hoeffding)", percent(min(1, *e.Within)), 100*train.Confidence)
}

// printClasses prints the scores of every class and, for few classes, the
// confusion matrix.
func printClasses(r report, e *train.Evaluation) {
	w := tabwriter.NewWriter(r.w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\nclass\tprecision\trecall\tF1\trows\t\n")
	for _, c := range e.Classes {
		fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t%g\t\n", spell(c.Class), c.Precision, c.Recall, c.F1, c.Support)
	}
	w.Flush()
	const most = 30
	if len(e.Confusion.Predicted) > most {
		return
	}
	fmt.Fprintf(w, "\ntrue \\ predicted\t%s\t\n", strings.Join(spelled(e.Confusion.Predicted), "\t"))
	for t, class := range e.Confusion.True {
		fmt.Fprintf(w, "%s\t", spell(class))
		for _, n := range e.Confusion.Count[t] {
			fmt.Fprintf(w, "%g\t", n)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
