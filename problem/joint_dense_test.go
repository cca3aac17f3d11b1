package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/loss"
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

// TestJointNumbersBounds: the errors of conjugates and losses of several targets are bounded by those of all targets
// together, and by what predictions are off.
func TestJointNumbersBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	const n, k = 40, 3
	x, y := &matrix.Dense{Rows: n, Cols: 1, Value: make([]float32, n)}, make([][]float64, k)
	v, off := make([]float64, n*k), make([]float64, n)
	for c := range y {
		for range n {
			y[c] = append(y[c], random.NormFloat64())
		}
	}
	for i := range v {
		v[i] = random.NormFloat64()
	}
	for i := range off {
		off[i] = 1e-3
	}
	p, err := NewJointNumbers(NewRows(x, 1), y, nil, loss.Squared{}, penalty.L2{}, 1, Free)
	if err != nil {
		t.Fatal(err)
	}
	value, bound := p.conjugates(v, 1)
	sum, bounds := 0.0, 0.0
	for c, one := range p.Numbers {
		x, err := one.conjugates(p.column(make([]float64, n), v, c), 1)
		sum, bounds = sum+x, bounds+err
	}
	if value != sum || !(bound >= bounds && bounds > 0) {
		t.Errorf("found %g with the bound %g, expected %g with at least %g", value, bound, sum, bounds)
	}
	exact, least := p.lossesOf(v, make([]float64, n), 0, n)
	again, most := p.lossesOf(v, off, 0, n)
	worst := 0.0
	for i := range v {
		worst += 1e-3 * math.Abs(v[i]-y[i%k][i/k])
	}
	if exact != again || !(most >= least+worst) {
		t.Errorf("found the losses %g and %g with the bounds %g and %g, which predictions move by %g", exact, again, least, most, worst)
	}
}
