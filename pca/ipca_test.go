package pca

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/solver"
)

// Without rows held out the stream of ipca is scikit-learn's IncrementalPCA: the same
// batches, each about its own mean, and what is left of fewer than k rows in the last.
// The numbers are those of scikit-learn 1.9.1, IncrementalPCA(n_components=4).fit(X)
// on the same 1283 rows, 32 batches of 40 and 3 rows more; components of the exact
// covariance have a cosine of 0.967 with the last of them.
func TestIPCAIsIncrementalPCA(t *testing.T) {
	const n, d, k = 1283, 8, 4
	rows := make([][]float32, n)
	for i := range rows {
		for j := range d {
			x := float32((i*i*(j+3)+5*i*j+7*j)%(13+2*j)) + float32(i*(1+j%3)%101)/4 + float32(i/300*(j%4))
			rows[i] = append(rows[i], x)
		}
	}
	set, err := data.FromDense(rows, data.Target{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStream(set.X, nil, Spec{K: k, Method: "ipca", HoldOut: -1})
	if err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < n; lo += 100 {
		if err := s.Learn(matrix.Part(set.X, lo, min(lo+100, n))); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result(solver.EpochLimit)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Model
	if m.HeldOut != nil || m.Proof.HeldOut != nil {
		t.Errorf("found %d rows held out, expected none", len(m.HeldOut))
	}
	if v, err := Verify(context.Background(), m, set, 1); err != nil || len(v.Problems) > 0 {
		t.Error(err, v.Problems)
	}
	for _, share := range []float64{0, 0.1, 2, -2, math.NaN(), math.Inf(-1)} {
		other := *m
		other.Statement.HoldOut = share
		if v, err := Verify(context.Background(), &other, set, 1); err != nil || len(v.Problems) == 0 {
			t.Errorf("a share of %g held out was believed: %v", share, err)
		}
		if share <= 0.5 && share >= 0 {
			continue
		}
		if _, err := Resume(&other, 1); err == nil {
			t.Errorf("went on with a share of %g held out", share)
		}
	}
	variance := []float64{317.03906654497547, 139.72519208757726, 103.67849284860755, 56.521266347124424}
	for i, want := range [][]float64{
		{0.332233144062, 0.348148500087, 0.229063120110, 0.425845456625, 0.336192946773, 0.212217449089, 0.430760805932, 0.437015650596},
		{0.101067110252, -0.292633147233, 0.524520460339, 0.153377358403, -0.346337519039, 0.557489528165, 0.127554657345, -0.398108667655},
		{0.329115001974, -0.145338085745, -0.370326224947, 0.385509838598, -0.215287361160, -0.415569856999, 0.455645105250, -0.397669953490},
		{-0.077260099580, -0.299576791256, 0.060013170294, 0.011827677390, -0.635738863850, -0.151563858621, 0.147033673470, 0.672152319946},
	} {
		if cosine := math.Abs(vec.Dot64(m.Component(i), want)); !(math.Abs(cosine-1) <= 1e-9) {
			t.Errorf("component %d has the cosine %.9f with that of scikit-learn", i+1, cosine)
		}
		if found := m.Eigenvalue[i] * n / (n - 1); math.Abs(found-variance[i]) > 1e-9*variance[i] {
			t.Errorf("component %d: found the variance %.12g, expected %.12g", i+1, found, variance[i])
		}
	}
}

// The scale of a stream is that of all rows it learned, also where the first do not
// vary in a feature; the verifier measures it again, and finds another one.
func TestPCAStreamScaleFollows(t *testing.T) {
	set := ellipsoid(t, 4000, 6, 4)
	x := set.X.(*matrix.Dense)
	for i := range 1500 {
		for j := range 4 {
			x.Value[i*6+j] = 10
		}
	}
	for _, scale := range []string{"std", "thesis", "norm"} {
		for _, method := range []string{"", "oja", "incremental"} {
			s, err := NewStream(set.X, nil, Spec{K: 5, Method: method, Scale: scale})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Learn(set.X); err != nil {
				t.Fatal(err)
			}
			r, err := s.Result(solver.EpochLimit)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := Verify(context.Background(), r.Model, set, 1); err != nil || len(v.Problems) > 0 {
				t.Error(scale, method, err, v.Problems)
			}
			if h := r.Model.Proof.HeldOut; method == "" && h.Captured < 0.8*h.Total {
				t.Errorf("scale %s: found %.3g of %.3g captured by 5 of 6 components, expected at least 80 %%", scale, h.Captured, h.Total)
			}
			r.Model.Scale[1] *= 1.01
			if v, err := Verify(context.Background(), r.Model, set, 1); err != nil || len(v.Problems) == 0 {
				t.Errorf("scale %s: another scale was believed: %v", scale, err)
			}
		}
	}
}
