package training

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// pather is one run of the verb path.
type pather struct {
	in          option.Input
	spec        tune.PathSpec
	kernel      option.KernelFlags
	ranges      [3]string // lo..hi of C, radius, slack
	out, figure string
	classWeight string
	proved      bool
	json        bool
	points      []result.Point
}

// NewPath makes the verb path: the machines for all values of C, or for some radii or slacks.
func NewPath() *cobra.Command {
	p := &pather{}
	cmd := &cobra.Command{
		Use:   "path DATA...",
		Short: "Follow a kernel machine along all values of C, radius or slack, or prove answers for all C",
		Long: `Path finds the best kernel machine for every C from --C lo..hi in one run. For
losses with one corner (hinge, absolute, quantile) the coefficients are linear in C
between breakpoints, which are found exactly and all listed, with the numbers of
free and bounded support vectors, objective, norm and training error. For --loss
squared it lists --points values of C, from one eigensystem, with the error that
each row has by the machine of all others (leave one out), an exact identity.
Every machine is certified for its own C: where a gap is larger than --gap, as roundings
may hide more, that is said and the exit code is 4. When --time is over (3) or after Ctrl-C
(130) the machines so far are written. Classes must be two.

With --radius or --slack lo..hi instead it solves the problems of --points values of
these. Whichever of the three is moved, the optima are points of one decreasing
convex curve, on which norm and mean loss are traded (the Pareto front), and the
columns say which lambda, radius (the norm) and slack (loss/norm) belong to it.

With --proved it solves, for any convex loss and penalty (a linear model, where no
--kernel is given; several classes too), so many values of C that for every C of the
range one of the answers is within --gap, which is proved between them too, and lists the
answers with the range of C for which each is the best. "At most" is how many a grid of one
factor is sure to need, of the penalty l2 and kernel machines.`,
		Example: `  fenchel path @spirals:n=400 --kernel rbf --gamma 10
  fenchel path heart.svm --kernel rbf --C 0.1..1e3 -o path.csv --figure p.svg
  fenchel path heart.svm --proved --C 1e-3..1e3 --loss logistic --gap 1e-2
  fenchel path houses.csv --kernel rbf --loss squared --C 0.01..100 --points 30`,
		Args: option.Arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args) },
	}
	p.register(cmd)
	return cmd
}

// register adds the flags.
func (p *pather) register(cmd *cobra.Command) {
	p.in.Register(cmd, true)
	f, s := cmd.Flags(), &p.spec.Spec
	f.StringVar(&p.ranges[0], "C", "0.01..100", "first and last C, as lo..hi; C = 1/(lambda N); of absolute and quantile the default is times the median distance of the targets to their median")
	f.StringVar(&p.ranges[1], "radius", "", "instead: first and last bound on the norm, as lo..hi")
	f.StringVar(&p.ranges[2], "slack", "", "instead: first and last average slack of the largest margin, as lo..hi")
	f.IntVar(&p.spec.Points, "points", 50, "how many values, for --radius, --slack and --loss squared")
	f.Float64Var(&s.Gap, "gap", solver.DefaultGap, "relative duality gap that every machine must prove; those of all C are exact, but for rounding")
	f.DurationVar(&s.Time, "time", 0, "end after this time, such as 60s, with the machines found so far")
	f.StringVar(&p.classWeight, "class-weight", "", "balanced, or LABEL=WEIGHT,... (\"a,b\"=WEIGHT where a label has a comma): multiplies the weight of the rows of a class")
	f.StringVar(&s.Task, "task", "", "classification or regression (default: decided by the loss, or the targets)")
	f.StringVar(&s.Loss, "loss", "", "hinge, absolute, quantile or squared; with --proved any that is convex (default hinge for classes, squared for numbers)")
	f.BoolVar(&p.proved, "proved", false, "find answers of which for every C of the range one is within --gap")
	f.StringVar(&s.Penalty, "penalty", "l2", "with --proved: the penalty, as in \"fenchel list penalties\"")
	f.StringVar(&s.Kernel, "kernel", "linear", "the kernel, as in \"fenchel list kernels\"")
	p.kernel.ParametersOf(cmd)
	f.StringVar(&s.Bias, "bias", "", "constant term: free (no penalty), feature (a constant column) or none (default free)")
	f.StringVar(&s.Scaling, "scale", "", "scaling of the features: none, max or std (default std for tables)")
	f.StringVarP(&p.out, "output", "o", "", "write the table to this CSV file")
	f.StringVar(&p.figure, "figure", "", "draw errors and shares of support vectors against C, or with --radius and --slack loss against norm, into this SVG file")
	f.BoolVar(&p.json, "json", false, "print one JSON object")
	option.Complete(cmd, "kernel", option.Names(kernel.Entries())...)
	option.Complete(cmd, "loss", "hinge", "absolute", "quantile", "squared")
}

