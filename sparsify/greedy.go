package sparsify

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/registry"
)

// Greedy adds the row, of a few random ones, by which the objective with the squared hinge (of
// numbers: squared loss) decreases most in one Newton step of its coefficient, and optimises
// all coefficients each time that their number has grown by a tenth (SpSVM: Keerthi, Chapelle,
// DeCoste 2006). Cost: Pool values of the kernel for each row and vector, and n |S|^2 for each
// optimisation; memory n |S|.
type Greedy struct{ Pool int } // 0: 59, of which the best is among the best 5 % with probability 0.95

func init() {
	register("greedy", "the best of 59 random rows, one after another (SpSVM); pool=59", func(p *registry.Params) (Method, error) {
		return Greedy{p.Int("pool", 59, 1, 1<<20)}, p.Err()
	})
}

// Choose implements Method.
func (m Greedy) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if err := opt.size("greedy"); err != nil {
		return nil, err
	}
	if t.Risks == nil {
		return nil, errNoRisk
	}
	g := &growing{t: t, risks: smooth(t.Risks), taken: make([]bool, t.Rows), random: rand.New(rand.NewPCG(opt.Seed, 2)),
		choice: &Choice{Rows: []int{}, Coefficients: make([][]float64, len(t.Outputs)), Bias: t.biases(), gram: t.Gram}}
	next := 1
	for g.choice.Len() < min(opt.Support, t.Rows) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if g.view == nil || g.choice.Len() >= next {
			if err := g.optimise(ctx, opt, next); err != nil {
				return nil, err
			}
			next = g.choice.Len() + max(1, g.choice.Len()/10)
		}
		g.add(max(1, m.Pool))
	}
	if err := g.fit(ctx); err != nil {
		return nil, err
	}
	return t.finish(g.choice, opt)
}

// growing is one call of Choose.
type growing struct {
	t      *Target
	risks  []Risk
	taken  []bool
	random *rand.Rand
	choice *Choice
	view   *View // predictions, by the coefficients as they stand
}

// fit optimises all coefficients.
func (g *growing) fit(ctx context.Context) error {
	if g.choice.Len() == 0 {
		return nil
	}
	_, err := g.choice.Refit(ctx, g.t.Gram.Kernel, g.t.rows(), g.risks, 1e-3, g.t.Gram.Threads())
	return err
}

// optimise fits, and shows what came of it.
func (g *growing) optimise(ctx context.Context, opt Options, next int) error {
	if err := g.fit(ctx); err != nil {
		return err
	}
	g.view = g.t.view(g.choice)
	if opt.Visit == nil || g.choice.Len() == 0 {
		return nil
	}
	g.choice.Loss = math.Inf(-1)
	for o, p := range g.view.Response {
		g.choice.Loss = max(g.choice.Loss, g.t.Outputs[o].Loss(p))
	}
	return opt.Visit(g.choice, g.view)
}

// add takes the best row of a pool, with one Newton step of its coefficients.
func (g *growing) add(pool int) {
	best, most := -1, math.Inf(-1)
	var steps []float64
	for range pool {
		i := g.random.IntN(g.t.Rows)
		if g.taken[i] {
			continue
		}
		gain, step := g.gain(i)
		if gain > most {
			best, most, steps = i, gain, step
		}
	}
	if best < 0 { // all of the pool were taken: any other
		for best = 0; g.taken[best]; best++ {
		}
		_, steps = g.gain(best)
	}
	g.taken[best] = true
	g.choice.Rows = append(g.choice.Rows, best)
	for o, step := range steps {
		g.choice.Coefficients[o] = append(g.choice.Coefficients[o], step)
		g.t.Gram.Update(g.view.Response[o], []int{best}, []float64{step})
	}
}

// curvature is that of a loss; 1 of a loss that has none.
func curvature(l loss.Loss, prediction, y float64) float64 {
	if c, ok := l.(loss.Curved); ok {
		return c.Curvature(prediction, y)
	}
	return 1
}

// gain is by how much the objectives decrease if row i gets coefficients, and these.
func (g *growing) gain(i int) (gain float64, steps []float64) {
	row := g.t.Gram.Rows([]int{i})[0]
	steps = make([]float64, len(g.risks))
	for o, r := range g.risks {
		total, slope, bend := 0.0, 0.0, 0.0
		for k, y := range r.Y {
			j, s := k, 1.0
			if r.Rows != nil {
				j = int(r.Rows[k])
			}
			if r.Weight != nil {
				s = r.Weight[k]
			}
			total += s
			v := row.At(j)
			d := r.Loss.Derivative(g.view.Response[o][j], y)
			slope += s * d * v
			bend += s * curvature(r.Loss, g.view.Response[o][j], y) * v * v
		}
		// The penalty's slope is lambda (K beta)_i, of which the response without bias is K beta.
		slope = slope/total + r.Lambda*(g.view.Response[o][i]-g.choice.Bias[o])
		bend = bend/total + r.Lambda*g.t.Gram.Diagonal[i]
		if bend > 0 {
			steps[o] = -slope / bend
			gain += slope * slope / (2 * bend)
		}
	}
	return gain, steps
}
