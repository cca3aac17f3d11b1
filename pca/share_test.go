package pca

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/solver"
)

// As many components are found as capture the share, by the exact eigenvalues, and one
// fewer would not do; also where the first guess is too small, and of other methods.
func TestPCAShare(t *testing.T) {
	n, d := 700, 90
	if *Long {
		n, d = 1500, 260
	}
	set := slowlyFalling(t, n, d)
	rows, err := view.Preprocess(set.X, "none", true, 1)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := batch.Covariance{Precision: "double"}.Solve(t.Context(), rows, method.Problem{Rows: n, Cols: d, K: d})
	if err != nil {
		t.Fatal(err)
	}
	all := 0.0
	for _, v := range exact.Value {
		all += v
	}
	for _, method := range []string{"", "krylov", "power"} {
		for _, share := range []float64{0.01, 0.3, 0.6, 0.95, 0.999, 1} {
			if method != "" && share > 0.9 {
				continue
			}
			r, err := Fit(context.Background(), set, Spec{Share: share, Method: method, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			k := r.Model.Statement.K
			captured := 0.0
			for _, v := range exact.Value[:k-1] {
				captured += v
			}
			if captured >= share*all*(1+1e-6) || captured+exact.Value[k-1] < share*all*(1-1e-6) || share == 1 && k != d {
				t.Errorf("%s, share %g: found %d components, which capture %g of %g, and %g without the last", method, share, k, captured+exact.Value[k-1], all, captured)
			}
			if p := r.Model.Proof; r.Status != solver.Converged || math.Abs(float64(p.Total)-all) > 1e-9*all {
				t.Errorf("%s, share %g: %s, the total %g, expected %g", method, share, r.Status, p.Total, all)
			}
			if v, err := Verify(context.Background(), r.Model, set, 1); err != nil || len(v.Problems) > 0 {
				t.Error(err, v.Problems)
			}
		}
	}
}

// Directions in which nothing varies are not among all.
func TestPCAShareOfFewDimensions(t *testing.T) {
	rows := make([][]float32, 50)
	for i := range rows {
		x, y := float32(i%7), float32(i*i%11)
		rows[i] = []float32{x, y, x + y, 3, 2 * x}
	}
	set, err := data.FromDense(rows, data.Target{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Fit(context.Background(), set, Spec{Share: 1})
	if err != nil {
		t.Fatal(err)
	}
	if k := r.Model.Statement.K; k != 2 {
		t.Errorf("found %d components, expected 2", k)
	}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Share: 2}, "share = 2"},
		{Spec{Share: 0.5, K: 3}, "share = 0.5, k = 3"},
	} {
		if _, err := Fit(context.Background(), set, c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found %v, expected %q", err, c.want)
		}
	}
	if _, err := NewStream(set.X, nil, Spec{Share: 0.5}); err == nil || !strings.Contains(err.Error(), "expected a number of components") {
		t.Errorf("a share of a stream: found %v", err)
	}
}