// parseRange reads lo..hi.
func parseRange(flag, text string) (from, to float64, err error) {
	lo, hi, ok := strings.Cut(text, "..")
	from, err1 := strconv.ParseFloat(lo, 64)
	to, err2 := strconv.ParseFloat(hi, 64)
	if !ok || err1 != nil || err2 != nil || !(from > 0 && to >= from && to <= 1e100) {
		return 0, 0, fmt.Errorf("--%s %s: expected two numbers > 0 as lo..hi, such as 0.01..100", flag, text)
	}
	return from, to, nil
}

// pathNames are what may change along a path.
var pathNames = [3]string{"C", "radius", "slack"}

func (p *pather) check(cmd *cobra.Command, sources []string) (err error) {
	over := 0
	for k, name := range pathNames {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if p.spec.Over != "" {
			return fmt.Errorf("--%s and --%s: expected one of them, as each is what changes along the path", p.spec.Over, name)
		}
		over, p.spec.Over = k, name
	}
	p.spec.Over = pathNames[over]
	if p.proved && (over > 0 || cmd.Flags().Changed("points") || p.figure != "") {
		return errors.New("--proved: found --radius, --slack, --points or --figure beside it, expected a range of C")
	}
	if !p.proved && cmd.Flags().Changed("penalty") {
		return errors.New("--penalty: found it without --proved, expected both: the other paths are of kernel machines")
	}
	if p.proved && !cmd.Flags().Changed("kernel") {
		p.spec.Kernel = ""
	}
	if !(p.spec.Gap > 0) || p.spec.Time < 0 {
		return fmt.Errorf("--gap %g, --time %s: expected a gap > 0 and a time of at least 0", p.spec.Gap, p.spec.Time)
	}
	if p.spec.From, p.spec.To, err = parseRange(p.spec.Over, p.ranges[over]); err != nil {
		return err
	}
	if p.spec.Points < 1 || p.spec.Points > 1<<20 {
		return fmt.Errorf("--points %d: expected a number from 1 to %d", p.spec.Points, 1<<20)
	}
	if err := cmp.Or(p.kernel.Apply(cmd, &p.spec.Spec), option.ApplyClassWeights(&p.spec.Spec, p.classWeight)); err != nil {
		return err
	}
	if p.in.Opt.Precomputed = pose.IsPrecomputed(p.spec.Kernel); p.spec.Task == pose.OneClass {
		return errors.New("--task one-class: expected classification or regression")
	}
	inputs := append(slices.Clone(sources), p.in.Opt.Labels, p.in.Opt.Weights)
	return cmp.Or(paths.CheckOutputs([][2]string{{"--output", p.out}, {"--figure", p.figure}}, inputs), p.spec.Spec.Check(), p.in.Check(cmd, sources))
}

func (p *pather) run(cmd *cobra.Command, sources []string) error {
	if err := p.check(cmd, sources); err != nil {
		return err
	}
	set, err := p.in.Read(cmd, sources)
	if err != nil {
		return err
	}
	p.spec.Threads = p.in.Opt.Threads
	if !cmd.Flags().Changed(p.spec.Over) {
		usual := p.spec.UsualC(set)
		p.spec.From, p.spec.To = usual*p.spec.From, usual*p.spec.To
	}
	if p.proved {
		return p.prove(cmd, set)
	}
	begun := time.Now()
	defer interrupt.Stopping(cmd.Context(), "writing the machines found so far")()
	facts, err := tune.Path(cmd.Context(), set, p.spec, func(point tune.PathPoint) error {
		p.points = append(p.points, result.PointOf(point))
		return nil
	})
	if err != nil {
		return err
	}
	took := time.Since(begun)
	if err := p.write(facts); err != nil {
		return exitcode.BadData(err)
	}
	said := printing.Print(cmd, p.json, p.report(facts, took), func(r printing.Report) {
		r.Line("data", "%s", printing.Describe(set))
		p.print(r, facts, took)
	})
	return cmp.Or(said, exitcode.Ended(facts.Status, false))
}

