package matrix

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// rounded returns the numbers in single precision.
func rounded(value []float64) []float32 {
	single := make([]float32, len(value))
	for k, x := range value {
		single[k] = float32(x)
	}
	return single
}

// TestDouble compares products of rows of double precision, dense and sparse, whole, in parts and in subsets, with plain
// sums: they differ from those of the rounded rows.
func TestDouble(t *testing.T) {
	value := []float64{1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8}
	dense := must(NewDouble(&Dense{Rows: 4, Cols: 2, Value: rounded(value)}, value))
	sparse := must(NewDouble(&CSR{Cols: 2, Start: []int64{0, 1, 1, 3, 4}, Index: []uint32{0, 0, 1, 1}, Value: rounded(value[:4])}, value[:4]))
	w := []float64{0.3, -0.7}
	for _, c := range []struct {
		Matrix
		rows [][]float64
	}{
		{dense, [][]float64{{1.1, 2.2}, {3.3, 4.4}, {5.5, 6.6}, {7.7, 8.8}}},
		{sparse, [][]float64{{1.1, 0}, {0, 0}, {2.2, 3.3}, {0, 4.4}}},
		{Part(Part(dense, 1, 4), 1, 3), [][]float64{{5.5, 6.6}, {7.7, 8.8}}},
		{Subset(sparse, []int{2, 0}), [][]float64{{2.2, 3.3}, {1.1, 0}}},
		{Subset(dense, []uint32{3, 3}), [][]float64{{7.7, 8.8}, {7.7, 8.8}}},
		{Subset(Part(sparse, 1, 4), []int{1}), [][]float64{{2.2, 3.3}}},
	} {
		m, rows := c.Matrix, c.rows
		n := len(rows)
		dots, norms, sum, want := make([]float64, n), make([]float64, n), make([]float64, 2), make([]float64, 2)
		scale := []float64{2.5, 0, -1, 3}[:n]
		Dots(dots, m, 0, w)
		SquaredNorms(norms, m, 0)
		AddRows(sum, m, 0, scale)
		for i, x := range rows {
			if d, q := x[0]*w[0]+x[1]*w[1], x[0]*x[0]+x[1]*x[1]; math.Abs(dots[i]-d) > 1e-14 || math.Abs(norms[i]-q) > 1e-13 {
				t.Errorf("%T, row %d: found %v and %v, expected %v and %v", m, i, dots[i], norms[i], d, q)
			}
			want[0], want[1] = want[0]+scale[i]*x[0], want[1]+scale[i]*x[1]
			v := m.Row(i)
			for k, exact := range Values(nil, m, i) {
				if exact != x[v.Column(k)] || v.Value[k] != float32(exact) {
					t.Errorf("%T, row %d: found %v, rounded to %v, expected %v", m, i, exact, v.Value[k], x[v.Column(k)])
				}
			}
		}
		if math.Abs(sum[0]-want[0])+math.Abs(sum[1]-want[1]) > 1e-13 {
			t.Errorf("%T: found the sum %v, expected %v", m, sum, want)
		}
		if !IsDouble(m) || Nonzeros(dense) != 8 || Check(m) != nil {
			t.Errorf("%T: found rows of single precision, or wrong ones: %v", m, Check(m))
		}
	}
	if IsDouble(Single(dense)) || IsDouble(Part(Single(dense), 0, 2)) || !slices.Equal(Values(nil, Single(dense), 1), []float64{float64(float32(3.3)), float64(float32(4.4))}) {
		t.Error("found rows of double precision, expected those that are rounded")
	}
}

// TestDoubleRefused: rows that are no matrix of their own, too few values, and numbers that single precision has none for.
func TestDoubleRefused(t *testing.T) {
	large := []float64{1, 1e39}
	for _, c := range []struct {
		m     Matrix
		value []float64
		want  string
	}{
		{Part(&CSR{Cols: 1, Start: []int64{0}}, 0, 0), nil, "expected *matrix.Dense or *matrix.CSR"},
		{&Dense{Rows: 1, Cols: 2, Value: []float32{1, 2}}, []float64{1}, "found 1 values, expected 2"},
		{&Dense{Rows: 1, Cols: 2, Value: rounded(large)}, large, "row 1: column 2: found 1e+39, expected a magnitude of at most 3.4e38"},
	} {
		d, err := NewDouble(c.m, c.value)
		if err == nil {
			err = Check(d)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found %v, expected %q", err, c.want)
		}
	}
}
