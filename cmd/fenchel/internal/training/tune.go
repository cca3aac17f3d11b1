package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/memory"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/tune"
)

// NewTune makes the verb tune.
func NewTune() *cobra.Command {
	t := &Tuner{}
	cmd := &cobra.Command{
		Use:   "tune DATA... [-o MODEL]",
		Short: "Choose C, gamma and the like by cross-validation, and train with the best",
		Long: `Tune trains a model for every candidate of --search on the rows outside of each fold,
judges it on those inside, and trains the best candidate on all rows. Without --search it tries the
values of C (of kernel machines also gamma, with --nu that, for penalties that make weights zero
lambda) that suit the loss and the kernel. What is not searched is as the flags of train say.

    --search "C=2^-5..2^15 gamma=2^-15..2^3"   powers of 2, each 4 times the
                                               one before
    --search "C=0.01..100"                     powers of 10
    --search "C=1..64*2 nu=0.1..0.5+0.1"       by a factor, by a step
    --search "lambda=1e-4..1/20"               20 values
    --search "C=0.1,1,10 loss=hinge,logistic penalty=l2,l1"

With --prove, of a linear model of two classes with the penalty l2 and the bias feature or none, the
range of C is searched until no C in it can have a cross-validation error lower than the best one found by
more than --within, which is proved: a solution says which rows left out are surely wrong for other C.

Parameters are C, lambda, nu, gamma, sigma, degree, coef0, loss, penalty, kernel, bias,
scale, class-weight (none or balanced), and parameters of parts of these: loss:KEY, penalty:KEY,
kernel:KEY and class-weight:LABEL.

Whatever is fitted to rows is fitted to those of each fold that are learned from: scalings, the
means that stand for missing numbers, categories, the folds of --probabilities, which are those
of the search. Only what kind of column each one is, and where the values of gamma and lambda lie
that are tried without --search, is found in all rows. --time takes numbers, or dates and times
however they are written, and refuses what it cannot read. Every model has its own proof, and the file that is written has the whole
search in its note "tune". After Ctrl-C, or when --budget is over, the best candidate that was
judged on all folds is trained and written. A model with --nu gets 50 epochs, one with --slack
2000, or 30 with --solver sbp, unless --epochs says otherwise; the table has the gaps.`,
		Example: `  fenchel tune spam.svm -o spam.model
  fenchel tune adult.svm --kernel rbf --search "C=1..64 gamma=2^-9..2" -o m
  fenchel tune visits.csv --group patient --score auc --rule one-se -o m
  fenchel tune houses.csv --loss squared --folds 10 --repeats 3 --score mae`,
		Args: option.Arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return t.run(cmd, args) },
	}
	t.In.Register(cmd, true)
	t.registerProblem(cmd)
	t.register(cmd)
	return cmd
}

// register adds the flags of the search and of what is written.
func (t *Tuner) register(cmd *cobra.Command) {
	f, s := cmd.Flags(), &t.spec
	f.StringVar(&t.search, "search", "", "parameters with their values (default by the loss and the kernel)")
	f.StringVar(&t.folds, "folds", "5", "judge by so many folds, of which each has the same share of the classes; loo: leave one row out, for least squares; 0: hold no row out, and show the path")
	f.StringVar(&s.Estimate, "estimate", "", "with --folds 0, choose by the errors of leaving one row out, of kernel machines: xi-alpha, a bound, or span, an estimate of two classes")
	f.IntVar(&s.Folds.Repeats, "repeats", 1, "deal out the folds so often, in other orders")
	f.StringVar(&t.group, "group", "", "column of a table: rows with the same value are in the same fold; it is no feature")
	f.StringVar(&t.order, "time", "", "column of a table with times or numbers: judge by rows that come after those that are learned from")
	f.StringVar(&t.valid, "valid", "", "judge by these rows instead of folds")
	f.IntVar(&t.outer, "outer", 0, "also judge the search itself, by so many folds around it, each with a search of its own")
	f.StringVar(&s.Score, "score", "", "accuracy, balanced, auc, ap, logloss, f1 or (with --cost) cost of classes; rmse, mae, pinball, deviance or r2 of numbers (default cost where costs are given, else accuracy or rmse; logloss or auc where a class has under a tenth of the rows, and mae, pinball or deviance where the loss measures that)")
	f.StringVar(&s.Rule, "rule", "best", "best, or one-se: the smallest C within one standard error of the best")
	f.IntVar(&s.Halving, "halving", 0, "drop candidates on samples of the rows, of N keep the best one, and so on with N times the rows (default none is dropped)")
	f.BoolVar(&t.prove, "prove", false, "bound the error of every C of the range of --search, of a linear model of two classes, and try values until none can be better by more than --within")
	f.Float64Var(&t.within, "within", 0.005, "with --prove: by how much another C may be better, as a share of the rows")
	f.DurationVar(&s.Budget, "budget", 0, "search for this time at most, such as 10m (default no limit)")
	f.StringVarP(&t.Out, "output", "o", "", "write the model to this file")
	f.StringArrayVar(&t.notes, "note", nil, option.NoteHelp)
	f.BoolVar(&t.force, "force", false, "write the model even over a file that holds something else")
	f.StringVar(&t.figure, "figure", "", "draw the scores into this SVG file")
	live.Register(cmd, &t.live)
	f.BoolVar(&t.JSON, "json", false, "print one JSON object and nothing else on standard output")
	f.BoolVarP(&t.Quiet, "quiet", "q", false, "show no progress")
	option.Complete(cmd, "score", tune.ScoreNames()...)
	option.Complete(cmd, "estimate", tune.Estimates()...)
	option.Complete(cmd, "rule", tune.Rules()...)
}

