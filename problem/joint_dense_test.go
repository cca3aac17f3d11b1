package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// TestJointOfDenseRows: products of matrices give the bits of one row after the other, whether the rows are stored
// with their zeros or without, and whatever the number of rows that are taken at a time.
func TestJointOfDenseRows(t *testing.T) {
	random := rand.New(rand.NewPCG(44, 5))
	for _, d := range []int{1, 5, 33} {
		n, k := 3*denseRows+7, 4
		value, y := make([]float32, n*d), make([]uint32, n)
		csr := &matrix.CSR{Cols: d, Start: []int64{0}}
		for i := range n {
			var index []uint32
			var kept []float32
			for j := range d {
				if random.IntN(4) > 0 {
					value[i*d+j] = float32(random.NormFloat64())
					index, kept = append(index, uint32(j)), append(kept, value[i*d+j])
				}
			}
			csr.Append(index, kept)
			y[i] = uint32(i % k)
		}
		w, v := make([]float64, (d+1)*k), make([]float64, n*k)
		for _, x := range [][]float64{w, v} {
			for j := range x {
				x[j] = random.NormFloat64()
			}
		}
		wantScores, wantSum := make([]float64, n*k), make([]float64, (d+1)*k)
		var sums [2][]float64
		for c, x := range []matrix.Matrix{&matrix.Dense{Rows: n, Cols: d, Value: value}, csr} {
			p, err := NewJoint(NewRows(x, 2), y, k, nil, joint.Softmax{}, penalty.L2{}, 1, Free)
			if err != nil {
				t.Fatal(err)
			}
			if !p.dense() {
				t.Fatal("the rows are not dense: nothing is shown")
			}
			scores, sum := make([]float64, n*k), make([]float64, (d+1)*k)
			p.PredictTo(scores, w)
			p.CombineTo(sum, v)
			sums[c] = sum
			for i := range n {
				own := wantScores[i*k : (i+1)*k]
				copy(own, w[d*k:])
				addProducts(own, csr.Row(i), w)
			}
			for i, s := range scores {
				if s != wantScores[i] {
					t.Fatalf("d=%d, matrix %d: score %v, row by row %v", d, c, s, wantScores[i])
				}
			}
		}
		for i := range n {
			addOuter(wantSum, csr.Row(i), v[i*k:(i+1)*k])
			for c := range k {
				wantSum[d*k+c] += v[i*k+c]
			}
		}
		for j := range wantSum {
			if sums[0][j] != sums[1][j] || math.Abs(sums[0][j]-wantSum[j]) > 1e-11 {
				t.Fatalf("d=%d: sums %v and %v, row by row %v", d, sums[0][j], sums[1][j], wantSum[j])
			}
		}
	}
}
