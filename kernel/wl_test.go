package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// graph is a labelled graph.
type graph struct {
	labels []int
	edges  [][2]int // of vertices, from 0
}

func (g graph) row() matrix.Vector {
	v := matrix.Vector{Value: []float32{float32(len(g.labels))}}
	for _, l := range g.labels {
		v.Value = append(v.Value, float32(l))
	}
	for _, e := range g.edges {
		v.Value = append(v.Value, float32(e[0]+1), float32(e[1]+1))
	}
	return v
}

func randomGraph(r *rand.Rand) (g graph) {
	for range 1 + r.IntN(7) {
		g.labels = append(g.labels, 1+r.IntN(2))
	}
	for u := range g.labels {
		for v := range u {
			if r.IntN(3) == 0 {
				g.edges = append(g.edges, [2]int{u, v})
			}
		}
	}
	return g
}

// subtrees counts the colours of all rounds, spelled out as text.
func (g graph) subtrees(rounds int) map[string]float64 {
	count := map[string]float64{}
	colour := make([]string, len(g.labels))
	for v, l := range g.labels {
		colour[v] = fmt.Sprint(l)
		count["0:"+colour[v]]++
	}
	for round := range rounds {
		next := make([]string, len(colour))
		for v := range colour {
			var near []string
			for _, e := range g.edges {
				if e[0] == v {
					near = append(near, colour[e[1]])
				}
				if e[1] == v {
					near = append(near, colour[e[0]])
				}
			}
			slices.Sort(near)
			next[v] = "(" + colour[v] + strings.Join(near, ",") + ")"
			count[fmt.Sprint(round+1, ":", next[v])]++
		}
		colour = next
	}
	return count
}

// The value is the inner product of the numbers of subtrees, whatever the order
// of vertices and edges.
func TestWLIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for trial := range 300 {
		a, b, rounds := randomGraph(r), randomGraph(r), r.IntN(4)
		want, other := 0.0, b.subtrees(rounds)
		for tree, n := range a.subtrees(rounds) {
			want += n * other[tree]
		}
		k := kernel.WL{H: rounds}
		if got := k.Eval(a.row(), b.row()); got != want {
			t.Fatalf("trial %d: k(%v, %v) = %v, want %v", trial, a, b, got, want)
		}
		order := r.Perm(len(a.labels))
		turned := graph{labels: make([]int, len(a.labels))}
		for v, to := range order {
			turned.labels[to] = a.labels[v]
		}
		for _, e := range a.edges {
			turned.edges = append([][2]int{{order[e[1]], order[e[0]]}}, turned.edges...)
		}
		if got := k.Eval(turned.row(), b.row()); got != want {
			t.Fatalf("trial %d: %v for the vertices in another order, want %v", trial, got, want)
		}
	}
}

// One graph is not another: the path and the star of four vertices have the same
// labels, and differ from the first round on.
func TestWLByHand(t *testing.T) {
	path := graph{[]int{1, 1, 1, 1}, [][2]int{{0, 1}, {1, 2}, {2, 3}}}
	star := graph{[]int{1, 1, 1, 1}, [][2]int{{0, 1}, {0, 2}, {0, 3}}}
	for h, want := range []float64{16, 16 + 2*3, 16 + 2*3} { // degree 1: two vertices and three
		if got := (kernel.WL{H: h}).Eval(path.row(), star.row()); got != want {
			t.Errorf("h = %d: %v, want %v", h, got, want)
		}
	}
}

// The matrix of random graphs is positive semidefinite (K9).
func TestWLLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	x := &matrix.CSR{}
	for i := range 60 {
		g := randomGraph(r).row()
		if i == 7 {
			g = matrix.Vector{} // the graph without vertices
		}
		index := make([]uint32, len(g.Value))
		for j := range index {
			index[j] = uint32(j)
		}
		x.Append(index, g.Value)
	}
	for _, spec := range []string{"wl", "wl:h=0", "wl:h=1", "normalised(wl:h=2)", "wl*wl:h=1"} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := conform.Kernel(k, x, nil); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
		if c, err := gram.Check(k, x, 60); err != nil || math.IsNaN(c) {
			t.Errorf("%s: curvature %g, %v", spec, c, err)
		}
	}
}

func TestNoGraphsAreRefused(t *testing.T) {
	for _, c := range []struct {
		values []float32
		want   string
	}{
		{[]float32{1, 7}, ""}, {[]float32{}, ""},
		{[]float32{2, 7, 8, 1, 2}, ""},
		{[]float32{2, 7}, `kernel "wl": row 1: found 2 vertices and then 1 numbers, expected their labels and two ends of each edge`},
		{[]float32{2, 7, 8, 1}, `kernel "wl": row 1: found 2 vertices and then 3 numbers,`},
		{[]float32{2, 7, 8, 1, 3}, `kernel "wl": row 1: found an edge to vertex 3 of 2`},
	} {
		x := &matrix.Dense{Rows: 1, Cols: len(c.values), Value: c.values}
		_, err := kernel.Prepare(kernel.WL{H: 1}, x, 0)
		if v := (kernel.WL{H: 1}).Eval(x.Row(0), x.Row(0)); math.IsNaN(v) != (c.want != "") {
			t.Errorf("%v: the value is %v", c.values, v)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.values, err, c.want)
		}
	}
}