// print writes the report.
func (p *pather) print(r printing.Report, facts *tune.Costs, took time.Duration) {
	r.Line("machine", "%s, loss %s, bias %s", facts.Kernel, facts.Loss, facts.Bias)
	r.Line("path", "%s of %s from %g to %g, the largest relative gap %.2g", printing.Count(facts.Points, "point"), p.spec.Over, p.spec.From, p.spec.To, facts.WorstGap)
	p.state(r, facts)
	if best := p.best(); best >= 0 {
		r.Line("best", "C %.6g (lambda %.6g): leave-one-out %s %s", p.points[best].C, p.points[best].Lambda, facts.Unit, report.ErrorIn(facts.Unit, float64(p.points[best].LeftOut)))
	}
	r.Line("time", "%s, %s", printing.Seconds(took), report.Evaluated(facts.Counts))
	p.table(r.W, facts)
}

// prove finds answers for all C of the range.
func (p *pather) prove(cmd *cobra.Command, set *data.Set) error {
	begun := time.Now()
	defer interrupt.Stopping(cmd.Context(), "writing the answers found so far")()
	found, err := tune.CoverPath(cmd.Context(), set, p.spec)
	if err != nil {
		return err
	}
	took := time.Since(begun)
	out := &result.Answers{Answers: found, Asked: p.spec.Gap, Seconds: took.Seconds()}
	if p.out != "" {
		if err := printing.WriteCSV(p.out, []string{"C", "lambda", "primal", "dual", "gap", "best_from_C", "best_to_C"}, found.List); err != nil {
			return exitcode.BadData(err)
		}
	}
	said := printing.Print(cmd, p.json, out, func(r printing.Report) {
		r.Line("data", "%s", printing.Describe(set))
		grid := ""
		if found.Grid > 0 {
			grid = fmt.Sprintf("; a grid of one factor is sure with %d at most", found.Grid)
		}
		r.Line("answers", "%d%s", len(found.List), grid)
		if found.Status == solver.Converged {
			r.Line("proved", "for every C from %g to %g one of them is within the relative gap %.3g (asked for %.3g)", p.spec.From, p.spec.To, found.Worst, p.spec.Gap)
		} else {
			r.Line("status", "%s: at C %.6g the best answer is within the relative gap %.3g alone (asked for %.3g)", found.Status, found.AtC, found.Worst, p.spec.Gap)
		}
		r.Line("time", "%s, %s", printing.Seconds(took), printing.Count(found.Epochs, "epoch"))
		p.tableOf(r.W, found.List)
	})
	return cmp.Or(said, exitcode.Ended(found.Status, false))
}

// tableOf prints evenly spread answers.
func (p *pather) tableOf(w io.Writer, answers []tune.Answer) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "\nC\tlambda\tobjective\tgap\tbest from C\tto C\n")
	lines := min(len(answers), shown)
	for k := range lines {
		if len(answers) > shown {
			k = k * (len(answers) - 1) / (shown - 1)
		}
		a := answers[k]
		fmt.Fprintf(t, "%.6g\t%.6g\t%.8g\t%.3g\t%.6g\t%.6g\n", a.C, a.Lambda, a.Primal, a.Gap, a.From, a.To)
	}
	_ = t.Flush() // what is printed to remembers its error
	if len(answers) > shown {
		fmt.Fprintf(w, "(%d of %d answers; -o writes all of them)\n", lines, len(answers))
	}
}

// state says what is missing of the path, or not proved.
func (p *pather) state(r printing.Report, facts *tune.Costs) {
	if n := len(p.points); facts.Status == solver.TimeLimit || facts.Status == solver.Interrupted {
		at := "before the first"
		if n > 0 {
			at = fmt.Sprintf("after C %.6g", p.points[n-1].C)
		}
		r.Line("status", "%s: the path ends %s", facts.Status, at)
	}
	if facts.Unproved > 0 {
		r.Line("unproved", "%s of %s: the gap is larger than %g, as roundings hide more (scale the features, or end at a smaller C)", printing.Count(facts.Unproved, "point"), strconv.Itoa(facts.Points), p.spec.Gap)
	}
	if facts.Leaps > 0 {
		r.Line("missing", "breakpoints in %s of C, too near to each other for the arithmetic: the points are proved all the same", printing.Count(facts.Leaps, "range"))
	}
}

