package metric

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// near reports whether a and b agree to 12 digits; NaN agrees with NaN.
func near(a, b float64) bool {
	return a == b || (math.IsNaN(a) && math.IsNaN(b)) || math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b))
}

func want(t *testing.T, name string, got, expected float64) {
	t.Helper()
	if !near(got, expected) {
		t.Errorf("%s: found %v, expected %v", name, got, expected)
	}
}

func TestPresent(t *testing.T) {
	out, err := json.Marshal(struct {
		R2   *float64 `json:"r2,omitempty"`
		RMSE *float64 `json:"rmse,omitempty"`
	}{Present(math.NaN()), Present(0)})
	if err != nil || string(out) != `{"rmse":0}` {
		t.Errorf("found %s, %v", out, err)
	}
}

func TestLengthsMustAgree(t *testing.T) {
	for name, f := range map[string]func(){
		"AUC":            func() { AUC([]float64{1}, nil, nil) },
		"LogLoss":        func() { LogLoss(nil, []int{1}, nil) },
		"LogLoss class":  func() { LogLoss([][]float64{{1}}, []int{1}, nil) },
		"RMSE":           func() { RMSE([]float64{1}, []float64{1}, []float64{1, 2}) },
		"MAE":            func() { MAE([]float64{1}, nil, nil) },
		"R2":             func() { R2([]float64{1}, nil, nil) },
		"MedianAbsolute": func() { MedianAbsolute([]float64{1}, nil, nil) },
		"Confusion":      func() { NewConfusion([]string{"a"}).Add(0, 1, 1) },
		"Confusion true": func() { NewConfusion([]string{"a"}).Add(2, 0, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}

// Weight 2 is the row twice, weight 0 no row at all: for every metric.
func TestWeightIsRepetition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var p, y, q, z, weight []float64
		var positive, repeated []bool
		a, b := NewConfusion([]string{"x", "y"}), NewConfusion([]string{"x", "y"})
		for range 1 + r.IntN(12) {
			prediction, target, times := float64(r.IntN(5))/4, float64(r.IntN(3)), r.IntN(4)
			p, y, weight = append(p, prediction), append(y, target), append(weight, float64(times))
			positive = append(positive, target > 0)
			truth, predicted := int(target)-1, r.IntN(2) // -1 is Unknown
			a.Add(truth, predicted, float64(times))
			for range times {
				q, z, repeated = append(q, prediction), append(z, target), append(repeated, target > 0)
				b.Add(truth, predicted, 1)
			}
		}
		want(t, "AUC", AUC(p, positive, weight), AUC(q, repeated, nil))
		want(t, "RMSE", RMSE(p, y, weight), RMSE(q, z, nil))
		want(t, "MAE", MAE(p, y, weight), MAE(q, z, nil))
		if got, expected := R2(p, y, weight), R2(q, z, nil); !near(got, expected) && math.Abs(got-expected) > 1e-12 {
			t.Errorf("R2: found %v, expected %v", got, expected)
		}
		want(t, "MedianAbsolute", MedianAbsolute(p, y, weight), MedianAbsolute(q, z, nil))
		want(t, "Accuracy", a.Accuracy(), b.Accuracy())
		want(t, "MacroF1", a.MacroF1(), b.MacroF1())
	}
}
