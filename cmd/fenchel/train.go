package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/linear"
	"github.com/fenchel-ml/fenchel/train"
)

// trainer is one run of the verb train.
type trainer struct {
	in          input
	spec        train.Spec
	classWeight string
	out         string   // model file; "": not saved
	test        []string // sources
	trace       string
	json, quiet bool

	set, testSet *dataset.Set
	result       *train.Result
	evaluation   *train.Evaluation
	read, total  time.Duration
}

func newTrain() *cobra.Command {
	t := &trainer{}
	cmd := &cobra.Command{
		Use:   "train DATA... -o MODEL",
		Short: "Train a linear model to a proved accuracy",
		Long: `Train reads DATA (files, globs, - for standard input, or @name:key=value,... for
a generator), minimises

    (1/N) sum_i s_i loss(<w,x_i> + b, y_i)  +  lambda penalty(w)

until the relative duality gap is proved to be at most --gap, and writes the
model with its proof. Exit code: 0 proved, 3 a limit came first, 4 diverged or
stalled, 130 interrupted (the best model so far is still written).`,
		Example: `  fenchel train @text
  fenchel train news.svm.gz -o news.model --loss logistic --C 0.5
  fenchel train houses.csv --target price -o houses.model --test later.csv`,
		Args: arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return t.run(cmd, args) },
	}
	t.in.register(cmd, true)
	t.registerProblem(cmd)
	f := cmd.Flags()
	f.StringVarP(&t.out, "output", "o", "", "write the model to this file")
	f.StringArrayVar(&t.test, "test", nil, "evaluate the model on these data (may be repeated)")
	f.StringVar(&t.trace, "trace", "", "write one line per certificate to this CSV file")
	f.BoolVar(&t.json, "json", false, "print one JSON object and nothing else on standard output")
	f.BoolVarP(&t.quiet, "quiet", "q", false, "show no progress")
	return cmd
}

// registerProblem adds the flags that state the problem and the limits.
func (t *trainer) registerProblem(cmd *cobra.Command) {
	f, s := cmd.Flags(), &t.spec
	f.StringVar(&s.Task, "task", "", "classification or regression (default: decided by the targets)")
	f.StringVar(&s.Loss, "loss", "", "loss, as in \"fenchel list losses\" (default hinge for classes, squared for numbers)")
	f.StringVar(&s.Penalty, "penalty", "l2", "penalty, as in \"fenchel list penalties\"")
	f.Float64Var(&s.Lambda, "lambda", 0, "weight of the penalty (default 1/N, N the sum of the row weights)")
	f.Float64Var(&s.C, "C", 0, "the same the other way round: lambda = 1/(C N)")
	f.StringVar(&s.Bias, "bias", "free", "constant term: free (no penalty), feature (a constant column) or none")
	f.StringVar(&s.Scaling, "scale", "", "scaling of the features: none, max or std (default std for tables, else none)")
	f.StringVar(&s.Solver, "solver", "auto", "solver, as in \"fenchel list solvers\"")
	f.IntVar(&s.Partitions, "partitions", 0, "parts of the rows that sdca works on side by side (default by the sizes of the data; changes the result)")
	f.StringVar(&t.classWeight, "class-weight", "", "balanced, or LABEL=WEIGHT,...: multiplies the weight of the rows of a class")
	f.Float64Var(&s.Gap, "gap", solver.DefaultGap, "relative duality gap to prove")
	f.IntVar(&s.Epochs, "epochs", 0, "stop after this many passes (default no limit)")
	f.DurationVar(&s.Time, "time", 0, "stop after this time of training, such as 60s (default no limit)")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of everything random")
	f.BoolVar(&s.NoDual, "no-dual", false, "leave the dual variables out of the model: smaller, but verify proves less")
	complete(cmd, "task", train.Tasks()...)
	complete(cmd, "loss", names(loss.Entries())...)
	complete(cmd, "penalty", names(penalty.Entries())...)
	complete(cmd, "bias", problem.BiasNames()...)
	complete(cmd, "scale", dataset.ScalingNames()...)
	complete(cmd, "solver", append(names(linear.Entries()), "auto")...)
}

func (t *trainer) run(cmd *cobra.Command, sources []string) error {
	started := time.Now()
	if err := t.check(cmd, sources); err != nil {
		return err
	}
	if err := t.readAll(cmd, sources); err != nil {
		return err
	}
	if err := t.checkTest(); err != nil {
		return badData(err)
	}
	t.read = time.Since(started)
	tr := newTracer(t)
	if err := t.fit(cmd, tr); err != nil {
		return err
	}
	return t.finish(cmd, sources, tr, started)
}

