package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/linear"
	"github.com/fenchel-ml/fenchel/solver/newton"
	"github.com/fenchel-ml/fenchel/solver/stochastic"
)

// The table of the lectures on how the time of each method grows with the rows (Y2), measured:
// exponents of n for kernel values and for seconds; iterations of the interior-point method,
// which hardly grow (Y12); and Pegasos on linear predictors, whose time to a given accuracy
// does not depend on the rows (Y4).
type qpScaling struct{ gap float64 }

func init() {
	register("qp-scaling", "how kernel values and seconds of each method grow with the rows; gap=1e-4",
		func(p *registry.Params) (Experiment, error) {
			return qpScaling{p.Float("gap", 1e-4, "a number between 0 and 1", func(v float64) bool { return v > 0 && v < 1 })}, p.Err()
		})
}

// A growth is what the reference says of a method's exponent of n in seconds.
type growth struct {
	spec   string
	lo, hi float64
}

var growths = []growth{
	{"smo", 1.4, 2.6}, {"working", 1.2, 2.6}, {"active-set", 1.2, 3}, {"interior-point", 2, 3.4}, {"sdca", 1.4, 2.6},
}

// Run implements Experiment.
func (e qpScaling) Run(ctx context.Context, opt Options) (*Result, error) {
	sizes := []int{250, 500, 1000, 2000, 4000}
	if opt.Quick {
		sizes = []int{200, 400, 800}
	}
	r := &Result{}
	progress := &tally{opt: opt, what: "solvers", of: len(growths)}
	for _, g := range growths {
		progress.step()
		if len(registered(g.spec)) == 0 {
			r.note("%s: this program has no such solver", g.spec)
			continue
		}
		if err := e.grow(ctx, r, g, sizes, opt); err != nil {
			return nil, fmt.Errorf("%s: %w", g.spec, err)
		}
	}
	return r, r.pegasos(ctx, opt)
}

// grow measures a method on all sizes.
func (e qpScaling) grow(ctx context.Context, r *Result, g growth, sizes []int, opt Options) error {
	var x, seconds, values, epochs []float64
	bias := problem.Free
	if g.spec == "sdca" {
		bias = problem.None
	}
	for _, n := range sizes {
		rows, y := chequered(n, opt.Seed)
		p, err := hingeMachine(kernel.RBF{Gamma: 0.5}, rows, y, 1, bias, opt.Threads)
		if err != nil {
			return err
		}
		m, err := runTo(ctx, g.spec, p, e.gap, time.Minute, opt.Seed)
		if err != nil {
			return err
		}
		if !m.reached {
			r.note("%s: %s on %d rows, gap %.1e; larger sets are left out", g.spec, m.Status, n, m.Certificate.Relative())
			break
		}
		x, seconds, values, epochs = append(x, float64(n)), append(seconds, m.seconds), append(values, m.values), append(epochs, float64(m.Epochs))
	}
	if len(x) < 3 {
		return nil
	}
	panel := Point{Curve: g.spec, XAxis: "rows" + LogAxis}
	panel.Row, panel.YAxis = "time", "seconds"+LogAxis
	r.curve(panel, x, seconds)
	panel.Row, panel.YAxis = "values", "kernel values"+LogAxis
	r.curve(panel, x, values)
	slope := slopeOf(x, seconds)
	r.check("Y2", g.spec+": seconds grow like a power of the rows", fmt.Sprintf("exponent %g to %g", g.lo, g.hi), slope >= g.lo && slope <= g.hi, "%.2f, kernel values %.2f", slope, slopeOf(x, values))
	if g.spec == "interior-point" {
		most := 0.0
		for _, k := range epochs {
			most = max(most, k)
		}
		r.check("Y12", "iterations of the interior-point method hardly grow", "at most 30", most <= 30, "%v on %v rows", epochs, x)
	}
	return nil
}

// pegasos measures the steps to an objective 1e-2 above the optimum on more and more rows.
func (r *Result) pegasos(ctx context.Context, opt Options) error {
	sizes := []int{10_000, 100_000, 1_000_000}
	if opt.Quick {
		sizes = []int{1000, 4000, 16_000}
	}
	var x, steps []float64
	for _, n := range sizes {
		rows, y := sphere(n, 20, opt.Seed)
		p, err := problem.NewLinear(problem.NewRows(rows, opt.Threads), y, nil, loss.Hinge{}, penalty.L2{}, 0.01, problem.None)
		if err != nil {
			return err
		}
		best, err := solve(ctx, newton.Newton{}, p, solver.Options{Gap: 1e-4})
		if err != nil {
			return err
		}
		needed, err := stepsTo(ctx, p, best.Certificate.Primal+1e-2, opt.Seed)
		if err != nil {
			return err
		}
		x, steps = append(x, float64(n)), append(steps, needed)
	}
	r.curve(Point{Row: "Pegasos", Curve: "steps to 0.01 above the optimum", XAxis: "rows" + LogAxis, YAxis: "steps" + LogAxis}, x, steps)
	slope := slopeOf(x, steps)
	r.check("Y4", "steps of Pegasos to a given accuracy do not depend on the rows", "exponent -0.3 to 0.3", math.Abs(slope) <= 0.3, "%.2f: %v steps on %v rows", slope, steps, x)
	return nil
}

// stepsTo returns after how many steps the last iterate of Pegasos has that objective for the
// first time, to fifty steps; +Inf: not within a million.
func stepsTo(ctx context.Context, p *problem.Linear, goal float64, seed uint64) (float64, error) {
	s, err := linear.New("pegasos")
	if err != nil {
		return 0, err
	}
	const part = 50
	run := s.Start(p, solver.Start{Seed: seed}).(stochastic.Walker)
	_, d := p.Dims()
	w := make([]float64, d+1)
	for t := part; t <= 1_000_000; t += part {
		run.Steps(part)
		run.Weights(w)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if value, _ := p.Primal(w); value <= goal {
			return float64(t), ctx.Err()
		}
	}
	return math.Inf(1), nil
}
