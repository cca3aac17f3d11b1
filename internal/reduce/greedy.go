package reduce

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
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
	g := newGrowing(t, opt, m.Pool, 0.1, 1e-3, opt.Visit)
	if err := g.grow(ctx); err != nil {
		return nil, err
	}
	if err := g.fit(ctx); err != nil {
		return nil, err
	}
	return t.finish(g.choice, opt)
}

// grow adds all vectors.
func (g *growing) grow(ctx context.Context) error {
	for g.choice.Len() < min(g.support, g.t.Rows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if g.view == nil || g.choice.Len() >= g.next {
			if err := g.optimise(ctx); err != nil {
				return err
			}
			g.next = g.choice.Len() + max(1, int(g.growth*float64(g.choice.Len())))
		}
		g.add()
	}
	return nil
}

// growing is one call of Choose.
type growing struct {
	t       *Target
	risks   []Risk
	pool    int
	growth  float64 // by which share of the vectors their number grows before all coefficients are optimised
	support int
	next    int     // so many vectors are optimised next
	gap     float64 // of that
	visit   func(*Choice, *View) error
	taken   []bool
	random  *rand.Rand
	choice  *Choice
	view    *View // predictions, by the coefficients as they stand

	slope, bend [][]float64 // of the mean losses there, of each output and row
}

func newGrowing(t *Target, opt Options, pool int, growth, gap float64, visit func(*Choice, *View) error) *growing {
	return &growing{next: 1, t: t, risks: smooth(t.Risks), pool: max(1, pool), growth: growth, gap: gap, support: opt.Support, visit: visit, taken: make([]bool, t.Rows), random: rand.New(rand.NewPCG(opt.Seed, 2)),
		choice: &Choice{Rows: []int{}, Coefficients: make([][]float64, len(t.Outputs)), Bias: t.biases(), gram: t.Gram}}
}

// fit optimises all coefficients.
func (g *growing) fit(ctx context.Context) error {
	if g.choice.Len() == 0 {
		return nil
	}
	_, err := g.choice.Refit(ctx, g.t.Gram.Kernel, g.t.rows(), g.risks, g.gap, g.t.Gram.Threads())
	return err
}

// optimise fits, and shows what came of it.
func (g *growing) optimise(ctx context.Context) error {
	if err := g.fit(ctx); err != nil {
		return err
	}
	g.view = g.t.view(g.choice)
	if g.visit == nil || g.choice.Len() == 0 {
		return nil
	}
	g.choice.Loss = g.t.loss(g.view)
	return g.visit(g.choice, g.view)
}

// add takes the best row of a pool, with one Newton step of its coefficients.
func (g *growing) add() {
	var some []int
	for range min(g.pool, g.t.Gram.Capacity()) {
		if i := g.random.IntN(g.t.Rows); !g.taken[i] {
			some = append(some, i)
		}
	}
	if len(some) == 0 { // all of the pool were taken: any other
		some = []int{slices.Index(g.taken, false)}
	}
	g.differentiate()
	rows, gains, steps := g.t.Gram.Rows(some), make([]float64, len(some)), make([][]float64, len(some))
	parallel.Blocks(len(some), 1, g.t.Gram.Threads(), func(k, _, _ int) { gains[k], steps[k] = g.gain(some[k], rows[k]) })
	best := 0
	for k, gain := range gains {
		if gain > gains[best] {
			best = k
		}
	}
	g.taken[some[best]] = true
	g.choice.Rows = append(g.choice.Rows, some[best])
	for o, step := range steps[best] {
		g.choice.Coefficients[o] = append(g.choice.Coefficients[o], step)
		g.t.Gram.Update(g.view.Response[o], some[best:best+1], []float64{step})
	}
}

// differentiate brings the slopes and curvatures of the mean losses of all rows up to date.
func (g *growing) differentiate() {
	n := g.t.Gram.Len()
	if g.slope == nil {
		g.slope, g.bend = make([][]float64, len(g.risks)), make([][]float64, len(g.risks))
		for o := range g.risks {
			g.slope[o], g.bend[o] = make([]float64, n), make([]float64, n)
		}
	}
	for o, r := range g.risks {
		sum := total(r.Weight, len(r.Y))
		for k, y := range r.Y {
			i, s := k, 1/sum
			if r.Rows != nil {
				i = int(r.Rows[k])
			}
			if r.Weight != nil {
				s = r.Weight[k] / sum
			}
			p := g.view.Response[o][i]
			g.slope[o][i], g.bend[o][i] = s*r.Loss.Derivative(p, y), s*curvature(r.Loss, p, y)
		}
	}
}

// curvature is that of a loss; 1 of a loss that has none.
func curvature(l loss.Loss, prediction, y float64) float64 {
	if c, ok := l.(loss.Curved); ok {
		return c.Curvature(prediction, y)
	}
	return 1
}

// gain is by how much the objectives decrease if row i, of these values of the kernel, gets
// coefficients, and these.
func (g *growing) gain(i int, row gram.Row) (gain float64, steps []float64) {
	steps = make([]float64, len(g.risks))
	for o, r := range g.risks {
		// The penalty's slope is lambda (K beta)_i, of which the response without bias is K beta.
		slope := r.Lambda * (g.view.Response[o][i] - g.choice.Bias[o])
		bend := r.Lambda * g.t.Gram.Diagonal[i]
		if row.Double != nil {
			slope, bend = slope+vec.Dot64(g.slope[o], row.Double), bend+squares(g.bend[o], row.Double)
		} else {
			slope, bend = slope+vec.Dot(g.slope[o], row.Single), bend+squares(g.bend[o], row.Single)
		}
		if bend > 0 {
			steps[o] = -slope / bend
			gain += slope * slope / (2 * bend)
		}
	}
	return gain, steps
}

// squares returns the sum of weights times squares.
func squares[T float32 | float64](weight []float64, x []T) float64 {
	var sums [4]float64
	for j, w := range weight {
		v := float64(x[j])
		sums[j&3] += float64(float64(w*v) * v)
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}
