package training

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/forget"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/model"
)

// forgetter is one run of the verb forget.
type forgetter struct {
	in        option.Input
	rows, out string // files
	limit     time.Duration
	gap       float64 // 0: the model's
	anew      bool    // train from zero too
	force     bool
}

// NewForget makes the verb forget.
func NewForget() *cobra.Command {
	g := &forgetter{}
	cmd := &cobra.Command{
		Use:   "forget MODEL DATA --rows FILE -o NEW",
		Short: "Make the model of the data without some rows, begun from MODEL",
		Long: `Forget trains the problem of MODEL on DATA, which it was trained on, without the rows
whose numbers are in FILE: from 1, one a line, as rows are counted (names of columns are
none). Lambda is kept, so that C = 1/(lambda N) grows a little; loss, penalty, kernel,
bias and class weights are those of MODEL. Means, scales, categories, vocabularies and
the number of features are fitted anew to the rows that are left, as if the others had
never been in the file. Training begins from MODEL, which is why it is soon done, and ends
with a proof of its own.

"fenchel verify NEW REMAINING" on a file of the remaining rows recomputes digest, objective
and bound of these rows alone: the removed rows have no more influence than the gap
allows. Where MODEL proves the gap on the rows left, its weights stay as they are; a
smaller --gap leaves less room. The digest of MODEL must be that of DATA, so the flags
that said how it is read have to be given again. Rows of text (LIBSVM, CSV, TSV, a JSON object in each line) are read again
without the lines; of other formats only rows of numbers without a schema can be taken.
Networks, models of one pass, of an approximate or precomputed kernel, with fitted
probabilities or of other programs are refused.`,
		Example: `  fenchel forget adult.model adult.csv --rows withdrawn.txt -o new.model
  fenchel forget adult.model adult.csv --rows withdrawn.txt -o new.model --anew`,
		Args: option.Arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return g.run(cmd, args[0], args[1]) },
	}
	g.in.Register(cmd, true)
	f := cmd.Flags()
	f.StringVar(&g.rows, "rows", "", "file of the numbers of the rows to leave out, from 1, one a line")
	f.StringVarP(&g.out, "output", "o", "", "write the model to this file")
	f.DurationVar(&g.limit, "time", 0, "stop after this time of training, its last certificate included, such as 60s (default no limit)")
	f.Float64Var(&g.gap, "gap", 0, "prove this relative gap (default that of MODEL)")
	f.BoolVar(&g.anew, "anew", false, "also train from zero, and say how long that takes and how far that model is from the other")
	f.BoolVar(&g.force, "force", false, "write the model even over a file that holds something else")
	return cmd
}

func (g *forgetter) run(cmd *cobra.Command, path, source string) error {
	if g.rows == "" || g.out == "" {
		return errors.New("--rows and --output: expected both, the numbers of rows and a file for the model")
	}
	if cmd.Flags().Changed("time") && g.limit <= 0 {
		return fmt.Errorf("--time %s: expected a duration > 0, such as 60s", g.limit)
	}
	if cmd.Flags().Changed("gap") && !(g.gap > 0 && g.gap <= math.MaxFloat64) {
		return fmt.Errorf("--gap %g: expected a number > 0", g.gap)
	}
	if source == "-" {
		return errors.New("-: found standard input, expected a file, as rows are read twice")
	}
	if err := cmp.Or(paths.CheckOutputs([][2]string{{"--output", g.out}}, []string{path, source, g.rows}), paths.KeepOthers("--output", g.out, g.force)); err != nil {
		return err
	}
	m, components, err := option.ReadModel(cmd, path)
	switch {
	case err != nil:
		return err
	case components != nil:
		return fmt.Errorf("%s: found principal components, expected a model that predicts", path)
	}
	if err := forget.Check(m); err != nil {
		return fmt.Errorf("%s: %s", path, printing.Message(err.Error()))
	}
	if err := g.in.Check(cmd, []string{source}); err != nil {
		return err
	}
	if g.in.Opt.Unlabelled = m.OneClass(); !cmd.Flags().Changed("zero-based") {
		g.in.Opt.ZeroBased = m.Statement.ZeroBased
	}
	r, err := g.read(cmd, source, m)
	if err != nil {
		return exitcode.BadData(err)
	}
	printing.Warn(cmd, r.Left.Warnings)
	return g.train(cmd, m, r)
}

