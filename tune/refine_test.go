package tune_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/tune"
)

// TestRefine: values of C between powers of ten are tried around the best, in order, and on no
// other search.
func TestRefine(t *testing.T) {
	set := generated(t, "@blobs:n=200,classes=2,spread=2,seed=3")
	run := func(spec tune.Spec) *tune.Result {
		t.Helper()
		r, err := tune.Run(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	coarse := run(tune.Spec{Axes: axes(t, "C=1e-4..1e4")})
	if len(coarse.Candidates) != 9 {
		t.Fatalf("found %d candidates of a given range, expected 9", len(coarse.Candidates))
	}
	r := run(tune.Spec{})
	var before float64
	around := 0
	for _, c := range r.Candidates {
		if c.Spec.C <= before || !c.Complete() {
			t.Errorf("C=%g after %g: complete %v", c.Spec.C, before, c.Complete())
		}
		if before = c.Spec.C; !strings.Contains(c.Settings[0].Value, "1") {
			around++
		}
	}
	if len(r.Candidates) != 13 || around != 4 {
		t.Errorf("%d candidates, %d between powers of ten: expected 13, 4", len(r.Candidates), around)
	}
	if best := coarse.Candidates[coarse.Best]; r.Candidates[r.Best].Mean < best.Mean {
		t.Errorf("the best of the finer search has the score %g, of the coarse %g", r.Candidates[r.Best].Mean, best.Mean)
	}
	for _, spec := range []tune.Spec{{Halving: 3}, {Train: fenchel.Spec{C: 1}}} {
		if r := run(spec); len(r.Candidates) > 9 {
			t.Errorf("%+v: found %d candidates, expected no finer ones", spec, len(r.Candidates))
		}
	}
}
