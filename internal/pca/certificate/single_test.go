package certificate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Never below the truth, by sums in single precision, on problems of every kind.
func TestSingleCertificateIsATheorem(t *testing.T) {
	t.Parallel()
	count := nightly(2688, 384)
	taken := make([]bool, count)
	each(count, func(i int) {
		c := newInstance(i)
		got, ok, err := certifySingle(context.Background(), c.x, c.u, 1)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if taken[i] = ok; !ok {
			return
		}
		if v := truthOf(c).violation(c, got); v != "" {
			t.Errorf("%s: %s", c.name, v)
		}
	})
	all := 0
	for _, ok := range taken {
		if ok {
			all++
		}
	}
	if all < count/2 {
		t.Errorf("%d of %d problems were small enough for single precision, expected at least half", all, count)
	}
}

// The bound loses next to nothing at the best basis, and the same bits come of any
// number of threads.
func TestSingleCertificateIsTight(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 8))
	for _, size := range [][3]int{{300, 10, 3}, {1000, 40, 5}, {3000, 120, 8}} {
		x, u := gapped(rng, size[0], size[1], size[2])
		for name, x := range map[string]view.Rows{"dense": x, "sparse": {X: matrix.Transpose(matrix.Transpose(x.X))}} {
			got, ok, err := certifySingle(t.Context(), x, u, 1)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if got.Loss() > 1e-9 {
				t.Errorf("%v %s: loss %.3g, expected at most 1e-9", size, name, got.Loss())
			}
			for _, threads := range []int{2, 3} {
				if again, _, err := certifySingle(t.Context(), x, u, threads); again != got || err != nil {
					t.Errorf("%v %s, %d threads: found %+v, %v, expected %+v", size, name, threads, again, err, got)
				}
			}
		}
	}
}

// tied returns rows of which all directions capture the same.
func tied() view.Rows {
	const n, d = 20250, 450
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		x.Value[i*d+i%d] = 1.5
	}
	return view.Rows{X: x}
}

// The quick bound is taken where it proves what is wanted, else the close one.
func TestCloseCertificateWhereTheQuickOneIsNotEnough(t *testing.T) {
	t.Parallel()
	const k = 3
	for _, c := range []struct {
		name         string
		x            view.Rows
		quick, close bool // which of them is enough
	}{{"a gap", pcatest.Many(k, 3), true, false}, {"no gap", pcatest.Many(k, 0), true, false}, {"tied", tied(), false, true}} {
		u, err := batch.Covariance{Precision: "double"}.Solve(t.Context(), c.x, method.Problem{K: k})
		if err != nil {
			t.Fatal(err)
		}
		quick, _, err := certifySingle(t.Context(), c.x, u, 0)
		if err != nil {
			t.Fatal(err)
		}
		close, err := CertifyUntil(t.Context(), c.x, u, 0, one, func(Certificate) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		if quick == close || quick.Loss() < close.Loss() || quick.Failure != 0 {
			t.Errorf("%s: quick %+v, close %+v: expected different proofs without chance", c.name, quick, close)
		}
		got, err := Certify(t.Context(), c.x, u, 0, 1)
		if err != nil || (got == quick) != c.quick || (got == close) != c.close || got.Loss() > nearlyAll {
			t.Errorf("%s: found %+v, %v; quickly %+v, closely %+v", c.name, got, err, quick, close)
		}
		t.Logf("%s: loss %.2g quickly, %.2g closely, %.2g taken", c.name, quick.Loss(), close.Loss(), got.Loss())
	}
}

// S alone is taken where its error leaves room for what is wanted, and where it has none: of small integers.
func TestCertificateOfTheMomentAlone(t *testing.T) {
	t.Parallel()
	const k = 3
	fine := pcatest.Many(k, 3)
	coarse := &matrix.Dense{Rows: fine.X.(*matrix.Dense).Rows, Cols: fine.X.(*matrix.Dense).Cols}
	for _, v := range fine.X.(*matrix.Dense).Value {
		coarse.Value = append(coarse.Value, float32(math.Round(float64(16*v))))
	}
	for _, c := range []struct {
		name        string
		x           view.Rows
		gap, proved float64
	}{{"little is wanted", fine, 0.01, 0.01}, {"integers", view.Rows{X: coarse, Offset: view.ColumnMeans(coarse, 0)}, 1e-10, 1e-10}} {
		u, err := batch.Covariance{Precision: "double"}.Solve(t.Context(), c.x, method.Problem{K: k})
		if err != nil {
			t.Fatal(err)
		}
		work := new(view.Work)
		c.x.Work = work
		got, err := CertifyUntil(t.Context(), c.x, u, 0, one, func(found Certificate) bool { return found.Loss() <= c.gap })
		if err != nil || got.Loss() > c.proved || work.Passes(c.x.X.(*matrix.Dense).Rows) != 1 {
			t.Errorf("%s: found %+v, a loss of %.3g, in %g passes, %v, expected %g in one", c.name, got, got.Loss(), work.Passes(c.x.X.(*matrix.Dense).Rows), err, c.proved)
		}
		exact, err := batch.Covariance{Precision: "double"}.Solve(t.Context(), c.x, method.Problem{K: k})
		if best := exact.Value[0] + exact.Value[1] + exact.Value[2]; err != nil || got.Captured > best || got.Upper < best {
			t.Errorf("%s: found %+v, %v, expected %g between the bounds", c.name, got, err, best)
		}
	}
}

// Directions may be those of small eigenvalues: what is left may then capture all that its
// nu allows.
func TestBoundsBesideSmallDirections(t *testing.T) {
	for _, k := range []int{1, 2, 3, 5} {
		b := coupled{k: k, r: 3, inner: []float64{1, 0, 0, 0, 2, 0, 0, 0, 7}, squares: make([]float64, 9), lengths: make([]float64, 3)}
		want := 7 + float64(5*(k-1)) // of diag(1, 2, 7) and any number of nu = 5
		for name, bound := range map[string]float64{"linear": b.linear(5), "quadratic": b.quadratic(5)} {
			if bound < want || bound > want*(1+1e-9)+1e-6 {
				t.Errorf("k=%d, %s: found the bound %.17g, expected %g", k, name, bound, want)
			}
		}
	}
}

// Whatever the second moment is off by within its bound, the certificate is a theorem: here
// what is left of it lacks its largest directions, or the moment alone some of its very largest.
func TestCertificateOfTheWorstMoment(t *testing.T) {
	t.Parallel()
	each(192, func(i int) {
		c := newInstance(i)
		c.x = c.x.Sharing()
		s, err := c.x.Single(t.Context(), 1)
		if _, d := c.x.Dims(); err == nil && s.OK && c.u.K < d {
			values, vectors := make([]float64, d), make([]float64, d*d)
			lapack.Eigen(values, vectors, append([]float64{}, s.Value...), d, 1)
			lacks := c.u.K
			if i/2%2 == 0 {
				lacks = 0
			}
			next := vectors[lacks*d : (lacks+1)*d]
			by := min(0.01*values[0], 0.99*values[lacks])
			for j := range d {
				vec.Axpy64(s.Value[j*d:(j+1)*d], -by*next[j], next)
			}
			s.Wrong += by * (1 + 1e-9)
		}
		certify := certifySingle
		if i/2%2 == 0 {
			certify = certifyAlone
		}
		got, ok, err := certify(t.Context(), c.x, c.u, 1)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if v := truthOf(c).violation(c, got); ok && v != "" {
			t.Errorf("%s: %s", c.name, v)
		}
	})
}
