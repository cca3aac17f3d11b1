package vec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawSparse returns a row of n of cols columns.
func drawSparse(r *rand.Rand, n, cols int) (index []uint32, value []float32) {
	for _, j := range r.Perm(cols)[:n] {
		index, value = append(index, uint32(j)), append(value, float32(r.NormFloat64()))
	}
	slices.Sort(index)
	return index, value
}

// TestSparseOuter: every level has the bits of plain Go in the lower triangle.
func TestSparseOuter(t *testing.T) {
	const size = 23
	r := rand.New(rand.NewPCG(71, 1))
	for n := range size + 1 {
		index, value := drawSparse(r, n, size)
		h := make([]float64, size*size)
		for i := range h {
			h[i] = r.NormFloat64()
		}
		want := slices.Clone(h)
		sparseOuterPortable(want, size, 0.3, index, value)
		eachLevel(t, func(l level) {
			got := slices.Clone(h)
			SparseOuter(got, size, 0.3, index, value, make([]float64, size))
			for j := range size {
				if !sameBits(got[j*size:][:j+1], want[j*size:][:j+1]) {
					t.Errorf("%s, %d values: row %d is not what plain Go has", l, n, j)
				}
			}
		})
	}
}

// TestSparseOuterOutside: a column that h does not have panics, and nothing is written
// around h.
func TestSparseOuterOutside(t *testing.T) {
	eachLevel(t, func(l level) {
		for _, bad := range []uint32{5, 6, 1 << 31, 1<<32 - 1} {
			around := make([]float64, 75)
			if !panics(func() {
				SparseOuter(around[25:50:50], 5, 1, []uint32{0, 3, bad}, []float32{1, 1, 1}, make([]float64, 3))
			}) {
				t.Errorf("%s, column %d: no panic", l, bad)
			}
			if slices.Max(around[:25]) != 0 || slices.Max(around[50:]) != 0 {
				t.Errorf("%s, column %d: wrote outside", l, bad)
			}
		}
	})
}

func BenchmarkSparseOuter(b *testing.B) {
	for _, c := range []struct{ n, cols int }{{12, 54}, {14, 123}, {12, 300}} {
		r := rand.New(rand.NewPCG(72, 1))
		h, x := make([]float64, c.cols*c.cols), make([]float64, c.cols)
		var rows [64]struct {
			index []uint32
			value []float32
		}
		for i := range rows {
			rows[i].index, rows[i].value = drawSparse(r, c.n, c.cols)
		}
		everyLevel(b, fmt.Sprintf("values=%d/columns=%d", c.n, c.cols), func(b *testing.B) {
			for b.Loop() {
				for _, row := range rows {
					SparseOuter(h, c.cols, 1, row.index, row.value, x)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/64, "ns/row")
		})
	}
}
