package kernel

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// WL is the Weisfeiler-Lehman subtree kernel of labelled graphs (Shervashidze
// et al., Weisfeiler-Lehman Graph Kernels, 2011): with count_c(g) vertices of
// colour c in the graph g,
//
//	k(g,h) = sum over the rounds 0..H and the colours c of count_c(g) count_c(h)
//
// In round 0 a vertex has its label for a colour; in each later round, one that
// stands for the colour it had and those its neighbours had.
//
// What row is a graph is said at [structure.Graph].
//
// Colours are hashes of 64 bits, made of each graph alone. Should two subtrees
// ever share one, k counts them as equal: it stays an inner product. Cost of a
// value: O(H (vertices + edges)) and sorting H vertices.
type WL struct{ H int }

var (
	_ Featured   = WL{}
	_ Sized      = WL{}
	_ structured = WL{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "wl", Summary: "Weisfeiler-Lehman subtrees of h rounds; h=3; rows are graphs",
		New: func(p *registry.Params) (Kernel, error) { return WL{p.Int("h", 3, 0, 1000)}, nil }})
}

// Structure is that of graphs.
func (WL) Structure() structure.Kind { return structure.Graphs }

// Prepare refuses rows that are no graphs.
func (WL) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) {
	return graphs("wl", x, func(structure.Graph) error { return nil })
}

// Eval returns the number of pairs of vertices of one colour, NaN if a row is no
// graph.
func (k WL) Eval(x, y matrix.Vector) float64 {
	g, err := structure.ReadGraph(structure.Symbols(x))
	h, other := structure.ReadGraph(structure.Symbols(y))
	if err != nil || other != nil {
		return math.NaN()
	}
	a, b := k.colours(g), k.colours(h)
	pairs := 0.0
	for len(a) > 0 && len(b) > 0 {
		c := min(a[0], b[0])
		i, j := run(a, c), run(b, c)
		pairs += float64(i * j)
		a, b = a[i:], b[j:]
	}
	return pairs
}

// run returns how many of the first numbers are c.
func run(sorted []uint64, c uint64) int {
	n := 0
	for n < len(sorted) && sorted[n] == c {
		n++
	}
	return n
}

// colours returns those of all rounds, sorted.
func (k WL) colours(g structure.Graph) []uint64 {
	m := len(g.Labels)
	all := make([]uint64, 0, (k.H+1)*m)
	for _, label := range g.Labels {
		all = append(all, structure.Mix(uint64(label)))
	}
	sums := make([]uint64, m)
	for range k.H {
		colour := all[len(all)-m:]
		clear(sums) // of the neighbours' colours, mixed: it has no order
		for i := 0; i < len(g.Ends); i += 2 {
			u, v := int(g.Ends[i])-1, int(g.Ends[i+1])-1
			sums[u] += structure.Mix(colour[v])
			sums[v] += structure.Mix(colour[u])
		}
		for v, c := range colour {
			all = append(all, structure.Mix(bits.RotateLeft64(c, 32)^structure.Mix(sums[v]+1)))
		}
	}
	slices.Sort(all)
	return all
}

// Size is the square of the number of vertices, for every round.
func (k WL) Size(terms int, _ float64) float64 {
	m := float64(terms)
	return float64(k.H+1) * m * m
}

// Relative is 0: below 2^53 the result is exact.
func (WL) Relative(int, float64, float64) float64 { return 0 }

// Error is 0.
func (WL) Error(int, float64, float64) float64 { return 0 }

// Features counts the colours.
func (k WL) Features(x matrix.Matrix) (*matrix.CSR, Inner) {
	key := make([]byte, 8)
	return counts(x, func(row matrix.Vector, add func(key []byte)) {
		g, _ := structure.ReadGraph(structure.Symbols(row)) // Prepare has refused what is none
		for _, colour := range k.colours(g) {
			binary.LittleEndian.PutUint64(key, colour)
			add(key)
		}
	}), Linear{}
}
