package pca

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/solver"
)

// slowlyFalling makes rows whose second moment has eigenvalues near 1/sqrt(j): close to
// each other, so that a method must know how near to go.
func slowlyFalling(t *testing.T, n, d int) *data.Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 5))
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, d)
		for j := range rows[i] {
			rows[i][j] = float32(rng.NormFloat64() / math.Sqrt(math.Sqrt(float64(j+1))))
		}
	}
	set, err := data.FromDense(rows, data.Target{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The gap that is asked for drives the methods that stop by an estimate, and what they
// capture is the exact sum of eigenvalues up to it.
func TestPCAGapDrivesMethods(t *testing.T) {
	set := slowlyFalling(t, 2000, 120)
	rows, err := view.Preprocess(set.X, "none", true, 1)
	if err != nil {
		t.Fatal(err)
	}
	const k = 6
	exact, err := batch.Covariance{Precision: "double"}.Solve(t.Context(), rows, method.Problem{Rows: 2000, Cols: 120, K: k})
	if err != nil {
		t.Fatal(err)
	}
	best := 0.0
	for _, v := range exact.Value {
		best += v
	}
	for _, method := range []string{"krylov", "power", "vr-pca:epochs=400"} {
		for _, gap := range []float64{1e-2, 1e-6, 1e-9} {
			r, err := Fit(context.Background(), set, Spec{K: k, Method: method, Gap: gap, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := r.Model.Proof
			if r.Status != solver.Converged || !(p.Relative() <= gap) {
				t.Errorf("%s: found %s with the gap %.3g, expected %g", method, r.Status, p.Relative(), gap)
			}
			if float64(p.Captured) > best*(1+1e-12) || float64(p.Upper) < best*(1-1e-12) || float64(p.Captured) < best*(1-gap)-1e-12 {
				t.Errorf("%s: found %.12g captured of at most %.12g, expected bounds of %.12g within %g", method, p.Captured, p.Upper, best, gap)
			}
		}
	}
	for _, method := range []string{"krylov:tol=1e-3", "randomized:power=0", "power:tol=1e-2"} {
		r, err := Fit(context.Background(), set, Spec{K: k, Method: method, Gap: 1e-9, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Stalled {
			t.Errorf("%s: found %s, expected that a tolerance of its own is kept", method, r.Status)
		}
	}
}
