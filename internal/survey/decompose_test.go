package survey

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// TestDecompose fits half the squared error of y = x w by ridge regression without a bias: with
// sums sxx, sxy of the rows the optimum is w = sxy/(sxx + lambda n).
func TestDecompose(t *testing.T) {
	training, test := decodeSurvey(t, "1.5 1:1\n2 1:2\n"), decodeSurvey(t, "2 1:1\n2.5 1:2\n")
	r, err := fenchel.Train(context.Background(), training, fenchel.Spec{Task: "regression", Loss: "squared", Lambda: 0.1, Bias: "none", Gap: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	w := (1.5 + 4) / (5 + 0.2)
	risk := func(w, first, second float64) float64 { return ((w-first)*(w-first) + (2*w-second)*(2*w-second)) / 4 }
	const least = 0.01
	d, err := Decompose(r.Model, training, test, least, 1)
	if err != nil {
		t.Fatal(err)
	}
	expected := risk(w, 2, 2.5)
	if math.Abs(d.Excess()-(expected-least)) > 1e-6 || math.Abs(d.Approximation-(risk(w, 1.5, 2)-least)) > 1e-6 || d.Optimisation < 0 || d.Optimisation > 1e-8 {
		t.Errorf("found %+v, expected the sum %g and the approximation %g", *d, expected-least, risk(w, 1.5, 2)-least)
	}
	found, err := Risk(r.Model, r.Model, test, 1)
	if err != nil || math.Abs(d.Excess()-(found-least)) > 1e-12 {
		t.Errorf("found the sum %g, expected the excess risk %g, %v", d.Excess(), found-least, err)
	}
	three := decodeSurvey(t, "1 1:1\n2 2:1\n3 1:1 2:1\n1 1:2\n2 2:2\n3 1:2 2:3\n")
	if r, err = fenchel.Train(t.Context(), three, fenchel.Spec{Loss: "logistic", Gap: 0.5}); err != nil {
		t.Fatal(err)
	}
	gaps := 0.0
	for _, o := range r.Model.Outputs {
		gaps += float64(o.Certificate.Primal - o.Certificate.Dual)
	}
	if d, err = Decompose(r.Model, three, three, 0, 1); err != nil || math.Abs(d.Optimisation-gaps) > 1e-12 || !(gaps > 1e-6) {
		t.Errorf("found %+v, %v, expected the gap %g of three classes", d, err, gaps)
	}
	var none *data.Set
	if _, err := Risk(r.Model, r.Model, none, 1); err == nil {
		t.Error("no rows: found no error, expected one")
	}
}
