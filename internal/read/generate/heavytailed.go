package generate

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

func init() {
	register("heavy-tailed", "power-law spectrum, some features rare and then large; no targets (n=10000,d=784,rank=50,alpha=1,rare=0.001,noise=0.1,seed=1,skip=0)", newHeavyTailed)
}

// heavyTailed makes rows like those of images scaled by feature, a stand-in
// where there are none: a spectrum that decays as a power, and features that are
// seldom there, but large then. With
//
//	y = Q diag(sqrt(l)) z + noise/sqrt(d) N(0, I),   l_i ~ i^-alpha, i = 1, ..., rank,
//
// as of @low-rank, feature j is y_j / sqrt(p_j) with probability p_j, and else 0.
// The p_j are spread evenly, in logarithm, from rare to 1: with the default one
// value in seven is not zero. E x_j^2 = E y_j^2, so that E|x|^2 = 1 + noise^2, but
// E|x|^4 is many times as much as of a Gaussian. A row costs O(nonzeros rank).
type heavyTailed struct {
	extent
	d, rank int
	noise   float64   // of one coordinate
	factor  []float64 // Q diag(sqrt(l)), d x rank, row-major
	share   []float64 // p
}

var _ Known = (*heavyTailed)(nil)

func newHeavyTailed(p *registry.Params) (Generator, error) {
	g := &heavyTailed{extent: newExtent(p, 10000), d: p.Int("d", 784, 1, 1<<20)}
	g.rank = p.Int("rank", min(50, max(g.d, 1)), 1, max(g.d, 1))
	alpha := amount(p, "alpha", 1, 10)
	rare := p.Float("rare", 0.001, "a number from 1e-9 to 1", func(v float64) bool { return 1e-9 <= v && v <= 1 })
	noise := amount(p, "noise", 0.1, 1e6)
	if err := p.Err(); err != nil {
		return nil, err
	}
	g.noise = noise / math.Sqrt(float64(g.d))
	spectrum, sum := make([]float64, g.rank), 0.0
	for i := range spectrum {
		spectrum[i] = elementary.Exp(float64(-alpha * elementary.Log(float64(i+1))))
		sum += spectrum[i]
	}
	for i := range spectrum {
		spectrum[i] /= sum
	}
	var err error
	if g.factor, err = randomFactor(g.seed, g.d, spectrum); err != nil {
		return nil, err
	}
	g.share = make([]float64, g.d)
	var r Random
	r.Start(g.seed, forModel, 1)
	for j := range g.share {
		g.share[j] = min(elementary.Exp(float64(r.uniform()*elementary.Log(rare))), 1)
	}
	return g, nil
}

func (g *heavyTailed) Info() Info {
	return Info{Rows: g.n, Cols: g.d, Skip: g.skip, Unlabelled: true}
}

// SecondMoment implements [Known]. For features i and j that differ,
// E x_i x_j = sqrt(p_i p_j) E y_i y_j.
func (g *heavyTailed) SecondMoment() *SecondMoment {
	m := &SecondMoment{Diagonal: make([]float64, g.d), Factor: slices.Clone(g.factor), Rank: g.rank}
	for j, p := range g.share {
		f := m.Factor[j*g.rank : (j+1)*g.rank]
		m.Diagonal[j] = float64(g.noise*g.noise) + float64((1-p)*vec.SquaredNorm64(f))
		for i := range f {
			f[i] *= math.Sqrt(p)
		}
	}
	return m
}

func (g *heavyTailed) Row(dst *Row, i int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	z := dst.latent(g.rank)
	dst.sparse()
	for j, p := range g.share {
		if r.uniform() >= p {
			continue
		}
		y := vec.Dot64(g.factor[j*g.rank:(j+1)*g.rank], z) + float64(g.noise*r.normal())
		dst.X.Index = append(dst.X.Index, uint32(j))
		dst.X.Value = append(dst.X.Value, float32(y/math.Sqrt(p)))
	}
}
