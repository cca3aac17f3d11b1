package kernel_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// walksOf is the random walk kernel by its definition: the product graph is formed, and
// its system solved by elimination in numbers of many digits.
func walksOf(lambda float64) func(x, y []float32) *big.Float {
	return func(x, y []float32) *big.Float {
		a, b := adjacency(x), adjacency(y)
		var pairs [][2]int
		for u, label := range a.labels {
			for v, other := range b.labels {
				if label == other {
					pairs = append(pairs, [2]int{u, v})
				}
			}
		}
		n := len(pairs)
		system := make([][]*big.Float, n) // I - lambda A, and e
		for i, p := range pairs {
			system[i] = make([]*big.Float, n+1)
			for j, q := range pairs {
				system[i][j] = fresh().Mul(number(-lambda), number(a.edges[p[0]][q[0]]*b.edges[p[1]][q[1]]))
			}
			system[i][i].Add(system[i][i], number(1))
			system[i][n] = number(1)
		}
		return sumOfSolution(system)
	}
}

// sumOfSolution eliminates below and above the diagonal, which dominates each row.
func sumOfSolution(system [][]*big.Float) *big.Float {
	sum := fresh()
	for c := range system {
		for i := range system {
			if i == c || system[i][c].Sign() == 0 {
				continue
			}
			factor := fresh().Quo(system[i][c], system[c][c])
			for j := c; j <= len(system); j++ {
				system[i][j].Sub(system[i][j], fresh().Mul(factor, system[c][j]))
			}
		}
	}
	for i, row := range system {
		sum.Add(sum, fresh().Quo(row[len(system)], row[i]))
	}
	return sum
}

type dense struct {
	labels []float32
	edges  [][]float64
}

func adjacency(row []float32) dense {
	g, err := structure.ReadGraph(structure.Symbols(matrix.Vector{Value: row}))
	if err != nil {
		panic(err)
	}
	d := dense{labels: g.Labels, edges: make([][]float64, len(g.Labels))}
	for u := range d.edges {
		d.edges[u] = make([]float64, len(g.Labels))
	}
	for i := 0; i < len(g.Ends); i += 2 {
		u, v := int(g.Ends[i])-1, int(g.Ends[i+1])-1
		if d.edges[u][v]++; u != v {
			d.edges[v][u]++
		}
	}
	return d
}

// multigraphs is rows of graphs, some with loops and edges that stand twice, one of them
// without vertices, no vertex of more than most edges.
func multigraphs(r *rand.Rand, n, labels, most int) *matrix.CSR {
	x := &matrix.CSR{}
	for i := range n {
		g := structure.Graph{}
		for range min(i, 1+r.IntN(6)) {
			g.Labels = append(g.Labels, float32(1+r.IntN(labels)))
		}
		for range 8 * min(len(g.Labels), 1) {
			longer := g
			longer.Ends = append(append([]float32{}, g.Ends...), float32(1+r.IntN(len(g.Labels))), float32(1+r.IntN(len(g.Labels))))
			fits := true
			for _, d := range longer.Degrees() {
				fits = fits && d <= most
			}
			if fits {
				g = longer
			}
		}
		row := g.AppendRow(nil)
		index := make([]uint32, len(row))
		for j := range index {
			index[j] = uint32(j)
		}
		x.Append(index, row)
	}
	return x
}

// The value is that of the product graph, up to the bound of the kernel, for all lambda
// that are taken; the matrix is positive semidefinite.
func TestRandomWalkLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 3))
	for _, c := range []struct {
		lambda       float64
		labels, most int
	}{{0.05, 1, 4}, {0.05, 3, 4}, {0.1, 2, 3}, {0.24, 1, 2}, {0.2497, 2, 2}, {0.1109, 1, 3}, {0.9, 1, 1}, {1e-9, 2, 8}, {0.0156, 1, 8}} {
		k := kernel.RandomWalk{Lambda: c.lambda}
		if err := conform.Kernel(k, multigraphs(r, 14, c.labels, c.most), walksOf(c.lambda)); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, spec := range []string{"random-walk:lambda=0.06", "normalised(random-walk)", "wl + 2*random-walk", "wl*random-walk"} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := conform.Kernel(k, multigraphs(r, 40, 2, 4), nil); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// A pair of vertices with an edge has one walk of each length from each of both: with
// itself sum_l lambda^l 4. Labels that differ leave the walks from each to the other's like.
func TestRandomWalkByHand(t *testing.T) {
	const lambda = 0.25
	edge := graph{[]int{1, 1}, [][2]int{{0, 1}}}
	bond := graph{[]int{1, 2}, [][2]int{{0, 1}}}
	loop := graph{[]int{1}, [][2]int{{0, 0}}}
	for _, c := range []struct {
		g, h graph
		want float64
	}{{edge, edge, 4 / (1 - lambda)}, {bond, bond, 2 / (1 - lambda)}, {edge, bond, 2}, {loop, loop, 1 / (1 - lambda)}, {loop, edge, 2 / (1 - lambda)}} {
		if got := (kernel.RandomWalk{Lambda: lambda}).Eval(c.g.row(), c.h.row()); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("%v and %v: found %v, expected %v", c.g, c.h, got, c.want)
		}
	}
}

// Large graphs: two rings of the same label have walks_l = m n 4^l of l steps, whatever m and n.
func TestRandomWalkOfRings(t *testing.T) {
	ring := func(m int) matrix.Vector {
		g := structure.Graph{Labels: make([]float32, m)}
		for v := range m {
			g.Labels[v] = 1
			g.Ends = append(g.Ends, float32(v+1), float32((v+1)%m+1))
		}
		return matrix.Vector{Value: g.AppendRow(nil)}
	}
	k := kernel.RandomWalk{Lambda: 0.2}
	if got, want := k.Eval(ring(300), ring(201)), 300*201/(1-4*0.2); math.Abs(got-want) > 1e-11*want {
		t.Errorf("found %v, expected %v", got, want)
	}
}

func TestWalksWithoutEndAreRefused(t *testing.T) {
	star := matrix.Dense{Rows: 2, Cols: 11, Value: []float32{1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 1, 1, 1, 1, 2, 1, 3, 1, 4}}
	for _, c := range []struct {
		lambda float64
		want   string
	}{{0.11, ""}, {0.1111, `kernel "random-walk": row 2: found a vertex of degree 3 and lambda=0.1111, expected lambda below 0.999/3^2, for the sum over walks to be finite: try lambda=0.056`}} {
		k := kernel.RandomWalk{Lambda: c.lambda}
		_, err := kernel.Prepare(k, &star, 0)
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("lambda = %g: found %v, expected %q", c.lambda, err, c.want)
		}
		if v := k.Eval(star.Row(1), star.Row(1)); math.IsNaN(v) != (c.want != "") {
			t.Errorf("lambda = %g: found the value %g", c.lambda, v)
		}
	}
	large := matrix.Dense{Rows: 1, Cols: 2050, Value: make([]float32, 2050)}
	for i := range large.Value {
		large.Value[i] = 1
	}
	large.Value[0] = 2049
	if _, err := kernel.Prepare(kernel.RandomWalk{Lambda: 0.1}, &large, 0); err == nil || !strings.Contains(err.Error(), "row 1: found a graph of 2049 vertices, expected at most 2048") {
		t.Errorf("found %v", err)
	}
}
