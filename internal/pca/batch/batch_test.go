package batch

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/processor"
	"github.com/fenchel-ml/fenchel/matrix"
)

// batchMethods are the ways to the same answer, each as exact as it can be.
var batchMethods = []string{"krylov:tol=1e-26", "covariance", "covariance:precision=single", "gram"}

func solveBatch(t testing.TB, spec string, x view.Rows, k, threads int) method.Basis {
	t.Helper()
	m, err := method.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	n, d := x.Dims()
	b, err := m.(method.Batch).Solve(t.Context(), x, method.Problem{Rows: n, Cols: d, K: k, Seed: 1, Threads: threads})
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return b
}

// projector returns the largest element of the difference of two projections.
func projectorDifference(a, b []float64, d int) float64 {
	ones := slices.Repeat([]float64{1}, max(len(a), len(b))/d)
	return pcatest.LargestDifference(pcatest.Assemble(ones[:len(a)/d], a, d), pcatest.Assemble(ones[:len(b)/d], b, d))
}

// Row 4: all routes give what a Jacobi eigensolver gives.
func TestBatchIsJacobi(t *testing.T) {
	t.Parallel()
	for _, shape := range [][3]int{{300, 20, 3}, {150, 130, 5}, {40, 120, 4}} {
		n, d, k := shape[0], shape[1], shape[2]
		for kind := range 8 {
			sparse, centred, scaled := kind&1 > 0, kind&2 > 0, kind&4 > 0
			x := view.Rows{X: pcatest.Decaying(n, d, 0.5, sparse)}
			if centred {
				x.Offset = view.ColumnMeans(x.X, 2)
			}
			if scaled {
				x.Factor = make([]float64, d)
				for j := range x.Factor {
					x.Factor[j] = 1 + float64(j%5)
				}
			}
			values, vectors := pcatest.Jacobi(pcatest.SecondOf(x), d)
			for _, spec := range batchMethods {
				name := fmt.Sprintf("%s n=%d d=%d k=%d sparse=%v centred=%v scaled=%v", spec, n, d, k, sparse, centred, scaled)
				b := solveBatch(t, spec, x, k, 2)
				if off := pcatest.LargestDifference(b.Value, values[:k]); !(off <= 1e-10*values[0]) {
					t.Errorf("%s: eigenvalues off by %g", name, off/values[0])
				}
				if off := projectorDifference(b.Component, vectors[:k*d], d); !(off <= 1e-10) {
					t.Errorf("%s: projection off by %g", name, off)
				}
				for i := range k {
					if off := math.Abs(math.Abs(dotOf(b.Row(i), vectors[i*d:(i+1)*d])) - 1); off > 1e-10 {
						t.Errorf("%s: component %d off by %g", name, i, off)
					}
				}
				checkSameBits(t, name, b, solveBatch(t, spec, x, k, 1))
			}
		}
	}
}

func dotOf(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func checkSameBits(t *testing.T, name string, a, b method.Basis) {
	t.Helper()
	if !slices.Equal(a.Component, b.Component) || !slices.Equal(a.Value, b.Value) {
		t.Errorf("%s: other bits on another number of threads", name)
	}
}

// Inputs at the edge have an orthonormal basis and values that are right.
func TestBatchEdges(t *testing.T) {
	t.Parallel()
	repeated := &matrix.Dense{Rows: 6, Cols: 9, Value: slices.Repeat([]float32{1, 1, 2, 2, 3, 3, 0, 0, 5}, 6)}
	rank2 := &matrix.Dense{Rows: 50, Cols: 8}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		a, b := float32(rng.NormFloat64()), float32(rng.NormFloat64())
		rank2.Value = append(rank2.Value, a, a, b, b, a+b, 0, 0, a)
	}
	large := &matrix.Dense{Rows: 30, Cols: 12}
	for i := range 360 {
		large.Value = append(large.Value, float32(rng.NormFloat64()*math.Pow(1e18, float64(i%2))))
	}
	identity := &matrix.Dense{Rows: 40, Cols: 40, Value: make([]float32, 1600)}
	for i := range 40 {
		identity.Value[i*41] = 1
	}
	multiple := &matrix.Dense{Rows: 120, Cols: 120, Value: make([]float32, 120*120)}
	for i := range 120 {
		multiple.Value[i*121] = 1
		if i%5 == 0 {
			multiple.Value[i*121] = 2
		}
	}
	for name, x := range map[string]view.Rows{
		"multiple":         {X: multiple},
		"multiple, sparse": {X: matrix.Transpose(multiple)},
		"one row":          {X: &matrix.Dense{Rows: 1, Cols: 5, Value: []float32{1, 2, 3, 4, 5}}},
		"one column":       {X: &matrix.Dense{Rows: 5, Cols: 1, Value: []float32{1, 2, 3, 4, 5}}},
		"one number":       {X: &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{3}}},
		"constant":         {X: repeated, Offset: view.ColumnMeans(repeated, 2)},
		"rank 1":           {X: repeated},
		"rank 2":           {X: rank2},
		"large":            {X: large},
		"tiny":             {X: &matrix.Dense{Rows: 2, Cols: 3, Value: []float32{1e-30, 0, 2e-30, 3e-38, 1e-44, 1e-30}}},
		"zeros":            {X: &matrix.Dense{Rows: 4, Cols: 3, Value: make([]float32, 12)}},
		"empty sparse":     {X: &matrix.CSR{Cols: 7, Start: []int64{0, 0, 0, 0}, Index: []uint32{}}},
		"flat":             {X: identity},
	} {
		n, d := x.Dims()
		sigma := pcatest.SecondOf(x)
		values, _ := pcatest.Jacobi(sigma, d)
		for _, spec := range batchMethods {
			for k := 1; k <= min(n, d); k += 1 + k/13 {
				b := solveBatch(t, spec, x, k, 2)
				if b.K != k || len(b.Component) != k*d || len(b.Value) != k {
					t.Errorf("%s, %s, k=%d: found %d components of %d numbers", spec, name, k, b.K, len(b.Component))
					continue
				}
				if off := pcatest.Departure(b.Component, d); !(off <= 1e-12) {
					t.Errorf("%s, %s, k=%d: U U^T is off I by %g", spec, name, k, off)
				}
				for i, v := range b.Value {
					if !(math.Abs(v-values[i]) <= 1e-10*values[0]) || !(math.Abs(pcatest.Quadratic(sigma, b.Row(i))-values[i]) <= 1e-10*values[0]) {
						t.Errorf("%s, %s, k=%d: value %d is %g, expected %g", spec, name, k, i, v, values[i])
					}
				}
			}
		}
	}
}

