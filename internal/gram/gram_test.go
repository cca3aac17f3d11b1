package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// stored returns random rows, about one value in four not zero, as three
// matrices: sparse, dense, and sparse with columns so far apart that blocks
// hold the columns that occur.
func stored(seed uint64, n, d int) (sparse *matrix.CSR, dense *matrix.Dense, wide *matrix.CSR) {
	r := rand.New(rand.NewPCG(seed, 1))
	sparse, wide = &matrix.CSR{Cols: d}, &matrix.CSR{Cols: (mostColumns + 9) * d}
	dense = &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		var index, far []uint32
		var value []float32
		for j := range d {
			if i%11 != 3 && r.IntN(4) == 0 {
				v := float32(r.NormFloat64())
				index, far, value = append(index, uint32(j)), append(far, uint32((mostColumns+9)*j)), append(value, v)
				dense.Value[i*d+j] = v
			}
		}
		sparse.Append(index, value)
		wide.Append(far, value)
	}
	sparse.Cols, wide.Cols = d, (mostColumns+9)*d
	return sparse, dense, wide
}

func newGram(t testing.TB, k kernel.Kernel, x matrix.Matrix, opt Options) *Gram {
	t.Helper()
	g, err := NewGram(k, x, opt)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// outer hides that a kernel is inner.
type outer struct{ kernel.Kernel }

// TestRowsHaveTheBitsOfEval takes rows in double precision of all storages, by
// one and three threads, alone and together, with caches of all sizes.
func TestRowsHaveTheBitsOfEval(t *testing.T) {
	const n = 150
	sparse, dense, wide := stored(1, n, 40)
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.RBF{Gamma: 0.1}, outer{kernel.RBF{Gamma: 0.1}}} {
		for _, x := range []matrix.Matrix{sparse, dense, wide} {
			for _, places := range []int{2, 7, n, 9 * n} { // the last has room for the set in blocks
				opt := Options{Threads: 1 + 2*r.IntN(2), Cache: int64(places * 8 * rowStride(n))}
				g := newGram(t, k, x, opt)
				for range 15 {
					rows := make([]int, 1+r.IntN(min(g.Capacity(), []int{3, n}[r.IntN(2)])))
					for j := range rows {
						rows[j] = r.IntN(n)
					}
					for j, row := range g.Rows(rows) {
						for i, got := range row.Double {
							if want := k.Eval(sparse.Row(rows[j]), sparse.Row(i)); got != want {
								t.Fatalf("%v of %T, %+v: K[%d][%d] = %v, want %v", k, x, opt, rows[j], i, got, want)
							}
						}
						if len(row.Double) != n {
							t.Fatalf("a row of %d values, want %d", len(row.Double), n)
						}
					}
				}
			}
		}
	}
}

// TestCounts holds the counters to what a list of the rows kept says.
func TestCounts(t *testing.T) {
	const n, places = 30, 5
	x, _, _ := stored(2, n, 4)
	g := newGram(t, kernel.RBF{Gamma: 1}, x, Options{Cache: int64(places * 8 * rowStride(n))})
	if g.Capacity() != places {
		t.Fatalf("capacity %d, want %d", g.Capacity(), places)
	}
	var kept []int // the row used last at the end
	requested, computed := 0, 0
	r := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		rows := r.Perm(n / 2)[:1+r.IntN(places)]
		var missing []int
		for _, i := range rows {
			if at := slices.Index(kept, i); at >= 0 {
				kept = append(slices.Delete(kept, at, at+1), i)
			} else {
				missing = append(missing, i)
			}
		}
		kept = append(kept, missing...)
		kept = kept[max(0, len(kept)-places):]
		requested, computed = requested+n*len(rows), computed+n*len(missing)
		g.Rows(rows)
		if got, want := g.Counts(), (Counts{Requested: int64(requested), Computed: int64(computed), Products: int64(n + computed)}); got != want {
			t.Fatalf("rows %v: %+v, want %+v", rows, got, want)
		}
	}
	if computed == requested {
		t.Error("no row was kept")
	}
}

