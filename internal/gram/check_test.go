package gram

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestSmallestEigenvalue makes matrices with known eigenvalues: a diagonal one
// turned by plane rotations.
func TestSmallestEigenvalue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{1, 2, 3, 10, 65} {
		for _, spread := range []float64{0, 1, 12} {
			a, smallest, largest := make([]float64, n*n), math.Inf(1), 0.0
			for i := range n {
				v := r.NormFloat64() * math.Exp(spread*(r.Float64()-1))
				a[i*n+i], smallest, largest = v, min(smallest, v), max(largest, math.Abs(v))
			}
			for range 10 * n {
				p, q := r.IntN(n), r.IntN(n)
				if p == q {
					continue
				}
				sin, cos := math.Sincos(7 * r.Float64())
				for i := range n {
					x, y := a[i*n+p], a[i*n+q]
					a[i*n+p], a[i*n+q] = cos*x-sin*y, sin*x+cos*y
				}
				for i := range n {
					x, y := a[p*n+i], a[q*n+i]
					a[p*n+i], a[q*n+i] = cos*x-sin*y, sin*x+cos*y
				}
			}
			if got := smallestEigenvalue(a, n); math.Abs(got-smallest) > 1e-14*float64(n)*largest {
				t.Errorf("n = %d: %v, want %v", n, got, smallest)
			}
		}
	}
}

func plane(n int) *matrix.Dense {
	r := rand.New(rand.NewPCG(2, 7))
	x := &matrix.Dense{Rows: n, Cols: 3, Value: make([]float32, 3*n)}
	for j := range x.Value {
		x.Value[j] = float32(r.NormFloat64())
	}
	return x
}

// Sums and products are accepted, tanh(<x,y> - 1) and others are flagged, with
// the curvature found (K7).
func TestCheck(t *testing.T) {
	x := plane(250)
	for spec, want := range map[string]string{
		"linear": "", "rbf:gamma=0.5": "", "rbf:gamma=1e-6": "", "poly:degree=3,coef0=1": "",
		"rbf:gamma=0.5 + poly:degree=2": "", "rbf:gamma=0.5 * poly:degree=2,coef0=3": "", "normalised(poly:degree=4)": "", "laplacian": "",
		"sigmoid:coef0=-1":        "it is no inner product",
		"poly:degree=2,coef0=-1":  "it is no inner product",
		"sigmoid:coef0=-1 + 1e-9": "it is no inner product",
		"chi2":                    `kernel "chi2": row `,
	} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		curvature, err := Check(k, x, 200)
		if got := message(err); want == "" != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: curvature %g, error %q, want %q", spec, curvature, got, want)
		}
		if (want == "it is no inner product") != (curvature < -1e-3) {
			t.Errorf("%s: curvature %g", spec, curvature)
		}
	}
}

func TestCheckRefutes(t *testing.T) {
	inner := func(x, y matrix.Vector) float64 { return kernel.Linear{}.Eval(x, y) }
	for want, value := range map[string]func(x, y matrix.Vector) float64{
		"found k(x,y) = ":        func(x, y matrix.Vector) float64 { return inner(x, y) + 1e-9*float64(x.Value[0]) },
		"no inner product":       func(x, y matrix.Vector) float64 { return -inner(x, y) },
		"the same finite number": func(x, y matrix.Vector) float64 { return inner(x, y) / 0 },
		"sample of 200 rows":     func(x, y matrix.Vector) float64 { return inner(x, y) - 1e-6*kernel.RBF{Gamma: 1}.Eval(x, y) },
	} {
		if _, err := Check(kernel.Func{Value: value}, plane(250), 200); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Check(kernel.Linear{}, plane(3), 0); err == nil {
		t.Error("an empty sample is accepted")
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// smallestEigenvalue returns that of a symmetric matrix of n rows, which it overwrites.
func smallestEigenvalue(a []float64, n int) float64 {
	values := make([]float64, n)
	lapack.Eigen(values, nil, a, n, 1)
	return values[n-1]
}
