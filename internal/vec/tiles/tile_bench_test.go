package tiles

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// BenchmarkSparse multiplies 16 rows by a block of all widths. The load of a
// vector for each multiply-add binds it: two a cycle.
func BenchmarkSparse(b *testing.B) {
	for _, shape := range [][2]int{{14, 123}, {150, 784}} {
		r := rand.New(rand.NewPCG(1, 1))
		const rows = 16
		start, index, value, at := []int64{0}, []uint32{}, []float32{}, make([]int, rows)
		for i := range rows {
			columns := r.Perm(shape[1])[:shape[0]]
			slices.Sort(columns)
			for _, j := range columns {
				index, value = append(index, uint32(j)), append(value, r.Float32())
			}
			start, at[i] = append(start, int64(len(index))), Width32*i
		}
		block32, block64 := make([]float32, Width32*shape[1]), make([]float64, Width32*shape[1])
		dst32, dst64 := make([]float32, Width32*rows), make([]float64, Width32*rows)
		slot := make([]uint32, shape[1])
		for j := range slot {
			slot[j] = uint32(j)
		}
		for _, mapped := range []bool{false, true} {
			slot := slot
			if !mapped {
				slot = nil
			}
			for _, width := range []int{Width32, NarrowWidth32} {
				vectest.EveryLevel(b, fmt.Sprintf("nonzeros=%d/mapped=%v/bits=32/width=%d", shape[0], mapped, width), func(b *testing.B) {
					for b.Loop() {
						Sparse32(dst32, at, block32[:width*shape[1]], width, slot, start, index, value)
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*rows*width), "ns/value")
				})
			}
			for _, width := range []int{Width64, NarrowWidth64} {
				vectest.EveryLevel(b, fmt.Sprintf("nonzeros=%d/mapped=%v/bits=64/width=%d", shape[0], mapped, width), func(b *testing.B) {
					for b.Loop() {
						Sparse64(dst64, at, block64[:width*shape[1]], width, slot, start, index, value)
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*rows*width), "ns/value")
				})
			}
		}
	}
}
