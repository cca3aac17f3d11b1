package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/memory"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/solver"
)

// onePass is the verb train where each row is read once.
type onePass struct {
	*Trainer
	asked   bool
	bits    int
	classes []string // both; nil: those of the first rows
	holdout int      // rows after so many are judged alone; 0: none are
	stream  *fenchel.Stream
}

// mostBits is how many features there are at most, as logarithm: 2^24 take 400 MB.
const mostBits = 24

func (p *onePass) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&p.asked, "stream", false, "read each row once, in memory that does not grow with their number, by the steps of Vowpal Wabbit: nothing is proved then")
	f.IntVar(&p.bits, "bits", 18, "of --stream: room for 2^BITS features; LIBSVM indices are below that, words of tables are hashed into as many")
	f.StringSliceVar(&p.classes, "classes", nil, "of --stream: the labels of both classes (default those of the first 1024 rows, or 1 beside -1 or 0 alone)")
	f.IntVar(&p.holdout, "holdout-after", 0, "of --stream: judge rows after so many, and do not learn from them (default all are learned from)")
}

// goesWith are the flags of train that mean something to a stream, and those that the model to go on from leaves open.
var (
	goesWith = []string{"stream", "bits", "classes", "holdout-after", "init", "loss", "task", "output", "note", "force", "json", "quiet", "verbose", "help",
		"format", "threads", "zero-based", "header", "target", "ignore", "categorical", "numeric", "text", "ngrams", "term-weights", "missing", "skip-unlabelled"}
	goesOn = []string{"stream", "holdout-after", "init", "output", "force", "json", "quiet", "verbose", "help", "format", "threads", "zero-based", "header"}
)

// check refuses flags that mean nothing here, before any data are read.
func (p *onePass) check(cmd *cobra.Command, sources []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case !slices.Contains(goesWith, f.Name):
			err = fmt.Errorf("--%s: found it beside --stream, expected only what rows that are seen once can do", f.Name)
		case p.init != "" && !slices.Contains(goesOn, f.Name):
			err = fmt.Errorf("--%s: found it beside --init, expected only what the model of a stream does not say", f.Name)
		}
	})
	switch {
	case err != nil:
		return err
	case p.bits < 1 || p.bits > mostBits:
		return fmt.Errorf("--bits %d: expected a number from 1 to %d", p.bits, mostBits)
	case cmd.Flags().Changed("holdout-after") && p.holdout < 1:
		return fmt.Errorf("--holdout-after %d: expected a number > 0", p.holdout)
	}
	if p.Spec.Notes, err = option.ParseNotes(p.notes); err != nil {
		return err
	}
	p.In.Opt.Bits = p.bits
	return cmp.Or(p.In.Check(cmd, sources), p.checkPaths(sources))
}

// choose runs the verb as it was asked for; flags that only a stream has are refused otherwise.
func (p *onePass) choose(cmd *cobra.Command, sources []string) error {
	if p.asked {
		return p.run(cmd, sources)
	}
	for _, name := range []string{"bits", "classes", "holdout-after"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: found it without --stream, whose rows are read once", name)
		}
	}
	return p.Trainer.run(cmd, sources)
}

// begin makes the stream, or takes up that of a model.
func (p *onePass) begin(cmd *cobra.Command) (err error) {
	spec := fenchel.StreamSpec{Loss: p.Spec.Loss, Task: p.Spec.Task, Classes: p.classes, HoldOutAfter: p.holdout, ZeroBased: p.In.Opt.ZeroBased, Notes: p.Spec.Notes}
	if !p.Quiet {
		first := true
		spec.Doubled = func(now fenchel.StreamProgress) {
			if first {
				first = false
				fmt.Fprintf(cmd.ErrOrStderr(), "%12s  %10s  %10s\n", "rows", "average", "since last")
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%12d  %10.6f  %10.6f\n", now.Rows, now.Average, now.Since)
		}
	}
	if p.init == "" {
		p.stream, err = fenchel.NewStream(spec)
		return err
	}
	m, components, err := option.ReadModel(cmd, p.init)
	if err == nil && components != nil {
		return fmt.Errorf("--init %s: found principal components, expected a model of train --stream", p.init)
	}
	if err != nil {
		return err
	}
	if p.stream, err = fenchel.ResumeStream(m, spec); err != nil {
		return exitcode.BadData(fmt.Errorf("--init %s: %w", p.init, err))
	}
	if p.In.Opt.Schema = m.Schema; m.Schema == nil {
		p.In.Opt.Columns = m.Cols()
	}
	p.In.Opt.ZeroBased = p.In.Opt.ZeroBased || m.Statement.ZeroBased
	return nil
}

// run learns the rows. What was learned before an error, or an interruption, is a result too.
func (p *onePass) run(cmd *cobra.Command, sources []string) error {
	started := time.Now()
	if err := cmp.Or(p.check(cmd, sources), p.begin(cmd)); err != nil {
		return err
	}
	memory.TidyMemory()
	stopping := interrupt.Stopping(cmd.Context(), "writing what was learned")
	defer stopping()
	err := p.In.Blocks(cmd, sources, func(rows *data.RowStream, x matrix.Matrix) error {
		p.stream.Schema, p.stream.Feature = rows.Schema, rows.Feature
		if err := p.stream.Learn(x, rows.Target); err != nil {
			return named(sources, err)
		}
		return nil
	})
	status := solver.EpochLimit
	if errors.Is(err, context.Canceled) {
		status, err = solver.Interrupted, nil
	}
	rows := p.stream.Rows()
	if rows == 0 {
		return err
	}
	var failed error
	if p.Result, failed = p.stream.Result(status); failed != nil {
		return errors.Join(err, failed)
	}
	if p.Out != "" {
		if failed := p.Result.Model.WriteFile(p.Out); failed != nil {
			return errors.Join(err, exitcode.BadData(failed))
		}
	}
	if e := exitcode.Of(err); err != nil && e.Code == exitcode.Data {
		err = &exitcode.Error{Code: e.Code, Err: fmt.Errorf("%w (%s before it learned)", err, printing.Count(rows, "row"))}
	}
	p.Total = time.Since(started)
	out := result.Trained(p.Result, p.Out)
	out.Seconds = map[string]float64{"read": 0, "train": p.Total.Seconds(), "certify": 0, "total": p.Total.Seconds()}
	said := printing.Print(cmd, p.JSON, out, func(r printing.Report) { p.print(r, out, sources) })
	return cmp.Or(err, said, exitcode.Ended(p.Result.Status, true))
}

// named says in which source a bad row is, where there is one.
func named(sources []string, err error) error {
	name := sources[0]
	switch {
	case len(sources) > 1:
		return err
	case name == "-":
		name = "standard input"
	}
	return exitcode.BadData(fmt.Errorf("%s: %w", name, err))
}

// print tells a person what came out.
func (p *onePass) print(r printing.Report, out *result.Training, sources []string) {
	m := p.Result.Model
	r.Line("data", "%s: %s", strings.Join(sources, " "), printing.Count(m.Data.Rows, "row"))
	report.PrintColumns(r, out.Columns)
	report.PrintTask(r, m)
	r.Line("problem", "%s", report.TermsOf(m))
	p.printProof(r)
	report.PrintSize(r, m)
	if p.verbose {
		r.Line("time", "%s", printing.Seconds(p.Total))
	}
	p.printModel(r)
	if p.Out != "" && !slices.Contains(sources, "-") {
		r.Line("to prove", "fenchel train %s --init %s --loss %s", strings.Join(sources, " "), printing.Word(p.Out), m.Statement.Loss)
	}
}
