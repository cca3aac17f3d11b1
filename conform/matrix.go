package conform

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Matrix examines the laws of matrix.Matrix: want is a dense copy, row after
// row, of what m should hold.
func Matrix(m matrix.Matrix, want [][]float32) error {
	f := &findings{}
	rows, cols := m.Dims()
	f.check(rows == len(want), "Dims counts the rows", "found %d, expected %d", rows, len(want))
	if rows != len(want) {
		return f.err()
	}
	for i, row := range want {
		f.check(cols == len(row), "Dims counts the columns", "found %d, expected %d", cols, len(row))
		if matrixRow(f, m.Row(i), cols, i) {
			matrixValues(f, m.Row(i), row, i)
		}
	}
	return f.err()
}

// matrixRow checks the shape of row i and reports whether its values can be
// looked at.
func matrixRow(f *findings, v matrix.Vector, cols, i int) bool {
	if v.Index == nil {
		f.check(len(v.Value) == cols, "a dense row has a value for each column", "row %d: %d values, %d columns", i, len(v.Value), cols)
		return len(v.Value) == cols
	}
	ok := len(v.Index) == len(v.Value)
	f.check(ok, "a sparse row has a column for each value", "row %d: %d and %d", i, len(v.Index), len(v.Value))
	before := -1
	for _, j := range v.Index {
		increasing := int(j) > before && int(j) < cols
		f.check(increasing, "columns increase strictly", "row %d: column %d after %d, of %d", i, j, before, cols)
		ok, before = ok && increasing, int(j)
	}
	return ok
}

// matrixValues compares row i with its dense copy, value by value and through
// the methods of Vector.
func matrixValues(f *findings, v matrix.Vector, want []float32, i int) {
	dense := make([]float32, len(want))
	for k, x := range v.Value {
		dense[v.Column(k)] = x
	}
	w, sum := make([]float64, len(want)), make([]float64, len(want))
	dot, square, size := 0.0, 0.0, 0.0
	for j, x := range want {
		f.check(math.Float32bits(dense[j]) == math.Float32bits(x) || dense[j] == x, "rows hold the values", "row %d, column %d: %g, expected %g", i, j, dense[j], x)
		w[j] = 1 / float64(j+3)
		sum[j] = float64(j)
		dot += w[j] * float64(x)
		size += math.Abs(w[j] * float64(x))
		square += float64(x) * float64(x)
	}
	f.check(math.Abs(v.Dot(w)-dot) <= 1e-12*size, "Dot is the inner product", "row %d: %g, expected %g", i, v.Dot(w), dot)
	f.check(math.Abs(v.SquaredNorm()-square) <= 1e-12*square, "SquaredNorm", "row %d: %g, expected %g", i, v.SquaredNorm(), square)
	v.AddTo(sum, -2)
	for j, x := range want {
		expected := float64(j) - 2*float64(x)
		f.check(math.Abs(sum[j]-expected) <= 1e-12*(1+math.Abs(expected)), "AddTo adds a multiple", "%s", fmt.Sprintf("row %d, column %d: %g, expected %g", i, j, sum[j], expected))
	}
}
