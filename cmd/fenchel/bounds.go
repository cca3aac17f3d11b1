package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/internal/theory"
)

// boundary is one run of the verb bounds.
type boundary struct {
	setting spectral.Setting // of components; d, the loss and delta are machines' too
	machine theory.Machine
	rows    float64
	support float64
	json    bool
}

// subjects are what bounds speaks of, with the flags of that alone.
var subjects = map[string][]string{"components": {"components", "squared-norm", "fourth-norm"}, "machines": {"radius", "support"}}

func newBounds() *cobra.Command {
	b := &boundary{}
	cmd := &cobra.Command{
		Use:   "bounds WHAT",
		Short: "Say how many rows or steps theory asks for, or what error it promises after so many",
		Long: `Bounds computes what is proved of methods and samples, for numbers that are given:
no data are read. WHAT is one of components, machines.

components: the rows, which are steps of a method that sees each row once, after which
the variance captured is within --accuracy of the best (--n: within what after so many):
for a batch (SAA), the algorithm of Warmuth and Kuzmin, mirror descent and matrix
stochastic gradient. --loss is L*, the variance that the best --components of the --d
features leave. All but the first are about the mean of the iterates, or one drawn at
random (--method msg:iterate=random of pca), with the step size in the formula.

machines: of kernel machines with kernel values up to 1 that are to err at most
--loss + --accuracy of the time on new rows, where a predictor of the norm --radius
has the mean hinge loss --loss: rows of a sample, kernel values of training, support
vectors, up to constants and logarithms; "easy" is for a loss not above --accuracy. With
--n what the error of a trained machine of that mean hinge loss on so many rows is at
most on new ones: by its smoothness, up to a constant, and with --support by
compression, for any machine of at most so many support vectors.`,
		Example: `  fenchel bounds components --d 784 -k 8 --loss 0.3 --accuracy 0.01
  fenchel bounds machines --loss 0.1 --radius 10 --n 100000 --support 400`,
		ValidArgs: []string{"components", "machines"},
		Args:      option.Arguments(1, 1),
		RunE:      func(cmd *cobra.Command, args []string) error { return b.run(cmd, args[0]) },
	}
	f, s := cmd.Flags(), &b.setting
	f.IntVar(&s.Cols, "d", 100, "number of features")
	f.IntVarP(&s.K, "components", "k", 1, "number of components")
	f.Float64Var(&s.Loss, "loss", 0, "L*: what the best components leave of the variance, or the mean hinge loss")
	f.Float64Var(&b.machine.Epsilon, "accuracy", 0, "how much worse than the best on new rows (default 0.01 unless --n is given)")
	f.Float64Var(&b.rows, "n", 0, "number of rows")
	f.Float64Var(&s.Doubt, "delta", 0.05, "probability with which bounds may fail: that of a batch fails with twice this")
	f.Float64Var(&s.Squared, "squared-norm", 1, "the largest squared norm of a row")
	f.Float64Var(&s.Fourth, "fourth-norm", 1, "the mean of the fourth power of the norm of a row")
	f.Float64Var(&b.machine.Radius, "radius", 1, "norm of the predictor with that loss")
	f.Float64Var(&b.support, "support", 0, "at most so many support vectors, fixed before the rows are seen")
	f.BoolVar(&b.json, "json", false, "print one JSON object")
	return cmd
}

func (b *boundary) run(cmd *cobra.Command, what string) error {
	if subjects[what] == nil {
		return registry.Unknown("bounds of", what, cmd.ValidArgs)
	}
	f := cmd.Flags()
	for other, flags := range subjects {
		for _, name := range flags {
			if other != what && f.Changed(name) {
				return fmt.Errorf("--%s: found it for %s, expected it for %s", name, what, other)
			}
		}
	}
	if f.Changed("n") && !(b.rows >= 1 && b.rows <= 1e100) {
		return fmt.Errorf("--n %g: expected a number of rows >= 1, at most 1e100", b.rows)
	}
	if !(b.setting.Doubt > 0 && b.setting.Doubt < 1) {
		return fmt.Errorf("--delta %g: expected a probability > 0 and < 1", b.setting.Doubt)
	}
	if !f.Changed("accuracy") && (what == "machines" || b.rows == 0) {
		b.machine.Epsilon = 0.01
	}
	if what == "components" {
		return b.components(cmd)
	}
	return b.machines(cmd)
}

