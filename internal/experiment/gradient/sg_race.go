package gradient

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The picture of the lectures on methods for finite sums: the distance to the optimum against
// passes over the rows. 2000 rows of 20 features on the unit sphere, labels of a logistic
// model, lambda = 1/n. The passes that each method takes are those of our reference run.
func init() {
	experiment.Plain("sg-race", "CPSC 540 slides, finite sums", "distance to the optimum against passes: SAG, SAGA, SVRG, MISO and plain stochastic gradient", sgRace)
}

// racer is a method with the passes of the reference to 1e-3, 1e-6 and 1e-9.
type racer struct {
	spec   string
	passes [3]float64
}

var racers = []racer{
	{"sag:step=lipschitz", [3]float64{4, 12, 18}}, {"sag:step=lipschitz,gamma=0.0625", [3]float64{6, 15, 22}}, {"sag", [3]float64{4, 12, 18}},
	{"saga", [3]float64{5, 10, 19}}, {"svrg", [3]float64{9, 15, 24}}, {"s2gd", [3]float64{11, 23, 33}},
	{"sdca", [3]float64{3, 10, 16}}, {"miso", [3]float64{3, 6, 9}},
	{"sgd:offset=0,output=weighted", [3]float64{}}, {"sgd:offset=0,output=last", [3]float64{}},
	{"sgd:step=sqrt,gamma=2,output=last", [3]float64{}}, {"sgd:step=lipschitz,gamma=0.25,output=average", [3]float64{}},
}

func sgRace(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	const passes = 40
	runs := opt.RunsOr(10, 2)
	x, y := experiment.Sphere(2000, 20, opt.Seed)
	p, err := problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Logistic{}, penalty.L2{}, 1./2000, problem.None)
	if err != nil {
		return nil, err
	}
	best, err := solver.Run(ctx, newton.Newton{}, p, solver.Options{Gap: 1e-13, Epochs: 100})
	if err != nil {
		return nil, err
	}
	far := make([][][]float64, len(racers)) // by method, run, pass
	progress := &experiment.Tally{Opt: opt, What: "methods", Of: len(racers)}
	err = parallel.Try(ctx, len(racers), opt.Threads, func(k int) error {
		defer progress.Step()
		s, err := linear.New(racers[k].spec)
		if err != nil {
			return err
		}
		for run := range runs {
			state := s.Start(p, solver.Start{Seed: opt.Seed + uint64(run)})
			curve := make([]float64, passes)
			for t := range curve {
				state.Epoch()
				value, _ := p.Primal(state.Point().W)
				curve[t] = max(value-best.Certificate.Primal, 1e-16)
			}
			far[k] = append(far[k], curve)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	r := &experiment.Result{}
	r.Note("medians of %d runs, L/lambda = 501", runs)
	addRace(r, far, passes)
	return r, nil
}

// addRace adds the curves, and judges passes and ranking.
func addRace(r *experiment.Result, far [][][]float64, passes int) {
	median := func(k, t int) float64 {
		var values []float64
		for _, curve := range far[k] {
			values = append(values, curve[t])
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	for k, c := range racers {
		x, curve := make([]float64, passes), make([]float64, passes)
		for t := range curve {
			x[t], curve[t] = float64(t+1), median(k, t)
		}
		r.Curve(experiment.Point{Curve: c.spec, XAxis: "passes", YAxis: "objective less optimum" + experiment.LogAxis}, x, curve)
		if c.passes[0] == 0 {
			continue
		}
		var got [3]float64
		near := true
		for g, goal := range []float64{1e-3, 1e-6, 1e-9} {
			got[g] = float64(1 + slices.IndexFunc(curve, func(v float64) bool { return v < goal }))
			near = near && got[g] > 0 && math.Abs(got[g]-c.passes[g]) <= max(1, 0.4*c.passes[g])
		}
		r.Check("X5", c.spec+": passes to 1e-3, 1e-6 and 1e-9", fmt.Sprintf("%v within 40 %% or a pass", c.passes), near, "%v", got)
	}
	plain := map[string]float64{}
	bestPlain, worstSum := math.Inf(1), 0.0
	for k, c := range racers {
		end := median(k, 29)
		if c.passes[0] == 0 {
			plain[c.spec] = end
			bestPlain = min(bestPlain, end)
		} else {
			worstSum = max(worstSum, end)
		}
	}
	weighted, root := plain["sgd:offset=0,output=weighted"], plain["sgd:step=sqrt,gamma=2,output=last"]
	r.Check("X6", "after 30 passes the t-weighted average of steps 1/(mu t) is the best plain method", "the least of four", weighted == bestPlain, "%.2g of %.2g", weighted, bestPlain)
	worst := 0.0
	for _, v := range plain {
		worst = max(worst, v)
	}
	r.Check("X6", "the last iterate of steps 2/sqrt t is the worst", "the largest of four", root == worst, "%.2g of %.2g", root, worst)
	r.Check("X6", "every method for finite sums is 1e4 times closer", "1e-4 of the best plain one", worstSum <= 1e-4*bestPlain, "%.2g against %.2g", worstSum, bestPlain)
}
