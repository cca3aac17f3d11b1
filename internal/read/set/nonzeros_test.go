package set_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// Rows of every length around a word of 64, of all kinds of values and parts of zeros, against the definition.
func TestCompress(t *testing.T) {
	values := []float32{1, -1, math.SmallestNonzeroFloat32, -math.MaxFloat32, float32(math.Inf(-1)), float32(math.NaN())}
	zeros := []float32{0, float32(math.Copysign(0, -1))}
	r := rand.New(rand.NewPCG(1, 2))
	for length := range 200 {
		for _, share := range []float64{0, 0.2, 0.8, 1} {
			row := make([]float32, length)
			var index []uint32
			for k := range row {
				if row[k] = zeros[r.IntN(2)]; r.Float64() < share {
					row[k] = values[r.IntN(len(values))]
					index = append(index, uint32(k))
				}
			}
			for _, room := range []int{len(index), len(index) + 3, max(0, len(index)-1)} {
				got, value := make([]uint32, room), make([]float32, room)
				n := set.Compress(got, value, row)
				if n != min(room, len(index)) {
					t.Fatalf("%v, room %d: found %d, expected %d", row, room, n, len(index))
				}
				for k := range n {
					if got[k] != index[k] || math.Float32bits(value[k]) != math.Float32bits(row[index[k]]) {
						t.Fatalf("%v: found %v of column %d, expected column %d", row, value[k], got[k], index[k])
					}
				}
			}
		}
	}
}
