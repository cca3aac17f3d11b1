package pca

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// manyRows returns so many that what is proven of them is proven quickly first; spread is
// the size of the first two features beside the others, of size 1.
func manyRows(spread float64) *data.Set {
	const n, d = 20000, 450
	rng := rand.New(rand.NewPCG(4, 4))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range x.Value {
		size := 1.0
		if i%d < 2 {
			size = spread
		}
		x.Value[i] = float32(size * rng.Float64())
	}
	return &data.Set{X: x}
}

// A proof of many rows is as close as the gap that is asked for needs, and is what
// verification finds; so is a closer one, which was asked for or is claimed.
func TestQuickProofOfManyRows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct{ spread, gap float64 }{{4, 0}, {4, 1e-9}, {1.02, 0.1}, {1.02, 1e-8}}[nightly(0, 2):] {
		set := manyRows(c.spread)
		r, err := Fit(ctx, set, Spec{K: 2, Gap: c.gap})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged || r.Model.Proof.Failure != 0 {
			t.Errorf("spread %g, gap %g: found %s with %+v, expected a proof for certain", c.spread, c.gap, r.Status, r.Model.Proof)
		}
		v, err := Verify(ctx, r.Model, set, 0)
		if err != nil || len(v.Problems) > 0 || !pose.Near([]float64{float64(v.Found.Upper)}, []float64{float64(r.Model.Proof.Upper)}) {
			t.Errorf("spread %g, gap %g: found %+v, %v, expected the same proof %+v", c.spread, c.gap, v, err, r.Model.Proof)
		}
	}
}

// The close bound is a true claim of a model with a wide gap; less than it is a false one,
// which no wider bound may excuse.
func TestVerifyJudgesClaimsBelowTheQuickProof(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	set := manyRows(1.02)
	r, err := Fit(ctx, set, Spec{K: 2, Gap: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Model
	basis := method.Basis{K: 2, Cols: m.Cols(), Component: m.Components}
	close, err := certificate.CertifyUntil(ctx, view.Rows{X: set.X, Offset: m.Mean}, basis, 0, func() uint64 { return 0 }, func(certificate.Certificate) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if !(float64(m.Proof.Upper) > close.Upper*(1+1e-6)) {
		t.Fatalf("the quick bound is %v, the close one %v: expected it to be wider", m.Proof.Upper, close.Upper)
	}
	for _, c := range []struct {
		share float64
		holds bool
	}{{1, true}, {1 - 1e-6, false}} {
		m.Proof.Captured, m.Proof.Upper = model.Bound(close.Captured), model.Bound(close.Upper*c.share)
		v, err := Verify(ctx, m, set, 0)
		if err != nil || (len(v.Problems) == 0) != c.holds {
			t.Errorf("claimed is %g of the close bound: found %v, %v, expected it to hold: %v", c.share, v.Problems, err, c.holds)
		}
	}
}