// read reads the numbers of rows, and the rows.
func (g *forgetter) read(cmd *cobra.Command, source string, m *model.Model) (*forget.Rows, error) {
	f, err := os.Open(g.rows)
	if err != nil {
		return nil, fault.In(g.rows, "%w", errors.Unwrap(err))
	}
	defer f.Close()
	without, err := forget.Numbers(f, g.rows)
	if err != nil {
		return nil, err
	}
	return forget.Read(cmd.Context(), source, without, g.rows, g.in.Opt, m)
}

// train trains on the rows that are left, writes the model and says what came out.
func (g *forgetter) train(cmd *cobra.Command, m *model.Model, r *forget.Rows) error {
	spec, began, err := forget.Spec(m, r)
	if err != nil {
		return err
	}
	spec.Threads, spec.Time, spec.Gap = g.in.Opt.Threads, g.limit, cmp.Or(g.gap, spec.Gap)
	defer interrupt.Stopping(cmd.Context(), "certifying the best model")()
	result, took, err := timed(cmd, r, spec)
	if err != nil {
		return err
	}
	printing.Warn(cmd, result.Warnings)
	if err := result.Model.WriteFile(g.out); err != nil {
		return exitcode.BadData(err)
	}
	anew, fromZero, zero := (*fenchel.Result)(nil), time.Duration(0), spec
	if zero.From = nil; g.anew {
		if anew, fromZero, err = timed(cmd, r, zero); err != nil {
			return err
		}
	}
	failed := printing.Print(cmd, false, nil, func(out printing.Report) {
		proved := "nothing bounds the best possible"
		if !result.Summary.Unproved() {
			proved = fmt.Sprintf("best possible at least %.10g: %s", result.Summary.Dual, report.GapOf(result.Summary))
		}
		out.Line("data", "%s of %d left, %s", printing.Count(len(r.Kept), "row"), r.All.Rows(), result.Model.Data.Digest)
		out.Line("problem", "that of the model, lambda = %.6g kept", result.Model.Statement.Lambda)
		out.Line(string(result.Status), "objective %.10g, %s", result.Summary.Primal, proved)
		out.Line("trained", "from %s: %s, %.3g s", began, printing.Count(result.Epochs, "epoch"), took.Seconds())
		if anew != nil {
			out.Line("anew", "from zero: %s, %.3g s; its weights are %.3g of their norm from these", printing.Count(anew.Epochs, "epoch"), fromZero.Seconds(), forget.Moved(result.Model, anew.Model, &forget.Rows{}))
		}
		switch moved := forget.Moved(m, result.Model, r); {
		case moved == 0:
			out.Line("moved", "no weight: those of the model prove the gap on the rows left; a smaller --gap moves them")
		case !math.IsNaN(moved):
			out.Line("moved", "weights by %.3g of their norm", moved)
		}
		if distance := forget.Distance(result.Model); !math.IsNaN(distance) {
			out.Line("distance", "weights, of scaled features, at most %.3g from the exact optimum of the rows left", distance)
		}
		if spec.Proved {
			printProved(out, result.Model)
		}
		out.Line("model", "%s", g.out)
	})
	return cmp.Or(failed, exitcode.Ended(result.Status, result.ProvesNothing))
}

// printProved says whether single predictions are proved, as those of the model before were.
func printProved(out printing.Report, m *model.Model) {
	if _, err := m.Proved(); err != nil {
		out.Line("proved", "no more single predictions: %s", printing.Message(err.Error()))
		return
	}
	out.Line("proved", "single predictions of the rows left, as those of the model were: predict --proved")
}

// timed trains, and says how long that took.
func timed(cmd *cobra.Command, r *forget.Rows, spec fenchel.Spec) (*fenchel.Result, time.Duration, error) {
	begun := time.Now()
	result, err := fenchel.Train(cmd.Context(), r.Left, spec)
	return result, time.Since(begun), err
}
