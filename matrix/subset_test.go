package matrix_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestSubset compares with rows picked by hand, from every storage, and with a
// part of a part.
func TestSubset(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	all := table(r, 30, 12)
	for _, numbers := range [][]int{{}, {7}, {29, 0, 3, 3, 12}, r.Perm(30)} {
		var want, half [][]float32
		for _, i := range numbers {
			want = append(want, all[i])
		}
		var even []int
		for k := 0; k < len(numbers); k += 2 {
			even, half = append(even, k), append(half, want[k])
		}
		for _, m := range []matrix.Matrix{dense(all, 12), sparse(all, 12)} {
			p := matrix.Subset(m, numbers)
			if err := conform.Matrix(p, want); err != nil {
				t.Errorf("%T, rows %v: %v", m, numbers, err)
			}
			if err := conform.Matrix(matrix.Subset(p, even), half); err != nil {
				t.Errorf("%T, every second of rows %v: %v", m, numbers, err)
			}
		}
	}
}