// best is the place of the smallest leave-one-out error, the smallest C of several; -1: it is
// not known.
func (p *pather) best() int {
	best := -1
	for k, point := range p.points {
		if !math.IsNaN(float64(point.LeftOut)) && (best < 0 || point.LeftOut < p.points[best].LeftOut) {
			best = k
		}
	}
	return best
}

// shown is how many lines a table on the screen has.
const shown = 40

// table prints evenly spread points.
func (p *pather) table(w io.Writer, facts *tune.Costs) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	left := ""
	if p.best() >= 0 {
		left = "\tleave-one-out"
	}
	fmt.Fprintf(t, "\nC\tlambda\tfree\tbounded\tobjective\tnorm\tloss\tslack\t%s%s\n", facts.Unit, left)
	n := len(p.points)
	lines := min(n, shown)
	for k := range lines {
		at := k
		if n > shown {
			at = k * (n - 1) / (shown - 1)
		}
		q := p.points[at]
		fmt.Fprintf(t, "%.6g\t%.6g\t%d\t%d\t%.8g\t%.6g\t%.6g\t%.6g\t%s", q.C, q.Lambda, q.Free, q.Bounded, q.Primal, q.Norm, q.Loss, q.Slack, report.ErrorIn(facts.Unit, q.Error))
		if left != "" {
			fmt.Fprintf(t, "\t%s", report.ErrorIn(facts.Unit, float64(q.LeftOut)))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // what is printed to remembers its error
	if n > shown {
		fmt.Fprintf(w, "(%d of %d points; -o writes all of them)\n", lines, n)
	}
}

// report is what is said of the path.
func (p *pather) report(facts *tune.Costs, took time.Duration) *result.Path {
	return &result.Path{N: facts.N, Bias: facts.Bias, Unit: facts.Unit, Kernel: facts.Kernel, Values: facts.Counts.Requested, WorstGap: model.Bound(facts.WorstGap), Leaps: facts.Leaps, Loss: facts.Loss,
		Points: append([]result.Point{}, p.points...), Seconds: took.Seconds(), Status: facts.Status, Unproved: facts.Unproved}
}

// write writes the files that were asked for.
func (p *pather) write(facts *tune.Costs) error {
	if p.out != "" {
		if err := printing.WriteCSV(p.out, []string{"C", "lambda", "free", "bounded", "primal", "dual", "gap", "norm", "loss", "slack", "error", "leave_one_out"}, p.points); err != nil {
			return err
		}
	}
	if p.figure == "" {
		return nil
	}
	return file.WriteFile(p.figure, func(w io.Writer) error { return p.draw(w, facts) })
}

// draw draws errors, and for losses with a corner the share of rows that are support vectors.
func (p *pather) draw(w io.Writer, facts *tune.Costs) error {
	f := figure.Figure{Title: "the path of C", X: figure.Axis{Name: "C", Log: true}, Y: figure.Axis{Name: facts.Unit}}
	if p.spec.Over != "C" {
		return p.drawFront(w)
	}
	curve := func(name string, of func(result.Point) float64) {
		c := figure.Curve{Name: name}
		for _, q := range p.points {
			if y := of(q); !math.IsNaN(y) {
				c.X, c.Y = append(c.X, float64(q.C)), append(c.Y, y)
			}
		}
		if len(c.X) > 0 {
			f.Curves = append(f.Curves, c)
		}
	}
	curve("training "+facts.Unit, func(q result.Point) float64 { return q.Error })
	curve("leave one out", func(q result.Point) float64 { return float64(q.LeftOut) })
	if p.best() < 0 && facts.Unit == "error" {
		f.Y.Name = "share of rows"
		curve("free vectors", func(q result.Point) float64 { return float64(q.Free) / facts.N })
		curve("bounded vectors", func(q result.Point) float64 { return float64(q.Bounded) / facts.N })
	}
	return f.WriteSVG(w)
}

// drawFront draws the losses against the norms.
func (p *pather) drawFront(w io.Writer) error {
	c := figure.Curve{Name: p.spec.Over}
	for _, q := range p.points {
		c.X, c.Y = append(c.X, q.Norm), append(c.Y, q.Loss)
	}
	f := figure.Figure{Title: "norm against loss", X: figure.Axis{Name: "norm"}, Y: figure.Axis{Name: "mean loss"}, Curves: []figure.Curve{c}}
	return f.WriteSVG(w)
}
