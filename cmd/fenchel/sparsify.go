package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/sparsify"
)

// sparsifier is one run of the verb sparsify.
type sparsifier struct {
	in            option.Input
	spec          sparsify.Spec
	out           string
	force         bool
	points        float64 // of --error-at-most
	test          []string
	table, figure string
	json          bool

	model    *model.Model
	set      *data.Set
	found    *sparsify.Result
	speed    [2]result.Speed // of the model, and of the smaller one
	read     time.Duration
	sparsify time.Duration
}

func newSparsify() *cobra.Command {
	s := &sparsifier{}
	cmd := &cobra.Command{
		Use:   "sparsify MODEL DATA... [-o SMALL]",
		Short: "Make a kernel machine of few support vectors from one of many",
		Long: `Sparsify chooses, among the rows of DATA that the kernel machine MODEL was trained
on, few support vectors whose machine predicts like that of all: a prediction costs
one value of the kernel for each. MODEL may be one of LIBSVM.

With --support it takes at most N vectors: those of the lowest refit objective of
several methods (auto), each ended by counts of its work; with --loss-at-most as few as it needs
for no row that MODEL has right to lose more than E of its margin (up to the margin
1; of numbers, for no error beyond the tube of the loss to grow by more than E); with
--error-at-most as few as it needs for an error at most P points above that of
MODEL, on --test DATA, or on DATA themselves. Without any, E is 1/2 for classes and
a tenth of the standard deviation of its predictions for numbers.

The guarantee: within E = 1/2 the mean slant loss of the small machine, which is its
share of errors where a number uniform in [-1/2, 1/2] is added to each score, is at
most the mean hinge loss of MODEL on the same rows, and the aggressive and basic
methods need at most 4 |w|^2 vectors for it, however many rows there are, if the
kernel's values are between 0 and 1, as those of rbf are. "fenchel predict --randomise"
adds that number. Where MODEL has no bias, with --keep-bias --no-refit, the machine is determined by
the rows of the steps, and the report has a bound on the errors of new rows too.

The coefficients are then fitted again to the problem of MODEL, unless --no-refit:
its best solution among all machines of these vectors, with a certificate. The
file SMALL keeps the lower bound of MODEL and its dual variables, so that "fenchel
verify SMALL DATA" proves again how far SMALL is from the best possible machine
of any number of vectors; with --full MODEL, what is said of MODEL too.`,
		Example: `  fenchel sparsify adult.model adult.svm -o small.model
  fenchel sparsify adult.model adult.svm --support 200 --test later.svm
  fenchel sparsify libsvm.model train.svm --error-at-most 0.2 --figure p.svg`,
		Args: option.Arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0], args[1:]) },
	}
	s.in.Register(cmd, false)
	s.register(cmd)
	return cmd
}

// register adds the flags.
func (s *sparsifier) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.out, "output", "o", "", "write the small model to this file")
	f.BoolVar(&s.force, "force", false, "write the model even over a file that holds something else")
	f.IntVar(&s.spec.Support, "support", 0, "at most so many support vectors")
	f.Float64Var(&s.spec.Accuracy, "loss-at-most", 0, "largest loss E of margin, of numbers in their unit (default 0.5)")
	f.Float64Var(&s.points, "error-at-most", 0, "points of error more than the model, such as 0.2")
	f.StringVar(&s.spec.Method, "method", "auto", "how vectors are chosen: "+strings.Join(option.Names(reduce.Entries()), ", ")+"; \"fenchel list sparsifiers\" explains them")
	f.StringArrayVar(&s.test, "test", nil, "judge every number of vectors on these data (may be repeated)")
	f.Float64Var(&s.spec.Radius, "radius", 0, "bound on the norm of the small machine, such as that of MODEL; with --no-refit")
	f.BoolVar(&s.spec.KeepBias, "keep-bias", false, "keep the bias of the model, instead of choosing it with the vectors")
	f.BoolVar(&s.spec.NoRefit, "no-refit", false, "keep the coefficients that the method found")
	f.Float64Var(&s.spec.Gap, "gap", 1e-3, "relative gap of the refit, among machines of the chosen vectors")
	f.Float64Var(&s.spec.C, "C", 0, "C of a model of LIBSVM, whose file does not say (default its largest coefficient)")
	f.Uint64Var(&s.spec.Seed, "seed", 1, "of methods that choose at random")
	f.StringVar(&s.table, "table", "", "write errors and losses for each number of vectors to this CSV file")
	f.StringVar(&s.figure, "figure", "", "draw the errors against the number of vectors into this SVG file")
	f.BoolVar(&s.json, "json", false, "print one JSON object")
	option.Complete(cmd, "method", option.Names(reduce.Entries())...)
}

