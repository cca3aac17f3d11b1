// Package training has the verbs that fit models: train, tune and path, with their flags and
// reports.
package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/memory"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/suspect"
)

// NewTrain makes the verb train.
func NewTrain() *cobra.Command {
	t := &Trainer{}
	once := &onePass{Trainer: t}
	cmd := &cobra.Command{
		Use:   "train DATA... [-o MODEL]",
		Short: "Train a linear model or kernel machine to a proved accuracy",
		Long: `Train reads DATA (files, globs, - for standard input, or @name:key=value,... for
a generator), minimises

    (1/N) sum_i s_i loss(<w,x_i> + b, y_i)  +  lambda penalty(w)

until the relative duality gap is proved to be at most --gap, and writes the
model with its proof. With --kernel the prediction <w,x> becomes that of a kernel
machine, sum_j beta_j k(x_j,x), and the penalty half its squared norm; gamma is
1/features unless it is given. --nu says what share of the rows may lie beyond the
margin, outside of the tube (beside --C), or, with --task one-class, be outliers.
With --map too, a linear model is trained of features whose inner products
approximate the kernel: for many rows that is far less work, and the proof is of
the approximate kernel. With --hidden the model is a feed-forward network, trained by
--solver adam or sgd until rows that are held out of training (a tenth, held=0.1) get
no better: no certificate exists for one, so that its gap is null, and the norm of
the gradient is said instead. With --stream each row is read once and forgotten, in
memory that does not grow with their number, and nothing is proved; the loss of each row
before it was learned from says how good the model is. --init goes on from such a model.
The exit code is 0 if the gap is proved; for the others see
"fenchel help exit-codes".`,
		Example: `  fenchel train @text
  fenchel train news.svm.gz -o news.model --loss logistic --C 0.5
  fenchel train adult.svm --kernel rbf --gamma 0.05 --C 1 -o adult.model
  fenchel train sensors.csv --task one-class --nu 0.05 --kernel rbf -o ok.model
  fenchel train forest.svm --kernel rbf --gamma 10 --map nystrom -o forest.model
  fenchel train houses.csv --target price -o houses.model --test later.csv
  zcat clicks.svm.gz | fenchel train --stream - --loss logistic -o clicks.model`,
		Args: option.Arguments(1, 0),
		RunE: once.choose,
	}
	once.register(cmd)
	t.In.Register(cmd, true)
	t.registerProblem(cmd)
	t.registerRun(cmd)
	return cmd
}

// registerRun adds the flags that say how long the problem is worked on, what judges the model, and where it goes.
func (t *Trainer) registerRun(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&t.Spec.Time, "time", 0, "stop after this time of training, its last certificate included, such as 60s (default no limit)")
	f.IntVar(&t.folds, "folds", 0, "also report the score on so many folds, each judged by a model of the others, and note it in the model; \"fenchel tune\" chooses by it")
	f.Float64Var(&t.holdout, "holdout", 0, "also report the score on this share of the rows, such as 0.2, by a model of the others; the model that is written is of all rows")
	f.Float64Var(&t.Spec.Interval, "interval", 0, "level such as 0.9: predict --interval adds to each number an interval, or to each label a set of labels, that holds the truth so often; by models without one row each (least squares), by the folds of --probabilities, or --valid")
	f.StringVar(&t.valid, "valid", "", "fit probabilities, thresholds and intervals to these rows, instead of folds")
	f.StringVarP(&t.Out, "output", "o", "", "write the model to this file")
	f.StringVar(&t.init, "init", "", "begin with this model, such as that of another --C or of part of the rows: less time, the same proof")
	f.StringArrayVar(&t.notes, "note", nil, option.NoteHelp)
	f.BoolVar(&t.force, "force", false, "write the model even over a file that holds something else")
	f.StringArrayVar(&t.test, "test", nil, "evaluate the model on these data (may be repeated)")
	f.StringVar(&t.trace, "trace", "", "write a line per epoch to this CSV file, with the bounds where they were certified")
	live.Register(cmd, &t.live)
	f.BoolVar(&t.JSON, "json", false, "print one JSON object and nothing else on standard output")
	f.BoolVarP(&t.Quiet, "quiet", "q", false, "show no progress")
}

func (t *Trainer) run(cmd *cobra.Command, sources []string) (err error) {
	started := time.Now()
	if err := t.check(cmd, sources); err != nil {
		return err
	}
	if err := t.readInit(cmd); err != nil {
		return err
	}
	defer func() { t.shown.Done() }()
	defer func() { t.endLive(err, func(r printing.Report) { t.printScores(r); t.printProof(r) }) }()
	if err := t.Begin(cmd, sources); err != nil {
		return err
	}
	if t.TestSet != nil { // better before hours of training than after them
		if err := t.Spec.CheckTest(t.Set, t.TestSet); err != nil {
			return exitcode.BadData(err)
		}
		if doubt := suspect.Duplicates(t.Set, t.TestSet); doubt != nil {
			printing.Warn(cmd, []error{doubt})
		}
	}
	if t.valid != "" {
		if t.Spec.Held, err = t.readLike(cmd, "reading rows to fit probabilities and intervals to", []string{t.valid}); err != nil {
			return err
		}
		t.judged = t.valid
	}
	t.Read = time.Since(started)
	if err := t.cross(cmd); err != nil {
		return err
	}
	tr := NewTracer(t)
	if err := t.Fit(cmd, tr); err != nil {
		return err
	}
	t.judgeLearned(cmd)
	return t.Finish(cmd, sources, tr, started)
}

