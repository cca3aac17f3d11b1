package thesis

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/problem"
)

// Table 2.7 of Cotter's thesis: nu = L/|w| of the optimum w of the hinge with lambda, L its
// mean loss: the slack for which the problem of the stochastic batch perceptron has the same
// optimum. Kernel exp(-|x-x'|^2/(2 sigma^2)).
//
// Reuters gives 6.81e-4 where the table has 6.34e-4, which an independent solver confirms of the rows that
// are to be had: another edition of them. Of Adult with a bias the two numbers that are printed, nu and the
// error of 14.9 %, do not belong together: the optimum with that error has nu 1.37e-3.
type table27 struct {
	set    string
	biased bool
}

func init() {
	experiment.Register("thesis-table2.7", "Cotter's thesis, table 2.7", "slack nu of optimal kernel machines, without and with bias; set=all|reuters|adult|mnist|other, bias=none|free",
		func(p *registry.Params) (experiment.Experiment, error) {
			e := table27{p.Choice("set", "all", "reuters", "adult", "mnist", "other"), p.Choice("bias", "none", "free") == "free"}
			if e.biased && e.set == "reuters" {
				return nil, fmt.Errorf("thesis-table2.7: found bias=free and set=%s, expected bias=none: the table has no such row", e.set)
			}
			return e, p.Err()
		})
}

// Run implements Experiment.
func (e table27) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r, sets := &experiment.Result{}, []string{"reuters", "adult", "mnist"}
	if e.biased {
		sets = sets[1:]
	}
	return r, opt.OnMachines(ctx, r, e.set, sets, func(set experiment.MachineSet, opt experiment.Options) error {
		if err := e.panel(ctx, r, set, opt); err != nil {
			return fmt.Errorf("thesis-table2.7, %s: %w", set.Name, err)
		}
		return nil
	})
}

// panel adds what was found of a set.
func (e table27) panel(ctx context.Context, r *experiment.Result, set experiment.MachineSet, opt experiment.Options) error {
	row, bias := set.Plain, problem.None
	if e.biased {
		row, bias = set.Biased, problem.Free
	}
	rows := math.MaxInt
	if opt.Quick {
		rows = 1500
	}
	c, err := set.Course(opt, row, bias, rows)
	if err != nil {
		return err
	}
	positive := 0
	for _, y := range c.Y[:c.Learn()] {
		if y > 0 {
			positive++
		}
	}
	r.Note("%s: %d rows, %d of them positive, and %d for the test", set.Name, c.Learn(), positive, len(c.Y)-c.Learn())
	if set.Train > 0 && !opt.Quick {
		r.Check("X1", set.Name+": rows to learn from", fmt.Sprint(set.Train), c.Learn() == set.Train, "%d", c.Learn())
	}
	// nu is a quotient of two small numbers: the gap of the objective bounds neither well.
	// It is settled when a tenth of the gap changes it no more.
	progress := &experiment.Tally{Opt: opt, What: "gaps", Of: 3}
	settled := math.NaN()
	for _, gap := range []float64{1e-4, 1e-5, 1e-6} {
		s, _, err := c.Optimum(ctx, gap)
		if err != nil {
			return err
		}
		mean, norm := c.Shape(s.Point.W)
		settled = mean / norm
		progress.Step()
		r.Note("%s, gap %.1e: loss %.6g, norm %.6g, nu %.6g, error on the test rows %.3f %%", set.Name, s.Certificate.Relative(), mean, norm, settled, c.ErrorOf(s.Point.W))
		r.Points = append(r.Points, experiment.Point{Row: "nu", Column: set.Name, Curve: bias.String(), XAxis: "relative gap" + experiment.LogAxis, X: s.Certificate.Relative(), YAxis: "nu", Y: settled})
	}
	switch {
	case row.Nu < 1e-6:
		r.Check("X2", set.Name+": nu: the rows are separable with this C", "below 1e-6", settled < 1e-6, "%.3g", settled)
	case row.Nu == row.Nu:
		r.Check("X2", set.Name+": nu", fmt.Sprintf("%.3g within 2 %%", row.Nu), math.Abs(settled/row.Nu-1) <= 0.02, "%.4g, %+.1f %%", settled, 100*(settled/row.Nu-1))
	}
	return ctx.Err()
}
