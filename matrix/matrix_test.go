package matrix_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/matrix"
)

// table is a random dense table in which about one value in four is not zero;
// with some rows and columns that are all zero.
func table(r *rand.Rand, rows, cols int) [][]float32 {
	t := make([][]float32, rows)
	for i := range t {
		t[i] = make([]float32, cols)
		for j := range t[i] {
			if i%5 != 3 && j%7 != 2 && r.IntN(4) == 0 {
				t[i][j] = float32(r.NormFloat64())
			}
		}
	}
	return t
}

func dense(t [][]float32, cols int) *matrix.Dense {
	m, err := matrix.NewDense(len(t), cols, slices.Concat(t...))
	if err != nil {
		panic(err)
	}
	return m
}

func sparse(t [][]float32, cols int) *matrix.CSR {
	start, index, value := []int64{0}, []uint32{}, []float32{}
	for _, row := range t {
		for j, x := range row {
			if x != 0 {
				index, value = append(index, uint32(j)), append(value, x)
			}
		}
		start = append(start, int64(len(value)))
	}
	m, err := matrix.NewCSR(cols, start, index, value)
	if err != nil {
		panic(err)
	}
	return m
}

func transposed(t [][]float32, cols int) [][]float32 {
	u := make([][]float32, cols)
	for j := range u {
		u[j] = make([]float32, len(t))
		for i := range t {
			u[j][i] = t[i][j]
		}
	}
	return u
}

var shapes = [][2]int{{1, 1}, {1, 9}, {9, 1}, {5, 5}, {40, 23}, {3, 0}}

func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, shape := range shapes {
		want := table(r, shape[0], shape[1])
		appended := &matrix.CSR{Cols: shape[1]}
		for i := range want {
			row := sparse(want, shape[1]).Row(i)
			appended.Append(row.Index, row.Value)
		}
		for name, m := range map[string]matrix.Matrix{
			"dense": dense(want, shape[1]), "csr": sparse(want, shape[1]), "appended": appended,
			"twice transposed": matrix.Transpose(matrix.Transpose(sparse(want, shape[1]))),
		} {
			if err := conform.Matrix(m, want); err != nil {
				t.Errorf("%s, %v: %v", name, shape, err)
			}
		}
	}
}

// TestManyRows compares with one row after another, of every storage, and of a
// matrix that package matrix knows nothing about.
func TestManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, shape := range append(shapes, [2]int{200, 50}) {
		rows := table(r, shape[0], shape[1])
		w := make([]float64, shape[1])
		for j := range w {
			w[j] = r.NormFloat64()
		}
		for _, m := range []matrix.Matrix{dense(rows, shape[1]), sparse(rows, shape[1]), other{sparse(rows, shape[1])}} {
			for first := range shape[0] {
				dst := make([]float64, r.IntN(shape[0]-first)+1)
				matrix.Dots(dst, m, first, w)
				for k, got := range dst {
					if want := m.Row(first + k).Dot(w); got != want {
						t.Fatalf("%T, %v: row %d: %g, want %g", m, shape, first+k, got, want)
					}
				}
				norms := make([]float64, len(dst))
				matrix.SquaredNorms(norms, m, first)
				for k, got := range norms {
					if want := m.Row(first + k).SquaredNorm(); got != want {
						t.Fatalf("%T, %v: squared norm of row %d: %g, want %g", m, shape, first+k, got, want)
					}
				}
				dst[r.IntN(len(dst))] = 0
				got, want := slices.Clone(w), slices.Clone(w)
				matrix.AddRows(got, m, first, dst)
				for k, scale := range dst {
					m.Row(first+k).AddTo(want, scale)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%T, %v: rows %d to %d added to %g make %g, want %g", m, shape, first, first+len(dst), w, got, want)
				}
			}
		}
	}
}

// TestTranspose compares with transposing the dense table by hand, from both
// storages: values that are zero must not be stored.
func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, shape := range shapes {
		rows := table(r, shape[0], shape[1])
		want := transposed(rows, shape[1])
		for _, m := range []matrix.Matrix{dense(rows, shape[1]), sparse(rows, shape[1])} {
			got := matrix.Transpose(m)
			if shape[1] > 0 {
				if err := conform.Matrix(got, want); err != nil {
					t.Errorf("%T, %v: %v", m, shape, err)
				}
			}
			if slices.Contains(got.Value, 0) {
				t.Errorf("%T, %v: the transpose stores zeros", m, shape)
			}
			if _, err := matrix.NewCSR(got.Cols, got.Start, got.Index, got.Value); err != nil {
				t.Errorf("%T, %v: %v", m, shape, err)
			}
		}
	}
}

// TestTransposeUnless: it is asked on the way, in both passes, whether anybody needs the
// transpose, and nothing is made of it once nobody does.
func TestTransposeUnless(t *testing.T) {
	m := &matrix.CSR{Cols: 2}
	for range 5000 {
		m.Append([]uint32{1}, []float32{3})
	}
	for most := range 20 {
		asked := 0
		got := matrix.TransposeUnless(func() bool { asked++; return asked > most }, m)
		switch {
		case asked > most+1:
			t.Errorf("asked %d times more after the answer was yes", asked-most-1)
		case (got == nil) != (asked > most):
			t.Errorf("after %d times no: found %v", most, got)
		case got != nil && asked < 10:
			t.Errorf("asked only %d times for 5000 rows, twice", asked)
		}
	}
}

func TestNewCSRRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		cols    int64
		start   []int64
		index   []uint32
		values  int
		wantErr string
	}{
		{"good", 4, []int64{0, 2, 2, 3}, []uint32{0, 3, 1}, 3, ""},
		{"no rows", 4, []int64{0}, nil, 0, ""},
		{"widest", 1 << 32, []int64{0, 1}, []uint32{math.MaxUint32}, 1, ""},
		{"no offsets", 4, nil, nil, 0, "sparse matrix: row offsets must begin with 0"},
		{"first offset", 4, []int64{1, 1}, []uint32{0}, 1, "sparse matrix: row offsets must begin with 0"},
		{"too few", 4, []int64{0, 2}, []uint32{0}, 1, "sparse matrix: found 1 indices and 1 values, expected 2"},
		{"values", 4, []int64{0, 1}, []uint32{0}, 2, "sparse matrix: found 1 indices and 2 values, expected 1"},
		{"columns", -1, []int64{0, 0}, nil, 0, "sparse matrix: found -1 columns, expected at most 2^32"},
		{"too wide", 1<<32 + 1, []int64{0, 0}, nil, 0, "sparse matrix: found 4294967297 columns, expected at most 2^32"},
		{"backwards", 4, []int64{0, 2, 1, 3}, []uint32{0, 1, 2}, 3, "sparse matrix: row 1 ends before it begins"},
		{"past the end", 4, []int64{0, 9, 3}, []uint32{0, 1, 2}, 3, "sparse matrix: row 0 ends before it begins"},
		{"twice", 4, []int64{0, 2}, []uint32{1, 1}, 2, "sparse matrix: row 0: column 1 after 1, expected increasing columns below 4"},
		{"decreasing", 4, []int64{0, 1, 3}, []uint32{3, 2, 1}, 3, "sparse matrix: row 1: column 1 after 2, expected increasing columns below 4"},
		{"beyond", 4, []int64{0, 1}, []uint32{4}, 1, "sparse matrix: row 0: column 4 after -1, expected increasing columns below 4"},
	} {
		if int64(int(c.cols)) != c.cols {
			continue // there is no such number on this machine
		}
		_, err := matrix.NewCSR(int(c.cols), c.start, c.index, make([]float32, c.values))
		if text := message(err); text != c.wantErr {
			t.Errorf("%s: error %q, want %q", c.name, text, c.wantErr)
		}
	}
}

func TestNewDenseRefuses(t *testing.T) {
	const root = 1 << (bits.UintSize / 2) // of what is 0 in an int
	for _, c := range []struct {
		rows, cols, values int
		wantErr            string
	}{
		{2, 3, 6, ""}, {0, 3, 0, ""}, {3, 0, 0, ""}, {0, 0, 0, ""},
		{2, 3, 5, "dense matrix: found 5 values, expected 2 rows of 3"},
		{3, 0, 1, "dense matrix: found 1 values, expected 3 rows of 0"},
		{-2, -3, 6, "dense matrix: found 6 values, expected -2 rows of -3"},
		{root, root, 0, fmt.Sprintf("dense matrix: found 0 values, expected %d rows of %[1]d", root)},
	} {
		_, err := matrix.NewDense(c.rows, c.cols, make([]float32, c.values))
		if text := message(err); text != c.wantErr {
			t.Errorf("NewDense(%d, %d) of %d: error %q, want %q", c.rows, c.cols, c.values, text, c.wantErr)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAppendGrowsColumnsOnly(t *testing.T) {
	m := &matrix.CSR{Cols: 3}
	m.Append([]uint32{1}, []float32{1})
	m.Append(nil, nil)
	m.Append([]uint32{0, 5}, []float32{2, 3})
	if rows, cols := m.Dims(); rows != 3 || cols != 6 {
		t.Errorf("Dims() = %d, %d, want 3, 6", rows, cols)
	}
	if v := m.Row(1); v.Index == nil || len(v.Value) != 0 {
		t.Errorf("row without values is %v, want sparse and empty", v)
	}
}

func TestRowsCannotGrowIntoTheNext(t *testing.T) {
	rows := [][]float32{{1, 2}, {3, 4}}
	for _, m := range []matrix.Matrix{dense(rows, 2), sparse(rows, 2)} {
		_ = append(m.Row(0).Value, 99)
		if got := m.Row(1).Value[0]; got != 3 {
			t.Errorf("%T: appending to row 0 changed row 1 to %g", m, got)
		}
	}
}

func TestFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		rows     [][]float32
		row, col int
		ok       bool
	}{
		{[][]float32{{0, 1}, {2, math.MaxFloat32}}, 0, 0, true},
		{[][]float32{{0, 1}, {2, nan}}, 1, 1, false},
		{[][]float32{{0, inf}, {nan, 0}}, 0, 1, false},
	} {
		for _, m := range []matrix.Matrix{dense(c.rows, 2), sparse(c.rows, 2)} {
			if row, col, ok := matrix.Finite(m); row != c.row || col != c.col || ok != c.ok {
				t.Errorf("Finite(%T %v) = %d, %d, %v, want %d, %d, %v", m, c.rows, row, col, ok, c.row, c.col, c.ok)
			}
		}
	}
}

// other is a Matrix that package matrix has no short cut for.
type other struct{ matrix.Matrix }

func TestNonzeros(t *testing.T) {
	rows := [][]float32{{1, 0, 2}, {0, 0, 0}}
	for _, c := range []struct {
		m    matrix.Matrix
		want int64
	}{
		{dense(rows, 3), 6}, {sparse(rows, 3), 2}, {other{sparse(rows, 3)}, 2}, {other{dense(rows, 3)}, 6},
	} {
		if got := matrix.Nonzeros(c.m); got != c.want {
			t.Errorf("Nonzeros(%T) = %d, want %d", c.m, got, c.want)
		}
	}
}
