package tune_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// TestCoverPath compares, for values of C at random, the objective of the answer that is said to be the best there with a lower
// bound of a problem solved for that C alone.
func TestCoverPath(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		source   string
		spec     fenchel.Spec
		from, to float64
	}{
		{"@linear:n=80,d=6", fenchel.Spec{Gap: 1e-2}, 1e-3, 1e3},
		{"@linear:n=80,d=6", fenchel.Spec{Penalty: "l1", Gap: 3e-2}, 1e-3, 10},
		{"@linear:n=60,d=6", fenchel.Spec{Loss: "absolute", Penalty: "elastic-net:ratio=0.5", Gap: 0.05}, 1e-2, 10},
		{"@blobs:n=90,classes=3", fenchel.Spec{Loss: "logistic", Gap: 1e-2}, 1e-2, 100},
		{"@blobs:n=60,classes=3", fenchel.Spec{Loss: "softmax", Gap: 0.05, Bias: "none"}, 1e-2, 10},
		{"@blobs:n=60,classes=3", fenchel.Spec{Scheme: "one-against-one", Gap: 0.05}, 1e-2, 10},
		{"@spirals:n=60", fenchel.Spec{Kernel: "rbf:gamma=1", Gap: 0.05}, 1e-2, 10},
	} {
		name := fmt.Sprintf("%s %+v", c.source, c.spec)
		set, err := data.Read(context.Background(), []string{c.source}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found, err := tune.CoverPath(context.Background(), set, tune.PathSpec{Spec: c.spec, From: c.from, To: c.to})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if found.Status != solver.Converged || !(found.Worst <= c.spec.Gap) || len(found.List) < 3 || found.Grid > 0 && len(found.List) > found.Grid {
			t.Errorf("%s: found %d answers, status %s, the largest gap %g, of a grid %d", name, len(found.List), found.Status, found.Worst, found.Grid)
		}
		for range 12 {
			at := c.from * math.Pow(c.to/c.from, r.Float64())
			spec := c.spec
			spec.C, spec.Gap = at, 1e-5
			best, err := fenchel.Train(context.Background(), set, spec)
			if err != nil {
				t.Fatal(err)
			}
			for k, a := range found.List {
				if at < a.From || at > a.To {
					continue
				}
				objective := objectiveOf(t, set, spec, a)
				if gap := (objective - best.Summary.Dual) / objective; gap > c.spec.Gap+1e-5 {
					t.Errorf("%s: at C=%g answer %d has the relative gap %g, proved %g", name, at, k, gap, found.Worst)
				}
				break
			}
		}
	}
}

// objectiveOf returns the objective of an answer for the C of a spec.
func objectiveOf(t *testing.T, set *data.Set, spec fenchel.Spec, a tune.Answer) float64 {
	t.Helper()
	m := *a.Model
	m.Statement.Lambda = a.Lambda * a.C / spec.C
	m.Data.Digest = set.Digest()
	v, err := fenchel.Verify(context.Background(), &m, set, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v.Found.Primal
}
