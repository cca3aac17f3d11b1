package survey_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/survey"
	"github.com/fenchel-ml/fenchel/model"
)

// linear is a model of two weights.
func linear(w0, w1, bias, objective float64) *model.Model {
	return &model.Model{Statement: model.Statement{Loss: "squared", Lambda: 1}, Data: model.Data{Features: 2, Digest: "x"},
		Outputs: []model.Output{{Weights: []float64{w0, w1}, Bias: bias, Certificate: model.Certificate{Primal: model.Bound(objective)}}}}
}

// Weights are compared in the features of the first model, whatever the scaling of each.
func TestCompare(t *testing.T) {
	a, b := linear(3, 4, 1, 2), linear(4, 3, 3, 1.5)
	c, err := survey.Compare(a, b)
	if err != nil || math.Abs(c.Cosines[0]-0.96) > 1e-15 || c.Biases[0] != 2 || !c.Same || c.Change != -0.5 {
		t.Errorf("found %+v, %v", c, err)
	}
	b.Statement.Solver, b.Statement.Lambda = "sdca", 2
	if c, err = survey.Compare(a, b); err != nil || c.Same {
		t.Errorf("found %+v, %v of another lambda", c, err)
	}
	a.Scaling = &scaling.Scaling{Kind: "std", Offset: []float64{0, 0}, Factor: []float64{2, 0}} // weights 3 of the first feature times 2
	b.Outputs[0].Weights = []float64{6, 8}
	if c, err = survey.Compare(a, b); err != nil || c.Cosines[0] != 1 {
		t.Errorf("found %+v, %v, expected the weights of the one feature that the first model has", c, err)
	}
	a.Scaling.Factor[1] = 4 // weights 6 and 16 of features as they are, and 6 and 8 of the other model
	if c, err = survey.Compare(a, b); err != nil || math.Abs(c.Cosines[0]-(3*3+4*2)/(5*math.Sqrt(13))) > 1e-15 {
		t.Errorf("found %+v, %v", c, err)
	}
	for want, other := range map[string]*model.Model{
		"other classes": {Data: model.Data{Features: 2}, Classes: []string{"a", "b"}},
		"3":             {Data: model.Data{Features: 3}},
		"kernel rbf":    {Statement: model.Statement{Kernel: "rbf"}, Support: &model.Support{}},
	} {
		if _, err := survey.Compare(a, other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
}
