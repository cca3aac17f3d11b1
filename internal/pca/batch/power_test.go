package batch

import (
	"context"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// axisRows is rows of which the sum of x x^T is diag(values).
func axisRows(values []float64) view.Rows {
	d := len(values)
	m := &matrix.Dense{Rows: d, Cols: d, Value: make([]float32, d*d)}
	factor := make([]float64, d)
	for j, v := range values {
		m.Value[j*d+j] = 1
		factor[j] = math.Sqrt(v)
	}
	return view.Rows{X: m, Factor: factor}
}

func mustSolve(t *testing.T, m method.Batch, x view.Rows, p method.Problem) method.Basis {
	t.Helper()
	b, err := m.Solve(context.Background(), x, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// epsilon returns by how much less than the best b captures, given the sum of x x^T
// as a diagonal.
func epsilon(values []float64, b method.Basis) float64 {
	best := 0.0
	for _, v := range values[:b.K] {
		best += v
	}
	return method.Suboptimality(values, best, b)
}

// Row 6: a pass divides epsilon by (lambda_k/lambda_{k+1})^2.
func TestPowerRate(t *testing.T) {
	values := []float64{6, 5, 4, 2, 1, 1, 0.5, 0.1}
	x := axisRows(values)
	for _, k := range []int{1, 2, 3, 4} {
		want := values[k] / values[k-1] * values[k] / values[k-1]
		passes := int(math.Log(1e-12) / math.Log(want))
		var ratios []float64
		for seed := range uint64(9) {
			p := pcatest.ProblemOf(x, k)
			p.Seed = seed
			before := epsilon(values, mustSolve(t, Power{Passes: passes}, x, p))
			after := epsilon(values, mustSolve(t, Power{Passes: passes + 1}, x, p))
			ratios = append(ratios, after/before)
		}
		slices.Sort(ratios)
		t.Logf("k=%d: ratio %.5f, expected %.5f", k, ratios[4], want)
		if math.Abs(ratios[4]-want) > 0.01*want {
			t.Errorf("k=%d: the median of the ratios is %g, expected %g", k, ratios[4], want)
		}
	}
}

// Row 6: of u' = eta u + Sigma u, eta = 0 is the best of all eta >= 0, and the
// optimal shift the best of all.
func TestPowerLineSearch(t *testing.T) {
	values := []float64{6, 5, 4, 2, 1, 1, 0.5, 0.1}
	x := axisRows(values)
	for seed := range uint64(50) {
		p := pcatest.ProblemOf(x, 1)
		p.Seed = seed
		u := algebra.RandomBasis(seed, 1, len(values))
		quotient := func(eta float64) float64 {
			above, below := 0.0, 0.0
			for j, v := range values {
				w := (eta + v) * u[j]
				above, below = above+v*w*w, below+w*w
			}
			return above / below
		}
		plain := mustSolve(t, Power{Passes: 2}, x, p).Value[0] * float64(len(values))
		optimal := mustSolve(t, Power{Passes: 2, Optimal: true}, x, p).Value[0] * float64(len(values))
		if math.Abs(plain-quotient(0)) > 1e-12 {
			t.Fatalf("a pass leads to %g, expected the quotient %g of Sigma u", plain, quotient(0))
		}
		for eta := 1e-4; eta < 1e6; eta *= 1.5 {
			if quotient(eta) >= plain {
				t.Errorf("seed %d: eta = %g is better: %g, not %g", seed, eta, quotient(eta), plain)
			}
			for _, eta := range []float64{eta, -eta} {
				if quotient(eta) > optimal+1e-12 {
					t.Errorf("seed %d: eta = %g is better than the best: %g, not %g", seed, eta, quotient(eta), optimal)
				}
			}
		}
	}
}

// The optimal shift needs about half as many passes, or fewer, where the gap is small.
func TestPowerShift(t *testing.T) {
	values := []float64{6, 5.5, 5, 4.5, 4.3, 3, 2, 1, 0.5, 0.1}
	x := axisRows(values)
	for _, k := range []int{1, 4} {
		passes := func(optimal bool) int {
			return 1 + sort.Search(1000, func(n int) bool {
				return epsilon(values, mustSolve(t, Power{Passes: n + 1, Optimal: optimal}, x, pcatest.ProblemOf(x, k))) < 1e-10
			})
		}
		plain, optimal := passes(false), passes(true)
		t.Logf("k=%d: %d passes, %d with the optimal shift", k, plain, optimal)
		if 9*optimal > 5*plain {
			t.Errorf("k=%d: %d passes, %d with the optimal shift", k, plain, optimal)
		}
	}
}

// VR-PCA converges linearly: every epoch divides epsilon, until it is rounding.
func TestVRPCAIsLinear(t *testing.T) {
	g := pcatest.NewGaussian(25, 1000, 20).Rows
	p := pcatest.ProblemOf(g, pcatest.EasyK)
	previous := pcatest.MissedOf(g, mustSolve(t, VRPCA{Epochs: 0}, g, p))
	first := previous
	for epochs := 1; epochs <= 40; epochs++ {
		missed := pcatest.MissedOf(g, mustSolve(t, VRPCA{Epochs: epochs}, g, p))
		t.Logf("%d epochs: missed %.2g, ratio %.2f", epochs, missed, missed/previous)
		if missed < 1e-13 {
			break
		}
		if missed > 0.5*previous {
			t.Errorf("%d epochs: missed %g, after one less %g: expected at most half", epochs, missed, previous)
		}
		previous = missed
	}
	if previous > 1e-10 {
		t.Errorf("missed %g at first, %g in the end, expected 1e-10", first, previous)
	}
}

// A step of VR-PCA on its own representation of U is the step of the paper's
// equation, but for O.
func TestVRPCAStepIsItsTwin(t *testing.T) {
	const d, k, eta = 12, 3, 0.05
	g := pcatest.NewGaussian(26, 60, d).Rows
	s := newRitz(view.MomentOf(g, 1), algebra.RandomBasis(1, k, d), k)
	if err := s.multiply(context.Background()); err != nil {
		t.Fatal(err)
	}
	state := newDrift(s, g, 1, eta)
	u := append([]float64{}, s.u...)
	x := make([]float64, d)
	for i := range 60 {
		state.step(i)
		g.Row(x, i)
		o := make([]float64, k*k)
		for a := range k {
			for b := range k {
				for j := range d {
					o[a*k+b] += u[a*d+j] * s.u[b*d+j]
				}
			}
		}
		next := append([]float64{}, u...)
		for a := range k {
			for j := range d {
				for l := range d {
					next[a*d+j] += eta * u[a*d+l] * x[l] * x[j]
				}
				for b := range k {
					for l := range d {
						next[a*d+j] -= eta * o[a*k+b] * s.u[b*d+l] * x[l] * x[j]
					}
					next[a*d+j] += eta * o[a*k+b] * s.g[b*d+j]
				}
			}
		}
		u = next
	}
	state.orthonormalise()
	algebra.Orthonormalise(u, k, d)
	if got := pcatest.LargestDifference(state.r, u); got > 1e-10 {
		t.Errorf("U is off by %g", got)
	}
}
