package gram

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Views of a filled matrix have the values of parts that compute them, in rows, squares and
// products, also those used at the same time and those of views.
func TestViewsHaveTheValuesOfParts(t *testing.T) {
	const n = 300
	x, _, _ := stored(7, n, 30)
	r := rand.New(rand.NewPCG(7, 7))
	g := newGram(t, kernel.RBF{Gamma: 0.1}, x, Options{Threads: 2})
	if _, err := g.View([]int{0}, 0, 1); err == nil || !strings.Contains(err.Error(), "not filled") {
		t.Fatalf("a view of an empty table: found the error %v", err)
	}
	g.Fill(nil)
	if computed := g.Counts().Computed; computed != n*n {
		t.Fatalf("filling computed %d values, expected %d", computed, n*n)
	}
	var all sync.WaitGroup
	for range 4 {
		rows := r.Perm(n)[:200]
		inner := r.Perm(200)[:90]
		all.Go(func() {
			view, err := g.View(rows, 1<<16, 1)
			if err != nil {
				t.Error(err)
				return
			}
			sameMatrix(t, g, view, rows)
			part, err := view.Part(inner)
			if err != nil {
				t.Error(err)
				return
			}
			of := make([]int, len(inner))
			for k, i := range inner {
				of[k] = rows[i]
			}
			sameMatrix(t, g, part, of)
		})
	}
	all.Wait()
	other := newGram(t, kernel.RBF{Gamma: 2}, x, Options{Threads: 2})
	other.Fill(g)
	view, err := other.View([]int{3, 1, 200}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	sameMatrix(t, other, view, []int{3, 1, 200})
	if computed := g.Counts().Computed; computed != n*n {
		t.Errorf("views computed %d values, expected none", computed-n*n)
	}
}

// sameMatrix compares a view with the kernel itself.
func sameMatrix(t *testing.T, g, view *Gram, rows []int) {
	n := len(rows)
	c, all, dst := make([]float64, n), make([]int, n), make([]float64, n)
	for k := range c {
		c[k], all[k] = float64(k%7)-2, k
	}
	want := make([]float64, n)
	for k, i := range rows {
		for l, j := range rows {
			if expected := g.Kernel.Eval(g.X.Row(i), g.X.Row(j)); view.Rows([]int{k})[0].At(l) != expected {
				t.Errorf("K[%d][%d] = %v, expected %v", i, j, view.Rows([]int{k})[0].At(l), expected)
				return
			}
		}
	}
	slow, err := NewGram(g.Kernel, view.X, Options{})
	if err != nil {
		t.Error(err)
		return
	}
	slow.Combine(want, c)
	view.Combine(dst, c)
	if !slices.Equal(dst, want) {
		t.Error("a product with a view is another than that with the matrix")
	}
	clear(dst)
	few := min(8, n)
	view.Update(dst, all[:few], c[:few])
	clear(want)
	slow.Update(want, all[:few], c[:few])
	if !slices.Equal(dst, want) {
		t.Error("an update by a view is another than that by the matrix")
	}
	some := all[n/3 : n/3+min(8, n-n/3)]
	square, expected := make([]float64, len(some)*len(some)), make([]float64, len(some)*len(some))
	view.Square(square, some)
	if slow.Square(expected, some); !slices.Equal(square, expected) {
		t.Error("a square of a view is another than that of the matrix")
	}
}

// Sum adds up the values of rows that are none of the columns.
func TestSumOfTable(t *testing.T) {
	x, _, _ := stored(8, 50, 10)
	g := newGram(t, kernel.Poly{Gamma: 1, Coef0: 1, Degree: 2}, x, Options{})
	g.Fill(nil)
	rows, columns, c := []int{40, 3, 17}, []int{1, 2, 30}, []float64{0.5, -2, 3}
	dst := make([]float64, len(rows))
	g.Sum(dst, rows, columns, c)
	for k, i := range rows {
		expected := 0.0
		for l, j := range columns {
			expected += float64(c[l] * g.Kernel.Eval(x.Row(i), x.Row(j)))
		}
		if dst[k] != expected {
			t.Errorf("row %d: %v, expected %v", i, dst[k], expected)
		}
	}
}

// A table in single precision gives the bits of a matrix that computes its values, to all who use it at
// the same time; products for certificates are in double precision.
func TestFillSingle(t *testing.T) {
	const n = fewRows + 200
	for _, cols := range []int{10, 40} { // values that are cheap to compute are not gathered
		r := rand.New(rand.NewPCG(9, uint64(cols)))
		x := &matrix.Dense{Rows: n, Cols: cols, Value: make([]float32, n*cols)}
		for i := range x.Value {
			x.Value[i] = float32(r.NormFloat64())
		}
		computing, filled := newGram(t, kernel.RBF{Gamma: 0.1}, x, Options{Threads: 2}), newGram(t, kernel.RBF{Gamma: 0.1}, x, Options{Threads: 2})
		if filled.FillSingle(); !filled.Filled() || !filled.Single() {
			t.Fatal("the table was not filled in single precision")
		}
		rows, c := r.Perm(n)[:300], make([]float64, 300)
		for k := range c {
			c[k] = r.NormFloat64()
		}
		want := partsOf(computing, rows, c)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				view, err := filled.ViewAll(1)
				if err != nil {
					t.Error(err)
					return
				}
				if got := partsOf(view, rows, c); !slices.Equal(got, want) {
					t.Errorf("%d columns: values from a table have other bits", cols)
				}
				part, err := view.Part(rows)
				if err != nil {
					t.Error(err)
					return
				}
				for k, v := range part.Rows([]int{7})[0].values() {
					if exact := filled.Kernel.Eval(x.Row(rows[7]), x.Row(rows[k])); math.Abs(v-exact) > 1e-6 {
						t.Errorf("%d columns: a part has %g, expected %g", cols, v, exact)
					}
				}
			})
		}
		all.Wait()
	}
	small := newGram(t, kernel.RBF{Gamma: 0.1}, &matrix.Dense{Rows: 9, Cols: 1, Value: make([]float32, 9)}, Options{})
	if small.FillSingle(); small.Filled() {
		t.Error("few rows are in double precision: found a table in single precision")
	}
}

// values returns the row in double precision.
func (r Row) values() []float64 {
	values := slices.Clone(r.Double)
	for _, v := range r.Single {
		values = append(values, float64(v))
	}
	return values
}

// partsOf returns a row, a square, a sum of rows and a product of a matrix.
func partsOf(g *Gram, rows []int, c []float64) []float64 {
	n, q := g.Len(), len(rows)
	all := g.Rows(rows[:1])[0].values()
	square, sum, product, beta := make([]float64, q*q), make([]float64, n), make([]float64, n), make([]float64, n)
	g.Square(square, rows)
	g.Update(sum, rows, c)
	for k, i := range rows {
		beta[i] = c[k]
	}
	g.Combine(product, beta)
	return slices.Concat(all, square, sum, product)
}
