package kernel

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Values have the bits of Eval, for rows and centres of any storage, number and
// width, on several goroutines, and whatever was computed before.
func TestExpansionHasTheBitsOfEval(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	row := func(cols int, sparse bool) matrix.Vector {
		x := matrix.Vector{}
		if sparse {
			x.Index = []uint32{}
		}
		for j := range cols {
			v := float32(random.NormFloat64())
			switch {
			case sparse && j%3 == 0:
				x.Index, x.Value = append(x.Index, uint32(j)), append(x.Value, v)
			case !sparse:
				x.Value = append(x.Value, v)
			}
		}
		return x
	}
	for _, k := range []Kernel{Linear{}, RBF{0.1}, Poly{Degree: 2, Gamma: 0.5, Coef0: 1}, Laplacian{0.1}} {
		for _, centres := range []int{0, 1, 300} {
			dense := &matrix.Dense{Rows: centres, Cols: 7}
			sparse := &matrix.CSR{Cols: 7, Start: []int64{0}, Index: []uint32{}}
			for range centres {
				dense.Value = append(dense.Value, row(7, false).Value...)
				s := row(7, true)
				sparse.Append(s.Index, s.Value)
			}
			var rows []matrix.Vector
			for i := range 70 {
				rows = append(rows, row(i%10, i%2 == 0))
			}
			for _, m := range []matrix.Matrix{dense, sparse} {
				e := NewExpansion(k, m)
				var group sync.WaitGroup
				for _, n := range []int{1, 3, 4, RowsAtOnce, 70} {
					group.Go(func() {
						dst := make([]float64, n*centres)
						e.Values(dst, rows[:n])
						for i := range n {
							for j := range centres {
								if want := k.Eval(m.Row(j), rows[i]); dst[i*centres+j] != want {
									t.Errorf("%T, %d centres %T, %d rows: row %d has %g with %d, expected %g", k, centres, m, n, i, dst[i*centres+j], j, want)
									return
								}
							}
						}
					})
				}
				group.Wait()
			}
		}
	}
}
