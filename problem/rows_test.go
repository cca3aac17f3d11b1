package problem

import (
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

func TestMeanSquaredNorm(t *testing.T) {
	r := NewRows(&matrix.Dense{Rows: 3, Cols: 2, Value: []float32{1, 2, 0, 0, 3, 4}}, 2)
	if got := r.MeanSquaredNorm(); got != 10 {
		t.Errorf("mean squared norm %v, want 10", got)
	}
	clear(r.SquaredNorm) // to see that they are summed once
	if got := r.MeanSquaredNorm(); got != 10 {
		t.Errorf("mean squared norm %v the second time", got)
	}
}

// TestManyRowsRoundLittle: the bound on the rounding of a sum over rows does not grow with their number.
func TestManyRowsRoundLittle(t *testing.T) {
	const n, d = 200000, 3
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i%7) - 2.75
		for j := range d {
			x.Value[i*d+j] = float32((i*(j+3))%11) - 5
		}
	}
	sum, chain := NewRows(x, 2).Combine(v)
	if chain > 4*blockRows+20 {
		t.Errorf("a chain of %d additions of %d rows", chain, n)
	}
	for j := range d {
		exact := 0.0 // of multiples of a quarter
		for i, v := range v {
			exact += v * float64(x.Value[i*d+j])
		}
		if sum[j] != exact {
			t.Errorf("column %d: %g, expected %g", j, sum[j], exact)
		}
	}
}
