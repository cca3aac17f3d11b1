// Package thesis has the experiments on figures and tables of Cotter's thesis: of kernel machines,
// chapters 1 to 3, and of streaming PCA, chapters 4 to 6.
package thesis

import (
	"context"
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// Tables 1.2, 2.6 and 3.4 of Cotter's thesis, up to constants and logarithms, and the example
// of its section 1.5: a dual point that is nearly optimal need not be so in the primal.
type thesisBounds struct{ machine theory.Machine }

func init() {
	experiment.Register("thesis-bounds", "Cotter's thesis, tables 1.2, 2.6 and 3.4", "kernel values of training and prediction that the theory asks for; loss=0.1, epsilon=0.01, radius=10, dim=100",
		func(p *registry.Params) (experiment.Experiment, error) {
			positive := func(v float64) bool { return v > 0 && v < 1e100 }
			loss := p.Float("loss", 0.1, "a number from 0 to 1", func(v float64) bool { return v >= 0 && v <= 1 })
			epsilon := p.Float("epsilon", 0.01, "a number from 0 to 1", func(v float64) bool { return v > 0 && v <= 1 })
			return thesisBounds{theory.Machine{Loss: loss, Epsilon: epsilon, Radius: p.Float("radius", 10, "a number > 0", positive), Dim: p.Float("dim", 100, "a number > 0", positive)}}, p.Err()
		})
}

// Run implements Experiment.
func (e thesisBounds) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r, m := &experiment.Result{}, e.machine
	(&experiment.Tally{Opt: opt, What: "tables", Of: 1}).Step()
	r.Note("L* %g, epsilon %g, R %g, %g features", m.Loss, m.Epsilon, m.Radius, m.Dim)
	for _, c := range m.Costs() {
		r.Note("%-36s %10.3g values to train, %10.3g to predict", c.Method, c.Training, c.Support)
	}
	ordered, of := 0, 0
	epsilons := []float64{0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001}
	for _, epsilon := range epsilons {
		m.Epsilon = epsilon
		costs := map[string]float64{}
		for _, c := range m.Costs() {
			costs[c.Method] = c.Training
			r.Points = append(r.Points, experiment.Point{Curve: c.Method, XAxis: "epsilon" + experiment.LogAxis, X: epsilon, YAxis: "kernel values of training" + experiment.LogAxis, Y: c.Training})
		}
		if m.Loss+epsilon >= 1 {
			continue
		}
		of++
		if costs["SBP"] < costs["dual decomposition"] && costs["dual decomposition"] < costs["SGD on the norm-constrained problem"] {
			ordered++
		}
	}
	r.Check("X8", "SBP needs the fewest values, then dual decomposition, then SGD, while L* + epsilon < 1", "at every epsilon", ordered == of, "at %d of %d", ordered, of)
	primal, dual, err := onePoint(0.1)
	if err != nil {
		return nil, err
	}
	r.Check("F7", "one row, lambda = 1/2, alpha 0.1 below its optimum: the dual is 0.005 below, the primal 0.0525 above", "to 1e-12", math.Abs(primal-0.0525) < 1e-12 && math.Abs(dual-0.005) < 1e-12, "%.6g and %.6g", dual, primal)
	return r, ctx.Err()
}

// onePoint returns how far from the optimum the machine of the one row x = y = 1 with lambda
// = 1/2 is at w = alpha = 1 - delta; the dual in units of lambda D, twice as large.
func onePoint(delta float64) (primal, dual float64, err error) {
	p, err := experiment.HingeMachine(kernel.Linear{}, &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{1}}, []float64{1}, 2, problem.None, 0)
	if err != nil {
		return 0, 0, err
	}
	at := func(alpha float64) problem.Certificate {
		return p.Certify(problem.Point{W: []float64{alpha, 0}, A: []float64{-alpha / 2}})
	}
	best, near := at(1), at(1-delta)
	if best.Gap() > 1e-12 {
		return 0, 0, errors.New("thesis-bounds: alpha = 1 is not the optimum of the one row")
	}
	return near.Primal - best.Primal, (best.Dual - near.Dual) / p.Lambda, nil
}
