package pca

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// ellipsoid makes rows with the deviations 1, 1/2, 1/3, ... along the axes.
func ellipsoid(t *testing.T, n, d int, seed uint64) *data.Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, d)
		for j := range rows[i] {
			rows[i][j] = float32(10 + rng.NormFloat64()/float64(j+1))
		}
	}
	set, err := data.FromDense(rows, data.Target{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Every method finds components whose claims hold for the rows, and for no others.
func TestFitPCA(t *testing.T) {
	set, other := ellipsoid(t, 1500, 8, 1), ellipsoid(t, 1500, 8, 2)
	names := []string{"auto"}
	for _, e := range methods.Entries() {
		names = append(names, e.Name)
	}
	for _, method := range names {
		for _, scale := range []string{"none", "std", "thesis"} {
			r, err := Fit(context.Background(), set, Spec{K: 2, Method: method, Scale: scale, Seed: 1})
			if err != nil {
				t.Errorf("%s, scale %s: %v", method, scale, err)
				continue
			}
			m := r.Model
			if m.Mean == nil || (m.Scale != nil) != (scale != "none") {
				t.Errorf("%s, scale %s: found the scale %v, and a mean of %d numbers", method, scale, m.Scale, len(m.Mean))
			}
			if p := m.Proof; !(p.Captured <= p.Upper && p.Upper <= p.Total*(1+1e-9)) {
				t.Errorf("%s, scale %s: captured %g, at most %g of %g", method, scale, p.Captured, p.Upper, p.Total)
			}
			if v, err := Verify(context.Background(), m, set, 2); err != nil || len(v.Problems) > 0 {
				t.Errorf("%s, scale %s: %v %v", method, scale, err, v.Problems)
			}
			if v, err := Verify(context.Background(), m, other, 1); err != nil || len(v.Problems) == 0 {
				t.Errorf("%s, scale %s: other rows were believed to be those of the model", method, scale)
			}
		}
	}
}

// A method that has all rows proves that it converged; asked for a gap, one that sees
// them once says when it did not.
func TestFitPCAStatus(t *testing.T) {
	set := ellipsoid(t, 1500, 8, 1)
	for _, c := range []struct {
		spec Spec
		want solver.Status
	}{
		{Spec{K: 3}, solver.Converged},
		{Spec{K: 8}, solver.Converged},
		{Spec{K: 3, Method: "oja", Gap: 1e-9}, solver.EpochLimit},
		{Spec{K: 3, Method: "power:passes=1", Gap: 1e-9}, solver.Stalled},
	} {
		r, err := Fit(context.Background(), set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.want {
			t.Errorf("%+v: found %s with the gap %g, expected %s", c.spec, r.Status, r.Model.Proof.Relative(), c.want)
		}
	}
}

func TestFitPCARefuses(t *testing.T) {
	good := ellipsoid(t, 20, 4, 1)
	weighted := ellipsoid(t, 20, 4, 1)
	weighted.Weight = make([]float64, 20)
	constant, err := data.FromDense([][]float32{{1, 2}, {1, 2}, {1, 2}}, data.Target{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set  *data.Set
		spec Spec
		want string
	}{
		{good, Spec{}, "k = 0: expected at least 1"},
		{good, Spec{K: 5}, "k = 5: expected 1 to 4"},
		{good, Spec{K: 2, Method: "principal"}, `unknown method "principal"`},
		{good, Spec{K: 2, Scale: "big"}, `unknown scaling "big"`},
		{good, Spec{K: 2, Center: "maybe"}, "center = maybe"},
		{good, Spec{K: 2, Gap: 2}, "gap = 2"},
		{good, Spec{K: 4, Method: "warmuth-kuzmin"}, "method warmuth-kuzmin: "},
		{good, Spec{K: 2, Method: "krylov", Epochs: 2}, "method krylov: found epochs or shuffling asked for"},
		{weighted, Spec{K: 2}, "found row weights"},
		{constant, Spec{K: 1}, "all rows are the same"},
	} {
		if _, err := Fit(context.Background(), c.set, c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: found %v, expected %q", c.spec, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, good, Spec{K: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, expected that it was cancelled", err)
	}
}

// A stream that is taken up again ends with the same bits as one that was not, and
// what it says of the rows held out holds.
func TestPCAStream(t *testing.T) {
	set := ellipsoid(t, 6000, 5, 3)
	learn := func(s *Stream, lo, hi int) *Result {
		t.Helper()
		if err := s.Learn(matrix.Part(set.X, lo, hi)); err != nil {
			t.Fatal(err)
		}
		r, err := s.Result(solver.EpochLimit)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, e := range methods.Entries() {
		m, err := methods.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, streaming := m.(method.Streaming); !streaming {
			if _, err := NewStream(set.X, nil, Spec{K: 2, Method: e.Name}); err == nil {
				t.Errorf("%s: made to learn from a stream", e.Name)
			}
			continue
		}
		start := func() *Stream {
			s, err := NewStream(set.X, nil, Spec{K: 2, Method: e.Name, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		whole := learn(start(), 0, 6000).Model
		again, err := Resume(learn(start(), 0, 2500).Model, 1)
		if err != nil {
			t.Fatal(err)
		}
		resumed := learn(again, 2500, 6000).Model
		if !slices.Equal(whole.Components, resumed.Components) || !slices.Equal(whole.Eigenvalue, resumed.Eigenvalue) {
			t.Errorf("%s: other bits after a break", e.Name)
		}
		for name, list := range whole.State {
			if !slices.Equal(list, resumed.State[name]) {
				t.Errorf("%s: another state after a break: %s", e.Name, name)
			}
		}
		if v, err := Verify(context.Background(), whole, set, 1); err != nil || len(v.Problems) > 0 {
			t.Errorf("%s: %v %v", e.Name, err, v)
		}
		whole.Proof.HeldOut.Captured *= 1.01
		if v, err := Verify(context.Background(), whole, set, 1); err != nil || len(v.Problems) == 0 {
			t.Errorf("%s: more was believed to be captured than is", e.Name)
		}
	}
}

// Components of two halves of the rows are nearly those of all.
func TestMergePCA(t *testing.T) {
	set := ellipsoid(t, 4000, 6, 4)
	fit := func(lo, hi int) *model.PCA {
		t.Helper()
		r, err := Fit(context.Background(), &data.Set{X: matrix.Part(set.X, lo, hi)}, Spec{K: 3})
		if err != nil {
			t.Fatal(err)
		}
		return r.Model
	}
	merged, err := Merge([]*model.PCA{fit(0, 1000), fit(1000, 4000)})
	if err != nil {
		t.Fatal(err)
	}
	v, err := Verify(context.Background(), merged, set, 1)
	if err != nil || len(v.Problems) > 0 {
		t.Fatalf("%v %v", err, v.Problems)
	}
	if gap := v.Found.Relative(); gap > 1e-3 {
		t.Errorf("merged components miss %g of the best possible, expected at most 1e-3", gap)
	}
	other := fit(0, 1000)
	other.Statement.K = 2
	if _, err := Merge([]*model.PCA{merged, other}); err == nil || !strings.Contains(err.Error(), "found 2 components, expected 3") {
		t.Errorf("found %v, expected that the numbers of components differ", err)
	}
}