// Rows as far from 0 as 10^6 deviations lose only what their storage lost.
func TestBatchFarFromZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n, d, k = 400, 12, 2
	for _, sparse := range []bool{false, true} {
		x := &matrix.Dense{Rows: n, Cols: d}
		for range n {
			for j := range d {
				mean := 0.0
				if j%2 > 0 {
					mean = 1e6
				}
				x.Value = append(x.Value, float32(mean+rng.NormFloat64()*float64(d-j)))
			}
		}
		rows := view.Rows{X: x, Offset: view.ColumnMeans(x, 2)}
		values, vectors := pcatest.Jacobi(pcatest.SecondOf(rows), d)
		limit := 1e-10
		if sparse {
			rows.X = matrix.Transpose(matrix.Transpose(x))
			limit = 1e-3 // 10^12 of which 10^2 is left: the algebraic centring of sparse rows
		}
		for _, spec := range batchMethods {
			b := solveBatch(t, spec, rows, k, 2)
			if off := projectorDifference(b.Component, vectors[:k*d], d); !(off <= limit) {
				t.Errorf("%s, sparse=%v: projection off by %g", spec, sparse, off)
			}
			if off := pcatest.LargestDifference(b.Value, values[:k]); !(off <= limit*values[0]) {
				t.Errorf("%s, sparse=%v: values off by %g", spec, sparse, off/values[0])
			}
		}
	}
}

// A method ends soon after it is told to.
func TestBatchInterrupted(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := &matrix.Dense{Rows: 20000, Cols: 600, Value: make([]float32, 20000*600)}
	for i := range x.Value {
		x.Value[i] = float32(rng.Float64())
	}
	for _, spec := range batchMethods {
		m, _ := method.New(spec)
		if method.Accepts(m, method.Problem{Rows: 20000, Cols: 600, K: 40}) != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		begin := processor.Time()
		_, err := m.(method.Batch).Solve(ctx, view.Rows{X: x}, method.Problem{Rows: 20000, Cols: 600, K: 40, Seed: 1})
		if took := processor.Time() - begin; err != context.DeadlineExceeded || took > 2*time.Second {
			t.Errorf("%s: found %v after %v of the processor, expected %v soon", spec, err, took, context.DeadlineExceeded)
		}
		cancel()
	}
}

// What is chosen for the data that methods were measured on.
func TestChooseBatch(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		stored int64
		sparse bool
		k      int
		want   string
	}{
		{60000, 784, 60000 * 784, false, 8, "covariance"},
		{60000, 784, 60000 * 784, false, 50, "covariance"},
		{60000, 784, 60000 * 150, true, 50, "covariance"},
		{25000, 35860, 3_400_000, true, 50, "krylov"},
		{32561, 123, 32561 * 14, true, 5, "covariance"},
		{300, 20000, 300 * 20000, false, 10, "gram"},
		{20000, 20000, 20000 * 20000, false, 10, "krylov"},
		{1, 1, 1, false, 1, "covariance"},
		{1000, 1000000, 100000, true, 10, "krylov"},
	} {
		if got, reason := Choose(c.n, c.d, c.stored, c.sparse, c.k); got != c.want || reason == "" {
			t.Errorf("%+v: found %s (%s)", c, got, reason)
		}
	}
}

// Row 4: with n rows of the Gaussian simulation epsilon shrinks no slower than
// n^(-1/2), over a factor of 64 in n.
func TestBatchRate(t *testing.T) {
	t.Parallel()
	const seeds = 10
	for _, k := range []int{1, 2, 4} {
		var before float64
		for _, n := range []int{200, 1600, 12800} {
			sum := 0.0
			for seed := range uint64(seeds) {
				x, sigma := pcatest.Simulated("gaussian", k, n, seed)
				sum += pcatest.Missed(solveBatch(t, "covariance", x, k, 2), k, sigma) / seeds
			}
			if before > 0 && !(sum <= before/math.Sqrt(8)) {
				t.Errorf("k=%d n=%d: epsilon %g after %g with an eighth of the rows", k, n, sum, before)
			}
			before = sum
		}
	}
}