// check refuses what would be found out only after the work.
func (s *sparsifier) check(cmd *cobra.Command, path string, sources []string) error {
	f := cmd.Flags()
	given := 0
	for _, name := range []string{"support", "loss-at-most", "error-at-most"} {
		if f.Changed(name) {
			given++
		}
	}
	switch {
	case given > 1 && f.Changed("error-at-most"):
		return errors.New("--error-at-most: found it beside --support or --loss-at-most, expected one of them")
	case f.Changed("support") && s.spec.Support < 1:
		return fmt.Errorf("--support %d: expected a number > 0", s.spec.Support)
	case f.Changed("loss-at-most") && !(s.spec.Accuracy > 0 && s.spec.Accuracy <= math.MaxFloat64):
		return fmt.Errorf("--loss-at-most %g: expected a number > 0", s.spec.Accuracy)
	case !(s.points >= 0 && s.points < 100):
		return fmt.Errorf("--error-at-most %g: expected points from 0 to 100", s.points)
	case !(s.spec.Gap > 0 && s.spec.Gap < 1):
		return fmt.Errorf("--gap %g: expected a number > 0 and < 1", s.spec.Gap)
	case f.Changed("radius") && !(s.spec.Radius > 0 && s.spec.Radius <= math.MaxFloat64):
		return fmt.Errorf("--radius %g: expected a number > 0", s.spec.Radius)
	case f.Changed("C") && !(s.spec.C > 0 && s.spec.C <= math.MaxFloat64):
		return fmt.Errorf("--C %g: expected a number > 0", s.spec.C)
	}
	if f.Changed("error-at-most") {
		share := s.points / 100
		s.spec.ErrorAtMost = &share
	}
	if _, err := reduce.New(s.spec.Method); err != nil {
		return err
	}
	inputs := append(append([]string{path}, sources...), s.test...)
	return cmp.Or(paths.CheckOutputs([][2]string{{"--output", s.out}, {"--table", s.table}, {"--figure", s.figure}}, append(inputs, s.in.Opt.Labels, s.in.Opt.Weights)), paths.KeepOthers("--output", s.out, s.force))
}

func (s *sparsifier) run(cmd *cobra.Command, path string, sources []string) error {
	started := time.Now()
	if err := cmp.Or(s.in.Check(cmd, sources), s.check(cmd, path, sources)); err != nil {
		return err
	}
	if err := s.readAll(cmd, path, sources); err != nil {
		return err
	}
	s.read = time.Since(started)
	s.spec.Threads, s.spec.Path = s.in.Opt.Threads, s.json || s.table != "" || s.figure != ""
	begun := time.Now()
	found, err := parallel.Until(cmd.Context(), func() (*sparsify.Result, error) {
		return sparsify.Sparsify(cmd.Context(), s.model, s.set, s.spec)
	})
	if err != nil {
		return err
	}
	s.found, s.sparsify = found, time.Since(begun)
	printing.Warn(cmd, s.doubts())
	if err := s.write(); err != nil {
		return exitcode.BadData(err)
	}
	s.measure()
	out := result.SparsifiedOf(s.found, s.spec.Method)
	out.Guarantee, out.Speed, out.SpeedOfModel, out.Seconds = s.guarantee(), s.speed[1], s.speed[0], s.sparsify.Seconds()
	return printing.Print(cmd, s.json, out, func(r printing.Report) { s.print(r, out, path) })
}

// readAll reads the model and the rows.
func (s *sparsifier) readAll(cmd *cobra.Command, path string, sources []string) error {
	m, components, err := option.ReadModel(cmd, path)
	switch {
	case err != nil:
		return err
	case components != nil:
		return fmt.Errorf("%s: found principal components, expected a kernel machine", path)
	}
	s.model = m
	s.in.ForTraining(cmd, m)
	s.in.SkipAs(m.Schema)
	if s.set, err = s.in.Read(cmd, sources); err != nil {
		return err
	}
	if s.test == nil {
		return nil
	}
	test := s.in
	test.ForModel(cmd, m)
	test.Opt.Labels, test.Opt.Weights = "", ""
	s.spec.Test, err = test.Read(cmd, s.test)
	return err
}

// doubts are what a user has to know of the result before using it.
func (s *sparsifier) doubts() (doubts []error) {
	if s.found.Elsewhere {
		doubts = append(doubts, errors.New("the rows are not those that the model was trained on: the small model is about these rows, and nothing bounds its objective"))
	}
	if s.found.Vectors == 0 {
		doubts = append(doubts, fmt.Errorf("no support vectors are left: %s, and the small model predicts its bias everywhere; a smaller --loss-at-most keeps more", s.found.Empty))
	}
	return doubts
}

