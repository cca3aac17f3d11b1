package linear

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// TestArrange: each block has the rows that it had, those of one length in the order that
// they had, short ones first; numbers of the rows go with them.
func TestArrange(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	x := &matrix.CSR{}
	index, value := make([]uint32, 200), make([]float32, 200)
	for j := range index {
		index[j] = uint32(j)
	}
	var rows []uint32
	for i := range 3 * blockRows {
		n := r.IntN(150)
		x.Append(index[:n], value[:n])
		if r.IntN(4) > 0 {
			rows = append(rows, uint32(i))
		}
	}
	length := func(i uint32) int { return min(x.Row(int(i)).Nonzeros(), mostLengths-1) }
	want := slices.Clone(rows)
	for block := range slices.Chunk(want, blockRows) {
		slices.SortStableFunc(block, func(a, b uint32) int { return length(a) - length(b) })
	}
	arranged := slices.Clone(rows)
	arrange(arranged, x)
	if !slices.Equal(arranged, want) {
		t.Error("rows are not in order of their lengths")
	}
	numbers, places := make([]float64, 3*blockRows), make([]int32, len(rows))
	for i := range numbers {
		numbers[i] = float64(i)
	}
	for k, i := range arranged {
		places[k] = int32(i)
	}
	for k, v := range kept(numbers, places) {
		if v != float64(arranged[k]) {
			t.Fatalf("number %d is of row %g, expected %d", k, v, arranged[k])
		}
	}
	arrange(arranged, &matrix.Dense{})
	if !slices.Equal(arranged, want) {
		t.Error("rows of a dense matrix have moved")
	}
}
