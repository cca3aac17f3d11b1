package method_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Row 3 of the checklist: nothing is lost by the top eigenvectors, and what is
// captured and what is left sum to the trace.
func TestSuboptimality(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		d := 3 + r.IntN(10)
		k := 1 + r.IntN(d-1)
		lambda, trace := make([]float64, d), 0.0
		for i := range lambda {
			lambda[i] = 1 / float64(i+1)
			trace += lambda[i]
		}
		second := pcatest.Assemble(lambda, pcatest.RandomRows(r.NormFloat64, d, d), d)
		values, vectors := pcatest.Jacobi(second, d)
		best := 0.0
		for _, v := range values[:k] {
			best += v
		}
		top := method.Basis{K: k, Cols: d, Component: vectors[:k*d]}
		if epsilon := method.Suboptimality(second, best, top); math.Abs(epsilon) > 1e-12 {
			t.Errorf("d = %d, k = %d: epsilon of the top eigenvectors is %g", d, k, epsilon)
		}
		other := method.Basis{K: k, Cols: d, Component: pcatest.RandomRows(r.NormFloat64, k, d)}
		if epsilon := method.Suboptimality(second, best, other); epsilon < -1e-12 {
			t.Errorf("d = %d, k = %d: epsilon of random directions is %g", d, k, epsilon)
		}
		if sum := method.Captured(second, other) + method.CompressionLoss(second, other); math.Abs(sum-trace) > 1e-12 {
			t.Errorf("captured and left are %v, trace %v", sum, trace)
		}
		diagonal := make([]float64, d*d)
		for i, v := range lambda {
			diagonal[i*d+i] = v
		}
		if got, want := method.Captured(lambda, other), method.Captured(diagonal, other); math.Abs(got-want) > 1e-15 {
			t.Errorf("diagonal: captured %v, dense %v", got, want)
		}
		if got, want := method.CompressionLoss(lambda, other), method.CompressionLoss(diagonal, other); math.Abs(got-want) > 1e-14 {
			t.Errorf("diagonal: left %v, dense %v", got, want)
		}
	}
}

// The estimate is what the definition gives, dense and sparse; and its standard
// error covers the truth as often as it should.
func TestComparison(t *testing.T) {
	const d, k, n, runs = 6, 2, 200, 400
	r := rand.New(rand.NewPCG(3, 4))
	deviation := []float64{2, 1.5, 1, 1, 0.5, 0.25}
	variance := make([]float64, d)
	for i, s := range deviation {
		variance[i] = s * s
	}
	best := method.Basis{K: k, Cols: d, Component: []float64{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}}
	other := method.Basis{K: k, Cols: d, Component: pcatest.RandomRows(r.NormFloat64, k, d)}
	truth := method.Suboptimality(variance, method.Captured(variance, best), other)
	covered := 0
	for range runs {
		dense, sparse := method.NewComparison(best, other), method.NewComparison(best, other)
		var differences []float64
		for range n {
			x, index := make([]float32, d), make([]uint32, d)
			for j := range x {
				x[j], index[j] = float32(deviation[j]*r.NormFloat64()), uint32(j)
			}
			dense.Add(matrix.Vector{Value: x})
			sparse.Add(matrix.Vector{Index: index, Value: x})
			a, b := 0.0, 0.0
			for i := range k {
				var ya, yb float64
				for j, v := range x {
					ya += float64(v) * best.Component[i*d+j]
					yb += float64(v) * other.Component[i*d+j]
				}
				a, b = a+ya*ya, b+yb*yb
			}
			differences = append(differences, a-b)
		}
		var mean, scatter float64
		for _, v := range differences {
			mean += v / n
		}
		for _, v := range differences {
			scatter += (v - mean) * (v - mean)
		}
		epsilon, se := dense.Estimate()
		if math.Abs(epsilon-mean) > 1e-12 || math.Abs(se-math.Sqrt(scatter/(n-1)/n)) > 1e-12 {
			t.Fatalf("found %v +- %v, expected %v +- %v", epsilon, se, mean, math.Sqrt(scatter/(n-1)/n))
		}
		if e, s := sparse.Estimate(); math.Abs(e-epsilon) > 1e-12 || math.Abs(s-se) > 1e-12 {
			t.Fatalf("sparse %v +- %v, dense %v +- %v", e, s, epsilon, se)
		}
		if math.Abs(epsilon-truth) <= 1.96*se {
			covered++
		}
	}
	t.Logf("95 %% intervals cover the truth in %d of %d", covered, runs)
	if covered < runs*92/100 || covered > runs*98/100 { // 95 % +- 3 %: 2.7 deviations
		t.Errorf("95 %% intervals cover the truth in %d of %d", covered, runs)
	}
}

func TestComparisonOfFewRows(t *testing.T) {
	u := method.Basis{K: 1, Cols: 2, Component: []float64{1, 0}}
	c := method.NewComparison(u, u)
	for range 2 {
		if _, se := c.Estimate(); se == se {
			t.Errorf("a standard error of %v", se)
		}
		c.Add(matrix.Vector{Value: []float32{1, 2}})
	}
	if epsilon, se := c.Estimate(); epsilon != 0 || se != 0 {
		t.Errorf("found %v +- %v for a basis and itself", epsilon, se)
	}
}
