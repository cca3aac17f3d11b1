package gradient

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// sgBounds compares projected stochastic subgradients, steps 1/(lambda t), on the hinge with the
// bounds of Ulbrich's notes: Theorem 4.3, Lemma 4.4 and (31).
type sgBounds struct{ lambda float64 }

func init() {
	experiment.Register("sg-bounds", "Ulbrich's notes, theorem 4.3, lemma 4.4 and (31)", "projected stochastic subgradients on the hinge stay below the bounds of theory; lambda=0.01",
		func(p *registry.Params) (experiment.Experiment, error) {
			return sgBounds{p.Float("lambda", 0.01, "a number from 1e-4 to 10", func(v float64) bool { return v >= 1e-4 && v <= 10 })}, p.Err()
		})
	experiment.Plain("sg-batches", "CPSC 540 slides, batches", "the variance of a batch's gradient against its size, with and without replacement", sgBatches)
}

// Run implements Experiment.
func (e sgBounds) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	const n = 500
	runs, doublings := opt.RunsOr(50, 3), 7
	x, y := experiment.Sphere(n, 10, opt.Seed)
	p, err := problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Hinge{}, penalty.L2{}, e.lambda, problem.None)
	if err != nil {
		return nil, err
	}
	best, err := solver.Run(ctx, dual.SDCA{}, p, solver.Options{Gap: 1e-10, Epochs: 20000})
	if err != nil {
		return nil, err
	}
	progress := &experiment.Tally{Opt: opt, What: "runs", Of: runs}
	var last, apart, suffix [8]float64 // means over the runs, after 2^k passes
	for run := range runs {
		for k, get := range map[string]func(k int, w []float64){
			"last": func(k int, w []float64) {
				value, _ := p.Primal(w)
				last[k] += (value - best.Certificate.Primal) / float64(runs)
				for j, v := range best.Point.W {
					apart[k] += math.Pow(w[j]-v, 2) / float64(runs)
				}
			},
			"suffix": func(k int, w []float64) {
				value, _ := p.Primal(w)
				suffix[k] += (value - best.Certificate.Primal) / float64(runs)
			},
		} {
			if err := e.walk(ctx, p, k, opt.Seed+uint64(run), doublings, get); err != nil {
				return nil, err
			}
		}
		progress.Step()
	}
	r := &experiment.Result{}
	r.Note("means of %d runs, %d rows on the unit sphere, lambda=%g", runs, n, e.lambda)
	for k := range doublings + 1 {
		addBounds(r, e.lambda, float64(n)*math.Ldexp(1, k), last[k], apart[k], suffix[k])
	}
	return r, nil
}

// addBounds compares what was found after so many steps with the theory.
func addBounds(r *experiment.Result, lambda, t, last, apart, suffix float64) {
	m2 := math.Pow(math.Sqrt(lambda)+1, 2) // |lambda w + g| on the ball of radius 1/sqrt(lambda)
	for _, c := range []struct {
		target, what string
		found, bound float64
	}{
		{"Thm 4.3", "suboptimality of the last iterate", last, theory.LastIterate(m2, lambda, t)},
		{"Lemma 4.4", "squared distance of the last iterate", apart, theory.SquaredDistance(m2, lambda, t)},
		{"(31)", "suboptimality of the mean of the last half", suffix, theory.HalfSuffix(m2, lambda, t)},
	} {
		point := experiment.Point{Column: c.what, XAxis: "steps" + experiment.LogAxis, X: t, YAxis: "mean" + experiment.LogAxis}
		point.Curve, point.Y = "measured", c.found
		r.Points = append(r.Points, point)
		point.Curve, point.Y = "bound", c.bound
		r.Points = append(r.Points, point)
		r.Check(c.target, fmt.Sprintf("%s after %g steps", c.what, t), fmt.Sprintf("at most %.3g", c.bound), c.found <= c.bound, "%.3g", c.found)
	}
}

// walk tells the weights after 2^k passes, k = 0, 1, ...
func (sgBounds) walk(ctx context.Context, p *problem.Linear, output string, seed uint64, doublings int, tell func(k int, w []float64)) error {
	s, err := linear.New("stochastic:ball=on,offset=0,output=" + output)
	if err != nil {
		return err
	}
	n, _ := p.Dims()
	state, done := s.Start(p, solver.Start{Seed: seed}).(stochastic.Walker), 0
	for k := range doublings + 1 {
		goal := n << k
		state.Steps(goal - done)
		done = goal
		tell(k, state.Point().W)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// sgBatches measures the variance of batches: sigma^2/b with replacement, (n-b)/n of that without.
func sgBatches(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	const n, d = 256, 10
	draws := opt.RunsOr(4000, 200)
	x, y := experiment.Sphere(n, d, opt.Seed)
	random := rand.New(rand.NewPCG(opt.Seed, experiment.DrawStream))
	g, mean, variance := make([][]float64, n), make([]float64, d), 0.0
	for i := range g {
		g[i] = make([]float64, d)
		slope := loss.Logistic{}.Derivative(0, y[i])
		x.Row(i).AddTo(g[i], slope)
		x.Row(i).AddTo(mean, slope/n)
	}
	for i := range g {
		variance += squaredDistance(g[i], mean) / (n - 1)
	}
	r := &experiment.Result{}
	r.Note("means of %d draws, %d rows, gradients of the logistic loss at 0", draws, n)
	var sizes, logs []float64
	progress := &experiment.Tally{Opt: opt, What: "rows of a batch", Of: n}
	for b := 1; b <= n; b *= 2 {
		progress.Step()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, with := range []bool{true, false} {
			found := batchError(g, mean, b, draws, with, random)
			name, want := "without replacement", float64(n-b)/n*variance/float64(b)
			if with {
				name, want = "with replacement", variance*(n-1)/n/float64(b)
				sizes, logs = append(sizes, math.Log(float64(b))), append(logs, math.Log(found))
			}
			r.Points = append(r.Points, experiment.Point{Curve: name, XAxis: "rows of a batch" + experiment.LogAxis, X: float64(b), YAxis: "mean squared error", Y: found})
			r.Check("X7", fmt.Sprintf("%s, %d rows", name, b), fmt.Sprintf("%.3g within 15 %%", want), math.Abs(found-want) <= 0.15*want+1e-15, "%.3g", found)
		}
	}
	slope, _ := experiment.Line(sizes, logs)
	r.Check("X7", "with replacement the error falls like 1/b", "slope -1 within 0.05", math.Abs(slope+1) <= 0.05, "%.3f", slope)
	return r, nil
}

// batchError returns the mean squared error of the mean of b gradients, drawn with or without
// replacement.
func batchError(g [][]float64, mean []float64, b, draws int, with bool, random *rand.Rand) (sum float64) {
	estimate := make([]float64, len(mean))
	for range draws {
		clear(estimate)
		order := random.Perm(len(g))
		for k := range b {
			i := order[k]
			if with {
				i = random.IntN(len(g))
			}
			for j, v := range g[i] {
				estimate[j] += v / float64(b)
			}
		}
		sum += squaredDistance(estimate, mean) / float64(draws)
	}
	return sum
}

// squaredDistance returns |x-y|^2.
func squaredDistance(x, y []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += float64((v - y[j]) * (v - y[j]))
	}
	return sum
}
