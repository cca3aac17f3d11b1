package kernel

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/registry"
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
// A row is a graph of m vertices: m, the labels of the vertices 1..m, and then
// the two ends of each edge, all of them whole numbers from 1 on. Zeros are left
// out as in strings. A pair with edges 1-2 and 2-3 and labels 7, 8, 7 is
//
//	3  7 8 7  1 2  2 3
//
// Colours are hashes of 64 bits, made of each graph alone. Should two subtrees
// ever share one, k counts them as equal: it stays an inner product. Cost of a
// value: O(H (vertices + edges)) and sorting H vertices.
type WL struct{ H int }

var (
	_ Sized    = WL{}
	_ Preparer = WL{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "wl", Summary: "Weisfeiler-Lehman subtrees of h rounds; h=3; rows are graphs: vertices, their labels, edges (from Go programs only: no file format holds graphs)",
		New: func(p *registry.Params) (Kernel, error) { return WL{p.Int("h", 3, 0, 1000)}, nil }})
}

// Prepare refuses rows that are no graphs.
func (WL) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) {
	if _, err := wholeNumbers("wl", x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	for i := range n {
		if err := readGraph(symbols(x.Row(i))).err; err != nil {
			return nil, fmt.Errorf("kernel \"wl\": row %d: %w", i+1, err)
		}
	}
	return x, nil
}

// labelled is a graph with labels.
type labelled struct {
	labels []float32 // of the vertices
	ends   []float32 // of the edges, two each, from 1
	err    error     // why it is none
}

// readGraph takes a row apart.
func readGraph(g []float32) labelled {
	if len(g) == 0 {
		return labelled{}
	}
	m := int(g[0])
	if m < 1 || len(g) <= m || (len(g)-1-m)%2 != 0 {
		return labelled{err: fmt.Errorf("found %d vertices and then %d numbers, expected their labels and two ends of each edge", m, len(g)-1)}
	}
	for _, end := range g[1+m:] {
		if int(end) < 1 || int(end) > m {
			return labelled{err: fmt.Errorf("found an edge to vertex %g of %d", end, m)}
		}
	}
	return labelled{g[1 : 1+m], g[1+m:], nil}
}

// Eval returns the number of pairs of vertices of one colour, NaN if a row is no
// graph.
func (k WL) Eval(x, y matrix.Vector) float64 {
	g, h := readGraph(symbols(x)), readGraph(symbols(y))
	if g.err != nil || h.err != nil {
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
func (k WL) colours(g labelled) []uint64 {
	m := len(g.labels)
	all := make([]uint64, 0, (k.H+1)*m)
	for _, label := range g.labels {
		all = append(all, mix(uint64(label)))
	}
	sums := make([]uint64, m)
	for range k.H {
		colour := all[len(all)-m:]
		clear(sums) // of the neighbours' colours, mixed: it has no order
		for i := 0; i < len(g.ends); i += 2 {
			u, v := int(g.ends[i])-1, int(g.ends[i+1])-1
			sums[u] += mix(colour[v])
			sums[v] += mix(colour[u])
		}
		for v, c := range colour {
			all = append(all, mix(bits.RotateLeft64(c, 32)^mix(sums[v]+1)))
		}
	}
	slices.Sort(all)
	return all
}

// mix is a bijection that changes half of the bits if one is changed (Steele,
// Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
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
