package pca

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// Claims that were made larger are found, whatever the digests say.
func TestVerifyPCAFindsLies(t *testing.T) {
	set := ellipsoid(t, 1000, 6, 1)
	for name, lie := range map[string]func(*model.PCA){
		"captures more":         func(m *model.PCA) { m.Proof.Captured *= 1.0001 },
		"others capture less":   func(m *model.PCA) { m.Proof.Upper *= 0.999 },
		"another total":         func(m *model.PCA) { m.Proof.Total *= 1.1 },
		"other components":      func(m *model.PCA) { m.Components = slices.Repeat([]float64{1, 0, 0, 0, 0, 0}, 2) },
		"worse components":      func(m *model.PCA) { m.Components = []float64{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1} },
		"components of NaN":     func(m *model.PCA) { m.Components[3] = math.NaN() },
		"longer components":     func(m *model.PCA) { m.Components[0] *= 1.01 },
		"another mean":          func(m *model.PCA) { m.Mean[2]++ },
		"a convergence not met": func(m *model.PCA) { m.Proof.Gap = 1e-16 },
		"other rows":            func(m *model.PCA) { m.Data.Digest = "sha256:0" },
		"other merged rows":     func(m *model.PCA) { m.Data.Digest, m.Proof.Status = "sha256:0", Merged },
		"another variance":      func(m *model.PCA) { m.Eigenvalue[1] *= 1.01 },
		"a smaller gap": func(m *model.PCA) { // the components miss 1e-11
			away := []float64{0, 0, 0, 0, 0, 1e-5}
			for i := range 2 {
				vec.Axpy64(away, -1e-5*m.Component(i)[5], m.Component(i))
			}
			vec.Axpy64(m.Component(1), 1, away)
			m.Proof.Captured = m.Proof.Upper
		},
		"a negative gap":     func(m *model.PCA) { m.Proof.Gap = -1 },
		"any gap":            func(m *model.PCA) { m.Proof.Gap = 2 },
		"no number captured": func(m *model.PCA) { m.Proof.Captured, m.Proof.Gap = model.Bound(math.NaN()), 1e-16 },
		"a stream's proof":   func(m *model.PCA) { m.Statement.Stream = true; m.Data.Digest = "" },
		"a stream's convergence": func(m *model.PCA) {
			nan := model.Bound(math.NaN())
			m.Statement.Stream, m.Proof.Captured, m.Proof.Upper = true, nan, nan
		},
		"a mean where nothing varies as much": func(m *model.PCA) { m.Mean[5] += 1e-5 },
		"no centring":                         func(m *model.PCA) { m.Statement.Center = false },
		"a scale":                             func(m *model.PCA) { m.Scale = []float64{1, 1, 1, 1, 1, 1} },
	} {
		r, err := Fit(context.Background(), set, Spec{K: 2})
		if err != nil {
			t.Fatal(err)
		}
		lie(r.Model)
		if v, err := Verify(context.Background(), r.Model, set, 1); err == nil && len(v.Problems) == 0 {
			t.Errorf("%s: believed", name)
		}
	}
}

// What a stream says of the rows held out, and of those learned, is recomputed.
func TestVerifyPCAFindsLiesOfStreams(t *testing.T) {
	set := ellipsoid(t, 3000, 5, 3)
	for name, lie := range map[string]func(*model.PCA){
		"nothing":          func(m *model.PCA) {},
		"no rows held out": func(m *model.PCA) { m.HeldOut, m.Proof.HeldOut = nil, nil },
		"rows of no claim": func(m *model.PCA) { m.HeldOut = nil },
		"no numbers": func(m *model.PCA) {
			nan := model.Bound(math.NaN())
			m.HeldOut, m.Proof.HeldOut = nil, &model.HeldOutVariance{Captured: nan, Error: nan, Total: nan}
		},
		"fewer rows": func(m *model.PCA) {
			m.HeldOut = m.HeldOut[:1]
			rows := view.Rows{X: matrix.Subset(set.X, []int{int(m.HeldOut[0])}), Offset: m.Mean, Factor: m.Scale}
			m.Proof.HeldOut = heldOutVariance(learner.NewHeldOut(rows, method.Basis{K: 2, Cols: 5, Component: m.Components}))
		},
		"rows twice":        func(m *model.PCA) { m.HeldOut[1] = m.HeldOut[0] },
		"rows beyond":       func(m *model.PCA) { m.HeldOut[len(m.HeldOut)-1] = 3000 },
		"rows before":       func(m *model.PCA) { m.HeldOut[0] = -1 },
		"a bound":           func(m *model.PCA) { m.Proof.Captured, m.Proof.Upper = 1, 1 },
		"a convergence":     func(m *model.PCA) { m.Proof.Status = "converged" },
		"another total":     func(m *model.PCA) { m.Proof.Total *= 0.99 },
		"another mean":      func(m *model.PCA) { m.Mean[4] += 1e-5 },
		"another scale":     func(m *model.PCA) { m.Scale[4] *= 1.001 },
		"another error":     func(m *model.PCA) { m.Proof.HeldOut.Error /= 2 },
		"more rows claimed": func(m *model.PCA) { m.Proof.HeldOut.Rows++ },
	} {
		s, err := NewStream(set.X, nil, Spec{K: 2, Scale: "std"})
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
		lie(r.Model)
		v, err := Verify(context.Background(), r.Model, set, 1)
		if believed := err == nil && len(v.Problems) == 0; believed != (name == "nothing") {
			t.Errorf("%s: believed %v: %v %v", name, believed, err, v.Problems)
		}
	}
}
