package scaling_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The scaling of parts of the rows is that of all rows at once, also of means that are almost 0 beside the values.
func TestColumnsOfParts(t *testing.T) {
	const n, d = 60000, 3
	r := rand.New(rand.NewPCG(3, 3))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n / 2 {
		a := 1000 * float32(r.NormFloat64())
		x.Value[i*d], x.Value[(n-1-i)*d] = a, -a // cancels but for what follows
		x.Value[i*d+1], x.Value[(n-1-i)*d+1] = 1e8, 1e8+8
		x.Value[i*d+2] = a * float32(i%2)
	}
	x.Value[0] += 1e-3
	sparse := &matrix.CSR{}
	for i := range n {
		var index []uint32
		var value []float32
		for j, v := range x.Row(i).Value {
			if v != 0 {
				index, value = append(index, uint32(j)), append(value, v)
			}
		}
		sparse.Append(index, value)
	}
	for _, m := range []matrix.Matrix{x, sparse} {
		for _, kind := range []string{"max", "std"} {
			want, err := scaling.New(kind, &data.Set{X: m})
			if err != nil {
				t.Fatal(err)
			}
			var parts, about []*scaling.Columns
			for lo := 0; lo < n; lo += 7000 {
				parts = append(parts, scaling.NewColumns(matrix.Part(m, lo, min(lo+7000, n)), nil))
			}
			c := scaling.Total(parts)
			for lo := 0; lo < n; lo += 7000 {
				about = append(about, scaling.NewColumns(matrix.Part(m, lo, min(lo+7000, n)), c.Mean()))
			}
			c.Squares = scaling.Total(about).Squares
			got, err := c.Scaling(kind, m == matrix.Matrix(x))
			if err != nil {
				t.Fatal(err)
			}
			for j := range d {
				if math.Abs(got.Factor[j]-want.Factor[j]) > 1e-14*want.Factor[j] || math.Abs(got.Offset[j]-want.Offset[j]) > 1e-14*math.Abs(want.Offset[j]) {
					t.Errorf("%T, %s, feature %d: found %g and %g, expected %g and %g", m, kind, j, got.Factor[j], got.Offset[j], want.Factor[j], want.Offset[j])
				}
			}
		}
	}
	if s, err := (&scaling.Columns{}).Scaling("none", true); s != nil || err != nil {
		t.Errorf("none: found %v, %v", s, err)
	}
	if _, err := (&scaling.Columns{}).Scaling("sd", true); err == nil {
		t.Error("sd: found no error")
	}
}
