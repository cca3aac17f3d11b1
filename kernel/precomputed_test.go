package kernel_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// valuesOf returns the matrix k(x_i,y_j) in single precision, each row behind so
// many first values.
func valuesOf(k kernel.Kernel, x, y matrix.Matrix, first func(i int) []float32) *matrix.Dense {
	n, _ := x.Dims()
	m, _ := y.Dims()
	out := &matrix.Dense{Rows: n}
	for i := range n {
		out.Value = append(out.Value, first(i)...)
		for j := range m {
			out.Value = append(out.Value, float32(k.Eval(x.Row(i), y.Row(j))))
		}
	}
	out.Cols = len(out.Value) / n
	return out
}

func nothing(int) []float32              { return nil }
func counting(i int) []float32           { return []float32{float32(i + 1)} }
func anything(i int) []float32           { return []float32{float32(7 - i)} }
func sparse(x matrix.Matrix) *matrix.CSR { return matrix.Transpose(matrix.Transpose(x)) }

// Every form of a matrix and of rows to compare gives the values of the kernel
// it was made with.
func TestPrecomputed(t *testing.T) {
	x, y := kerneltest.Histograms(20, 5, true), kerneltest.Histograms(7, 5, false)
	rbf := kernel.RBF{Gamma: 0.25}
	var k kernel.Precomputed
	for _, train := range []matrix.Matrix{
		valuesOf(rbf, x, x, nothing), valuesOf(rbf, x, x, counting), sparse(valuesOf(rbf, x, x, nothing)), sparse(valuesOf(rbf, x, x, counting)),
	} {
		if err := conform.Kernel(k, train, nil); err != nil {
			t.Errorf("%T: %v", train, err)
		}
		g, err := gram.NewGram(k, train, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range g.Rows([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			for j := range 20 {
				if want := float64(float32(rbf.Eval(x.Row(i), x.Row(j)))); row.At(j) != want {
					t.Fatalf("%T: K_%d,%d = %v, want %v", train, i, j, row.At(j), want)
				}
			}
		}
		for _, test := range []matrix.Matrix{
			valuesOf(rbf, y, x, nothing), valuesOf(rbf, y, x, anything), sparse(valuesOf(rbf, y, x, nothing)), sparse(valuesOf(rbf, y, x, counting)),
		} {
			_, width := g.X.Dims()
			rows, err := kernel.Prepare(k, test, width)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 7 {
				for j := range 20 {
					want := float64(float32(rbf.Eval(y.Row(i), x.Row(j))))
					if got, back := k.Eval(rows.Row(i), g.X.Row(j)), k.Eval(g.X.Row(j), rows.Row(i)); got != want || back != want {
						t.Fatalf("%T and %T: k(%d, %d) = %v and %v, want %v", train, test, i, j, got, back, want)
					}
				}
			}
			if v := k.Eval(rows.Row(0), rows.Row(1)); !math.IsNaN(v) {
				t.Errorf("two rows that are not in the matrix have the value %v, want NaN", v)
			}
		}
	}
}

// Some rows of a numbered matrix are a training set too.
func TestPrecomputedSubset(t *testing.T) {
	x := kerneltest.Histograms(9, 5, true)
	rbf := kernel.RBF{Gamma: 0.25}
	all := valuesOf(rbf, x, x, counting)
	some := &matrix.Dense{Rows: 3, Cols: 10}
	for _, i := range []int{7, 2, 5} {
		some.Value = append(some.Value, all.Row(i).Value...)
	}
	g, err := gram.NewGram(kernel.Precomputed{}, some, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := g.Rows([]int{0})[0].At(1), float64(float32(rbf.Eval(x.Row(7), x.Row(2)))); got != want {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestPrecomputedRefuses(t *testing.T) {
	for _, c := range []struct {
		rows, width int
		values      []float32
		want        string
	}{
		{2, 0, []float32{2, 1, 1, 2}, ""},
		{2, 0, []float32{2, 1, 1 + 1e-7, 2}, ""}, // a rounding
		{2, 0, []float32{1, 2, 1, 2, 1, 2}, ""},
		{1, 0, []float32{1}, ""},
		{3, 0, []float32{2, 1, 1, 2, 1, 1}, `found 3 rows of 2 columns, expected as many columns as rows, or numbers of the rows first`},
		{2, 0, []float32{0, 2, 1, 1, 1, 2}, `row 1, column 1: found 0 in a matrix of 2 rows and 3 columns, expected a square matrix, or the number of the row first, from 1 to 2`},
		{2, 0, []float32{1.5, 2, 1, 2, 1, 2}, `row 1, column 1: found 1.5 in a matrix`},
		{2, 0, []float32{1, 2, 1, 3, 1, 2}, `row 2, column 1: found 3 in a matrix`},
		{2, 0, []float32{2, 1, 1.5, 2}, `rows 1 and 2: found the value 1 one way round and 1.5 the other, expected a symmetric matrix`},
		{3, 0, []float32{2, 1, 0, 1, 2, 3, 0, 4, 2}, `rows 2 and 3: found the value 3 one way round and 4 the other, expected a symmetric matrix`},
		{1, 4, []float32{1, 2, 3}, ""},
		{1, 4, []float32{9, 1, 2, 3}, ""},
		{1, 4, []float32{1, 2}, `found 2 columns, expected 3, a value for each row of the training set (or 4 with a number first)`},
		{1, 4, []float32{1, 2, 3, 4, 5}, `found 5 columns, expected 3,`},
	} {
		x, err := matrix.NewDense(c.rows, len(c.values)/c.rows, c.values)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []matrix.Matrix{x, other{x}} {
			_, err = kernel.Prepare(kernel.Precomputed{}, x, c.width)
			want := `kernel "precomputed": ` + c.want
			if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v (width %d): error %v, want %q", c.values, c.width, err, c.want)
			}
		}
	}
}

// other is a matrix of another kind.
type other struct{ matrix.Matrix }

// The first place is found in large matrices too, whatever the threads.
func TestPrecomputedFirstPlace(t *testing.T) {
	const n = 300
	x := &matrix.Dense{Rows: n, Cols: n, Value: make([]float32, n*n)}
	x.Value[290*n+3], x.Value[250*n+249], x.Value[250*n+12] = 1, 1, 1
	_, err := kernel.Prepare(kernel.Precomputed{}, x, 0)
	if want := "rows 13 and 251: found"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// Rows whose number is none, as in a damaged file, have no value, wherever they
// are stored and on whichever side.
func TestPrecomputedNumbers(t *testing.T) {
	row := matrix.Vector{Value: []float32{0, 5, 6, 7}}
	for number, want := range map[float32]float64{2: 6, 3: 7, 4: 0, 1 << 24: 0, 1 << 25: math.NaN(), 1e30: math.NaN(), -1: math.NaN(), 1.5: math.NaN(), 0: math.NaN(), float32(math.NaN()): math.NaN(), float32(math.Inf(-1)): math.NaN()} {
		for _, other := range []matrix.Vector{{Value: []float32{number}}, {Index: []uint32{0}, Value: []float32{number}}} {
			for _, found := range []float64{kernel.Precomputed{}.Eval(row, other), kernel.Precomputed{}.Eval(other, row)} {
				if found != want && !(math.IsNaN(found) && math.IsNaN(want)) {
					t.Errorf("number %g: found %g, expected %g", number, found, want)
				}
			}
		}
	}
}
