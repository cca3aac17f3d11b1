package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// drawRows returns rows of a matrix of cols columns: row i has counts[i] of them, of
// which the first beside are neighbours.
func drawRows(r *rand.Rand, cols, beside int, counts ...int) (start []int64, index []uint32, value []float32) {
	start = []int64{0}
	for _, n := range counts {
		first := 0
		if n > beside {
			first = r.IntN(cols - n + 1)
		}
		row := make([]uint32, 0, n)
		for j := range min(beside, n) {
			row = append(row, uint32(first+j))
		}
		for _, j := range r.Perm(cols) {
			if len(row) < n && !slices.Contains(row, uint32(j)) {
				row = append(row, uint32(j))
			}
		}
		slices.Sort(row)
		for _, j := range row {
			index, value = append(index, j), append(value, float32(r.NormFloat64()))
		}
		start = append(start, int64(len(index)))
	}
	return start, index, value
}

// TestSparseOuters: every level has the bits of plain Go in the lower triangle, for rows
// of all lengths with and without neighbours, and for a weight of 0 nothing is added.
func TestSparseOuters(t *testing.T) {
	const size = 23
	r := rand.New(rand.NewPCG(71, 1))
	var counts []int
	for n := range size + 1 {
		counts = append(counts, n, n)
	}
	for _, beside := range []int{1, 3, 4, 7, 8, 12, size} {
		start, index, value := drawRows(r, size, beside, counts...)
		h, scale := make([]float64, size*size), make([]float64, len(counts))
		for i := range h {
			h[i] = r.NormFloat64()
		}
		for i := range scale {
			scale[i] = r.NormFloat64() * float64(i%5)
		}
		scale[4] = math.Inf(1) // one number: no NaN, whose bits may differ
		want := slices.Clone(h)
		for i, c := range scale {
			if c != 0 {
				sparseOuterPortable(want, size, c, index[start[i]:start[i+1]], value[start[i]:start[i+1]])
			}
		}
		vectest.EachLevel(t, func(l cpu.Level) {
			got := slices.Clone(h)
			SparseOuters(got, size, scale, start, index, value, make([]float64, size))
			for j := range size {
				if !vectest.SameBits(got[j*size:][:j+1], want[j*size:][:j+1]) {
					t.Errorf("%s, %d neighbours: row %d is not what plain Go has", l, beside, j)
				}
			}
		})
	}
}

// TestSparseOutersOutside: a column that h does not have and a row outside the values
// panic, and nothing is written around h and x; a row that x is too short for is added.
func TestSparseOutersOutside(t *testing.T) {
	vectest.EachLevel(t, func(l cpu.Level) {
		for _, bad := range []uint32{5, 6, 1 << 31, 1<<32 - 1} {
			around, x := make([]float64, 75), make([]float64, 9)
			if !vectest.Panics(func() {
				SparseOuters(around[25:50:50], 5, []float64{1}, []int64{0, 3}, []uint32{0, 3, bad}, []float32{1, 1, 1}, x[:3])
			}) {
				t.Errorf("%s, column %d: no panic", l, bad)
			}
			if slices.Max(around[:25]) != 0 || slices.Max(around[50:]) != 0 || slices.Max(x[3:]) != 0 {
				t.Errorf("%s, column %d: wrote outside", l, bad)
			}
		}
		for n := 1; n <= 20; n++ { // wherever in eight the bad one is
			h, index, value := make([]float64, 20*20), make([]uint32, n, n+8), make([]float32, n, n+8)
			for k := range n {
				index[k], value[k] = uint32(k), 1
			}
			index[n-1] = 20
			if !vectest.Panics(func() {
				SparseOuters(h[:400:400], 20, []float64{1}, []int64{0, int64(n)}, index, value, make([]float64, n))
			}) {
				t.Errorf("%s, the last of %d values in column 20: no panic", l, n)
			}
		}
		for _, start := range [][]int64{{0, 4}, {-1, 3}, {2, 1}, {1 << 62, 1<<62 + 1}} {
			if !vectest.Panics(func() {
				SparseOuters(make([]float64, 25), 5, []float64{1}, start, []uint32{0, 1, 2}, []float32{1, 1, 1}, make([]float64, 3))
			}) {
				t.Errorf("%s, rows from %v: no panic", l, start)
			}
		}
		h, x := make([]float64, 25), make([]float64, 9)
		SparseOuters(h, 5, []float64{1}, []int64{0, 4}, []uint32{0, 1, 2, 3}, []float32{1, 1, 1, 1}, x[:3])
		if h[3*5+3] != 1 || slices.Max(x[3:]) != 0 {
			t.Errorf("%s: %v with too little room", l, h)
		}
	})
}

func BenchmarkSparseOuters(b *testing.B) {
	const rows = 64
	for _, c := range []struct{ n, cols, beside int }{{12, 54, 1}, {12, 54, 10}, {13, 22, 12}, {14, 123, 1}, {12, 300, 1}} {
		r := rand.New(rand.NewPCG(72, 1))
		h, x, scale := make([]float64, c.cols*c.cols), make([]float64, c.cols), make([]float64, rows)
		for i := range scale {
			scale[i] = 1
		}
		start, index, value := drawRows(r, c.cols, c.beside, slices.Repeat([]int{c.n}, rows)...)
		vectest.EveryLevel(b, fmt.Sprintf("values=%d/columns=%d/beside=%d", c.n, c.cols, c.beside), func(b *testing.B) {
			for b.Loop() {
				SparseOuters(h, c.cols, scale, start, index, value, x)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/rows, "ns/row")
		})
	}
}
