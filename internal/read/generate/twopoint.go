package generate

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

func init() {
	register("two-point", "two directions that incremental PCA confuses; scale: unit or print; no targets (n=10000,scale=unit,seed=1,skip=0)", newTwoPoint)
}

// twoPoint makes the counter-example of Cotter's thesis to incremental PCA,
//
//	x = (sqrt(3), 0) with probability 1/3, (0, sqrt(2)) with probability 2/3.
//
// The second axis is the answer, of second moment 4/3 against 1, but a memory
// of one direction stays at the first with probability 5/9. With scale=unit both
// are divided by sqrt(3), so that no row is longer than 1; scale=print leaves
// them as printed.
type twoPoint struct {
	extent
	value  [2]float32
	moment [2]float64
}

var _ Known = (*twoPoint)(nil)

func newTwoPoint(p *registry.Params) (Generator, error) {
	g := &twoPoint{extent: newExtent(p, 10000)}
	squares := [2]float64{1, 2. / 3}
	if p.Choice("scale", "unit", "print") == "print" {
		squares = [2]float64{3, 2}
	}
	for axis, s := range squares {
		g.value[axis] = float32(math.Sqrt(s))
		g.moment[axis] = s * float64(axis+1) / 3
	}
	return g, p.Err()
}

func (g *twoPoint) Info() Info {
	return Info{Rows: g.n, Cols: 2, Skip: g.skip, Unlabelled: true}
}

// SecondMoment implements [Known].
func (g *twoPoint) SecondMoment() *SecondMoment { return &SecondMoment{Diagonal: g.moment[:]} }

func (g *twoPoint) Row(dst *Row, i int) {
	dst.random.Start(g.seed, forRow, i)
	x := dst.dense(2)
	axis := min(dst.random.below(3), 1)
	x[axis], x[1-axis] = g.value[axis], 0
}
