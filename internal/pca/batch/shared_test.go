package batch

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
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

// What is formed in double precision is formed once, by the method or the certificate, and
// only where it is about the same rows; neither changes it.
func TestMethodSharesDoublePrecision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m    method.Method
		n, d int
		form func(context.Context, view.Rows, int) ([]float64, error)
	}{{Covariance{Precision: "double"}, 90, 70, view.SecondMoment}, {Gram{}, 70, 90, view.InnerProducts}} {
		x := view.Rows{X: &matrix.Dense{Rows: c.n, Cols: c.d, Value: pcatest.Table(rand.New(rand.NewPCG(1, 2)), c.n, c.d, pcatest.Spectra[0])}}.Sharing()
		if _, err := c.m.(method.Batch).Solve(t.Context(), x, method.Problem{K: 2}); err != nil || !x.InDouble() {
			t.Fatalf("%T: found %v, and shared %v", c.m, err, x.InDouble())
		}
		if x.Part(0, 60).InDouble() {
			t.Errorf("%T: a part of the rows shares what all were formed to", c.m)
		}
		kept, _ := c.form(t.Context(), x, 0)
		again, _ := c.form(t.Context(), view.Rows{X: x.X}, 0)
		if !slices.Equal(kept, again) {
			t.Errorf("%T changed what is shared", c.m)
		}
		if once, _ := c.form(t.Context(), x, 0); &once[0] != &kept[0] {
			t.Errorf("%T: what is shared was formed again", c.m)
		}
	}
}