// components prints the bounds on what components miss.
func (b *boundary) components(cmd *cobra.Command) error {
	out := result.BoundedComponents{Setting: b.setting, Epsilon: result.OrNull(b.machine.Epsilon), Rows: result.OrNull(b.rows)}
	if b.machine.Epsilon != 0 || cmd.Flags().Changed("accuracy") {
		rows, err := spectral.RowsFor(b.setting, b.machine.Epsilon)
		if err != nil {
			return fmt.Errorf("--%w", err)
		}
		out.Add(rows, func(p *result.Promise, v float64) { p.Rows = &v })
	}
	if b.rows != 0 {
		errors, err := spectral.ErrorAfter(b.setting, b.rows)
		if err != nil {
			return fmt.Errorf("--%w", err)
		}
		out.Add(errors, func(p *result.Promise, v float64) { p.Error = &v })
	}
	return printing.Print(cmd, b.json, out, func(r printing.Report) {
		s := b.setting
		r.Line("setting", "d %d, k %d, L* %g, s: |x|^2 at most %g, G^2: mean |x|^4 %g, delta %g", s.Cols, s.K, s.Loss, s.Squared, s.Fourth, s.Doubt)
		figure := func(x *float64) string {
			if x == nil {
				return "-"
			}
			return fmt.Sprintf("%.4g", *x)
		}
		t := tabwriter.NewWriter(r.W, 0, 4, 2, ' ', 0)
		fmt.Fprintf(t, "\nmethod\trows for %s\terror after %s\tformula\n", figure(out.Epsilon), figure(out.Rows))
		for _, p := range out.Bounds {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", p.Method, figure(p.Rows), figure(p.Error), p.Formula)
		}
		_ = t.Flush() // what is printed to remembers its error
	})
}

// machines prints what kernel machines take, and what their errors on a sample say.
func (b *boundary) machines(cmd *cobra.Command) error {
	b.machine.Loss, b.machine.Dim = b.setting.Loss, float64(b.setting.Cols)
	if err := b.machine.Check(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if cmd.Flags().Changed("support") && !(b.support >= 0 && b.rows > 0 && 2*b.support <= b.rows && b.machine.Loss <= 1) {
		return fmt.Errorf("--support %g: expected a number of at most half the rows, --n %g, and a loss of at most 1", b.support, b.rows)
	}
	m, delta := b.machine, b.setting.Doubt
	out := result.BoundedMachines{Machine: m, Delta: delta, Sample: m.Sample(delta), Costs: m.Costs()}
	if b.rows > 0 {
		out.Rows, out.Smoothness = &b.rows, new(theory.Smoothness(m.Loss, m.Radius, b.rows, delta, 1))
	}
	if cmd.Flags().Changed("support") {
		out.Support, out.Compression = &b.support, new(theory.Compression(m.Loss, b.support, b.rows, delta))
	}
	return printing.Print(cmd, b.json, out, func(r printing.Report) {
		r.Line("setting", "L* %g, epsilon %g, norm %g, %g features, delta %g", m.Loss, m.Epsilon, m.Radius, m.Dim, delta)
		r.Line("sample", "%.4g rows, up to constants and logarithms (lemma 1.18)", out.Sample)
		if out.Smoothness != nil {
			r.Line("smooth", "error of at most %.4g after %g rows, with a constant of 1", *out.Smoothness, b.rows)
		}
		if out.Compression != nil {
			r.Line("compressed", "error of at most %.4g after %g rows, of at most %g support vectors", *out.Compression, b.rows, b.support)
		}
		t := tabwriter.NewWriter(r.W, 0, 4, 2, ' ', 0)
		fmt.Fprint(t, "\nkernel values\ttraining\teasy\tsupport\teasy\n")
		for _, c := range out.Costs {
			fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.3g\t%.3g\n", c.Method, c.Training, c.EasyTraining, c.Support, c.EasySupport)
		}
		_ = t.Flush()
	})
}
