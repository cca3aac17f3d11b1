//go:build linux || darwin

package vec

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// TestSparseOutersEdge: a row whose indices, values and room end with a page reads and writes
// nothing beyond, however many values it has.
func TestSparseOutersEdge(t *testing.T) {
	f := &vectest.Fences{T: t}
	for n := 1; n <= 20; n++ {
		for step := 1; step < 3; step++ {
			size := n * step
			index, value := make([]uint32, n), make([]float32, n)
			for k := range n {
				index[k], value[k] = uint32(k*step+step-1), float32(k+1)
			}
			vectest.EachLevel(t, func(l cpu.Level) {
				h, x := vectest.Placed(make([]float64, size*size), f.Before), vectest.Placed(make([]float64, n), f.Before)
				index, value := vectest.Placed(index, f.Before), vectest.Placed(value, f.Before)
				SparseOuters(h, size, []float64{1}, []int64{0, int64(n)}, index, value, x)
				for a := range n {
					for b := range a + 1 {
						if h[int(index[a])*size+int(index[b])] != float64((a+1)*(b+1)) {
							t.Fatalf("%v, %d values, every column of %d: wrong at %d, %d", l, n, step, a, b)
						}
					}
				}
			})
			f.Remove()
		}
	}
}

func TestNothingBeyondTheEnd(t *testing.T) { vectest.NothingBeyondTheEnd(t, kernels) }
