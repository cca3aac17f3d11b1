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
// Reuters gives 6.81e-4 where the table has 6.34e-4. A bias (6.88e-4) and one of each of the 167
// repeated rows (6.69e-4) do not explain it; C = 1.045 or sigma^2 = 0.453 would.
type table27 struct {
	set    experiment.MachineSet
	biased bool
}

func init() {
	experiment.Register("thesis-table2.7", "slack nu of optimal kernel machines, without and with bias; needs --data, training file first; set=reuters|adult|mnist|other, bias=none|free",
		func(p *registry.Params) (experiment.Experiment, error) {
			e := table27{experiment.SetParam(p, experiment.AllMachineSets...), p.Choice("bias", "none", "free") == "free"}
			if e.biased && e.set.Biased.Variance == 0 {
				return nil, fmt.Errorf("thesis-table2.7: found bias=free and set=%s, expected bias=none: the table has no such row", e.set.Name)
			}
			return e, p.Err()
		})
}

// Run implements Experiment.
func (e table27) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	row, bias := e.set.Plain, problem.None
	if e.biased {
		row, bias = e.set.Biased, problem.Free
	}
	rows := math.MaxInt
	if opt.Quick {
		rows = 1500
	}
	c, err := e.set.Course(opt, row, bias, rows)
	if err != nil {
		return nil, fmt.Errorf("thesis-table2.7: %w", err)
	}
	r := &experiment.Result{}
	positive := 0
	for _, y := range c.Y[:c.Learn()] {
		if y > 0 {
			positive++
		}
	}
	r.Note("%d rows, %d of them positive, and %d for the test", c.Learn(), positive, len(c.Y)-c.Learn())
	if e.set.Train > 0 && !opt.Quick {
		r.Check("X1", "rows to learn from", fmt.Sprint(e.set.Train), c.Learn() == e.set.Train, "%d", c.Learn())
	}
	// nu is a quotient of two small numbers: the gap of the objective bounds neither well.
	// It is settled when a tenth of the gap changes it no more.
	progress := &experiment.Tally{Opt: opt, What: "gaps", Of: 3}
	settled := math.NaN()
	for _, gap := range []float64{1e-4, 1e-5, 1e-6} {
		s, _, err := c.Optimum(ctx, gap)
		if err != nil {
			return nil, err
		}
		mean, norm := c.Shape(s.Point.W)
		settled = mean / norm
		progress.Step()
		r.Note("gap %.1e: loss %.6g, norm %.6g, nu %.6g, error on the test rows %.3f %%", s.Certificate.Relative(), mean, norm, settled, c.ErrorOf(s.Point.W))
		r.Points = append(r.Points, experiment.Point{Row: "nu", Column: e.set.Name, Curve: bias.String(), XAxis: "relative gap" + experiment.LogAxis, X: s.Certificate.Relative(), YAxis: "nu", Y: settled})
	}
	switch {
	case row.Nu < 1e-6:
		r.Check("X2", "nu: the rows are separable with this C", "below 1e-6", settled < 1e-6, "%.3g", settled)
	case row.Nu == row.Nu:
		r.Check("X2", "nu", fmt.Sprintf("%.3g within 2 %%", row.Nu), math.Abs(settled/row.Nu-1) <= 0.02, "%.4g, %+.1f %%", settled, 100*(settled/row.Nu-1))
		if why := e.explained(); why != "" && !opt.Quick {
			r.Note("the optimum is proved, so the table had another problem: %s", why)
		}
	}
	return r, ctx.Err()
}

// explained says of the rows of the table that are not found what would give their nu.
func (e table27) explained() string {
	switch {
	case e.set.Name == "reuters":
		return "C=1.045 or sigma^2=0.453 instead of 1 and 0.5 would give its nu; a bias (6.88e-4) and one of each of the 167 repeated rows (6.69e-4) would not"
	case e.set.Name == "adult" && e.biased:
		return "C=330 or sigma^2=23 instead of 100 and 100 would give its nu (estimated on 5,000 of the rows); the error on the test rows is that of the source, 14.9 %"
	}
	return ""
}
