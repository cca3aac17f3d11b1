package matrix

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Passes over dense rows have the bits of those over each row, for rows short and long, scales of
// zero and every number of rows about that of a block.
func TestDensePassesAreThoseOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, d := range []int{0, 1, 3, 7, 8, 9, 16, 33, 100} {
		for _, n := range []int{1, 63, 64, 65, 130} {
			m := &Dense{Rows: n + 2, Cols: d, Value: make([]float32, (n+2)*d)}
			for i := range m.Value {
				m.Value[i] = float32(rng.NormFloat64())
			}
			w, scale, dots, norms := make([]float64, d), make([]float64, n), make([]float64, n), make([]float64, n)
			for j := range w {
				w[j] = rng.NormFloat64()
			}
			for i := range scale {
				scale[i] = float64(rng.IntN(3)) * rng.NormFloat64()
			}
			Dots(dots, m, 1, w)
			SquaredNorms(norms, m, 1)
			sum, want := append([]float64{}, w...), append([]float64{}, w...)
			AddRows(sum, m, 1, scale)
			for i := range n {
				row := m.Row(1 + i)
				if math.Float64bits(dots[i]) != math.Float64bits(row.Dot(w)) || norms[i] != row.SquaredNorm() {
					t.Fatalf("d=%d, n=%d, row %d: found %v and %v, expected %v and %v", d, n, i, dots[i], norms[i], row.Dot(w), row.SquaredNorm())
				}
				if scale[i] != 0 {
					row.AddTo(want, scale[i])
				}
			}
			for j := range want {
				if math.Float64bits(sum[j]) != math.Float64bits(want[j]) {
					t.Fatalf("d=%d, n=%d, column %d: found %v, expected %v", d, n, j, sum[j], want[j])
				}
			}
		}
	}
}

// Values that are not finite are found wherever they are.
func TestCheckFindsEveryPlace(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 1023, 1024, 1027, 2050} {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			for _, at := range []int{0, n / 2, n - 1} {
				m := &Dense{Rows: 1, Cols: n, Value: make([]float32, n)}
				for j := range m.Value {
					m.Value[j] = -math.MaxFloat32
				}
				if err := Check(m); err != nil {
					t.Fatalf("n=%d: found %v", n, err)
				}
				if m.Value[at] = bad; Check(m) == nil {
					t.Fatalf("n=%d: %v in place %d was not found", n, bad, at)
				}
			}
		}
	}
}
