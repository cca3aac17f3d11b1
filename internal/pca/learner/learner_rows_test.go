package learner

import (
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// drawnRows returns random rows, a third of the values not zero, dense or sparse,
// with an offset and factors or without.
func drawnRows(rng *rand.Rand, n, d int, sparse, moved bool) view.Rows {
	x := &matrix.CSR{Cols: d, Start: []int64{0}, Index: []uint32{}}
	full := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		var index []uint32
		var value []float32
		for j := range d {
			if rng.IntN(3) == 0 {
				v := float32(rng.NormFloat64())
				index, value = append(index, uint32(j)), append(value, v)
				full.Value[i*d+j] = v
			}
		}
		x.Append(index, value)
	}
	x.Cols = d
	r := view.Rows{X: full}
	if sparse {
		r.X = x
	}
	if moved {
		r.Offset, r.Factor = numbers(rng, d), numbers(rng, d)
	}
	return r
}

// numbers returns d standard normal numbers.
func numbers(rng *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	return x
}

// secondOf returns Sigma, formed from the rows as they are seen.
func secondOf(r view.Rows) []float64 {
	n, d := r.Dims()
	a, x := make([]float64, d*d), make([]float64, d)
	for i := range n {
		r.Row(x, i)
		for j, v := range x {
			vec.Axpy64(a[j*d:(j+1)*d], v/float64(n), x)
		}
	}
	return a
}

// farthest returns the largest difference of two lists.
func farthest(a, b []float64) (worst float64) {
	for i := range a {
		worst = max(worst, max(a[i]-b[i], b[i]-a[i]))
	}
	return worst
}
