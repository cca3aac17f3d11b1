package view_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// Parts of sparse rows add up.
func TestSparseMoment(t *testing.T) {
	x := view.Rows{X: pcatest.Decaying(60, 45, 0.7, true), Factor: slices.Repeat([]float64{2}, 45)}
	x.Offset = view.ColumnMeans(x.X, 2)
	q := make([]float64, 11*45)
	algebra.FillNormal(q, rand.NewPCG(1, 1))
	want, got := make([]float64, len(q)), make([]float64, len(q))
	x.Power(want, q, 11, 1)
	algebra.Scale(want, 1.0/60)
	if err := view.SparseProduct(t.Context(), x, 7, 2, got, q, 11); err != nil {
		t.Fatal(err)
	}
	if off := pcatest.LargestDifference(got, want); off > 1e-12 {
		t.Errorf("a product with the second moment is off by %g", off)
	}
}
