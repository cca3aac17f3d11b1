package generate

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

func init() {
	register("spirals", "interleaved spirals in the plane, not linearly separable (n=2000,classes=2,turns=1.5,noise=0.03,seed=1,skip=0)", newSpirals)
}

// spirals makes points on k arms of an Archimedean spiral,
//
//	x = r (cos a, sin a) + noise N(0, I),   a = 2 pi (turns r + y/k),
//
// with the radius r in [0.2, 1] such that points are spread evenly along the
// arm. Neighbouring arms are 1/(turns k) apart.
type spirals struct {
	extent
	turns, noise float64
	labels       []string
}

func newSpirals(p *registry.Params) (Generator, error) {
	g := &spirals{extent: newExtent(p, 2000)}
	classes := p.Int("classes", 2, 2, 100)
	g.turns = amount(p, "turns", 1.5, 100)
	g.noise = amount(p, "noise", 0.03, 1e6)
	if err := p.Err(); err != nil {
		return nil, err
	}
	g.labels = classNames(classes)
	return g, nil
}

func (g *spirals) Info() Info { return Info{Rows: g.n, Cols: 2, Skip: g.skip, Labels: g.labels} }

func (g *spirals) Row(dst *Row, i int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	class := r.below(len(g.labels))
	dst.Label = g.labels[class]
	radius := math.Sqrt(0.04 + float64(0.96*r.uniform()))
	angle := float64(g.turns*radius) + float64(class)/float64(len(g.labels)) // in turns
	x := dst.dense(2)
	x[0] = float32(float64(radius*elementary.Cos(angle)) + float64(g.noise*r.normal()))
	x[1] = float32(float64(radius*elementary.Sin(angle)) + float64(g.noise*r.normal()))
}
