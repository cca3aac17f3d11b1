package programming

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The table of the lectures on how the time of each method grows with the rows (Y2), measured:
// exponents of n for kernel values and for seconds; iterations of the interior-point method,
// which hardly grow (Y12); and Pegasos on linear predictors, whose time to a given accuracy
// does not depend on the rows (Y4).
type qpScaling struct{ gap float64 }

func init() {
	experiment.Register("qp-scaling", "SVM lecture 15 and Ulbrich's notes, complexity of the methods", "how kernel values and seconds of each method grow with the rows; gap=1e-4",
		func(p *registry.Params) (experiment.Experiment, error) {
			return qpScaling{p.Float("gap", 1e-4, "a number between 0 and 1", func(v float64) bool { return v > 0 && v < 1 })}, p.Err()
		})
}

// A growth is what the reference says of a method's exponent of n in seconds, and the gap that it
// is measured to; 0: that of the experiment.
type growth struct {
	spec   string
	lo, hi float64
	gap    float64
}

var growths = []growth{
	{"smo", 1.4, 2.6, 0}, {"working", 1.2, 2.6, 0}, {"active-set", 1.2, 3, 0}, {"interior-point", 2, 3.6, 0}, {"sdca", 1.4, 2.6, 0},
	{"interior-point:rank=100", 0.6, 1.6, 1e-2}, {"cutting-plane", 1.4, 2.6, 1e-2}, {"pegasos", 1.4, 3, 1e-1},
}

// Run implements Experiment.
func (e qpScaling) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	sizes := []int{250, 500, 1000, 2000, 4000}
	if opt.Quick {
		sizes = []int{200, 400, 800}
	}
	r, times := &experiment.Result{}, map[string]map[int]float64{}
	progress := &experiment.Tally{Opt: opt, What: "solvers", Of: len(growths)}
	for _, g := range growths {
		progress.Step()
		if len(registered(g.spec)) == 0 {
			r.Note("%s: this program has no such solver", g.spec)
			continue
		}
		took, err := e.grow(ctx, r, g, sizes, opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.spec, err)
		}
		if times[g.spec] = took; g.gap != 0 {
			delete(times, g.spec) // no match for the others
		}
	}
	e.advised(r, sizes, times)
	return r, pegasos(ctx, r, opt)
}

// advised compares the method that theory.Quadratic advises with the fastest one (K22). Below ten
// milliseconds all are the same.
func (e qpScaling) advised(r *experiment.Result, sizes []int, times map[string]map[int]float64) {
	worst, at := 0.0, 0
	for _, n := range sizes {
		least := math.Inf(1)
		for spec, took := range times {
			if t, ok := took[n]; ok && spec != "sdca" { // of another bias
				least = min(least, max(t, 0.01))
			}
		}
		a := theory.Quadratic{Rows: float64(n), Values: 2, Accuracy: e.gap, Memory: gram.DefaultCache}.Advise()
		own := math.Inf(1)
		if t, ok := times[a.Solver][n]; ok {
			own = max(t, 0.01)
		}
		if ratio := own / least; ratio > worst {
			worst, at = ratio, n
		}
	}
	r.Check("K22", "the method that fenchel advise names takes no more than twice the time of the fastest", "at most 2 times at every number of rows", worst <= 2, "%.2f times at %d rows", worst, at)
}

// inTable adds a method's line to the table of the lectures: what theory and practice say, and what
// was measured.
func inTable(r *experiment.Result, spec string, gap, seconds float64, values string) {
	for _, c := range (theory.Quadratic{Rows: 1, Accuracy: gap}).Costs() {
		if c.Solver == spec {
			r.Note("%-30s theory %s, practice %s; found to the gap %.0e exponents of seconds %.2f, %s", c.Method, c.Theory, c.Practice, gap, seconds, values)
		}
	}
}

