package generate

import "github.com/fenchel-ml/fenchel/internal/registry"

func init() {
	register("toy", "two Gaussians a unit vector apart from 0 (n=10000,d=10,seed=1,skip=0)", newToy)
}

// toy makes the pairs of the experiments of the PGS paper:
//
//	y = +1 or -1 with probability 1/2 each,   x = y w + N(0, I),   |w| = 1,
//
// so that the best predictor is the direction w through the origin, whose
// error is Phi(-1), 15.87 %, in every dimension. The paper has d = 10, 20, 40.
type toy struct {
	extent
	w      []float64
	labels []string
}

func newToy(p *registry.Params) (Generator, error) {
	g := &toy{extent: newExtent(p, 10000), labels: classNames(2)}
	d := p.Int("d", 10, 1, 1<<20)
	if err := p.Err(); err != nil {
		return nil, err
	}
	var r Random
	r.Start(g.seed, forModel, 0)
	g.w = make([]float64, d)
	r.direction(g.w)
	return g, nil
}

func (g *toy) Info() Info {
	return Info{Rows: g.n, Cols: len(g.w), Skip: g.skip, Labels: g.labels, Weights: g.w}
}

func (g *toy) Row(dst *Row, i int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	class := r.below(2)
	y := float64(2*class - 1)
	dst.Label = g.labels[class]
	x := dst.dense(len(g.w))
	for j, w := range g.w {
		x[j] = float32(float64(y*w) + r.normal())
	}
}
