package iterate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// TestAddRows finds the bits of Add of each row, dense and sparse, on one core and on several.
func TestAddRows(t *testing.T) {
	const d, batch, steps = 300, 20, 5
	r := rand.New(rand.NewPCG(1, 2))
	var rows []matrix.Vector
	for k := range batch {
		x := matrix.Vector{Value: make([]float32, d)}
		for j := range x.Value {
			x.Value[j] = float32(r.NormFloat64())
		}
		if k%2 == 1 {
			for j := range x.Value {
				if r.IntN(4) == 0 {
					x.Index = append(x.Index, uint32(j))
				}
			}
			x.Value = x.Value[:len(x.Index)]
		}
		rows = append(rows, x)
	}
	often := slices.Repeat([]float64{2}, d+1)
	begin := func() Batched {
		return NewDiagonal(Options{Columns: d, Constant: true, L2: 0.1}, 0.9, 0.999, often, nil)
	}
	for _, threads := range []int{1, 3} {
		alone, together := begin(), begin()
		for step := range steps {
			a := make([]float64, batch)
			for k := range a {
				a[k] = float64(k%4) * r.NormFloat64()
			}
			alone.Begin(0.1)
			for k, x := range rows {
				if a[k] != 0 {
					alone.Add(x, a[k])
				}
			}
			alone.End(float64(step))
			together.Begin(0.1)
			together.AddRows(rows, a, threads)
			together.End(float64(step))
		}
		last, expected := make([]float64, d+1), make([]float64, d+1)
		for _, of := range []func(Batched, []float64){Batched.Last, Batched.Average} {
			of(together, last)
			if of(alone, expected); !slices.Equal(last, expected) {
				t.Errorf("%d threads: found other bits of rows that were added together", threads)
			}
		}
	}
}