// finish writes the model and the trace, evaluates and reports. What fails
// once the model is written does not hide what came out.
func (t *trainer) finish(cmd *cobra.Command, sources []string, tr *tracer, started time.Time) error {
	warn(cmd, t.result.Warnings)
	if t.out != "" {
		if err := t.result.Model.WriteFile(t.out); err != nil {
			return badData(err)
		}
	}
	var failed error
	if t.trace != "" {
		failed = tr.write(t.trace)
	}
	if t.testSet != nil {
		evaluation, err := train.Evaluate(t.result.Model, t.testSet, t.in.opt.Threads)
		if err != nil {
			failed = errors.Join(failed, err)
		} else {
			t.evaluation = evaluation
			warn(cmd, evaluation.Warnings)
		}
	}
	t.total = time.Since(started)
	if t.json {
		failed = errors.Join(failed, t.printJSON(cmd))
	} else {
		t.print(cmd, sources)
	}
	if failed != nil {
		return badData(failed)
	}
	return ended(t.result.Status)
}

// ended turns the status of a run into an exit code.
func ended(s solver.Status) error {
	switch s {
	case solver.Converged:
		return nil
	case solver.EpochLimit, solver.TimeLimit:
		return &exit{code: exitLimit}
	case solver.Interrupted:
		return &exit{code: exitInterrupted}
	}
	return &exit{code: exitFailed}
}

// check refuses bad flags before any data are read.
func (t *trainer) check(cmd *cobra.Command, sources []string) error {
	f := cmd.Flags()
	for _, p := range []struct {
		name  string
		value float64
	}{{"lambda", t.spec.Lambda}, {"C", t.spec.C}, {"gap", t.spec.Gap}} {
		if f.Changed(p.name) && !(p.value > 0 && p.value <= math.MaxFloat64) {
			return fmt.Errorf("--%s %g: expected a number > 0", p.name, p.value)
		}
	}
	if f.Changed("lambda") && f.Changed("C") {
		return fmt.Errorf("--lambda and --C are two names of one number (C = 1/(lambda N)): expected one of them")
	}
	if f.Changed("epochs") && t.spec.Epochs <= 0 {
		return fmt.Errorf("--epochs %d: expected a number > 0", t.spec.Epochs)
	}
	if f.Changed("time") && t.spec.Time <= 0 {
		return fmt.Errorf("--time %s: expected a duration > 0, such as 60s", t.spec.Time)
	}
	if err := t.spec.Check(); err != nil {
		return err
	}
	if err := t.parseClassWeight(); err != nil {
		return err
	}
	if err := t.in.check(cmd, sources); err != nil {
		return err
	}
	if err := checkGenerators(t.test); err != nil {
		return err
	}
	return t.checkPaths(sources)
}

// checkPaths refuses places to write to that do not exist or hold what is read.
func (t *trainer) checkPaths(sources []string) error {
	inputs := append(slices.Concat(sources, t.test), t.in.opt.Labels, t.in.opt.Weights)
	for _, to := range []struct{ flag, path string }{{"--output", t.out}, {"--trace", t.trace}} {
		if to.path == "-" {
			return fmt.Errorf("%s -: found standard output, expected a file name", to.flag)
		}
		if err := keepInputs(to.flag, to.path, inputs...); err != nil {
			return err
		}
	}
	if sameFile(t.out, t.trace) {
		return fmt.Errorf("--output %s, --trace %s: found the same file twice, expected two files", t.out, t.trace)
	}
	for _, path := range []string{t.out, t.trace} {
		if err := checkFolder(path); err != nil {
			return badData(err)
		}
	}
	return nil
}

// parseClassWeight reads "balanced" or "LABEL=WEIGHT,...".
func (t *trainer) parseClassWeight() error {
	switch t.classWeight {
	case "":
		return nil
	case "balanced":
		t.spec.Balanced = true
		return nil
	}
	t.spec.ClassWeight = map[string]float64{}
	for pair := range strings.SplitSeq(t.classWeight, ",") {
		at := strings.LastIndex(pair, "=")
		if at < 0 {
			return fmt.Errorf("--class-weight: found %q, expected balanced or a list of LABEL=WEIGHT", pair)
		}
		w, err := strconv.ParseFloat(pair[at+1:], 64)
		if err != nil || !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("--class-weight: found %q, expected LABEL=WEIGHT with a weight > 0", pair)
		}
		if _, twice := t.spec.ClassWeight[pair[:at]]; twice {
			return fmt.Errorf("--class-weight: found the label %q twice, expected each once", pair[:at])
		}
		t.spec.ClassWeight[pair[:at]] = w
	}
	return nil
}

// readAll reads the data and the test data, the latter into the same features.
func (t *trainer) readAll(cmd *cobra.Command, sources []string) (err error) {
	if t.set, err = t.in.read(cmd, sources); err != nil {
		return err
	}
	warn(cmd, t.set.Warnings)
	if t.test == nil {
		return nil
	}
	test := t.in
	test.opt.Labels, test.opt.Weights = "", ""
	test.opt.Schema, test.opt.Columns = t.set.Schema, t.set.Cols()
	if t.testSet, err = test.read(cmd, t.test); err != nil {
		return err
	}
	warn(cmd, t.testSet.Warnings)
	return nil
}

