package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/survey"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// adviser is one run of the verb advise.
type adviser struct {
	in       option.Input
	spec     fenchel.Spec
	rows     int
	features int
	setting  theory.Setting
	kernel   option.KernelFlags
	json     bool
	plan     float64
}

func newAdvise() *cobra.Command {
	a := &adviser{}
	cmd := &cobra.Command{
		Use:   "advise [DATA...]",
		Short: "Say which kind of method takes the least work",
		Long: `Advise compares kinds of methods for a linear model by their proved convergence
rates, counted in gradients of single rows. It says which kind needs the fewest,
how many passes over the data these are, and why. The rates leave out constants:
a difference of less than a factor of ten means little.

With DATA it measures the rows, and says which solver --solver auto would choose,
by a rule that knows more than rates. Without DATA, --n is the number of rows.
--condition is L/mu, the largest curvature of the objective of one row over the
strong convexity of the penalty; if it is not given, it counts as a constant.

With DATA of two classes and --plan it also measures how many steps of the primal
gradient solver reach an accuracy on new rows from parts of the rows, and says how many
rows are needed, and from how many on more of them save no steps. Lambda is then chosen
among powers of ten, by rows that are kept out.

With --kernel it compares the methods for kernel machines instead, by counts of
operations and bytes: which of them fit into --cache, reach the gap --accuracy and
take the least work, and why the others do not.`,
		Example: `  fenchel advise --n 1000000 --accuracy 1e-3
  fenchel advise --n 1000 --d 20 --condition 500 --accuracy 1e-5
  fenchel advise news.svm.gz --loss logistic --C 10
  fenchel advise @text:n=20000 --plan 0.85
  fenchel advise --n 200000 --d 50 --kernel rbf --accuracy 1e-3 --cache 8GB`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args) },
	}
	a.in.Register(cmd, true)
	f, s := cmd.Flags(), &a.spec
	f.IntVar(&a.rows, "n", 0, "number of rows, instead of DATA")
	f.IntVar(&a.features, "d", 0, "number of features, instead of DATA")
	f.Float64Var(&a.setting.Condition, "condition", 0, "condition L/mu, instead of DATA (default not known)")
	f.Float64Var(&a.setting.Accuracy, "accuracy", 1e-3, "how far the objective may be from the best possible")
	f.Float64Var(&a.plan, "plan", 0, "measure how many rows pay to reach this accuracy on new rows, such as 0.92, by short runs on parts of DATA")
	f.StringVar(&s.Task, "task", "", "classification or regression (default: decided by the loss, or the targets)")
	f.StringVar(&s.Loss, "loss", "", "loss, as in \"fenchel list losses\" (default hinge for classes, squared for numbers; without DATA any smooth one)")
	f.StringVar(&s.Penalty, "penalty", "l2", "penalty, as in \"fenchel list penalties\"")
	f.StringVar(&s.Kernel, "kernel", "", "compare the methods for machines of this kernel, as in \"fenchel list kernels\"")
	f.StringVar(&a.kernel.Cache, "cache", "", "memory for the kernel's matrix, such as 500MB (default 1GB)")
	f.Float64Var(&s.Lambda, "lambda", 0, "weight of the penalty (default as of train)")
	f.Float64Var(&s.C, "C", 0, "instead of lambda; C = 1/(lambda N)")
	f.StringVar(&s.Scaling, "scale", "", "scaling of the features: none, max or std (default std for tables)")
	f.BoolVar(&a.json, "json", false, "print one JSON object")
	option.Complete(cmd, "loss", option.Names(loss.Entries())...)
	option.Complete(cmd, "penalty", option.Names(penalty.Entries())...)
	return cmd
}

func (a *adviser) run(cmd *cobra.Command, sources []string) error {
	if err := a.check(cmd, sources); err != nil {
		return err
	}
	var found *survey.Survey
	var set *data.Set
	if len(sources) > 0 {
		var err error
		if set, err = a.in.Read(cmd, sources); err != nil {
			return err
		}
		if a.spec.Kernel != "" {
			return a.machines(cmd, float64(set.Rows()), float64(matrix.Nonzeros(set.X))/float64(max(1, set.Rows())))
		}
		a.spec.Threads, a.spec.Gap = a.in.Opt.Threads, a.setting.Accuracy
		found, err = survey.Examine(cmd.Context(), set, a.spec)
		if err != nil {
			return err
		}
		a.setting, a.features = found.Setting(a.setting.Accuracy), found.Features
	}
	if a.spec.Kernel != "" {
		return a.machines(cmd, float64(a.rows), float64(max(1, a.features)))
	}
	var plan *survey.Plan
	if a.plan > 0 {
		var err error
		if plan, err = survey.MakePlan(cmd.Context(), set, a.spec, a.plan); err != nil {
			return err
		}
	}
	advice := theory.Advise(a.setting)
	keepAvailable(&advice)
	return printing.Print(cmd, a.json, printing.InOrder{Report: a.report(found, advice, plan)}, func(r printing.Report) {
		a.print(r, found, advice)
		printPlan(r, plan)
	})
}

