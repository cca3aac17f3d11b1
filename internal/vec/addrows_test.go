package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// TestAddRows compares with one row after another, on every level.
func TestAddRows(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for n := range 140 {
		count, first := r.IntN(6), r.IntN(5)
		c := make([]float64, count)
		single, double := make([][]float32, count), make([][]float64, count)
		for k := range count {
			c[k] = r.NormFloat64()
			for range first + n {
				double[k] = append(double[k], r.NormFloat64())
				single[k] = append(single[k], float32(double[k][len(single[k])]))
			}
		}
		dst := make([]float64, n)
		for j := range dst {
			dst[j] = r.NormFloat64()
		}
		want32, want64 := slices.Clone(dst), slices.Clone(dst)
		for k := range count {
			for j := range n {
				want32[j] = math.FMA(c[k], float64(single[k][first+j]), want32[j])
				want64[j] = math.FMA(c[k], double[k][first+j], want64[j])
			}
		}
		check := func(l cpu.Level) {
			got := slices.Clone(dst)
			if AddRows32(got, single, first, c); !slices.Equal(got, want32) {
				t.Errorf("%s, n=%d: %d rows in single precision are not added one by one", l, n, count)
			}
			got = slices.Clone(dst)
			if AddRows64(got, double, first, c); !slices.Equal(got, want64) {
				t.Errorf("%s, n=%d: %d rows in double precision are not added one by one", l, n, count)
			}
		}
		check(cpu.Chosen())
		vectest.EachLevel(t, check)
		if count > 0 && !vectest.Panics(func() { AddRows32(dst, single, first+1, c) }) && n > 0 {
			t.Errorf("n=%d: short rows do not panic", n)
		}
	}
}
