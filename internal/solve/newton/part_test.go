package newton

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
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
	for i := range 3 * parts.BlockRows {
		n := r.IntN(150)
		x.Append(index[:n], value[:n])
		if r.IntN(4) > 0 {
			rows = append(rows, uint32(i))
		}
	}
	length := func(i uint32) int { return x.Row(int(i)).Nonzeros() }
	want := slices.Clone(rows)
	for block := range slices.Chunk(want, parts.BlockRows) {
		slices.SortStableFunc(block, func(a, b uint32) int { return length(a) - length(b) })
	}
	arranged := slices.Clone(rows)
	arrange(arranged, x)
	if !slices.Equal(arranged, want) {
		t.Error("rows are not in order of their lengths")
	}
	numbers, places := make([]float64, 3*parts.BlockRows), make([]int32, len(rows))
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

// TestParts: rows that are copied, left out and added again are those of the
// problem, sparse and dense.
func TestParts(t *testing.T) {
	for _, sparse := range []bool{true, false} {
		p := draw.Problem(loss.Hinge{}, "l2", problem.None, 50, 4, sparse)
		q := subset(p, []uint32{1, 4, 20, 21, 48, 49})
		same(t, p, q, 1, 4, 20, 21, 48, 49)
		shorten(q, []int32{0, 3, 5})
		same(t, p, q, 1, 21, 49)
		lengthen(q, p, []uint32{2, 20})
		same(t, p, q, 1, 21, 49, 2, 20)
		if q.N != p.N {
			t.Errorf("N = %v, want %v", q.N, p.N)
		}
	}
}

// same compares q with the given rows of p.
func same(t *testing.T, p, q *problem.Linear, rows ...int) {
	t.Helper()
	if n, d := q.Dims(); n != len(rows) || d != 4 || len(q.Y) != n || len(q.S) != n || q.Nonzeros != matrix.Nonzeros(q.X) {
		t.Fatalf("%d rows of %d, %d targets, %d weights, %d nonzeros", n, d, len(q.Y), len(q.S), q.Nonzeros)
	}
	for k, i := range rows {
		want, got := p.X.Row(i), q.X.Row(k)
		if !slices.Equal(want.Value, got.Value) || !slices.Equal(want.Index, got.Index) || (want.Index == nil) != (got.Index == nil) || q.Y[k] != p.Y[i] || q.S[k] != p.S[i] {
			t.Errorf("row %d is %v, want %v", k, got, want)
		}
	}
}
