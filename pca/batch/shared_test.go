package batch

import (
	"testing"

	"github.com/fenchel-ml/fenchel/pca/internal/pcatest"
	"github.com/fenchel-ml/fenchel/pca/method"
)

// A method and the certificate form the second moment once, and the method leaves it as
// it was.
func TestMethodLeavesTheSharedMoment(t *testing.T) {
	t.Parallel()
	for _, precision := range []string{"auto", "single"} {
		x := pcatest.Many(2, 1).Sharing()
		s, err := x.Single(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		before := append([]float64{}, s.Value...)
		if _, err := (Covariance{Precision: precision}).Solve(t.Context(), x, method.Problem{K: 2}); err != nil {
			t.Fatal(err)
		}
		for i, v := range s.Value {
			if v != before[i] {
				t.Fatalf("precision=%s: number %d of the moment is %v, was %v", precision, i, v, before[i])
			}
		}
	}
}
