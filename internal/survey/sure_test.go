package survey

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/model"
)

// TestCount: rows of which the class is sure are right or wrong, others may be either; a class that the model does not know is always wrong.
func TestCount(t *testing.T) {
	s := &Sure{}
	s.count([]bool{true, true, false, false, true, false}, []int{0, 1, 0, 1, 0, 1}, []int{0, 0, 0, 1, metric.Unknown, metric.Unknown}, []float64{1, 2, 3, 4, 5, 1})
	if s.Classes != 3 || *s.Error != [2]float64{8. / 16, 15. / 16} {
		t.Errorf("found %d sure rows and the error %v, expected 3, 8/16 to 15/16", s.Classes, *s.Error)
	}
}

// TestSureOfNumbers: predictions of 2, 4 and 1, in intervals of the widths 1, 2 and 0.5.
func TestSureOfNumbers(t *testing.T) {
	m := &model.Model{Statement: model.Statement{Loss: "squared", Penalty: "l2", Lambda: 2, Bias: "none"}, Data: model.Data{Rows: 3, Features: 1},
		Outputs: []model.Output{{Weights: []float64{2}, Certificate: model.Certificate{Primal: 1.25, Dual: 1}}}}
	if err := m.Seal(); err != nil {
		t.Fatal(err)
	}
	set, err := data.FromDense([][]float32{{1}, {2}, {0.5}}, data.Numbers([]float64{2, 7, 0}))
	if err != nil {
		t.Fatal(err)
	}
	set.Weight = []float64{1, 2, 1}
	s, err := SureOf(m, set, 1)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	// errors from -0.5 to 0.5, from -4 to -2, from 0.75 to 1.25
	least, most := math.Sqrt((2*4+0.5625)/4), math.Sqrt((0.25+2*16+1.5625)/4)
	if s.Rows != 3 || s.Classes != 0 || s.Error != nil || !near(s.Widest, 2) || !near(s.Mean, 3.5/3) || !near(s.RMSE[0], least) || !near(s.RMSE[1], most) {
		t.Errorf("found %+v, %v, expected the RMSE from %g to %g", *s, s.RMSE, least, most)
	}
}
