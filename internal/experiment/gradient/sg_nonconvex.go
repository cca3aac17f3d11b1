package gradient

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Stochastic gradient on a function that is not convex (Ulbrich 2017, 4.7): the logistic loss of a network
// with one hidden layer, whose gradient is written out here, with lambda/2 |w|^2. With steps eta the mean
// of |grad f|^2 over the run is at most 2 (f(w_1) - f*)/(eta K) + L M eta: it falls like 1/K to a floor
// in proportion to eta.
type sgNonconvex struct{ units int }

func init() {
	experiment.Register("sg-nonconvex", "Ulbrich's notes, section on non-convex problems", "stochastic gradient on a small network: the mean squared gradient falls to a floor in proportion to the step; units=6",
		func(p *registry.Params) (experiment.Experiment, error) {
			return sgNonconvex{p.Int("units", 6, 1, 100)}, p.Err()
		})
}

// A network maps x to sum_h out_h tanh(<in_h, x> + bias_h). Its numbers are in one slice: d+2 for each unit.
type network struct {
	x      [][]float64
	y      []float64
	units  int
	lambda float64
}

// slope adds weight times the gradient of the loss of row i at w to g.
func (q *network) slope(g, w []float64, i int, weight float64) {
	d := len(q.x[i])
	score := 0.0
	hidden := make([]float64, q.units)
	for h := range hidden {
		unit := w[h*(d+2):][:d+2]
		hidden[h] = tanh(vec.Dot64(unit[:d], q.x[i]) + unit[d])
		score += float64(unit[d+1] * hidden[h])
	}
	back := -q.y[i] * weight / (1 + elementary.Exp(q.y[i]*score))
	for h, v := range hidden {
		unit, to := w[h*(d+2):][:d+2], g[h*(d+2):][:d+2]
		inner := back * unit[d+1] * (1 - float64(v*v))
		vec.Axpy64(to[:d], inner, q.x[i])
		to[d] += inner
		to[d+1] += float64(back * v)
	}
}

// tanh is that of vec's exponential.
func tanh(v float64) float64 {
	e := elementary.Exp(-2 * math.Abs(v))
	return math.Copysign((1-e)/(1+e), v)
}

// square returns |grad f(w)|^2.
func (q *network) square(w []float64) float64 {
	g := make([]float64, len(w))
	for i := range q.x {
		q.slope(g, w, i, 1/float64(len(q.x)))
	}
	vec.Axpy64(g, q.lambda, w)
	return vec.SquaredNorm64(g)
}

// descend makes steps of one row each from w on, and returns the squared gradients every so many steps.
func (q *network) descend(ctx context.Context, w []float64, eta float64, steps, every int, seed uint64) ([]float64, error) {
	r := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	g := make([]float64, len(w))
	var squares []float64
	for t := range steps {
		if t%every == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			squares = append(squares, q.square(w))
		}
		clear(g)
		q.slope(g, w, r.IntN(len(q.x)), 1)
		for j := range w {
			w[j] -= float64(eta * (g[j] + float64(q.lambda*w[j])))
		}
	}
	return squares, nil
}

// newNetwork draws rows whose labels are the sign of a product of two features, with noise, which no
// linear predictor tells apart.
func (e sgNonconvex) newNetwork(seed uint64) (*network, []float64) {
	const n, d = 400, 4
	r := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	q := &network{units: e.units, lambda: 0.01}
	for range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		q.x, q.y = append(q.x, x), append(q.y, math.Copysign(1, x[0]*x[1]+0.3*r.NormFloat64()))
	}
	w := make([]float64, e.units*(d+2))
	for j := range w {
		w[j] = 2 * r.NormFloat64()
	}
	return q, w
}

// Run implements Experiment.
func (e sgNonconvex) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	etas := []float64{0.02, 0.01, 0.005}
	runs, work := opt.RunsOr(8, 2), 8000.0 // eta times the number of steps
	if opt.Quick {
		work = 2000
	}
	q, start := e.newNetwork(opt.Seed)
	means := make([][]float64, len(etas)) // squared gradients
	everies := make([]int, len(etas))
	progress := &experiment.Tally{Opt: opt, What: "steps", Of: len(etas)}
	err := experiment.Side(ctx, len(etas), opt.Threads, func(k int) error {
		defer progress.Step()
		steps := int(work / etas[k])
		everies[k] = steps / 1000
		for run := range runs {
			squares, err := q.descend(ctx, append([]float64(nil), start...), etas[k], steps, everies[k], opt.Seed+uint64(run))
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
	r.Note("means of %d runs, a network of %d hidden units, %d rows, lambda=%g", runs, e.units, len(q.x), q.lambda)
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