// fit trains, showing progress and gathering the trace.
func (t *trainer) fit(cmd *cobra.Command, tr *tracer) error {
	t.spec.Threads, t.spec.ZeroBased = t.in.opt.Threads, t.in.opt.ZeroBased
	var watchers []func(train.Progress)
	if !t.quiet {
		d := newDisplay(cmd.ErrOrStderr(), t.spec.Gap)
		defer d.done()
		watchers = append(watchers, d.show)
	}
	if t.trace != "" {
		watchers = append(watchers, tr.look)
	}
	t.spec.Progress = func(p train.Progress) {
		for _, watch := range watchers {
			watch(p)
		}
	}
	var err error
	t.result, err = train.Fit(cmd.Context(), t.set, t.spec)
	if _, bad := err.(train.DataError); bad {
		return badData(err)
	}
	return err
}

// print tells a person what came out.
func (t *trainer) print(cmd *cobra.Command, sources []string) {
	m, s := t.result.Model, t.result.Summary
	r := report{cmd.OutOrStdout()}
	r.line("data", "%s: %s", strings.Join(sources, " "), describe(t.set))
	printTask(r, m)
	printProblem(r, m, t.result.N, t.result.Why)
	printProof(r, m, s, string(t.result.Status))
	r.line("weights", "%s of %d not zero", strconv.Itoa(m.Nonzeros()), len(m.Outputs)*m.Cols())
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

// printTask says what the model predicts.
func printTask(r report, m *model.Model) {
	if m.Classes == nil {
		r.line("task", "regression")
		return
	}
	r.line("task", "%d classes: %s", len(m.Classes), few(m.Classes))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// printProblem states the problem that was solved, and why by that solver.
func printProblem(r report, m *model.Model, total float64, why string) {
	p := m.Statement
	r.line("problem", "loss %s, penalty %s, lambda %.6g (C %.6g), bias %s, scale %s", p.Loss, p.Penalty, p.Lambda, 1/(p.Lambda*total), p.Bias, scaleOf(m))
	if why != "" {
		why = " (auto: " + why + ")"
	}
	r.line("solver", "%s%s, seed %d", p.Solver, why, p.Seed)
}

func scaleOf(m *model.Model) string {
	if m.Scaling == nil {
		return "none"
	}
	return m.Scaling.Kind
}

// printProof states what was proved.
func printProof(r report, m *model.Model, s train.Summary, status string) {
	r.line("status", "%s: relative gap %.3g, asked for %.3g", status, s.Gap, m.Statement.Gap)
	r.line("proof", "objective %.10g, best possible at least %.10g", s.Primal, s.Dual)
	if len(m.Outputs) > 1 {
		o := m.Outputs[s.WorstOutput].Certificate
		r.line("worst", "class %s: relative gap %.3g, %s", spell(m.Classes[s.WorstOutput]), s.Worst, o.Status)
	}
}

// printJSON prints the contract's object.
func (t *trainer) printJSON(cmd *cobra.Command) error {
	m, s := t.result.Model, t.result.Summary
	out := map[string]any{
		"status": t.result.Status, "primal": model.Bound(s.Primal), "dual": model.Bound(s.Dual), "gap": model.Bound(s.Gap), "gap_absolute": model.Bound(s.Primal - s.Dual),
		"gap_worst": model.Bound(s.Worst), "lambda": m.Statement.Lambda, "C": model.Bound(1 / (m.Statement.Lambda * t.result.N)),
		"n": m.Data.Rows, "d": m.Data.Features, "nonzeros": matrix.Nonzeros(t.set.X),
		"solver": m.Statement.Solver, "loss": m.Statement.Loss, "penalty": m.Statement.Penalty, "bias": m.Statement.Bias, "scale": scaleOf(m),
		"seed": m.Statement.Seed, "epochs": t.result.Epochs, "weights_nonzero": m.Nonzeros(),
		"seconds": map[string]float64{"read": t.read.Seconds(), "train": t.result.Train.Seconds(),
			"certify": t.result.Certify.Seconds(), "total": t.total.Seconds()},
		"model": nil,
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

// certificates lists what was proved of each output.
func certificates(m *model.Model) []map[string]any {
	list := make([]map[string]any, len(m.Outputs))
	for c, o := range m.Outputs {
		k := o.Certificate
		list[c] = map[string]any{"status": k.Status, "primal": k.Primal, "dual": k.Dual, "epochs": k.Epochs,
			"gap": model.Bound(problem.Relative(float64(k.Primal), float64(k.Dual), float64(k.Zero)))}
		if len(m.Outputs) > 1 {
			list[c]["class"] = m.Classes[c]
		}
	}
	return list
}

func printJSON(cmd *cobra.Command, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
	return err
}
