package kernel_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestRowsAndSumsAreWithinTheirBounds compares rows and Combine with many
// digits, on rows whose distances cancel and on values of all sizes. Certificates
// rely on these bounds.
func TestRowsAndSumsAreWithinTheirBounds(t *testing.T) {
	const n, d, unit = 45, 30, 0x1p-53
	r := rand.New(rand.NewPCG(31, 32))
	sets := map[string]func(column int) float64{
		"unscaled":  func(column int) float64 { return float64(column%3*1000) + r.NormFloat64() },
		"all sizes": func(int) float64 { return r.NormFloat64() * math.Ldexp(1, r.IntN(24)-20) },
	}
	for name, draw := range sets {
		x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
		for i := range x.Value {
			x.Value[i] = float32(draw(i % d))
		}
		for _, c := range []struct {
			spec  string
			exact func(x, y []float32) *big.Float
		}{
			{"linear", product},
			{"rbf:gamma=0.02", gauss(0.02)},
			{"poly:degree=3,gamma=1e-3,coef0=1", polynomial(3, 1e-3, 1)},
			{"laplacian:gamma=0.02", laplacian(0.02)},
		} {
			k, err := kernel.New(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			g, err := gram.NewGram(k, x, gram.Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			beta, got := make([]float64, n), make([]float64, n)
			for j := range beta {
				beta[j] = r.NormFloat64()
			}
			chain := g.Combine(got, beta)
			rows := make([]int, n)
			for i := range rows {
				rows[i] = i
			}
			worst := 0.0
			for i, row := range g.Rows(rows) {
				sum, bound := fresh(), 0.0
				for j := range n {
					exact := c.exact(x.Row(i).Value, x.Row(j).Value)
					allowed := k.Error(g.Terms, g.SquaredNorm[i], g.SquaredNorm[j])
					if off := distance(exact, row.At(j)); off > allowed {
						t.Fatalf("%s, %s: K[%d][%d] is off by %g, allowed %g", c.spec, name, i, j, off, allowed)
					} else if allowed > 0 {
						worst = max(worst, off/allowed)
					}
					sum.Add(sum, fresh().Mul(exact, number(beta[j])))
					size := math.Abs(row.At(j)) + 2*allowed
					bound += math.Abs(beta[j]) * (allowed + float64(chain)*unit*size)
				}
				if off := distance(sum, got[i]); off > bound*(1+1e-9) {
					t.Errorf("%s, %s: sum %d is off by %g, allowed %g", c.spec, name, i, off, bound)
				}
			}
			if worst < 1e-6 {
				t.Errorf("%s, %s: no error above %g of what is allowed: a bound that says nothing", c.spec, name, worst)
			}
		}
	}
}

// distance returns |x-v|.
func distance(x *big.Float, v float64) float64 {
	d, _ := fresh().Sub(x, number(v)).Float64()
	return math.Abs(d)
}

// TestCombineOfManyRows: 110 blocks of rows, each with the sum 1, beside one of 2^53. Sums that do
// not keep what they lose drop each of these ones, which is more than the bound allows.
func TestCombineOfManyRows(t *testing.T) {
	const n = 111 * 64
	x := &matrix.Dense{Rows: n, Cols: 1, Value: make([]float32, n)}
	beta, got := make([]float64, n), make([]float64, n)
	for i := range beta {
		x.Value[i], beta[i] = 1, 1.0/64
		if i < 64 {
			beta[i] = 1 << 47
		}
	}
	g, err := gram.NewGram(kernel.Linear{}, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chain := g.Combine(got, beta)
	if want := float64(1<<53 + 110); got[0] != want || got[n-1] != want || chain > 70 {
		t.Errorf("found %.0f and %.0f with a chain of %d, expected %.0f with a chain of 70 at most", got[0], got[n-1], chain, want)
	}
}
