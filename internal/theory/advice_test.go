package theory

import (
	"math"
	"testing"
)

// TestAdvise has the two worked cases of section 4.4 of [Ulbrich], and where each method of
// the tables with conditions wins.
func TestAdvise(t *testing.T) {
	for _, c := range []struct {
		s         Setting
		method    string
		gradients float64
	}{
		{Setting{Rows: 1e6, Accuracy: 1e-3}, "stochastic gradient", 1e3},
		{Setting{Rows: 1e3, Accuracy: 1e-5}, "gradient", 1.151293e4},
		{Setting{Rows: 1e6, Accuracy: 1e-3, Condition: 10}, "stochastic gradient", 1e4},
		{Setting{Rows: 1e6, Accuracy: 1e-6, Condition: 1e6}, "SAG type", 1.381551e7},
		{Setting{Rows: 100, Accuracy: 1e-6, Condition: 1e8}, "accelerated gradient", 1.381551e7},
		{Setting{Rows: 1e6, Accuracy: 1e-3, Condition: 10, Kinked: true}, "stochastic gradient", 1e4},
		{Setting{Rows: 1e4, Accuracy: 1e-3, Condition: 1e4, Kinked: true}, "dual ascent", 1.001e7},
	} {
		a := Advise(c.s)
		if a.Method != c.method || math.Abs(a.Gradients/c.gradients-1) > 1e-6 || a.Passes != a.Gradients/c.s.Rows {
			t.Errorf("%+v: found %s with %g gradients, expected %s with %g", c.s, a.Method, a.Gradients, c.method, c.gradients)
		}
	}
	other := Ulbrich(Setting{Rows: 1e6, Accuracy: 1e-3})[1]
	near(t, "gradient, 10^6 rows", other.Gradients, 6.9e6, 1e4)
}

func TestSettingCheck(t *testing.T) {
	for _, s := range []Setting{{Rows: 0, Accuracy: 0.1}, {Rows: 10}, {Rows: 10, Accuracy: 1}, {Rows: 10, Accuracy: 0.1, Condition: 0.5}, {Rows: 10, Accuracy: 0.1, Condition: math.Inf(1)}} {
		if s.Check() == nil {
			t.Errorf("%+v: found no error, expected one", s)
		}
	}
	if err := (Setting{Rows: 10, Accuracy: 0.1, Condition: 3}).Check(); err != nil {
		t.Error(err)
	}
}
