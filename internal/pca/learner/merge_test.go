package learner

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// All components of two shards make those of all rows, centred or not.
func TestMerge(t *testing.T) {
	const n, d = 900, 6
	x := streamed(n, d, true)
	factor := []float64{1, 2, 0.5, 1, 3, 1}
	shard := func(x matrix.Matrix, center bool, k int) Shard {
		r, err := view.Preprocess(x, "none", center, 1)
		if err != nil {
			t.Fatal(err)
		}
		r.Factor = factor
		s := &momentSum{d: d, k: k, moment: make([]float64, d*d)}
		s.Learn(r)
		total, _ := r.Sizes(1)
		rows, _ := x.Dims()
		return Shard{Rows: rows, Basis: s.Basis(), Mean: r.Offset, Total: total}
	}
	for _, center := range []bool{true, false} {
		want := shard(x, center, 3)
		parts := []Shard{shard(matrix.Part(x, 0, 200), center, d), shard(matrix.Part(x, 200, n), center, d)}
		parts[0].Mean = parts[0].Mean[:len(parts[0].Mean):len(parts[0].Mean)]
		got := Merge(parts, factor, 3)
		if got.Rows != n || math.Abs(got.Total-want.Total) > 1e-10*want.Total {
			t.Errorf("center %v: found %d rows with the variance %.12g, expected %.12g", center, got.Rows, got.Total, want.Total)
		}
		for i := range 3 {
			if math.Abs(got.Basis.Value[i]-want.Basis.Value[i]) > 1e-10*want.Total {
				t.Errorf("center %v: found the eigenvalue %.12g, expected %.12g", center, got.Basis.Value[i], want.Basis.Value[i])
			}
		}
		if off := got.Basis.Departure(); off > 1e-12 {
			t.Errorf("center %v: the components are off by %g", center, off)
		}
		inside := 0.0 // the sum of the squared cosines between the spaces
		for i := range 3 {
			for j := range 3 {
				dot := vec.Dot64(want.Basis.Row(i), got.Basis.Row(j))
				inside += dot * dot
			}
		}
		if math.Abs(inside-3) > 1e-13 {
			t.Errorf("center %v: the spaces are %g apart", center, 3-inside)
		}
	}
}
