package scaling_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// scaleTable is 4 x 3: a column of numbers with mean 5 and deviation 2, a constant
// one, and one that is mostly zero.
func scaleTable(dense bool) *data.Set {
	rows := [][]float32{{3, 7, 0}, {7, 7, 0}, {3, 7, 0}, {7, 7, -4}}
	if dense {
		return &data.Set{X: &matrix.Dense{Rows: 4, Cols: 3, Value: slices.Concat(rows...)}}
	}
	m := &matrix.CSR{}
	for _, r := range rows {
		var index []uint32
		var value []float32
		for j, v := range r {
			if v != 0 {
				index, value = append(index, uint32(j)), append(value, v)
			}
		}
		m.Append(index, value)
	}
	return &data.Set{X: m}
}

func TestScaling(t *testing.T) {
	sqrt3 := float32(math.Sqrt(3)) // third column: mean -1, squares 3*1+9 = 12, deviation sqrt(3)
	for _, c := range []struct {
		name, kind string
		set        *data.Set
		want       [][]float32 // first and last row, dense
	}{
		{"max", "max", scaleTable(true), [][]float32{{3. / 7, 1, 0}, {1, 1, -1}}},
		{"max sparse", "max", scaleTable(false), [][]float32{{3. / 7, 1, 0}, {1, 1, -1}}},
		{"std dense is centred", "std", scaleTable(true), [][]float32{{-1, 7, 1 / sqrt3}, {1, 7, -3 / sqrt3}}},
		{"std sparse is not", "std", scaleTable(false), [][]float32{{1.5, 7, 0}, {3.5, 7, -4 / sqrt3}}},
		{"std of a table is centred", "std", &data.Set{X: scaleTable(false).X, Schema: &data.Schema{Target: -1, Weight: -1, Columns: make([]data.Column, 3)}},
			[][]float32{{-1, 7, 1 / sqrt3}, {1, 7, -3 / sqrt3}}},
		{"indicators are left alone", "std", &data.Set{X: scaleTable(false).X, Schema: &data.Schema{Target: -1, Weight: -1,
			Columns: []data.Column{{Category: []string{"a", "b", "c"}}}}}, [][]float32{{3, 7, 0}, {7, 7, -4}}},
	} {
		s, err := scaling.New(c.kind, c.set)
		if err != nil {
			t.Fatal(err)
		}
		m := s.Matrix(c.set.X)
		for k, i := range []int{0, 3} {
			got := make([]float64, 3)
			m.Row(i).AddTo(got, 1)
			for j, want := range c.want[k] {
				if math.Abs(got[j]-float64(want)) > 1e-6 {
					t.Errorf("%s: row %d = %v, want %v", c.name, i, got, c.want[k])
					break
				}
			}
		}
	}
}

func TestScalingNamesAndRestore(t *testing.T) {
	if s, err := scaling.New("none", scaleTable(true)); s != nil || err != nil {
		t.Errorf("none: %v, %v; want nothing", s, err)
	}
	if _, err := scaling.New("sdt", scaleTable(true)); err == nil || err.Error() != `unknown scaling "sdt": did you mean "std"? known: none, max, std` {
		t.Errorf("unknown: %v", err)
	}
	if _, err := scaling.Restore("std", []float64{0}, []float64{math.Inf(1)}); err == nil {
		t.Error("an infinite factor was accepted")
	}
	if _, err := scaling.Restore("std", []float64{0}, nil); err == nil {
		t.Error("different lengths were accepted")
	}
}

// A value that scaling takes out of single precision is named, and none that it does not.
func TestScalingRange(t *testing.T) {
	s, err := scaling.Restore("std", []float64{0, 3e38, 0}, []float64{1e38, 1, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		row  []float32
		want string
	}{
		{[]float32{3.3, 0, 3.4e38}, ""},
		{[]float32{-3.5, 0, 0}, "row 2: feature 1: found -3.5, which is -3.5e+38 when scaled"},
		{[]float32{0, -3e38, 0}, "row 2: feature 2: found -3e+38, which is -6e+38 when scaled"},
		{[]float32{0, 0, 0, 3e38}, ""}, // a feature that the scaling does not know
	} {
		x := &matrix.Dense{Rows: 2, Cols: len(c.row), Value: append(make([]float32, len(c.row)), c.row...)}
		err := s.Range(x, 1)
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && (c.want == "" || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%v: found %v, expected %q", c.row, err, c.want)
		}
		for _, scaled := range s.Row(matrix.Vector{}, matrix.Vector{Value: c.row[:3]}).Value {
			if math.IsInf(float64(scaled), 0) && c.want == "" {
				t.Errorf("%v: passes, but is scaled to %v", c.row, scaled)
			}
		}
	}
}

// Rows of any matrix can be scaled: some of dense rows, or dense ones beside sparse ones.
func TestScalingOfSubsets(t *testing.T) {
	dense := &matrix.Dense{Rows: 4, Cols: 2, Value: []float32{1, 10, 2, 20, 3, 30, 4, 60}}
	set := &data.Set{X: matrix.Subset(dense, []int{0, 2, 3})}
	scaling, err := scaling.New("max", set)
	if err != nil {
		t.Fatal(err)
	}
	x := scaling.Matrix(set.X)
	if rows, cols := x.Dims(); rows != 3 || cols != 2 || x.Row(2).Dot([]float64{1, 1}) != 2 || x.Row(1).Dot([]float64{4, 2}) != 4 {
		t.Errorf("found %d rows of %d features, %v", rows, cols, x)
	}
}
