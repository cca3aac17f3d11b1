package learner

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Against one row after another, dense and sparse.
func TestHeldOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, n := range []int{1, 2, 100, 5000} {
		for _, kind := range [][2]bool{{}, {true}, {false, true}, {true, true}} {
			const d, k = 20, 3
			x := drawnRows(rng, n, d, kind[0], kind[1])
			u := method.Basis{K: k, Cols: d, Component: algebra.RandomBasis(1, k, d)}
			row, each := make([]float64, d), make([]float64, n)
			var captured, total, scatter float64
			for i := range n {
				x.Row(row, i)
				for c := range k {
					p := vec.Dot64(row, u.Row(c))
					each[i] += p * p
				}
				captured += each[i] / float64(n)
				total += vec.SquaredNorm64(row) / float64(n)
			}
			for _, c := range each {
				scatter += (c - captured) * (c - captured)
			}
			want := HeldOut{n, captured, math.Sqrt(scatter / float64(n-1) / float64(n)), total}
			if n < 2 {
				want.StandardError = math.Inf(1)
			}
			got := NewHeldOut(x, u)
			near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-11*b }
			if got.Rows != n || !near(got.Captured, captured) || !near(got.Total, total) || !near(got.StandardError, want.StandardError) {
				t.Errorf("n=%d %v: found %+v, expected %+v", n, kind, got, want)
			}
			if r := got.Ratio(); !(r >= 0 && r <= 1) {
				t.Errorf("n=%d: ratio %g, expected one from 0 to 1", n, r)
			}
		}
	}
	nothing := view.Rows{X: &matrix.Dense{Rows: 3, Cols: 2, Value: make([]float32, 6)}}
	if got := NewHeldOut(nothing, method.Basis{K: 1, Cols: 2, Component: []float64{1, 0}}); got.Ratio() != 1 || got.StandardError != 0 {
		t.Errorf("of zeros: found %+v", got)
	}
}

// The standard error is that of samples: the truth is within two of them in about
// 95 of 100.
func TestHeldOutStandardError(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	const n, d, k, samples = 300, 6, 2, 1000
	u := method.Basis{K: k, Cols: d, Component: make([]float64, k*d)}
	u.Component[0], u.Component[d+1] = 1, 1
	inside := 0
	for range samples {
		value := make([]float32, n*d)
		for i := range value {
			value[i] = float32(rng.NormFloat64())
		}
		h := NewHeldOut(view.Rows{X: &matrix.Dense{Rows: n, Cols: d, Value: value}}, u)
		if math.Abs(h.Captured-k) <= 2*h.StandardError {
			inside++
		}
	}
	if inside < 920 || inside > 975 {
		t.Errorf("the truth was within two standard errors in %d of %d samples, expected about 950", inside, samples)
	}
}

// Ratio returns Captured/Total, the part that is captured; 1 where there is nothing.
func (h HeldOut) Ratio() float64 {
	if h.Total == 0 {
		return 1
	}
	return h.Captured / h.Total
}

// Row 3: what a basis misses of rows that it has not seen is an estimate whose standard error covers the
// truth as often as it should.
func TestMissed(t *testing.T) {
	const d, k, n, runs = 6, 2, 200, 400
	r := rand.New(rand.NewPCG(3, 4))
	deviation, variance := []float64{2, 1.5, 1, 1, 0.5, 0.25}, make([]float64, d)
	for i, s := range deviation {
		variance[i] = s * s
	}
	best := method.Basis{K: k, Cols: d, Component: []float64{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}}
	other := method.Basis{K: k, Cols: d, Component: pcatest.RandomRows(r.NormFloat64, k, d)}
	truth, covered := method.Suboptimality(variance, method.Captured(variance, best), other), 0
	for range runs {
		x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
		for i := range x.Value {
			x.Value[i] = float32(deviation[i%d] * r.NormFloat64())
		}
		missed, wrong := Missed(view.Rows{X: x}, best, other)
		if math.Abs(missed-truth) <= 1.96*wrong {
			covered++
		}
	}
	if covered < runs*92/100 || covered > runs*98/100 { // 95 % +- 3 %: 2.7 deviations
		t.Errorf("95 %% intervals cover the truth in %d of %d", covered, runs)
	}
	if missed, wrong := Missed(view.Rows{X: &matrix.Dense{Rows: 2, Cols: d, Value: make([]float32, 2*d)}}, best, best); missed != 0 || wrong != 0 {
		t.Errorf("found %v +- %v for a basis and itself", missed, wrong)
	}
}
