package generate

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

func init() {
	register("blobs", "one Gaussian cluster a class (n=10000,d=10,classes=3,spread=0.5,seed=1,skip=0)", newBlobs)
}

// blobs makes x = center_y + spread N(0, I), with the centers uniform in the
// cube [-1, 1]^d and the class y uniform. Two centers are about sqrt(2d/3)
// apart, so spread near a third of that makes the classes overlap.
type blobs struct {
	extent
	d      int
	spread float64
	labels []string
	center []float64 // classes x d, row-major
}

// maxCenters bounds the memory of the hidden model, 8 bytes a number.
const maxCenters = 1 << 26

func newBlobs(p *registry.Params) (Generator, error) {
	g := &blobs{extent: newExtent(p, 10000), d: p.Int("d", 10, 1, 1<<20)}
	classes := p.Int("classes", 3, 2, 10000)
	g.spread = amount(p, "spread", 0.5, 1e6)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if int64(classes)*int64(g.d) > maxCenters {
		return nil, fmt.Errorf("classes=%d: expected classes times d at most %d, found d=%d", classes, maxCenters, g.d)
	}
	g.labels = classNames(classes)
	g.center = make([]float64, classes*g.d)
	var r Random
	r.Start(g.seed, forModel, 0)
	for j := range g.center {
		g.center[j] = float64(2*r.uniform()) - 1
	}
	return g, nil
}

func (g *blobs) Info() Info { return Info{Rows: g.n, Cols: g.d, Skip: g.skip, Labels: g.labels} }

func (g *blobs) Row(dst *Row, i int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	class := r.below(len(g.labels))
	dst.Label = g.labels[class]
	x := dst.dense(g.d)
	for j, c := range g.center[class*g.d : (class+1)*g.d] {
		x[j] = float32(c + float64(g.spread*r.normal()))
	}
}
