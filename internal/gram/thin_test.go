package gram

import (
	"math"
	"runtime"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// allocated returns how many bytes were taken so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestScoresOfThinSupport: a support vector may have its values in any columns, and
// what it takes to score rows does not grow with their numbers. Scores have the bits
// of those of columns without gaps.
func TestScoresOfThinSupport(t *testing.T) {
	far := []uint32{7, 1 << 21, 50_000_000}
	near := []uint32{0, 1, 2}
	machine := func(columns []uint32) (*matrix.CSR, []matrix.Vector) {
		support := &matrix.CSR{}
		support.Append(columns, []float32{1, -2, 0.5})
		support.Append(columns[2:], []float32{3})
		support.Append([]uint32{}, nil)
		rows := []matrix.Vector{{Index: columns[:2], Value: []float32{2, 1}}, {Index: columns, Value: []float32{0.25, 1, 1}}, {Index: []uint32{}}}
		return support, rows
	}
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.RBF{Gamma: 0.1}, kernel.Laplacian{Gamma: 0.3}, kernel.Poly{Degree: 2, Gamma: 1, Coef0: 1}} {
		x, rows := machine(near)
		expected := make([]float64, len(rows))
		NewScorer(k, x, [][]float64{{1, -2, 0.5}}).Scores(expected, rows)

		x, rows = machine(far)
		rows[0].Index, rows[0].Value = []uint32{7, 9, 1 << 21}, []float32{2, 0, 1} // 9 is in no support vector
		found := make([]float64, len(rows))
		before := allocated()
		NewScorer(k, x, [][]float64{{1, -2, 0.5}}).Scores(found, rows)
		bytes := allocated() - before
		for i := range found {
			if math.Float64bits(found[i]) != math.Float64bits(expected[i]) {
				t.Errorf("%v: row %d: found the score %v, expected %v", k, i+1, found[i], expected[i])
			}
		}
		if bytes > 4<<20 {
			t.Errorf("%v: found %d bytes taken for %d values, expected at most some millions", k, bytes, len(x.Value))
		}
	}
}
