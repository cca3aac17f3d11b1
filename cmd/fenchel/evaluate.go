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

func newEvaluate() *cobra.Command {
	var in input
	var asJSON bool
	var training []string
	var richer string
	cmd := &cobra.Command{
		Use:   "evaluate MODEL DATA...",
		Short: "Compare a model's predictions with the truth",
		Long: `Evaluate predicts every row of DATA and compares with its target. Classes:
accuracy, confusion matrix, precision, recall and F1 of each class, for two
classes the area under the ROC curve, for the logistic loss the log-loss.
The error comes with the interval in which that on all rows of the kind is with
probability 95 %, if the model was neither trained nor chosen by these.
Numbers: root mean squared error, mean and median absolute error, R2. One class:
the share of outliers, and if the targets are 1 and -1, the same as of classes.`,
		Args: arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := model.ReadFile(args[0])
			if err != nil {
				return badData(notModel(cmd, args[0], err))
			}
			in.forModel(cmd, m)
			in.opt.InOrder = true
			set, err := in.read(cmd, args[1:])
			if err != nil {
				return err
			}
			warn(cmd, set.Warnings)
			e, err := parallel.Until(cmd.Context(), func() (*train.Evaluation, error) { return train.Evaluate(m, set, in.opt.Threads) })
			if err != nil {
				return badData(err)
			}
			warn(cmd, e.Warnings)
			if training != nil {
				if e.Decomposition, err = in.decompose(cmd, m, set, args[1:], training, richer); err != nil {
					return err
				}
			} else if richer != "" {
				return fmt.Errorf("--richer %s: found it without --train, expected the rows that the model was trained on", richer)
			}
			if asJSON {
				return printJSON(cmd, e)
			}
			printEvaluation(report{cmd.OutOrStdout()}, e)
			printDecomposition(report{cmd.OutOrStdout()}, e.Decomposition)
			return nil
		},
	}
	in.register(cmd, false)
	cmd.Flags().StringArrayVar(&training, "train", nil, "the rows that the model was trained on: says which part of the mean loss is due to its class, to the sample and to stopping early (may be repeated)")
	cmd.Flags().StringVar(&richer, "richer", "", "with --train: a model of a richer class by the same loss, whose mean loss counts as the least possible (default 0)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// decompose reads what it takes to say where the mean loss of m on the set comes from.
func (in input) decompose(cmd *cobra.Command, m *model.Model, set *dataset.Set, sources, training []string, richer string) (*theory.Decomposition, error) {
	least := 0.0
	if richer != "" {
		r, err := model.ReadFile(richer)
		if err != nil {
			return nil, badData(notModel(cmd, richer, err))
		}
		other := in
		other.forModel(cmd, r)
		same, err := other.read(cmd, sources)
		if err != nil {
			return nil, err
		}
		if least, err = train.Risk(r, m, same, in.opt.Threads); err != nil {
			return nil, badData(fmt.Errorf("--richer %s: %w", richer, err))
		}
	}
	rows, err := in.read(cmd, training)
	if err != nil {
		return nil, err
	}
	warn(cmd, rows.Warnings)
	d, err := train.Decompose(m, rows, set, least, in.opt.Threads)
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
