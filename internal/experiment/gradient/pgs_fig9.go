// Package gradient has the experiments on gradients of linear models: the primal gradient solver
// (pgs) and stochastic gradients (sg).
package gradient

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Figure 9 of the paper on the primal gradient solver: how many steps it takes to come within 0.05 of
// the true direction, against the number m of rows at hand, on the toys of 10, 20 and 40
// features; logistic loss, a row a step, the last iterate, looked at every 100 steps. For
// each m the sigma of a grid is taken with which the median is least.
//
// Theorem 2: T(m) = a/(1 - m0/m), so that 1/T falls in 1/m on a line.
type fig9 struct{ most int }

func init() {
	experiment.Register("pgs-fig9", "Primal Gradient Solver paper, figure 9", "steps of the primal gradient solver to a given error fall with the number of rows; most=200000 steps",
		func(p *registry.Params) (experiment.Experiment, error) {
			return fig9{p.Int("most", 200000, 1000, 1<<30)}, p.Err()
		})
}

// Run implements Experiment.
func (f fig9) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	dims, sizes, sigmas := []int{10, 20, 40}, []int{10000, 20000, 50000, 100000, 200000}, []float64{1, 0.1, 0.01}
	runs := opt.RunsOr(31, 3)
	if opt.Quick {
		dims, sizes, f.most = []int{10, 20}, []int{5000, 10000, 20000}, 20000
	}
	r := &experiment.Result{}
	r.Note("medians of %d runs, sigma of %v, at most %d steps", runs, sigmas, f.most)
	for _, d := range dims {
		steps := make([][][]float64, len(sizes)) // by m, sigma, run
		for k := range steps {
			steps[k] = make([][]float64, len(sigmas))
			for s := range sigmas {
				steps[k][s] = make([]float64, runs)
			}
		}
		progress := &experiment.Tally{Opt: opt, What: fmt.Sprintf("%d features", d), Of: runs}
		err := parallel.Try(ctx, runs, opt.Threads, func(run int) error {
			defer progress.Step()
			return f.run(ctx, d, sizes, sigmas, opt.Seed+uint64(run), func(m, s int, v float64) { steps[m][s][run] = v })
		})
		if err != nil {
			return nil, err
		}
		addToy(r, d, sizes, sigmas, steps)
	}
	return r, nil
}

// run draws one toy and tells the steps for each number of its rows and each sigma.
func (f fig9) run(ctx context.Context, d int, sizes []int, sigmas []float64, seed uint64, tell func(m, sigma int, steps float64)) error {
	most := slices.Max(sizes)
	spec := fmt.Sprintf("toy:n=%d,d=%d,seed=%d", most, d, seed)
	set, err := data.Read(ctx, []string{"@" + spec}, data.Options{Threads: 1})
	if err != nil {
		return err
	}
	_, info, err := generate.Stream("@" + spec)
	if err != nil {
		return err
	}
	truth := info.Weights
	y := make([]float64, most)
	for i, code := range set.Target.Code {
		if y[i], err = strconv.ParseFloat(set.Target.Label[code], 64); err != nil {
			return err
		}
	}
	values := set.X.(*matrix.Dense).Value
	for k, m := range sizes {
		rows := problem.NewRows(&matrix.Dense{Rows: m, Cols: d, Value: values[:m*d]}, 1)
		for s, sigma := range sigmas {
			p, err := problem.NewLinear(rows, y[:m], nil, loss.Logistic{}, penalty.L2{}, sigma, problem.None)
			if err != nil {
				return err
			}
			steps, err := f.steps(ctx, p, truth, seed)
			if err != nil {
				return err
			}
			tell(k, s, steps)
		}
	}
	return nil
}

// steps returns after how many steps the direction is within 0.05 of the truth; infinite: never.
func (f fig9) steps(ctx context.Context, p *problem.Linear, truth []float64, seed uint64) (float64, error) {
	s, err := linear.New("pgs")
	if err != nil {
		return 0, err
	}
	run := s.Start(p, solver.Start{Seed: seed}).(stochastic.Walker)
	w := make([]float64, len(truth)+1)
	for t := 100; t <= f.most; t += 100 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		run.Steps(100)
		run.Weights(w)
		size, apart := 0.0, 0.0
		for _, v := range w {
			size += float64(v * v)
		}
		for j, v := range truth {
			apart += math.Pow(w[j]/math.Sqrt(size)-v, 2)
		}
		if apart < 0.05*0.05 {
			return float64(t), nil
		}
	}
	return math.Inf(1), nil
}

// addToy adds what was found on the toys of d features.
func addToy(r *experiment.Result, d int, sizes []int, sigmas []float64, steps [][][]float64) {
	medians := make([]float64, len(sizes))
	var timings []theory.Timing // with the best sigma of each size
	for k, m := range sizes {
		best := 0
		for s := range sigmas {
			slices.Sort(steps[k][s])
			if half := len(steps[k][s]) / 2; steps[k][s][half] < steps[k][best][half] {
				best = s
			}
		}
		medians[k] = steps[k][best][len(steps[k][best])/2]
		for _, t := range steps[k][best] {
			timings = append(timings, theory.Timing{M: float64(m), T: t})
		}
		if !math.IsInf(medians[k], 1) {
			r.Points = append(r.Points, experiment.Point{Curve: fmt.Sprintf("%d features", d), XAxis: "rows", X: float64(m), YAxis: "steps" + experiment.LogAxis, Y: medians[k]})
		}
	}
	last := medians[len(medians)-1]
	r.Check("X4", fmt.Sprintf("%d features: the error is reached with all rows", d), "a number of steps", !math.IsInf(last, 1), "%g", medians)
	if d == 10 {
		return // on its plateau from the first size on
	}
	slope := theory.FitScaling(timings).Slope()
	_, _, interval := theory.Bootstrap(timings, 0.95, 1000, 1)
	r.Check("L9", fmt.Sprintf("%d features: the steps fall with the rows", d), "1/T against 1/m with a slope below 0", slope < 0, "slope %.3g, 95 %% interval %.3g to %.3g", slope, interval.Lo, interval.Hi)
	before := medians[len(medians)-2]
	r.Check("X4", fmt.Sprintf("%d features: they come to a plateau", d), "at most 25 % between the last two sizes", math.Abs(last-before) <= 0.25*before, "%g and %g", before, last)
}
