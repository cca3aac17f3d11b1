package gram

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestScores compares with Eval, for supports and rows of all storages, and rows
// with columns that the support does not know; alone and together.
func TestScores(t *testing.T) {
	const n, m, outputs = 300, 70, 3
	sparse, dense, wide := stored(11, n, 30)
	narrow, denseRows, far := stored(12, m, 33)
	for i := range narrow.Index { // as far apart as those of the support
		far.Index[i] = narrow.Index[i] * (mostColumns + 9)
	}
	r := rand.New(rand.NewPCG(11, 2))
	coefficients := make([][]float64, outputs)
	for c := range coefficients {
		for range n {
			coefficients[c] = append(coefficients[c], r.NormFloat64())
		}
	}
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.RBF{Gamma: 0.1}, outer{kernel.RBF{Gamma: 0.1}}} {
		want := make([]float64, m*outputs)
		for i := range m {
			for j := range n {
				value := k.Eval(narrow.Row(i), sparse.Row(j))
				for c := range outputs {
					want[i*outputs+c] += coefficients[c][j] * value
				}
			}
		}
		for _, pair := range [][2]matrix.Matrix{{sparse, narrow}, {dense, narrow}, {sparse, denseRows}, {dense, denseRows}, {wide, far}} {
			s := NewScorer(k, pair[0], coefficients)
			rows := make([]matrix.Vector, m)
			for i := range rows {
				rows[i] = pair[1].Row(i)
			}
			got := make([]float64, m*outputs)
			s.Scores(got, rows)
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-11 {
					t.Fatalf("%v of %T and %T: score %v of row %d, want %v", k, pair[0], pair[1], got[i], i/outputs, want[i])
				}
			}
			one := make([]float64, outputs)
			for i, row := range rows {
				s.Scores(one, []matrix.Vector{row})
				for c := range one {
					if one[c] != got[i*outputs+c] {
						t.Fatalf("%v: row %d alone has the score %v, among others %v", k, i, one[c], got[i*outputs+c])
					}
				}
			}
		}
	}
}

// TestScoresAllocateNothing once their memory has grown.
func TestScoresAllocateNothing(t *testing.T) {
	if racing {
		t.Skip("the race detector empties pools")
	}
	x, _, _ := stored(13, 100, 20)
	s := NewScorer(kernel.RBF{Gamma: 1}, x, [][]float64{make([]float64, 100)})
	row, dst := []matrix.Vector{x.Row(3)}, make([]float64, 1)
	if n := testing.AllocsPerRun(100, func() { s.Scores(dst, row) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A row may claim any column: what it costs to score it does not depend on that.
func TestScoresOfFarColumns(t *testing.T) {
	support := &matrix.CSR{Cols: 3}
	support.Append([]uint32{0, 2}, []float32{1, 2})
	support.Append([]uint32{1}, []float32{1})
	k := kernel.RBF{Gamma: 0.5}
	s := NewScorer(k, support, [][]float64{{1, -2}})
	rows := make([]matrix.Vector, 100)
	for i := range rows {
		rows[i] = matrix.Vector{Index: []uint32{2, math.MaxUint32}, Value: []float32{float32(i) / 50, 0.5}}
	}
	dst := make([]float64, len(rows))
	s.Scores(dst, rows)
	for i, row := range rows {
		if want := k.Eval(row, support.Row(0)) - 2*k.Eval(row, support.Row(1)); math.Abs(dst[i]-want) > 1e-14 {
			t.Errorf("row %d: score %v, expected %v", i, dst[i], want)
		}
	}
}
