package vec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

func BenchmarkDense(b *testing.B) {
	for _, n := range []int{14, 54, 300, 784, 2000} {
		o := vectest.DrawOperands(rand.New(rand.NewPCG(1, 1)), n, 0)
		for name, k := range kernels {
			if strings.HasPrefix(name, "Sparse") || strings.HasPrefix(name, "Prefetch") {
				continue
			}
			o.Alpha, o.Beta = 0.999, 1e-3
			vectest.EveryLevel(b, fmt.Sprintf("kernel=%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					k(o)
				}
				b.ReportMetric(2*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// text is rows of a bag of words: the column of a word falls with its rank as
// in Zipf's law.
type text struct {
	start []int
	index []uint32
	value []float32
	cols  int
}

func drawText(rows, nonzeros, cols int) text {
	r := rand.New(rand.NewPCG(2, 2))
	zipf := rand.NewZipf(r, 1.1, 20, uint64(cols-1))
	rank := r.Perm(cols)
	m := text{start: []int{0}, cols: cols}
	for range rows {
		row := map[uint32]bool{}
		for want := nonzeros/2 + r.IntN(nonzeros+1); len(row) < want; {
			row[uint32(rank[zipf.Uint64()])] = true
		}
		first := len(m.index)
		for j := range row {
			m.index = append(m.index, j)
		}
		slices.Sort(m.index[first:])
		m.start = append(m.start, len(m.index))
	}
	for range m.index {
		m.value = append(m.value, r.Float32()/10)
	}
	return m
}

// BenchmarkVisit is what a dual method does with text: blocks of 16 consecutive
// rows in random order, a product with each row and then its addition.
func BenchmarkVisit(b *testing.B) {
	m := drawText(25000, 136, 40000)
	rows := len(m.start) - 1
	w := make([]float64, m.cols)
	order := rand.New(rand.NewPCG(3, 3)).Perm(rows / 16)
	for _, ahead := range []int{0, 1} {
		for _, add := range []bool{false, true} {
			vectest.EveryLevel(b, fmt.Sprintf("axpy=%v/ahead=%d", add, ahead), func(b *testing.B) {
				clear(w)
				for b.Loop() {
					m.visit(w, order, add, ahead)
				}
				nanoseconds := b.Elapsed().Seconds() * 1e9 / float64(b.N) / float64(len(m.value))
				b.ReportMetric(nanoseconds, "ns/nonzero")
				b.ReportMetric(8/nanoseconds, "GB/s")
			})
		}
	}
}

// visit makes one epoch; ahead is how many rows are asked for before their turn.
func (m text) visit(w []float64, order []int, add bool, ahead int) {
	for at := range 16 * len(order) {
		if ahead > 0 && at+ahead < 16*len(order) {
			PrefetchRow(m.row(order, at+ahead))
		}
		index, value := m.row(order, at)
		p := SparseDot(w, index, value)
		if add {
			SparseAxpy(w, 1e-3*(1-p), index, value)
		}
	}
}

// row returns the row of visit number at.
func (m text) row(order []int, at int) ([]uint32, []float32) {
	i := 16*order[at/16] + at%16
	lo, hi := m.start[i], m.start[i+1]
	return m.index[lo:hi], m.value[lo:hi]
}

// BenchmarkRows takes rows of 14, as many data have: what does a row cost
// beside its elements?
func BenchmarkRows(b *testing.B) {
	const rows, length, columns = 4096, 14, 123
	r := rand.New(rand.NewPCG(1, 1))
	w, dst, start, index, value := make([]float64, columns), make([]float64, rows), []int64{0}, []uint32{}, []float32{}
	for range rows {
		for k := range length {
			index, value = append(index, uint32(k*columns/length+r.IntN(columns/length))), append(value, 1)
		}
		start = append(start, int64(len(index)))
	}
	scale := make([]float64, rows)
	for i := range scale {
		scale[i] = 1e-9 * r.NormFloat64()
	}
	for name, f := range map[string]func(){
		"SparseDot": func() {
			for i := range dst {
				dst[i] = SparseDot(w, index[start[i]:start[i+1]], value[start[i]:start[i+1]])
			}
		},
		"SparseDots":  func() { SparseDots(dst, w, start, index, value) },
		"SparseAxpys": func() { SparseAxpys(w, scale, start, index, value) },
		"SparseAxpy": func() {
			for i, scale := range scale {
				SparseAxpy(w, scale, index[start[i]:start[i+1]], value[start[i]:start[i+1]])
			}
		},
	} {
		vectest.EveryLevel(b, "kernel="+name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/rows, "ns/row")
		})
	}
}