func (t *Tuner) run(cmd *cobra.Command, sources []string) (err error) {
	started := time.Now()
	if err := t.check(cmd, sources); err != nil {
		return err
	}
	defer func() { t.shown.Done() }()
	defer func() { t.endLive(err, func(r printing.Report) { t.printBest(r); t.printProof(r) }) }()
	if err := t.Begin(cmd, sources); err != nil {
		return err
	}
	if t.valid != "" {
		if t.spec.Held, err = t.readLike(cmd, "reading rows to judge by", []string{t.valid}); err != nil {
			return err
		}
	}
	t.Read = time.Since(started)
	if t.Trainer.Spec.IsMachine() {
		memory.LimitMemory(t.Trainer.Spec.Cache, t.Set)
	}
	if err := t.seek(cmd); err != nil {
		return err
	}
	if t.Found.Best < 0 {
		return t.reportPath(cmd, started)
	}
	if err := t.refit(cmd); err != nil {
		return err
	}
	return t.finish(cmd, sources, started)
}

// check refuses bad flags before any data are read.
func (t *Tuner) check(cmd *cobra.Command, sources []string) (err error) {
	f := cmd.Flags()
	if err := cmp.Or(t.checkProblem(cmd, sources), t.CheckNotes(), t.parseFolds()); err != nil {
		return err
	}
	switch r := t.spec.Folds.Repeats; {
	case r < 1 || r > tune.MostRepeats:
		return fmt.Errorf("--repeats %d: expected a number from 1 to %d", r, tune.MostRepeats)
	case f.Changed("halving") && t.spec.Halving < 2:
		return fmt.Errorf("--halving %d: expected at least 2, as one of so many candidates is kept", t.spec.Halving)
	case f.Changed("budget") && t.spec.Budget <= 0:
		return fmt.Errorf("--budget %s: expected a duration > 0, such as 10m", t.spec.Budget)
	case f.Changed("outer") && t.outer < 2:
		return fmt.Errorf("--outer %d: expected at least 2 folds", t.outer)
	}
	if err := t.checkSplits(f.Changed("folds") || f.Changed("repeats")); err != nil {
		return err
	}
	if f.Changed("search") {
		if t.spec.Axes, err = tune.ParseAxes(t.search); err != nil {
			return err
		}
		if len(t.spec.Axes) == 0 {
			return fmt.Errorf("--search %q: expected parameters with their values, such as C=2^-5..2^15", t.search)
		}
	}
	if f.Changed("within") && !t.prove || !(t.within >= 0 && t.within < 1) {
		return fmt.Errorf("--within %g: expected a number >= 0 and below 1, and --prove", t.within)
	}
	if t.prove && t.outer > 0 {
		return errors.New("--prove: found --outer beside it, expected one of the two")
	}
	if !slices.Contains(tune.Rules(), t.spec.Rule) {
		return fmt.Errorf("--rule %s: expected best or one-se", printing.Spell(t.spec.Rule))
	}
	if t.valid != "" {
		sources = append(slices.Clone(sources), t.valid)
	}
	return t.checkPaths(sources, [2]string{"--figure", t.figure})
}

// parseFolds reads the number of folds, loo, or 0.
func (t *Tuner) parseFolds() error {
	k, err := strconv.Atoi(t.folds)
	switch {
	case t.folds == "loo":
		k = tune.LeaveOneOut
	case t.folds == "0":
		if k, t.spec.Path = 2, true; t.group != "" || t.order != "" || t.valid != "" || t.outer > 0 || t.spec.Halving > 0 || t.spec.Score != "" {
			return errors.New("--folds 0 with --group, --time, --valid, --outer, --halving or --score: expected none of them, as no row is held out")
		}
		if t.spec.Estimate == "" && (t.Out != "" || t.figure != "") {
			return errors.New("--folds 0 with --output or --figure: found nothing to choose by, expected --estimate span or xi-alpha too")
		}
	case err != nil || k < 2:
		return fmt.Errorf("--folds %s: expected a whole number >= 2, loo to leave one row out, or 0 for none", printing.Spell(t.folds))
	}
	t.spec.Folds.K = k
	if t.spec.Estimate != "" && !t.spec.Path {
		return fmt.Errorf("--estimate %s: expected --folds 0 too", printing.Spell(t.spec.Estimate))
	}
	return nil
}

