package gram

import (
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Rows of the matrix of kernels that count have the bits of Eval, for rows that
// share nothing or are too short too.
func TestFeatures(t *testing.T) {
	const n = 60
	r := rand.New(rand.NewPCG(8, 8))
	texts, graphs := &matrix.CSR{Cols: 40}, &matrix.CSR{Cols: 40}
	for i := range n {
		length := r.IntN(30)
		index, text, graph := []uint32{}, []float32{}, []float32{}
		for j := range length {
			index, text = append(index, uint32(j)), append(text, float32('a'+r.IntN(3)))
		}
		texts.Append(index, text)
		vertices := 1 + i%7
		graph = append(graph, float32(vertices))
		for range vertices {
			graph = append(graph, float32(1+r.IntN(2)))
		}
		for range r.IntN(8) {
			graph = append(graph, float32(1+r.IntN(vertices)), float32(1+r.IntN(vertices)))
		}
		index = index[:0]
		for j := range graph {
			index = append(index, uint32(j))
		}
		graphs.Append(index, graph)
	}
	texts.Cols, graphs.Cols = 40, 40
	for _, c := range []struct {
		spec string
		rows *matrix.CSR
	}{{"spectrum:p=1", texts}, {"spectrum:p=3", texts}, {"normalised(spectrum:p=2)", texts}, {"mismatch:p=3,m=1,alphabet=4", texts}, {"normalised(mismatch:p=2,m=2,alphabet=5)", texts}, {"wl:h=0", graphs}, {"wl:h=2", graphs}, {"normalised(wl)", graphs}} {
		k, err := kernel.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		g := newGram(t, k, c.rows, Options{Threads: 2})
		if g.double.tiler.inner == nil {
			t.Fatalf("%s is evaluated one by one", c.spec)
		}
		part, err := g.Part([]int{5, 3, 40})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			row := g.Rows([]int{i})[0].Double
			for j, got := range row {
				if want := k.Eval(c.rows.Row(i), c.rows.Row(j)); got != want {
					t.Fatalf("%s: K[%d][%d] = %v, want %v", c.spec, i, j, got, want)
				}
			}
		}
		if got, want := part.Rows([]int{2})[0].Double[0], k.Eval(c.rows.Row(40), c.rows.Row(5)); got != want {
			t.Errorf("%s: a part has %v, want %v", c.spec, got, want)
		}
	}
}
