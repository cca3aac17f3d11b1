package certificate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A basis of rows that depend on others, or almost, captures what its span does: not
// what it becomes by rounding when it is made orthonormal.
func TestCertificateIsAboutTheSpanGiven(t *testing.T) {
	t.Parallel()
	count := nightly(960, 384)
	each(count, func(i int) {
		c := newInstance(i)
		c.u = dependentRows(rand.New(rand.NewPCG(13, uint64(i))), c.u)
		truth := truthOf(c)
		for _, exact := range []bool{true, false} {
			got, err := certify(context.Background(), c.x, c.u, 1, 1, exact)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if v := truth.violation(c, got); v != "" {
				t.Errorf("%s: %s: %s", c.name, got.Route, v)
			}
		}
	})
}

// dependentRows replaces a row in the middle by a multiple of another, or makes all
// rows almost the same.
func dependentRows(rng *rand.Rand, u method.Basis) method.Basis {
	if u.K < 2 {
		return u
	}
	if i := rng.IntN(2*u.K - 1); i < u.K-1 {
		copy(u.Row(i+1), u.Row(i))
		algebra.Scale(u.Row(i+1), rng.NormFloat64())
		return u
	}
	apart := math.Pow(10, -13*rng.Float64())
	for i := 1; i < u.K; i++ {
		for j, x := range u.Row(0) {
			u.Row(i)[j] = x + apart*u.Row(i)[j]
		}
	}
	return u
}

// Rows that are orthonormal but for rounding lose nothing by what is proven of them.
func TestCertificateSpanOfOrthonormalRows(t *testing.T) {
	c := certifier{d: 500, threads: 1}
	c.setBasis(method.Basis{K: 100, Cols: 500, Component: algebra.RandomBasis(1, 100, 500)})
	if c.r != 100 || !(c.away < 2e-13) {
		t.Errorf("found %d rows that are off by %.3g, expected 100 by at most 2e-13", c.r, c.away)
	}
	t.Logf("off by %.3g", c.away)
}

// Who knows the seed cannot hide a direction: of nine of the largest variance, the
// basis lacks the one that is orthogonal to all random vectors the seed might give.
func TestCertificateOfBasisMadeForTheSeed(t *testing.T) {
	const d, k = 40, 9
	x := &matrix.Dense{Rows: d, Cols: d, Value: make([]float32, d*d)}
	for j := range d {
		x.Value[j*d+j] = 1
		if j < k {
			x.Value[j*d+j] = 3
		}
	}
	for seed := range uint64(5) {
		g := make([]float64, starts*d)
		algebra.FillNormal(g, rand.NewPCG(seed, searchStream))
		u := method.Basis{K: k, Cols: d, Component: make([]float64, k*d)}
		for i := range starts {
			copy(u.Row(i)[:k], g[i*d:i*d+k])
		}
		u.Row(k - 1)[k] = 1
		got, err := certify(context.Background(), view.Rows{X: x}, u, 1, seed, false)
		if want := 9.0 * k / d; err != nil || got.Upper < want {
			t.Errorf("seed %d: found %+v, expected at least %g", seed, got, want)
		}
	}
}
