package reduce

import (
	"github.com/fenchel-ml/fenchel/matrix"
)

// The rows of the lower bound.

// Orthogonal is the set of the lower bound (thesis, section 2.10.6): the basis e_1, ..., e_d of
// d = R^2 dimensions, by which a classifier of |u|^2 = R^2 has every row right by the margin 1,
// and one with fewer than R^2/2 support vectors has at least half as many wrong. Row i has the
// target y[i].
func Orthogonal(y []float64) matrix.Matrix {
	d := len(y)
	m := &matrix.CSR{Cols: d, Start: []int64{0}}
	for i := range d {
		m.Append([]uint32{uint32(i)}, []float32{1})
	}
	return m
}