// check refuses flags that make no setting.
func (a *adviser) check(cmd *cobra.Command, sources []string) error {
	f := cmd.Flags()
	if len(sources) == 0 && !f.Changed("n") {
		return errors.New("advise: found neither data nor --n, expected one of them")
	}
	for _, name := range []string{"n", "d", "condition"} {
		if len(sources) > 0 && f.Changed(name) {
			return fmt.Errorf("--%s: found it beside data, which tell, expected one of them", name)
		}
	}
	if f.Changed("plan") && !(a.plan > 0.5 && a.plan < 1) {
		return fmt.Errorf("--plan %g: expected an accuracy above 0.5 and below 1", a.plan)
	}
	for _, name := range []string{"lambda", "C", "task", "scale", "plan"} {
		if len(sources) == 0 && f.Changed(name) {
			return fmt.Errorf("--%s: found it without data, expected data", name)
		}
	}
	if err := a.kernel.Apply(cmd, &a.spec); err != nil {
		return err
	}
	for name, value := range map[string]float64{"lambda": a.spec.Lambda, "C": a.spec.C} {
		if f.Changed(name) && !(value > 0) {
			return fmt.Errorf("--%s %g: expected a number > 0", name, value)
		}
	}
	if f.Changed("d") && a.features < 1 {
		return fmt.Errorf("--d %d: expected a number of features >= 1", a.features)
	}
	if f.Changed("condition") && a.setting.Condition == 0 {
		return errors.New("--condition 0: expected a number >= 1")
	}
	check := a.setting
	check.Rows = float64(max(a.rows, len(sources)))
	if err := check.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := a.spec.Check(); err != nil || len(sources) > 0 {
		return cmp.Or(err, a.in.Check(cmd, sources))
	}
	var err error
	check.Kinked, check.Corner, err = survey.Corners(a.spec.Loss, a.spec.Penalty)
	a.setting = check
	return err
}

// machines advises on kernel machines of so many rows and values a row.
func (a *adviser) machines(cmd *cobra.Command, rows, values float64) error {
	for _, name := range []string{"condition", "loss", "penalty", "lambda", "C"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: found it beside --kernel, for which counts alone matter, expected one of them", name)
		}
	}
	q := theory.Quadratic{Rows: rows, Values: values, Linear: a.spec.Kernel == "linear", Accuracy: a.setting.Accuracy, Memory: float64(cmp.Or(a.spec.Cache, gram.DefaultCache))}
	if err := q.Check(); err != nil {
		return fmt.Errorf("--cache: %w", err)
	}
	advice := q.Advise()
	out := &result.AdvisedMachine{Accuracy: q.Accuracy, Advice: advice, Kernel: a.spec.Kernel, Memory: q.Memory, Rows: rows, Values: values}
	return printing.Print(cmd, a.json, out, func(r printing.Report) { printMachines(r, out) })
}

// printMachines writes the advice on kernel machines for a person.
func printMachines(r printing.Report, out *result.AdvisedMachine) {
	advice := out.Advice
	r.Line("data", "%.0f rows of %.4g values", out.Rows, out.Values)
	r.Line("asked", "kernel %s, relative gap %g, %.3g GB", out.Kernel, out.Accuracy, out.Memory/1e9)
	r.Line("method", "%s: %.2g operations, %.3g GB", advice.Method, advice.Operations, advice.Bytes/1e9)
	r.Line("solver", "%s", advice.Solver)
	r.Line("why", "%s", advice.Why)
	for _, rule := range advice.Rules {
		r.Line("rule", "%s: %s", rule.When, rule.Use)
	}
	t := tabwriter.NewWriter(r.W, 0, 4, 2, ' ', 0)
	fmt.Fprint(t, "\nmethod\tsolver\ttheory\tpractice\toperations\tGB\tgap\n")
	for _, c := range advice.Table {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.2g\t%.3g\t%.0e\n", c.Method, c.Solver, c.Theory, c.Practice, c.Operations, c.Bytes/1e9, c.Reaches)
	}
	_ = t.Flush() // what is printed to remembers its error
}

// report is what --json prints.
func (a *adviser) report(found *survey.Survey, advice theory.Advice, plan *survey.Plan) any {
	if found != nil {
		return result.Surveyed{Survey: found, Accuracy: a.setting.Accuracy, Advice: advice, Plan: plan}
	}
	return result.Advised{Rows: a.rows, Features: a.features, Condition: a.setting.Condition, Accuracy: a.setting.Accuracy, Advice: advice}
}

