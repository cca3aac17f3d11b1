package reduce

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	solverkernel "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// OsunaGirosi is support vector regression onto the predictions of the trained machine (Osuna,
// Girosi 1998; thesis 3.8),
//
//	min |v|^2/2 + C sum_i max(0, |w(x_i) - v(x_i)| - eps)
//
// for all rows, also those that w has wrong. The bias is that of w. C is that of the problem
// of w, and eps the accuracy; where a number of vectors is asked for, the least for which
// there are not more, by bisection.
type OsunaGirosi struct{ C float64 } // 0: that of the problem, or 1 where none is known

func init() {
	register("osuna-girosi", "support vector regression onto the predictions of the machine; C=X", func(p *registry.Params) (Method, error) {
		c := p.Float("C", 0, "a number > 0, or 0 for that of the model", func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) })
		return OsunaGirosi{c}, p.Err()
	})
}

// Choose implements Method.
func (m OsunaGirosi) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if opt.Support == 0 {
		if opt.Accuracy == 0 {
			opt.Accuracy = DefaultAccuracy
		}
		c, err := m.regress(ctx, t, opt.Accuracy)
		if err != nil {
			return nil, err
		}
		return t.finish(c, opt)
	}
	var best *Choice
	lo, hi := -16., 4. // eps = 2^k
	for k := hi; hi-lo > 1./64 && (best == nil || best.Len() < opt.Support); k = (lo + hi) / 2 {
		c, err := m.regress(ctx, t, math.Pow(2, k))
		switch {
		case err != nil:
			return nil, err
		case c.Len() <= opt.Support:
			best, hi = c, k
		default:
			lo = k
		}
	}
	if best == nil {
		best = &Choice{Coefficients: make([][]float64, len(t.Outputs)), Bias: t.biases()}
	}
	return t.finish(best, opt)
}

// mostEpochs bounds the work of a regression, which may have no loss left to tell its gap by.
const mostEpochs = 16

// regress solves the regression of each output.
func (m OsunaGirosi) regress(ctx context.Context, t *Target, eps float64) (*Choice, error) {
	gram, err := t.part()
	if err != nil {
		return nil, err
	}
	var solutions [][]float64
	gaveUp := ""
	objective := &Objective{Name: "3.8", Radius: math.Inf(1)}
	for o, out := range t.Outputs {
		values := make([]float64, t.Rows)
		for i := range values {
			values[i] = out.Response[i] - out.Bias
		}
		p, err := problem.NewKernel(gram, values, nil, loss.EpsilonInsensitive{Epsilon: eps}, m.lambda(t, o), problem.None)
		if err != nil {
			return nil, err
		}
		name, _ := solverkernel.Choose(p, 1e-3)
		s, err := solverkernel.New(name)
		if err != nil {
			return nil, err
		}
		solution, err := solver.Run(ctx, s, p, solver.Options{Gap: 1e-3, Seed: 1, Epochs: mostEpochs})
		if err != nil {
			return nil, err
		}
		if solution.Status != solver.Converged {
			gaveUp = fmt.Sprintf("%d epochs of a regression, at a relative gap of %.2g", solution.Epochs, solution.Certificate.Relative())
		}
		solutions = append(solutions, solution.Point.W[:t.Rows])
		objective.Value += solution.Certificate.Primal / p.Lambda
		objective.Below += solution.Certificate.Dual / p.Lambda
	}
	choice := gather(t, solutions)
	choice.Regression, choice.GaveUp = objective, gaveUp
	return choice, nil
}

// lambda is 1/(C n), C being that of an output's problem if no other is given.
func (m OsunaGirosi) lambda(t *Target, o int) float64 {
	c := m.C
	switch {
	case c == 0 && t.Risks != nil:
		n := len(t.Risks[o].Y)
		c = 1 / (t.Risks[o].Lambda * float64(n))
	case c == 0:
		c = 1
	}
	return 1 / (c * float64(t.Rows))
}

// gather makes a choice of coefficients of all rows.
func gather(t *Target, all [][]float64) *Choice {
	c := &Choice{Coefficients: make([][]float64, len(all)), Bias: t.biases(), gram: t.Gram, Rows: []int{}}
	for i := range t.Rows {
		used := false
		for _, w := range all {
			used = used || w[i] != 0
		}
		if !used {
			continue
		}
		c.Rows = append(c.Rows, i)
		for o, w := range all {
			c.Coefficients[o] = append(c.Coefficients[o], w[i])
		}
	}
	return c
}