// grow measures a method on all sizes.
func (e qpScaling) grow(ctx context.Context, r *experiment.Result, g growth, sizes []int, opt experiment.Options) (took map[int]float64, err error) {
	took = map[int]float64{}
	gap := cmp.Or(g.gap, e.gap)
	var x, seconds, values, epochs []float64
	bias := problem.Free
	if g.spec == "sdca" || g.spec == "cutting-plane" || g.spec == "pegasos" {
		bias = problem.None
	}
	for _, n := range sizes {
		rows, y := chequered(n, opt.Seed)
		p, err := experiment.HingeMachine(kernel.RBF{Gamma: 0.5}, rows, y, 1, bias, opt.Threads)
		if err != nil {
			return nil, err
		}
		m, err := runTo(ctx, g.spec, p, gap, 20*time.Second, opt.Seed)
		if err != nil {
			return nil, err
		}
		if !m.reached {
			r.Note("%s: %s on %d rows, gap %.1e; larger sets are left out", g.spec, m.Status, n, m.Certificate.Relative())
			break
		}
		took[n] = m.seconds
		x, seconds, values, epochs = append(x, float64(n)), append(seconds, m.seconds), append(values, m.values), append(epochs, float64(m.Epochs))
	}
	if len(x) < 3 {
		return took, nil
	}
	panel := experiment.Point{Curve: g.spec, XAxis: "rows" + experiment.LogAxis}
	panel.Row, panel.YAxis = "time", "seconds"+experiment.LogAxis
	r.Curve(panel, x, seconds)
	panel.Row, panel.YAxis = "values", "kernel values"+experiment.LogAxis
	grown := "kernel values are not counted"
	if values[0] > 0 {
		r.Curve(panel, x, values)
		grown = fmt.Sprintf("kernel values %.2f", experiment.SlopeOf(x, values))
	}
	slope := experiment.SlopeOf(x, seconds)
	inTable(r, g.spec, gap, slope, grown)
	r.Check("Y2", g.spec+": seconds grow like a power of the rows", fmt.Sprintf("exponent %g to %g", g.lo, g.hi), slope >= g.lo && slope <= g.hi, "%.2f, %s", slope, grown)
	if g.spec == "interior-point" {
		most := 0.0
		for _, k := range epochs {
			most = max(most, k)
		}
		r.Check("Y12", "iterations of the interior-point method hardly grow", "at most 30", most <= 30, "%v on %v rows", epochs, x)
	}
	return took, nil
}

// pegasos measures the steps to an objective 1e-2 above the optimum on more and more rows.
func pegasos(ctx context.Context, r *experiment.Result, opt experiment.Options) error {
	sizes := []int{10_000, 100_000, 1_000_000}
	if opt.Quick {
		sizes = []int{1000, 4000, 16_000}
	}
	var x, steps []float64
	for _, n := range sizes {
		rows, y := experiment.Sphere(n, 20, opt.Seed)
		p, err := problem.NewLinear(problem.NewRows(rows, opt.Threads), y, nil, loss.Hinge{}, penalty.L2{}, 0.01, problem.None)
		if err != nil {
			return err
		}
		best, err := experiment.Solve(ctx, newton.Newton{}, p, solver.Options{Gap: 1e-4})
		if err != nil {
			return err
		}
		needed, err := stepsTo(ctx, p, best.Certificate.Primal+1e-2, opt.Seed)
		if err != nil {
			return err
		}
		x, steps = append(x, float64(n)), append(steps, needed)
	}
	r.Curve(experiment.Point{Row: "Pegasos", Curve: "steps to 0.01 above the optimum", XAxis: "rows" + experiment.LogAxis, YAxis: "steps" + experiment.LogAxis}, x, steps)
	slope := experiment.SlopeOf(x, steps)
	r.Check("Y4", "steps of Pegasos to a given accuracy do not depend on the rows", "exponent -0.3 to 0.3", math.Abs(slope) <= 0.3, "%.2f: %v steps on %v rows", slope, steps, x)
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
