package generate

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

func init() {
	register("pca-gaussian", "Gaussian with k leading directions; no targets (n=10000,d=32,k=4,seed=1,skip=0)", newGaussian)
}

// gaussian makes x ~ N(0, S) with the diagonal S of the simulations in Cotter's
// thesis (Stochastic Optimization for Machine Learning, 2013, section 6.4),
//
//	S_i = (1.1^-i / sum_j 1.1^-j  +  [i <= k]/k) / 2,   i = 1, ..., d,
//
// which has trace 1. The thesis divides by a norm that it does not name; with
// the sum of magnitudes that changes nothing.
type gaussian struct {
	extent
	spectrum, deviation []float64
}

var _ Known = (*gaussian)(nil)

func newGaussian(p *registry.Params) (Generator, error) {
	g := &gaussian{extent: newExtent(p, 10000)}
	var err error
	g.spectrum, err = thesisSpectrum(p)
	for _, v := range g.spectrum {
		g.deviation = append(g.deviation, math.Sqrt(v))
	}
	return g, err
}

// thesisSpectrum returns the diagonal S for the parameters d and k.
func thesisSpectrum(p *registry.Params) ([]float64, error) {
	d := p.Int("d", 32, 2, 1<<20)
	k := p.Int("k", min(4, max(d-1, 1)), 1, max(d-1, 1))
	if err := p.Err(); err != nil {
		return nil, err
	}
	s, power, sum := make([]float64, d), 1.0, 0.0
	for i := range s {
		power /= 1.1
		s[i] = power
		sum += power
	}
	for i := range s {
		s[i] /= 2 * sum
		if i < k {
			s[i] += 0.5 / float64(k)
		}
	}
	return s, nil
}

func (g *gaussian) Info() Info {
	return Info{Rows: g.n, Cols: len(g.spectrum), Skip: g.skip, Unlabelled: true}
}

// SecondMoment implements [Known].
func (g *gaussian) SecondMoment() *SecondMoment {
	return &SecondMoment{Diagonal: slices.Clone(g.spectrum)}
}

func (g *gaussian) Row(dst *Row, i int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	x := dst.dense(len(g.deviation))
	for j, s := range g.deviation {
		x[j] = float32(s * r.normal())
	}
}
