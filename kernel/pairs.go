package kernel

import (
	"fmt"
	"iter"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// pairs gives the values of x and y in each column where one is stored, in the
// order of the columns. A sum over pairs that adds 0 for a pair of zeros has the
// same bits for rows stored dense and sparse.
func pairs(x, y matrix.Vector) iter.Seq2[float64, float64] {
	if x.Index == nil && y.Index == nil {
		return densePairs(x.Value, y.Value)
	}
	return func(yield func(a, b float64) bool) {
		for i, j := 0, 0; i < len(x.Value) || j < len(y.Value); {
			column, a, b := math.MaxInt, 0.0, 0.0
			if i < len(x.Value) {
				column = x.Column(i)
			}
			if j < len(y.Value) && y.Column(j) <= column {
				if y.Column(j) < column {
					column = -1 // that of y
				}
				b = float64(y.Value[j])
				j++
			}
			if column >= 0 {
				a = float64(x.Value[i])
				i++
			}
			if !yield(a, b) {
				return
			}
		}
	}
}

// densePairs is pairs of rows that store every value up to some column.
func densePairs(x, y []float32) iter.Seq2[float64, float64] {
	return func(yield func(a, b float64) bool) {
		if len(x) < len(y) {
			for j, b := range y {
				a := float32(0)
				if j < len(x) {
					a = x[j]
				}
				if !yield(float64(a), float64(b)) {
					return
				}
			}
			return
		}
		for j, a := range x {
			b := float32(0)
			if j < len(y) {
				b = y[j]
			}
			if !yield(float64(a), float64(b)) {
				return
			}
		}
	}
}

// dense returns the values of two rows that store as many of them, every one. A
// loop over these takes half the time of one over pairs.
func dense(x, y matrix.Vector) (a, b []float32, ok bool) {
	return x.Value, y.Value, x.Index == nil && y.Index == nil && len(x.Value) == len(y.Value)
}

// notNegative refuses rows with a value below 0.
func notNegative(name string, x matrix.Matrix) (matrix.Matrix, error) {
	n, _ := x.Dims()
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			if !(v >= 0) {
				return nil, fmt.Errorf("kernel %q: row %d, column %d: found %g, expected a number >= 0", name, i+1, row.Column(k)+1, v)
			}
		}
	}
	return x, nil
}
