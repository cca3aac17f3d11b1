package generate

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

func init() {
	register("linear", "regression on a hidden linear function (n=10000,d=20,noise=0.1,support=d,density=1,seed=1,skip=0)", newLinear)
}

// linear makes regression rows
//
//	y = <w, x> + b + noise N(0, 1),   |w| = 1,
//
// where x has standard normal coordinates, each kept with probability density
// (below 1 the rows are sparse), and w has support nonzero weights. With dense
// rows the best possible R2 is 1/(1 + noise^2). The target is computed from x
// after rounding to single precision, so without noise the fit is perfect.
type linear struct {
	extent
	w              []float64
	b              float64
	noise, density float64
}

func newLinear(p *registry.Params) (Generator, error) {
	g := &linear{extent: newExtent(p, 10000)}
	d := p.Int("d", 20, 1, 1<<24)
	support := p.Int("support", d, 1, max(d, 1))
	g.noise = amount(p, "noise", 0.1, 1e6)
	g.density = p.Float("density", 1, "a number above 0 and at most 1", func(v float64) bool { return 0 < v && v <= 1 })
	if err := p.Err(); err != nil {
		return nil, err
	}
	var r Random
	r.Start(g.seed, forModel, 0)
	g.b = r.normal()
	g.w = make([]float64, d)
	r.direction(g.w[:support])
	for j := range support { // move each weight to a random place (Fisher and Yates)
		k := j + r.below(d-j)
		g.w[j], g.w[k] = g.w[k], g.w[j]
	}
	return g, nil
}

func (g *linear) Info() Info {
	return Info{Rows: g.n, Cols: len(g.w), Skip: g.skip, Weights: g.w, Bias: g.b}
}

func (g *linear) Row(dst *Row, i int) {
	dst.random.Start(g.seed, forRow, i)
	if g.density < 1 {
		g.sparseRow(dst)
	} else {
		x := dst.dense(len(g.w))
		for j := range x {
			x[j] = float32(dst.random.normal())
		}
	}
	dst.Number = dst.X.Dot(g.w) + g.b + float64(g.noise*dst.random.normal())
}

// sparseRow draws the gaps between the nonzeros, which are geometric, instead
// of deciding each column: cost grows with the nonzeros, not with d.
func (g *linear) sparseRow(dst *Row) {
	dst.sparse()
	for j := g.gap(&dst.random); j < len(g.w); j += 1 + g.gap(&dst.random) {
		dst.X.Index = append(dst.X.Index, uint32(j))
		dst.X.Value = append(dst.X.Value, float32(dst.random.normal()))
	}
}

// gap is the number of zeros before the next nonzero: k with probability
// (1-density)^k density, at most d.
func (g *linear) gap(r *Random) int {
	u := 1 - r.uniform() // (0, 1]
	return int(min(math.Floor(elementary.Log(u)/elementary.Log1p(-g.density)), float64(len(g.w))))
}