// save writes the model. Meanwhile it gives back the files that the rows are in: else the end of
// the process waits for the system to do it, half a millisecond for 12 MB. Support vectors and
// landmarks are rows.
func (t *Trainer) save(cmd *cobra.Command) error {
	if t.Out == "" {
		return nil
	}
	t.shown.Phase("writing")
	defer interrupt.Stopping(cmd.Context(), "writing the model")()
	if m := t.Result.Model; m.Support == nil && m.Map == nil && t.page == nil { // whose report needs the rows
		go t.Set.Close()
	}
	return exitcode.BadData(t.Result.Model.WriteFile(t.Out))
}

// Finish writes the model and the trace, evaluates and reports. What fails
// once the model is written does not hide what came out. It needs no rows of the data.
func (t *Trainer) Finish(cmd *cobra.Command, sources []string, tr *tracer, started time.Time) error {
	printing.Warn(cmd, t.Result.Warnings)
	if err := t.save(cmd); err != nil {
		return err
	}
	var failed error
	if t.trace != "" {
		failed = tr.write(t.trace)
	}
	if t.TestSet != nil {
		t.shown.Phase("testing")
		evaluation, err := fenchel.Evaluate(cmd.Context(), t.Result.Model, t.TestSet, fenchel.Options{Threads: t.In.Opt.Threads})
		switch {
		case errors.Is(err, context.Canceled): // the model is written: that is what was asked for
			printing.Warn(cmd, []error{errors.New("interrupted: the model is not evaluated on the test data")})
		case err != nil:
			failed = errors.Join(failed, err)
		default:
			t.evaluation = evaluation
			printing.Warn(cmd, evaluation.Warnings)
		}
	}
	t.Total = time.Since(started)
	t.shown.Done()
	out := t.report()
	failed = errors.Join(failed, printing.Print(cmd, t.JSON, out, func(r printing.Report) { t.print(r, out, sources) }))
	return cmp.Or(exitcode.BadData(failed), exitcode.Ended(t.Result.Status, t.Result.ProvesNothing))
}

// Begin makes room, shows what goes on, and reads the data and the test data, the latter into the same
// features.
func (t *Trainer) Begin(cmd *cobra.Command, sources []string) (err error) {
	memory.CollectLate()
	memory.LargeHeap()
	if t.shown, t.page, err = live.Begin(cmd, t.live, t.Quiet); err != nil {
		return err
	}
	t.In.Opt.Precomputed = pose.IsPrecomputed(t.Spec.Kernel)
	t.shown.Reading("reading", &t.In.Opt)
	if t.Set, err = t.In.Read(cmd, sources); err != nil {
		return err
	}
	if doubt := t.Spec.Doubt(t.Set.Target); doubt != nil {
		printing.Warn(cmd, []error{doubt})
	}
	t.adviseScale(cmd)
	if t.test == nil {
		return nil
	}
	t.TestSet, err = t.readLike(cmd, "reading test data", t.test)
	return err
}

// readLike reads more data into the same features.
func (t *Trainer) readLike(cmd *cobra.Command, phase string, sources []string) (*data.Set, error) {
	test := t.In
	test.Opt.ID, test.Opt.Target, test.Opt.Labels, test.Opt.Weights = "", "", "", "" // the schema knows the target
	test.Opt.Ignore, test.Opt.Categorical, test.Opt.Numeric = nil, nil, nil
	test.Opt.Schema, test.Opt.Columns = t.Set.Schema, t.Set.Cols()
	t.shown.Reading(phase, &test.Opt)
	return test.Read(cmd, sources)
}

// readInit reads the model to begin with.
func (t *Trainer) readInit(cmd *cobra.Command) error {
	if t.init == "" {
		return nil
	}
	m, components, err := option.ReadModel(cmd, t.init)
	switch {
	case err != nil:
		return err
	case components != nil:
		return fmt.Errorf("--init %s: found principal components, expected a model that predicts", t.init)
	}
	t.Spec.From = m
	return nil
}

// Fit trains, showing progress and gathering the trace.
func (t *Trainer) Fit(cmd *cobra.Command, tr *tracer) error {
	t.Spec.Threads, t.Spec.ZeroBased = t.In.Opt.Threads, t.In.Opt.ZeroBased
	if t.Spec.IsMachine() {
		memory.LimitMemory(t.Spec.Cache, t.Set)
	}
	t.shown.Phase("preparing")
	t.watch(tr)
	var err error
	defer interrupt.Stopping(cmd.Context(), "certifying the best model")()
	begun := time.Now()
	t.Result, err = fenchel.Train(cmd.Context(), t.Set, t.Spec)
	t.Fitted = time.Since(begun)
	return err
}
