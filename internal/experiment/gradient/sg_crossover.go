package gradient

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Where the curves of work cross. By the tables of the lectures stochastic gradient takes (L/mu)/eps
// gradients of rows, the gradient method n (L/mu) ln(1/eps), SAG max(n, L/mu) ln(1/eps), each up to a
// constant. With the constants measured at one n, at eps = 1e-3, the formulas say at which work
// the first curve crosses the others for other n; the crossings measured are compared with that.
type sgCrossover struct{ condition float64 }

func init() {
	experiment.Register("sg-crossover", "Ulbrich's notes on optimization in machine learning, section on complexity", "the work at which SAG and the gradient method overtake stochastic gradient, against theory; condition=500",
		func(p *registry.Params) (experiment.Experiment, error) {
			return sgCrossover{p.Float("condition", 500, "a number from 10 to 1e5", func(v float64) bool { return v >= 10 && v <= 1e5 })}, p.Err()
		})
}

// course of one method on one set: the gradients of rows taken, and the mean distances there.
type workCurve struct{ work, far []float64 }

// The methods, and their place in the table of theory.Lecture.
var workers = []struct {
	name, spec, method string
}{
	{"stochastic gradient", "sgd:output=weighted", "stochastic gradient"},
	{"gradient", "proximal-gradient", "gradient"},
	{"SAG", "sag", "SAG type"},
}

// Run implements Experiment.
func (e sgCrossover) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	sizes, runs := []int{1000, 4000, 16000, 64000}, opt.RunsOr(5, 1)
	if opt.Quick {
		sizes = sizes[:3]
	}
	r := &experiment.Result{}
	r.Note("means of %d runs, rows of 20 features on the unit sphere, L/mu = %g; constants of theory from n = %d at 1e-3", runs, e.condition, sizes[1])
	progress := &experiment.Tally{Opt: opt, What: "sizes", Of: len(sizes)}
	all := make([][]workCurve, len(sizes))
	err := parallel.Try(ctx, len(sizes), opt.Threads, func(k int) (err error) {
		all[k], err = e.measure(ctx, sizes[k], runs, opt.Seed)
		progress.Step()
		return err
	})
	if err != nil {
		return nil, err
	}
	var constants []float64
	for m := range workers {
		constants = append(constants, all[1][m].until(1e-3)/e.theory(m, sizes[1], 1e-3))
	}
	for k, n := range sizes {
		for m, c := range workers {
			r.Curve(experiment.Point{Column: fmt.Sprintf("n=%d", n), Curve: c.name, XAxis: "gradients of rows" + experiment.LogAxis, YAxis: "objective less optimum" + experiment.LogAxis}, all[k][m].work, all[k][m].far)
		}
		for m := 1; m < len(workers); m++ {
			found, expected := cross(all[k][0], all[k][m]), e.crossing(constants, m, n)
			if math.IsNaN(found) && expected > last(all[k][0].work) {
				continue // both say: not within what was run
			}
			r.Check("X9", fmt.Sprintf("n=%d: work at which %s overtakes stochastic gradient", n, workers[m].name), fmt.Sprintf("%.3g within a factor of 3", expected),
				found <= 3*expected && expected <= 3*found, "%.3g", found)
		}
	}
	return r, nil
}

func last(v []float64) float64 { return v[len(v)-1] }

// measure runs all methods on n rows.
func (e sgCrossover) measure(ctx context.Context, n, runs int, seed uint64) ([]workCurve, error) {
	x, y := experiment.Sphere(n, 20, seed)
	p, err := problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Logistic{}, penalty.L2{}, 0.25/(e.condition-1), problem.None)
	if err != nil {
		return nil, err
	}
	best, err := solver.Run(ctx, newton.Newton{}, p, solver.Options{Gap: 1e-13, Epochs: 100})
	if err != nil {
		return nil, err
	}
	curves := make([]workCurve, len(workers))
	for m, c := range workers {
		s, err := linear.New(c.spec)
		if err != nil {
			return nil, err
		}
		for run := range runs {
			if err := curves[m].run(ctx, p, s.Start(p, solver.Start{Seed: seed + uint64(run)}), best.Certificate.Primal, runs); err != nil {
				return nil, err
			}
		}
	}
	return curves, nil
}

// run adds a run of a method to the means. Stochastic gradient is looked at every half octave, SAG every
// quarter of a pass at first, and the gradient method after each step.
func (c *workCurve) run(ctx context.Context, p *problem.Linear, state solver.State, optimum float64, runs int) error {
	n := len(p.Y)
	_, d := p.Dims()
	w, work, at := make([]float64, d+1), 0.0, 0
	see := func(w []float64) {
		value, _ := p.Primal(w)
		if at == len(c.work) {
			c.work, c.far = append(c.work, work), append(c.far, 0)
		}
		c.far[at] += max(value-optimum, 1e-15) / float64(runs)
		at++
	}
	walker, steps := state.(stochastic.Walker)
	for next := 32.0; work < 40*float64(n) && work < 4e6; next *= math.Sqrt2 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !steps { // a step of all rows
			state.Epoch()
			work += float64(n)
			see(state.Point().W)
			continue
		}
		take := int(next) - int(work)
		walker.Steps(take)
		work += float64(take)
		walker.Average(w)
		see(w)
	}
	for !steps && at < 400 && last(c.far[:at]) > 1e-9 { // the gradient method needs many passes
		state.Epoch()
		work += float64(n)
		see(state.Point().W)
	}
	return ctx.Err()
}

// until returns the work to an accuracy, by interpolation in logarithms; NaN: it is not reached.
func (c workCurve) until(eps float64) float64 {
	for k, far := range c.far {
		if far <= eps {
			if k == 0 {
				return c.work[0]
			}
			share := (math.Log(c.far[k-1]) - math.Log(eps)) / (math.Log(c.far[k-1]) - math.Log(far))
			return math.Exp(math.Log(c.work[k-1]) + share*(math.Log(c.work[k])-math.Log(c.work[k-1])))
		}
	}
	return math.NaN()
}

// cross returns the work from which on b is ahead of a for good, NaN: a never is ahead, or to the end.
func cross(a, b workCurve) float64 {
	before := math.NaN()
	for eps := 1e-9; eps < 0.3; eps *= 1.05 {
		first, second := a.until(eps), b.until(eps)
		if first < second || !math.IsNaN(first) && math.IsNaN(second) {
			return before
		}
		before = second
	}
	return math.NaN()
}

// theory is the work of a method to an accuracy, without its constant.
func (e sgCrossover) theory(m, n int, eps float64) float64 {
	for _, c := range theory.Lecture(theory.Setting{Rows: float64(n), Accuracy: eps, Condition: e.condition}) {
		if c.Method == workers[m].method {
			return c.Gradients
		}
	}
	return math.NaN()
}

// crossing is where theory says that method m overtakes stochastic gradient.
func (e sgCrossover) crossing(constants []float64, m, n int) float64 {
	for eps := 0.3; eps > 1e-12; eps /= 1.05 {
		if work := constants[m] * e.theory(m, n, eps); work <= constants[0]*e.theory(0, n, eps) {
			return work
		}
	}
	return math.NaN()
}