// write writes the files that were asked for.
func (s *sparsifier) write() error {
	if s.out != "" {
		if err := s.found.Model.WriteFile(s.out); err != nil {
			return err
		}
	}
	if s.table != "" {
		out := result.SparsifiedOf(s.found, "")
		if err := printing.WriteCSV(s.table, []string{"vectors", "largest_loss", "mean_loss", "train", "test"}, append(out.Path, out.Model)); err != nil {
			return err
		}
	}
	if s.figure != "" {
		return file.WriteFile(s.figure, s.draw)
	}
	return nil
}

// measure times the predictions of both models, for a few hundredths of a second each.
func (s *sparsifier) measure() {
	for i, m := range []*model.Model{s.model, s.found.Model} {
		x, err := m.Prepare(s.set.X)
		if err != nil {
			continue
		}
		s.speed[i] = tempoOf(m, x, s.in.Opt.Threads)
	}
}

func tempoOf(m *model.Model, x matrix.Matrix, threads int) result.Speed {
	n, _ := x.Dims()
	const limit, block = 20 * time.Millisecond, 1024
	m.Score(x.Row(0)) // makes the scorer
	rows, begun := 0, time.Now()
	for rows == 0 || time.Since(begun) < limit {
		some := make([]int, min(block, n))
		for k := range some {
			some[k] = (rows + k) % n
		}
		model.Scores(m, matrix.Subset(x, some), threads)
		rows += len(some)
	}
	p := result.Speed{Rows: float64(rows) / time.Since(begun).Seconds()}
	var times []time.Duration
	for begun := time.Now(); len(times) < 3 || time.Since(begun) < limit; {
		one := time.Now()
		m.Score(x.Row(len(times) % n))
		times = append(times, time.Since(one))
	}
	slices.Sort(times)
	p.OneRow = times[len(times)/2].Seconds()
	return p
}

// oneRow is the time for one row.
func oneRow(s result.Speed) time.Duration { return time.Duration(math.Round(s.OneRow * 1e9)) }

// print writes the report.
func (s *sparsifier) print(r printing.Report, out *result.Sparsified, path string) {
	f := s.found
	r.Line("model", "%s: %s, %s", path, printing.Count(f.FullVectors, "support vector"), s.model.Statement.Kernel)
	r.Line("data", "%s", printing.Describe(s.set))
	how := fmt.Sprintf("%s, no loss above %.4g, seed %d", s.spec.Method, f.Accuracy, s.spec.Seed)
	r.Line("method", "%s: %s%s, %s", how, printing.Count(f.Steps, "step"), s.bound(), report.Evaluated(f.Counts))
	s.printTried(r)
	r.Line("support", "%s, %s of the model's", printing.Count(f.Vectors, "vector"), printing.Percent(float64(f.Vectors)/float64(max(1, f.FullVectors))))
	if g := f.Goal; g != nil {
		r.Line("objective", "(%s) of the thesis: %.6g, of %s at least %.6g (gap %.3g)", g.Name, g.Value, anyMachine(g.Radius), g.Below, g.Value-g.Below)
	}
	s.printProof(r)
	r.Line("guarantee", "%s", out.Guarantee)
	if f.NewRows == f.NewRows {
		r.Line("new rows", "with such a number at most %s are wrong on average, with probability 95 %%, as %s of %d rows determine the machine (compression)", printing.Percent(f.NewRows), printing.Count(f.Steps, "step"), s.set.Rows())
	}
	s.printErrors(r)
	r.Line("speed", "%s rows a second, the model %s: %.3g times as many; one row %s, the model %s",
		printing.Short(int64(out.Speed.Rows)), printing.Short(int64(out.SpeedOfModel.Rows)), out.Speed.Rows/out.SpeedOfModel.Rows, oneRow(out.Speed), oneRow(out.SpeedOfModel))
	r.Line("time", "read %s, sparsify %s", printing.Seconds(s.read), printing.Seconds(s.sparsify))
	for _, file := range []string{s.out, s.table, s.figure} {
		if file != "" {
			r.Line("written", "%s", file)
		}
	}
}

// printTried says what the method auto compared, and at what a method gave up.
func (s *sparsifier) printTried(r printing.Report) {
	if s.found.GaveUp != "" {
		r.Line("gave up", "after %s", s.found.GaveUp)
	}
	for _, t := range s.found.Tried {
		text := "the only one that ends at a loss or an error, or needs no refit"
		if !math.IsNaN(t.Refit.Primal) {
			text = fmt.Sprintf("refit objective %.6g, at least %.6g", t.Refit.Primal, t.Refit.Dual)
		}
		if t.Kept {
			text += "; kept"
		}
		r.Line("tried", "%s: %s, %s", t.Method, printing.Count(t.Vectors, "vector"), text)
	}
}

