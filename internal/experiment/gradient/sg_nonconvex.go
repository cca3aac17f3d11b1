package gradient

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// Stochastic gradient on a function that is not convex (Ulbrich 2017, 4.7): the logistic loss of a network
// with one hidden layer of package network, with lambda/2 |W|^2. With steps eta the mean
// of |grad f|^2 over the run is at most 2 (f(w_1) - f*)/(eta K) + L M eta: it falls like 1/K to a floor
// in proportion to eta.
type sgNonconvex struct{ units int }

func init() {
	experiment.Register("sg-nonconvex", "Ulbrich's notes, section on non-convex problems", "stochastic gradient on a small network: the mean squared gradient falls to a floor in proportion to the step; units=6",
		func(p *registry.Params) (experiment.Experiment, error) {
			return sgNonconvex{p.Int("units", 6, 1, 100)}, p.Err()
		})
}

// descend makes steps of one row each from w on, and returns the squared gradients every so many steps.
func descend(ctx context.Context, q *problem.Network, w []float64, eta float64, steps, every int, seed uint64) ([]float64, error) {
	r := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	g, pass, row := make([]float64, len(w)), q.NewPass(1), make([]uint32, 1)
	slopes := func(scores []float64, _, _ int) { q.Slopes(scores, row, 1) }
	begin := func(p network.Piece) { clear(g[p.Lo:p.Hi]) }
	move := func(p network.Piece) {
		q.Penalise(g, w, p)
		vec.Axpy64(w[p.Lo:p.Hi], -eta, g[p.Lo:p.Hi])
	}
	var squares []float64
	for t := range steps {
		if t%every == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			slope := q.Slope(w)
			squares = append(squares, slope*slope)
		}
		row[0] = uint32(r.IntN(len(q.Learn)))
		pass.Take(q.X, row)
		pass.Run(w, 1, slopes)
		pass.AddGradient(g, 1, begin, move)
	}
	return squares, nil
}

// newNetwork draws rows whose labels are the sign of a product of two features, with noise, which no
// linear predictor tells apart.
func (e sgNonconvex) newNetwork(seed uint64) (*problem.Network, []float64, error) {
	const n, d = 400, 4
	r := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	x, y := &matrix.Dense{Rows: n, Cols: d}, make([]float64, n)
	for i := range y {
		for range d {
			x.Value = append(x.Value, float32(r.NormFloat64()))
		}
		y[i] = math.Copysign(1, float64(x.Value[i*d])*float64(x.Value[i*d+1])+0.3*r.NormFloat64())
	}
	rows := problem.NewRows(x, 1)
	risk, err := problem.NetworkRisk(rows, y, nil, loss.Logistic{}, 0.01)
	if err != nil {
		return nil, nil, err
	}
	q, err := problem.NewNetwork(rows, []int{e.units}, "tanh", risk, nil, 0, seed)
	if err != nil {
		return nil, nil, err
	}
	w := make([]float64, q.Parameters())
	for j := range w {
		w[j] = 2 * r.NormFloat64()
	}
	return q, w, nil
}

// Run implements Experiment.
func (e sgNonconvex) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	etas := []float64{0.02, 0.01, 0.005}
	runs, work := opt.RunsOr(8, 2), 8000.0 // eta times the number of steps
	if opt.Quick {
		work = 2000
	}
	q, start, err := e.newNetwork(opt.Seed)
	if err != nil {
		return nil, err
	}
	means := make([][]float64, len(etas)) // squared gradients
	everies := make([]int, len(etas))
	progress := &experiment.Tally{Opt: opt, What: "steps", Of: len(etas)}
	err = parallel.Try(ctx, len(etas), opt.Threads, func(k int) error {
		defer progress.Step()
		steps := int(work / etas[k])
		everies[k] = steps / 1000
		for run := range runs {
			squares, err := descend(ctx, q, append([]float64(nil), start...), etas[k], steps, everies[k], opt.Seed+uint64(run))
			if err != nil {
				return err
			}
			for i, v := range squares {
				if i == len(means[k]) {
					means[k] = append(means[k], 0)
				}
				means[k][i] += v / float64(runs)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &experiment.Result{}
	r.Note("means of %d runs, a network of %d hidden units, %d rows, lambda=%g", runs, e.units, len(q.Learn), q.Lambda)
	addNonconvex(r, etas, everies, means)
	return r, nil
}

// addNonconvex adds the running means, and judges that they fall and where they end.
func addNonconvex(r *experiment.Result, etas []float64, everies []int, squares [][]float64) {
	floors := make([]float64, len(etas))
	for k, eta := range etas {
		x, y := make([]float64, len(squares[k])), make([]float64, len(squares[k]))
		sum := 0.0
		for i, v := range squares[k] {
			sum += v
			x[i], y[i] = float64(i*everies[k]+1), sum/float64(i+1)
			if i >= len(x)/2 {
				floors[k] += v / float64(len(x)-len(x)/2)
			}
		}
		r.Curve(experiment.Point{Curve: fmt.Sprintf("eta=%g", eta), XAxis: "steps" + experiment.LogAxis, YAxis: "mean of |gradient|^2 so far" + experiment.LogAxis}, x, y)
		first, early, end := y[0], y[len(y)/50], y[len(y)-1]
		r.Check("X10", fmt.Sprintf("eta=%g: the mean of |gradient|^2 falls", eta), "the first above that of a 50th of the run, above the last", first > early && early > end, "%.3g, %.3g, %.3g", first, early, end)
	}
	for k := 1; k < len(etas); k++ {
		ratio := floors[k-1] / floors[k]
		r.Check("X10", fmt.Sprintf("the floor halves from eta=%g to %g", etas[k-1], etas[k]), "a ratio of 2, from 1.5 to 2.7", ratio > 1.5 && ratio < 2.7, "%.3g", ratio)
	}
}
