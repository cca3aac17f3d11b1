package pca

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/solver"
)

// What components of few features capture is proved beside what any can, and the run has done what was asked.
func TestSparseComponentsState(t *testing.T) {
	set, _ := lowRank(500, 12, 3, 0.1)
	before := 0.0
	for _, method := range []string{"sparse:features=1", "sparse:features=2", "sparse:features=4"} {
		r, err := Fit(context.Background(), set, Spec{K: 3, Method: method, Scale: "none"})
		if err != nil {
			t.Fatal(err)
		}
		share := float64(r.Model.Proof.Captured / r.Model.Proof.Upper)
		if r.Status != solver.EpochLimit || len(r.Warnings) > 0 || !(share > before && share < 1) {
			t.Errorf("%s: %s, %v, share %g of the best, %g of fewer features", method, r.Status, r.Warnings, share, before)
		}
		before = share
		if v, err := Verify(context.Background(), r.Model, set, 1); err != nil || len(v.Problems) > 0 || v.Unproved != "" {
			t.Errorf("%s: %+v, %v", method, v, err)
		}
	}
}