// anyMachine names the machines that a lower bound holds for.
func anyMachine(radius float64) string {
	if math.IsInf(radius, 1) {
		return "any machine"
	}
	return fmt.Sprintf("any machine of a norm up to %.4g, (3.3),", radius)
}

// bound says how many steps theory allows the subgradient methods for that accuracy.
func (s *sparsifier) bound() string {
	f := s.found
	subgradients := len(f.Tried) == 1 || s.spec.Method == "aggressive" || s.spec.Method == "basic"
	small := s.spec.Radius > 0 && s.spec.Radius*s.spec.Radius < f.Norm2*(1-1e-9) // the model is outside
	if f.Norm2 == 0 || f.Kappa == 0 || !subgradients || s.spec.Support > 0 || small {
		return ""
	}
	most := reduce.StepBound(f.Norm2, f.Kappa, f.Accuracy, f.Accuracy/f.Kappa)
	return fmt.Sprintf(" (theory: at most %.0f, %.0f more)", most, most-float64(f.Steps))
}

// printProof says how good the small model is in the problem of the large one.
func (s *sparsifier) printProof(r printing.Report) {
	if c := s.found.Refit; c != nil {
		r.Line("refit", "objective %.10g, best possible of these vectors at least %.10g: relative gap %.3g", c.Primal, c.Dual, c.Relative())
	} else {
		r.Line("refit", "none: %s", cmp.Or(s.found.Why, "--no-refit"))
	}
	switch sum := fenchel.Summarise(s.found.Model); {
	case s.model.IsImported():
	case s.found.Model.Support.Index == nil:
		r.Line("proof", "none: the vectors are no rows of the data")
	case sum.Unproved():
		r.Line("proof", "objective %.10g, and no lower bound", sum.Primal)
	default:
		r.Line("proof", "objective %.10g, best possible of any vectors at least %.10g: %s", sum.Primal, sum.Dual, report.GapOf(sum))
	}
}

// guarantee says in words what holds on the rows.
func (s *sparsifier) guarantee() string {
	f, sparse := s.found, s.found.Model.Sparse
	small, bound := "slant loss", "hinge loss"
	if s.model.Classes == nil {
		small, bound = fmt.Sprintf("mean error beyond the tube %.4g widened by %.4g", sparse.Tube, sparse.Accuracy), "mean error beyond the tube"
	}
	verb := "is at most"
	if !sparsify.Guaranteed(sparse) {
		verb = "is ABOVE"
	}
	text := fmt.Sprintf("%s %.4g %s the model's %s %.4g on these rows", small, f.Small.Mean, verb, bound, f.Full.Mean)
	if s.model.Classes != nil && !s.model.OneClass() && sparse.Accuracy <= sparse.Margin/2 {
		text += fmt.Sprintf("; with a number uniform in [-%[1]g, %[1]g] added to each score, at most %[2]s are wrong on average", sparse.Margin/2, printing.Percent(f.Small.Mean))
	}
	return text
}

// printErrors compares the errors.
func (s *sparsifier) printErrors(r printing.Report) {
	f := s.found
	value := func(x float64) string { return report.ErrorIn(f.Unit, x) }
	r.Line(f.Unit, "%s of these rows, the model %s", value(f.Small.Train), value(f.Full.Train))
	if s.test != nil {
		r.Line("test", "%s, the model %s", value(f.Small.Test), value(f.Full.Test))
	}
}

// draw draws the errors along the path, and those of the model as dashed lines.
func (s *sparsifier) draw(w io.Writer) error {
	f := figure.Figure{Title: "errors by number of support vectors", X: figure.Axis{Name: "support vectors", Log: true}, Y: figure.Axis{Name: s.found.Unit}}
	for k, c := range []struct {
		name string
		of   func(sparsify.Step) float64
	}{{"these rows", func(p sparsify.Step) float64 { return p.Train }}, {"test", func(p sparsify.Step) float64 { return p.Test }}} {
		full := c.of(s.found.Full)
		if math.IsNaN(full) {
			continue
		}
		curve := figure.Curve{Name: c.name, Style: k + 1}
		for _, p := range append(s.found.Path[:len(s.found.Path):len(s.found.Path)], s.found.Small) {
			if p.Vectors > 0 {
				curve.X, curve.Y = append(curve.X, float64(p.Vectors)), append(curve.Y, c.of(p))
			}
		}
		f.Curves = append(f.Curves, curve, figure.Curve{Name: c.name + ", model", X: []float64{1, float64(s.found.FullVectors)}, Y: []float64{full, full}, Dashed: true, Style: k + 1})
	}
	return f.WriteSVG(w)
}
