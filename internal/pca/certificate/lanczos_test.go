package certificate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/matrix"
)

// besides returns a certifier, and the largest eigenvalue of what is left of Sigma
// beside its basis.
func besides(rng *rand.Rand, n, d, k int) (c *certifier, left float64) {
	x := pcatest.SomeRows(rng, n, d, rng.IntN(2) == 0, false)
	_, size, _, _ := balanced(x, false, 1)
	c = &certifier{x: x, k: k, threads: 1, seed: rng.Uint64, size: size}
	c.n, c.d = n, d
	c.setBasis(method.Basis{K: k, Cols: d, Component: algebra.RandomBasis(rng.Uint64(), k, d)})
	b := pcatest.TableOf(x)
	for i := range n {
		algebra.TakeOff(b[i*d:(i+1)*d], c.basis, make([]float64, k))
	}
	s := make([]float64, d*d)
	blas.SyrkCols64(algebra.Block(s, d, d), algebra.Block(b, n, d), 1)
	algebra.Divide(s, float64(n))
	values := make([]float64, d)
	lapack.Eigen(values, nil, s, d, 1)
	return c, values[0]
}

// After every step the bound holds, a plain value of Lanczos is below the truth,
// and the two meet.
func TestSearchBounds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(14, 1))
	below := 0
	for range 200 {
		c, left := besides(rng, 1+rng.IntN(80), 12+rng.IntN(30), 1+rng.IntN(5))
		p := view.NewLaidOut(c.x, 1)
		b := c.couple(p)
		s := newSearch(c, p, b.frobenius)
		for s.more() && s.steps < 40 {
			s.step()
			if nu := s.bound(b.rest); nu < left*(1-1e-13) {
				t.Fatalf("n=%d d=%d: step %d: bound %.17g is below %.17g", c.n, c.d, s.steps, nu, left)
			}
			if value := s.value(); s.steps <= 3 && value < left*(1-1e-6) {
				below++
			}
		}
		if nu := s.bound(b.rest); nu > left*1.001+1e-10*c.size.total {
			t.Errorf("n=%d d=%d: bound %g after %d steps, expected about %g", c.n, c.d, nu, s.steps, left)
		}
	}
	if below < 100 {
		t.Errorf("plain values were below the truth %d times, expected often", below)
	}
}

// A run with the bound t for |u^T g| fails as rarely as stated, t sqrt(2/pi), also
// where t is so large that it does.
func TestStartsFailAsRarelyAsStated(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(14, 2))
	const problems = 400
	for _, size := range []float64{0.5, 0.2, 0.05} {
		failed := 0
		for range problems {
			c, left := besides(rng, 60, 30, 2)
			p := view.NewLaidOut(c.x, 1)
			s := newSearch(c, p, c.couple(p).frobenius)
			for range 4 {
				s.step()
			}
			for i := range s.runs {
				run := &s.runs[i]
				run.low *= size / smallest
				if run.excludes(left * (1 - 1e-12)) {
					failed++
				}
			}
		}
		most := size * math.Sqrt(2/math.Pi)
		rate := float64(failed) / (problems * starts)
		t.Logf("t=%g: %.4f of the starts failed, at most %.4f", size, rate, most)
		if rate > most+3*math.Sqrt(most/(problems*starts)) {
			t.Errorf("t=%g: %.4f of the starts failed, expected at most %.4f", size, rate, most)
		}
	}
}

// The bound on the optimum does not depend on how good the basis is, of larger
// matrices too, of which only some eigenvectors are found.
func TestBoundOfAnyBasis(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(14, 3))
	for _, size := range [][3]int{{3000, 200, 8}, {150, 400, 6}, {1000, 300, 40}} {
		n, d, k := size[0], size[1], size[2]
		x, best := gapped(rng, n, d, k)
		want, err := certify(t.Context(), x, best, 0, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, exact := range []bool{true, false} {
			got, err := certify(t.Context(), x, basisFor(rng, x, k, "random"), 0, 1, exact)
			if err != nil {
				t.Fatal(err)
			}
			allowed := 1e-9
			if !exact {
				allowed = 1e-3
			}
			t.Logf("%v %s: upper bound exceeds the best by a part of %.2g", size, got.Route, got.Upper/want.Captured-1)
			if got.Upper < want.Captured || got.Upper > want.Captured*(1+allowed) {
				t.Errorf("%v %s: upper bound %.12g, expected %.12g", size, got.Route, got.Upper, want.Captured)
			}
		}
	}
}

// What is proven of real data by a good basis.
func TestCertificateOfRealData(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("takes seconds: -long does it")
	}
	for _, c := range []struct {
		path  string
		k     int
		route string
		loss  float64
	}{
		{"mnist/train-images-idx3-ubyte.gz", 50, "exact", 1e-7},
		{"imdb/imdb_tfidf.train.svm.gz", 50, "lanczos", 3e-4},
	} {
		t.Run(fmt.Sprintf("%.5s,k=%d", c.path, c.k), func(t *testing.T) {
			x := realRows(t, "../../../../shared/data/"+c.path)
			n, d := x.Dims()
			u, err := batch.Krylov{Tolerance: 1e-8, Steps: 200}.Solve(t.Context(), x, method.Problem{Rows: n, Cols: d, K: c.k, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			got, err := Certify(t.Context(), x, u, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("loss %.3g proven in %.2f s: %+v", got.Loss(), time.Since(start).Seconds(), got)
			if got.Route != c.route || got.Loss() > c.loss {
				t.Errorf("found loss %.3g by %s, expected at most %g by %s", got.Loss(), got.Route, c.loss, c.route)
			}
		})
	}
}

func realRows(t *testing.T, path string) view.Rows {
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs %s", path)
	}
	s, err := data.Read(t.Context(), []string{path}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return view.Rows{X: s.X}
}

func BenchmarkCertify(b *testing.B) {
	rng := rand.New(rand.NewPCG(14, 4))
	value := make([]float32, 20000*300)
	for i := range value {
		value[i] = float32(rng.NormFloat64() * math.Pow(0.97, float64(i%300)))
	}
	x := view.Rows{X: &matrix.Dense{Rows: 20000, Cols: 300, Value: value}}
	u := basisFor(rng, x, 10, "exact")
	for _, exact := range []bool{true, false} {
		b.Run(fmt.Sprintf("exact=%v", exact), func(b *testing.B) {
			for range b.N {
				if _, err := certify(b.Context(), x, u, 0, 1, exact); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