// TestCountsOfPrefetched: what is computed ahead of requests is counted as such, so that
// what remains is never more than was requested, nor are hits; a kernel that is not made of
// inner products takes none.
func TestCountsOfPrefetched(t *testing.T) {
	const n = 30
	x, _, _ := stored(2, n, 4)
	for _, k := range []kernel.Kernel{kernel.RBF{Gamma: 1}, kernel.Laplacian{Gamma: 1}} {
		g := newGram(t, k, x, Options{})
		g.Prefetch([]int{0, 1, 2, 3})
		g.Rows([]int{0, 4})
		got, want := g.Counts(), Counts{Requested: 2 * n, Computed: 5 * n, Prefetched: 4 * n, Products: 6 * n}
		if _, inner := k.(kernel.Inner); !inner {
			want.Products = 0
		}
		if got != want || got.Hits() != 0.5 || (Counts{}).Hits() != 0 {
			t.Errorf("%T: %+v, hits %v, want %+v, hits 0.5", k, got, got.Hits(), want)
		}
	}
}

// TestSmallCacheIsRefused expects one clear line.
func TestSmallCacheIsRefused(t *testing.T) {
	x, _, _ := stored(3, 30, 4)
	_, err := NewGram(kernel.RBF{Gamma: 1}, x, Options{Cache: 100})
	if err == nil || !strings.Contains(err.Error(), "cache=100: expected at least 768 bytes, two rows of 30 values") {
		t.Errorf("error %v", err)
	}
}

// TestSinglePrecision compares with double precision, on many rows; a set that
// single precision does not suit must be in double.
func TestSinglePrecision(t *testing.T) {
	const n = fewRows + 100
	sparse, dense, wide := stored(4, n, 20)
	for _, k := range []kernel.Inner{kernel.Linear{}, kernel.RBF{Gamma: 0.05}} {
		var bits [][]float32
		for i, x := range []matrix.Matrix{sparse, dense, wide, sparse} {
			g := newGram(t, k, x, Options{Threads: 1 + i%2})
			rows := g.Rows([]int{5, n - 1, 77, 5})
			for r, i := range []int{5, n - 1, 77, 5} {
				row := rows[r].Single
				if row == nil {
					t.Fatalf("%v: rows in double precision", k)
				}
				for j, got := range row {
					want := k.Eval(sparse.Row(i), sparse.Row(j))
					if bound := 0x1p29 * k.Error(g.Terms, g.SquaredNorm[i], g.SquaredNorm[j]); math.Abs(float64(got)-want) > bound {
						t.Fatalf("%v of %T: K[%d][%d] = %v, want %v within %g", k, x, i, j, got, want, bound)
					}
				}
			}
			bits = append(bits, slices.Clone(rows[1].Single))
		}
		for _, b := range bits[1:] {
			if !slices.Equal(b, bits[0]) {
				t.Errorf("%v: storages and threads differ in bits", k)
			}
		}
	}
	for i := range sparse.Value {
		sparse.Value[i] *= 300
	}
	if g := newGram(t, kernel.RBF{Gamma: 0.05}, sparse, Options{}); g.Rows([]int{0})[0].Double == nil {
		t.Error("unscaled values: rows in single precision")
	}
	if g := newGram(t, kernel.Linear{}, dense, Options{Double: true}); g.Rows([]int{0})[0].Double == nil {
		t.Error("double asked for: rows in single precision")
	}
}

// TestAddRows compares with additions one after another.
func TestAddRows(t *testing.T) {
	for _, double := range []bool{false, true} {
		const n = fewRows + 50
		x, _, _ := stored(5, n, 10)
		g := newGram(t, kernel.RBF{Gamma: 0.1}, x, Options{Double: double, Threads: 2})
		rows, c := make([]int, 21), make([]float64, 21)
		for k := range rows {
			rows[k], c[k] = 190*k, float64(k)-7.3
		}
		got, want := make([]float64, n), make([]float64, n)
		values := g.Rows(rows)
		g.AddRows(got, values, c)
		for k, row := range values {
			for j := range want {
				want[j] = math.FMA(c[k], row.At(j), want[j])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("double %v: the rows are not added one by one", double)
		}
	}
}

// TestCombine compares with Eval, and one thread with three.
func TestCombine(t *testing.T) {
	const n = 203
	sparse, dense, wide := stored(6, n, 30)
	beta := make([]float64, n)
	for j := range beta {
		if j%3 != 0 {
			beta[j] = float64(j%7) - 2.5
		}
	}
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.RBF{Gamma: 0.1}, outer{kernel.RBF{Gamma: 0.1}}} {
		want := make([]float64, n)
		for i := range want {
			for j, b := range beta {
				want[i] = math.FMA(b, k.Eval(sparse.Row(i), sparse.Row(j)), want[i])
			}
		}
		for threads, x := range []matrix.Matrix{sparse, dense, wide} {
			g, got := newGram(t, k, x, Options{Threads: threads + 1}), make([]float64, n)
			chain := g.Combine(got, beta)
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-12 {
					t.Fatalf("%v of %T: %v at row %d, want %v", k, x, got[i], i, want[i])
				}
			}
			if chain < 1 {
				t.Errorf("%v: a chain of %d", fmt.Sprint(k), chain)
			}
			if chain = g.Combine(got, make([]float64, n)); chain != 0 || slices.ContainsFunc(got, func(v float64) bool { return v != 0 }) {
				t.Errorf("%v: no coefficients give %v, a chain of %d", fmt.Sprint(k), got, chain)
			}
		}
	}
}