// checkSplits refuses several ways to split the rows at once.
func (t *Tuner) checkSplits(counted bool) error {
	t.spec.Folds.Seed = t.Trainer.Spec.Seed
	t.spec.Folds.Group, t.spec.Folds.Time = t.group != "", t.order != ""
	switch {
	case t.group != "" && t.order != "":
		return fmt.Errorf("--group %s, --time %s: found two ways to split the rows, expected one of them", printing.Spell(t.group), printing.Spell(t.order))
	case t.valid != "" && (t.group != "" || t.order != "" || counted || t.outer > 0):
		return fmt.Errorf("--valid %s: found folds beside it, expected one of the two", printing.Spell(t.valid))
	case t.outer > 0 && t.order != "":
		return fmt.Errorf("--outer %d: found --time beside it, expected folds that are not in order", t.outer)
	}
	if t.In.Opt.ID, t.In.Opt.IDRole = t.group+t.order, "time"; t.group != "" { // a model could say nothing of other groups by it
		t.In.Opt.Ignore, t.In.Opt.IDRole = append(t.In.Opt.Ignore, t.group), "group"
	}
	return nil
}

// seek runs the search.
func (t *Tuner) seek(cmd *cobra.Command) error {
	begun := time.Now()
	defer interrupt.Stopping(cmd.Context(), "training the best candidate so far")()
	t.shown.Phase(terminal.Searching)
	t.Trainer.Spec.Threads, t.Trainer.Spec.ZeroBased = t.In.Opt.Threads, t.In.Opt.ZeroBased
	t.spec.Train = t.Trainer.Spec
	t.spec.Train.Notes = nil
	t.spec.Progress = t.judging("models", t.spec.Score)
	var err error
	if t.prove {
		t.Found, t.bound, err = tune.BoundError(cmd.Context(), t.Set, t.spec, t.within)
	} else {
		t.Found, err = tune.Run(cmd.Context(), t.Set, t.spec)
	}
	if err != nil {
		return err
	}
	if t.sought = time.Since(begun); t.spec.Path && t.spec.Estimate == "" {
		return nil
	}
	if t.Found.Best < 0 {
		if t.Found.Stopped == "budget" {
			return &exitcode.Error{Code: exitcode.Limit, Err: fmt.Errorf("--budget %s was over before any candidate was judged on all folds: nothing is written", t.spec.Budget)}
		}
		return fmt.Errorf("%w before any candidate was judged on all folds: nothing is written", context.Canceled)
	}
	if t.outer > 0 && t.Found.Stopped == "" {
		if t.nested, err = tune.Nest(cmd.Context(), t.Set, t.spec, t.outer); err != nil {
			return err
		}
	}
	t.sought = time.Since(begun)
	return nil
}

// refit trains the best candidate on all rows, also after an interruption.
func (t *Tuner) refit(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if t.Found.Stopped == "interrupted" {
		cmd.SetContext(context.WithoutCancel(ctx))
		defer cmd.SetContext(ctx)
	}
	notes := t.Trainer.Spec.Notes
	t.Trainer.Spec, t.judged = t.Found.Candidates[t.Found.Best].Spec, strings.TrimPrefix(t.splits(), "judged by ")
	var err error
	if t.Trainer.Spec.Notes, err = t.NotesWith(notes); err != nil {
		return err
	}
	return t.Fit(cmd, NewTracer(&t.Trainer))
}

// finish writes the model and the figure, and says what came out.
func (t *Tuner) finish(cmd *cobra.Command, sources []string, started time.Time) error {
	printing.Warn(cmd, t.Result.Warnings)
	warnOfFolds(cmd, t.Found, &t.Found.Candidates[t.Found.Best])
	if err := t.save(cmd); err != nil {
		return err
	}
	if t.figure != "" {
		if err := file.WriteFile(t.figure, t.draw); err != nil {
			return exitcode.BadData(err)
		}
	}
	t.Total = time.Since(started)
	t.shown.Done()
	out := t.report()
	said := printing.Print(cmd, t.JSON, out, func(r printing.Report) { t.printSearch(r, out, sources) })
	return cmp.Or(said, t.stopped(), exitcode.Ended(t.Result.Status, t.Result.ProvesNothing))
}

// stopped is the exit code of a search that was; nil: it was not.
func (t *Tuner) stopped() error {
	switch t.Found.Stopped {
	case "interrupted":
		return &exitcode.Error{Code: exitcode.Interrupted}
	case "budget":
		return &exitcode.Error{Code: exitcode.Limit}
	}
	return nil
}
