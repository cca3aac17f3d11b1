package attack

import (
	"math"

	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The largest sets: the judge is slow, and what goes wrong goes wrong in small
// ones.
const (
	mostRows     = 60
	mostFeatures = 30
)

// rows draws values of n rows: columns of all kinds of sizes, some constant, some
// the same, many of zeros; rows that are repeated, or zero.
func (r draw) rows(n, d int, wild bool) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
	}
	zeros := one(r, 0, 0, 30, 80)
	for j := range d {
		value := r.NormFloat64
		if wild {
			value = r.values()
		}
		switch {
		case j > 0 && r.chance(8): // a column twice
			from := r.IntN(j)
			for i := range x {
				x[i][j] = x[i][from]
			}
			continue
		case r.chance(6): // a constant one
			constant := value()
			value = func() float64 { return constant }
		}
		for i := range x {
			if !r.chance(zeros) {
				x[i][j] = float64(float32(value()))
			}
		}
	}
	for i := range x {
		switch {
		case i > 0 && r.chance(10):
			copy(x[i], x[r.IntN(i)])
		case r.chance(4):
			clear(x[i])
		}
	}
	return x
}

// notNegative makes histograms of rows.
func notNegative(x [][]float64) {
	for _, row := range x {
		for j, v := range row {
			row[j] = math.Abs(v)
		}
	}
}

// strings draws rows of whole numbers, the symbols of a small alphabet.
func (r draw) strings(n, longest int) [][]float64 {
	x := make([][]float64, n)
	letters := 1 + r.IntN(4)
	for i := range x {
		x[i] = make([]float64, longest)
		for j := range r.IntN(longest + 1) {
			x[i][j] = float64(1 + r.IntN(letters))
		}
		if i > 0 && r.chance(10) {
			copy(x[i], x[r.IntN(i)])
		}
	}
	return x
}

// graphs draws rows of graphs as the kernel wl takes them.
func (r draw) graphs(n int) [][]float64 {
	const most = 5
	x := make([][]float64, n)
	for i := range x {
		vertices := 1 + r.IntN(most)
		row := []float64{float64(vertices)}
		for range vertices {
			row = append(row, float64(1+r.IntN(3)))
		}
		for range r.IntN(4) {
			row = append(row, float64(1+r.IntN(vertices)), float64(1+r.IntN(vertices)))
		}
		x[i] = append(row, make([]float64, 16-len(row))...)
	}
	return x
}

// gram draws a symmetric matrix of kernel values: positive semidefinite, so up to
// roundings, or indefinite.
func (r draw) gram(n int) [][]float64 {
	rank := 1 + r.IntN(n+2)
	images := r.rows(n, rank, false)
	x := make([][]float64, n)
	size := one(r, 1, 1, r.power(-10, 10))
	for i := range x {
		x[i] = make([]float64, n)
		for j := range i + 1 {
			for c := range rank {
				x[i][j] += images[i][c] * images[j][c]
			}
			x[i][j] = float64(float32(size * x[i][j]))
			x[j][i] = x[i][j]
		}
	}
	i, j := r.IntN(n), r.IntN(n)
	switch r.IntN(6) {
	case 0: // a value that no inner product has
		x[i][j] = float64(float32(r.sign() * size * r.power(-6, 3)))
		x[j][i] = x[i][j]
	case 1: // the identity, and one value just too large
		for i := range x {
			clear(x[i])
			x[i][i] = 1
		}
		if i != j {
			x[i][j] = float64(float32(1 + one(r, 1e-7, 4.8e-7, 1e-5, 1e-3, 1, 4)))
			x[j][i] = x[i][j]
		}
	case 2: // a diagonal too small
		x[i][i] = float64(float32(x[i][i] * (1 - r.power(-8, 0))))
	}
	return x
}

// matrixOf stores rows dense or sparse, in single or double precision.
func (r draw) matrixOf(x [][]float64, cols int) matrix.Matrix {
	m, wide := r.single(x, cols), []float64{}
	if r.chance(70) {
		return m
	}
	for i, row := range x {
		v := m.Row(i)
		for k := range v.Value {
			wide = append(wide, row[v.Column(k)])
		}
	}
	double, err := matrix.NewDouble(m, wide)
	if err != nil {
		panic(err)
	}
	return double
}

// single is matrixOf in single precision.
func (r draw) single(x [][]float64, cols int) matrix.Matrix {
	if r.chance(50) {
		m := &matrix.Dense{Rows: len(x), Cols: cols, Value: []float32{}}
		for _, row := range x {
			m.Value = append(m.Value, exact.Row32(row).Value...)
		}
		return m
	}
	m := &matrix.CSR{Cols: cols, Start: []int64{0}, Index: []uint32{}, Value: []float32{}}
	for _, row := range x {
		index, value := []uint32{}, []float32{}
		for j, v := range row {
			if v != 0 {
				index, value = append(index, uint32(j)), append(value, float32(v))
			}
		}
		m.Append(index, value)
	}
	return m
}

// dense returns the values of a matrix.
func dense(m matrix.Matrix) [][]float64 {
	n, d := m.Dims()
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
		row := m.Row(i)
		for k, v := range matrix.Values(nil, m, i) {
			x[i][row.Column(k)] = v
		}
	}
	return x
}