// TestBlocksAndTiles: values have the same bits whether the set or the rows asked for are in blocks, and
// whether blocks are kept.
func TestBlocksAndTiles(t *testing.T) {
	for _, n := range []int{300, fewRows + 30} { // in double precision, and in single
		x, _, _ := stored(9, n, 40)
		kept := newGram(t, kernel.RBF{Gamma: 0.1}, x, Options{})
		without := func() *Gram {
			g := newGram(t, kernel.RBF{Gamma: 0.1}, x, Options{})
			if g.double.blocks.wanted = false; g.single != nil {
				g.single.blocks.wanted = false
			}
			return g
		}
		many := inOrder[int](70) // more than columns: blocks are written
		want := slices.Clone(kept.Rows(many))
		for k, row := range without().Rows(many) {
			sameRow(t, n, row, want[k])
		}
		for k := range 3 { // tiles are transposed
			sameRow(t, n, without().Rows([]int{k})[0], want[k])
		}
	}
}

func sameRow(t *testing.T, n int, got, want Row) {
	t.Helper()
	for j := range n {
		if got.At(j) != want.At(j) {
			t.Fatalf("of %d rows: %v in column %d, want %v", n, got.At(j), j, want.At(j))
		}
	}
}

// TestUpdate compares with rows added one after another, whatever is kept, and
// counts.
func TestUpdate(t *testing.T) {
	for _, n := range []int{1, 40, 300, fewRows + 30} {
		sparse, dense, wide := stored(7, n, 200) // about 50 values a row: Update keeps them
		few, _, _ := stored(8, n, 20)
		r := rand.New(rand.NewPCG(7, 2))
		sets := []matrix.Matrix{sparse, few, dense, wide}
		if n > fewRows {
			sets = sets[:2]
		}
		for i, x := range sets {
			oracle := newGram(t, kernel.RBF{Gamma: 0.01}, x, Options{})
			g := newGram(t, kernel.RBF{Gamma: 0.01}, x, Options{Threads: 1 + i%2, Cache: int64(max(2, min(n, 21)) * 8 * rowStride(n))})
			got, want := make([]float64, n), make([]float64, n)
			for range 4 {
				rows, c := make([]int, r.IntN(70)), make([]float64, 70)
				for k := range rows {
					rows[k], c[k] = r.IntN(n), r.NormFloat64()
				}
				g.Rows([]int{r.IntN(n)})
				before := g.Counts()
				g.Update(got, rows, c[:len(rows)])
				after := g.Counts()
				oracles := oracle.Rows(unique(rows))
				for k, i := range rows {
					row := oracles[slices.Index(unique(rows), i)]
					for j := range want {
						want[j] = math.FMA(c[k], row.At(j), want[j])
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%T, n=%d: the rows are not added one by one", x, n)
				}
				if asked := after.Requested - before.Requested; asked != int64(n*len(rows)) {
					t.Errorf("n=%d: %d evaluations requested for %d rows", n, asked, len(rows))
				}
				if made := after.Computed - before.Computed; made%int64(n) != 0 || made > int64(n*len(rows)) {
					t.Errorf("n=%d: %d evaluations computed for %d rows", n, made, len(rows))
				}
			}
			rows := r.Perm(n)[:min(n, 50)]
			square := make([]float64, len(rows)*len(rows))
			g.Square(square, rows)
			oracles := oracle.Rows(rows)
			for k, i := range rows {
				row := oracles[k]
				for l, j := range rows {
					if got, want := square[k*len(rows)+l], row.At(j); got != want {
						t.Fatalf("%T, n=%d: K[%d][%d] = %v in a square, %v in a row", x, n, i, j, got, want)
					}
				}
			}
		}
	}
}

func unique(rows []int) []int {
	u := slices.Clone(rows)
	slices.Sort(u)
	return slices.Compact(u)
}
