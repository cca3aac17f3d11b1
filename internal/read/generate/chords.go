package generate

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
)

func init() {
	register("chords", "graphs: rings with a chord that is a short one (-1) or not (+1); degrees tell nothing (n=200,least=6,most=12,labels=2,seed=1,skip=0)", newChords)
}

// chords makes rings of least to most vertices with random labels and one chord more: of
// class -1 it cuts off a triangle, of class +1 a ring of at least four vertices, so that
// both have the same degrees. Vertices are numbered at random.
type chords struct {
	extent
	least, most, labels int
	names               []string
}

func newChords(p *registry.Params) (Generator, error) {
	g := &chords{extent: newExtent(p, 200), names: classNames(2)}
	g.least = p.Int("least", 6, 6, 1000)
	g.most = p.Int("most", max(12, g.least), g.least, 1000)
	g.labels = p.Int("labels", 2, 1, 1000)
	return g, p.Err()
}

// Info has as many columns as a ring of most vertices takes.
func (g *chords) Info() Info {
	return Info{Rows: g.n, Cols: 1 + 3*g.most + 2, Skip: g.skip, Labels: g.names, Structure: structure.Graphs}
}

func (g *chords) Row(dst *Row, i int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	class, m := r.below(2), g.least+r.below(g.most-g.least+1)
	dst.Label = g.names[class]
	ring := structure.Graph{}
	for range m {
		ring.Labels = append(ring.Labels, float32(1+r.below(g.labels)))
	}
	number := r.Permutation(m)
	edge := func(u, v int) { ring.Ends = append(ring.Ends, float32(1+number[u%m]), float32(1+number[v%m])) }
	for v := range m {
		edge(v, v+1)
	}
	across := 2
	if class == 1 {
		across = 3 + r.below(m-5)
	}
	edge(0, across)
	dst.sparse()
	for k, v := range ring.AppendRow(nil) {
		dst.X.Index, dst.X.Value = append(dst.X.Index, uint32(k)), append(dst.X.Value, v)
	}
}
