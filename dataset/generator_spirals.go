package dataset

import (
	"math"

	"github.com/fenchel-ml/fenchel/registry"
)

func init() {
	registerGenerator("spirals", "interleaved spirals in the plane, not linearly separable (n=2000,classes=2,turns=1.5,noise=0.03,seed=1,skip=0)", newSpirals)
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
	r.start(g.seed, partRow, i)
	class := r.below(len(g.labels))
	dst.Label = g.labels[class]
	radius := math.Sqrt(0.04 + float64(0.96*r.uniform()))
	sin, cos := sinCos(float64(g.turns*radius) + float64(class)/float64(len(g.labels)))
	x := dst.dense(2)
	x[0] = float32(float64(radius*cos) + float64(g.noise*r.normal()))
	x[1] = float32(float64(radius*sin) + float64(g.noise*r.normal()))
}

// sinCos returns the sine and cosine of an angle given in turns: the nearest
// quarter turn is split off exactly, and power series to the fifteenth power
// serve the rest, at most an eighth of a turn. math.Sincos would not have the
// same bits everywhere.
func sinCos(turns float64) (sin, cos float64) {
	quarter := math.Floor(float64(4*turns) + 0.5)
	a := (turns - float64(quarter/4)) * (2 * math.Pi)
	q := float64(a * a)
	sin, cos = 1, 1
	for k := 14.0; k >= 2; k -= 2 { // Horner: 1 - q/(2*3) (1 - q/(4*5) (...
		sin = 1 - float64(q*sin)/(k*(k+1))
		cos = 1 - float64(q*cos)/(k*(k-1))
	}
	sin *= a
	switch int(quarter) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}