// print writes the advice for a person.
func (a *adviser) print(r printing.Report, survey *survey.Survey, advice theory.Advice) {
	condition := "condition not known"
	if a.setting.Condition > 0 {
		condition = fmt.Sprintf("condition %.4g", a.setting.Condition)
	}
	if survey != nil {
		r.Line("data", "%s", printing.Sizes(survey.Rows, survey.Features, survey.Nonzeros))
		r.Line("rows", "squared norm at most %.4g, mean %.4g", survey.MaxSquaredNorm, survey.MeanSquaredNorm)
		r.Line("problem", "loss %s, penalty %s, lambda %g (C %g)", survey.Loss, survey.Penalty, survey.Lambda, survey.C)
	} else {
		r.Line("data", "%s", printing.Count(a.rows, "row"))
	}
	r.Line("asked", "accuracy %g, %s", a.setting.Accuracy, condition)
	r.Line("method", "%s: %.4g gradients, %.3g passes", advice.Method, advice.Gradients, advice.Passes)
	if survey == nil && a.features > 0 {
		r.Line("work", "%.3g numbers of dense rows", advice.Gradients*float64(a.features))
		const one, number = 64e9, 4 // bytes that are much for one machine, and of a value
		if size := number * a.setting.Rows * float64(a.features); size > one {
			r.Line("cluster", "%.3g GB as dense rows: above the memory of one machine a cluster pays (fenchel help cluster), below it does not", size/1e9)
		}
	}
	r.Line("why", "%s", advice.Why)
	if len(advice.Solvers) > 0 {
		r.Line("solvers", "%s", strings.Join(advice.Solvers, ", "))
	}
	if survey != nil {
		r.Line("auto", "%s (%s)", survey.Solver, survey.Why)
	}
	if survey == nil || survey.Classes > 0 {
		printSample(r, a.setting.Rows, a.features)
	}
	for _, rule := range advice.Rules {
		r.Line("rule", "%s: %s", rule.When, rule.Use)
	}
	printCosts(r.W, "constant condition", advice.Ulbrich)
	if advice.Lecture != nil {
		printCosts(r.W, "with the condition", advice.Lecture)
	}
}

// printSample says what so many rows can tell about the errors of a classifier.
func printSample(r printing.Report, rows float64, features int) {
	const alpha, point = 1 - metric.Confidence, 0.01
	r.Line("test", "%.0f rows tell an error within 1 point with probability %.0f %% (Hoeffding)", theory.TestSize(1, alpha, point), 100*metric.Confidence)
	if features == 0 {
		return
	}
	if bound := theory.VC(0, 1, float64(features)+1, rows, alpha); bound < 1 {
		r.Line("capacity", "a linear model without errors on these rows has an error of at most %s (VC)", printing.Percent(bound))
	} else {
		r.Line("capacity", "too few rows for a bound from the training error alone (VC): test on others")
	}
}

// printPlan says how many rows pay.
func printPlan(r printing.Report, plan *survey.Plan) {
	if plan == nil {
		return
	}
	for _, p := range plan.Pilots {
		steps := "never"
		if p.Steps != nil {
			steps = fmt.Sprintf("after %.4g steps", *p.Steps)
		}
		r.Line("pilot", "%s, lambda %g: %s %s in the median, %d of %d runs", printing.Count(p.Rows, "row"), p.Sigma, printing.Percent(plan.Accuracy), steps, p.Reached, p.Runs)
	}
	switch {
	case plan.Least == nil:
		r.Line("plan", "no accuracy of %s with these rows: nothing says how many pay", printing.Percent(plan.Accuracy))
	case !*plan.SlopeBelow:
		r.Line("plan", "about %.3g steps however many rows there are: more rows save none", *plan.Least)
	default:
		r.Line("plan", "more than %.3g rows are needed; with %.3g the steps are within a tenth of the least, %.3g, and more rows save none", *plan.Threshold, *plan.Enough, *plan.Least)
	}
}

// printCosts writes a table of methods.
func printCosts(w io.Writer, title string, costs []theory.Cost) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "\n%s\tgradients\t\tpasses\n", title)
	for _, c := range costs {
		fmt.Fprintf(t, "%s\t%s\t%.3g\t%.3g\n", c.Method, c.Formula, c.Gradients, c.Passes)
	}
	_ = t.Flush()
}

// keepAvailable removes the names of solvers that are not registered.
func keepAvailable(a *theory.Advice) {
	known := option.Names(linear.Entries())
	missing := func(name string) bool { return !slices.Contains(known, name) }
	keep := func(c *theory.Cost) { c.Solvers = slices.DeleteFunc(slices.Clone(c.Solvers), missing) }
	keep(&a.Cost)
	for _, table := range [][]theory.Cost{a.Ulbrich, a.Lecture} {
		for i := range table {
			keep(&table[i])
		}
	}
}
