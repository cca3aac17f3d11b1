package generate

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

func init() {
	register("low-rank", "Gaussian rows near a random subspace; no targets (n=10000,d=100,rank=10,noise=0.1,decay=0.8,seed=1,skip=0)", newLowRank)
}

// lowRank makes x = Q diag(sqrt(l)) z + noise/sqrt(d) N(0, I) with z standard
// normal, l_i ~ decay^i summing to 1, and the rank columns of Q a random
// orthonormal basis. So E|x|^2 is 1 + noise^2, of which the subspace has 1 and
// its share of the noise. A row costs O(d rank).
type lowRank struct {
	extent
	d, rank int
	noise   float64   // of one coordinate
	factor  []float64 // Q diag(sqrt(l)), d x rank, row-major
}

var _ Known = (*lowRank)(nil)

func newLowRank(p *registry.Params) (Generator, error) {
	g := &lowRank{extent: newExtent(p, 10000), d: p.Int("d", 100, 1, 1<<20)}
	g.rank = p.Int("rank", min(10, max(g.d, 1)), 1, max(g.d, 1))
	noise := amount(p, "noise", 0.1, 1e6)
	decay := p.Float("decay", 0.8, "a number above 0 and at most 1", func(v float64) bool { return 0 < v && v <= 1 })
	if err := p.Err(); err != nil {
		return nil, err
	}
	g.noise = noise / math.Sqrt(float64(g.d))
	spectrum, power, sum := make([]float64, g.rank), 1.0, 0.0
	for i := range spectrum {
		spectrum[i] = power
		sum += power
		power *= decay
	}
	for i := range spectrum {
		spectrum[i] /= sum
	}
	var err error
	g.factor, err = randomFactor(g.seed, g.d, spectrum)
	return g, err
}

// randomFactor returns Q diag(sqrt(spectrum)), d x rank and row-major, where Q
// is uniform among the matrices with orthonormal columns (Haar). Column i of Q
// is H_1 H_2 ... H_i e_i, with H_i the reflection that turns axis i into a random
// direction of coordinates i to d (Stewart 1980): O(d rank^2), and orthonormal
// to rounding.
func randomFactor(seed uint64, d int, spectrum []float64) ([]float64, error) {
	rank := len(spectrum)
	if int64(d)*int64(rank) > maxCenters {
		return nil, fmt.Errorf("rank=%d: expected d times rank at most %d, found d=%d", rank, maxCenters, d)
	}
	var r Random
	r.Start(seed, forModel, 0)
	mirror := make([][]float64, rank)
	for i := range mirror {
		mirror[i] = make([]float64, d-i)
		r.direction(mirror[i])
		v := mirror[i] // the reflection I - 2 v v^T is along the direction plus its nearer axis
		v[0] += math.Copysign(1, v[0])
		norm := math.Sqrt(vec.SquaredNorm64(v))
		for j := range v {
			v[j] /= norm
		}
	}
	factor, column := make([]float64, d*rank), make([]float64, d)
	for i, s := range spectrum {
		clear(column)
		column[i] = 1
		for k := i; k >= 0; k-- {
			vec.Axpy64(column[k:], -2*vec.Dot64(mirror[k], column[k:]), mirror[k])
		}
		for j, v := range column {
			factor[j*rank+i] = float64(v * math.Sqrt(s))
		}
	}
	return factor, nil
}

func (g *lowRank) Info() Info {
	return Info{Rows: g.n, Cols: g.d, Skip: g.skip, Unlabelled: true}
}

// SecondMoment implements [Known].
func (g *lowRank) SecondMoment() *SecondMoment {
	noise := float64(g.noise * g.noise)
	return &SecondMoment{Diagonal: slices.Repeat([]float64{noise}, g.d), Factor: slices.Clone(g.factor), Rank: g.rank}
}

func (g *lowRank) Row(dst *Row, i int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	z := dst.latent(g.rank)
	x := dst.dense(g.d)
	for j := range x {
		x[j] = float32(vec.Dot64(g.factor[j*g.rank:(j+1)*g.rank], z) + float64(g.noise*r.normal()))
	}
}

// latent draws hidden standard normal coordinates, into memory of the row.
func (dst *Row) latent(rank int) []float64 {
	if cap(dst.hidden) < rank {
		dst.hidden = make([]float64, rank)
	}
	dst.hidden = dst.hidden[:rank]
	for i := range dst.hidden {
		dst.hidden[i] = dst.random.normal()
	}
	return dst.hidden
}
