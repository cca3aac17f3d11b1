package measure

import (
	"math"
	"testing"
)

// TestSlope: power laws have their exponents, one size has none.
func TestSlope(t *testing.T) {
	x := []float64{1, 10, 100, 1000}
	for _, e := range []float64{0, 0.5, 1, 2} {
		var y []float64
		for _, v := range x {
			y = append(y, 3*math.Pow(v, e))
		}
		if got := Slope(x, y); math.Abs(got-e) > 1e-12 {
			t.Errorf("slope of x^%g = %g", e, got)
		}
	}
	if got := Slope(x[:1], x[:1]); !math.IsNaN(got) {
		t.Errorf("slope of one point = %g, want NaN", got)
	}
}

func TestTimingOf(t *testing.T) {
	var rows []Measurement
	for _, s := range []float64{3, 1, 2, 10} {
		rows = append(rows, Measurement{Seconds: s})
	}
	if got := TimingOf(rows); got.Best != 1 || got.Median != 2.5 || got.N != 4 {
		t.Errorf("timing %+v, want best 1, median 2.5 of 4", got)
	}
	if got := TimingOf(nil); got.Found() || got.String() != "-" {
		t.Errorf("timing of nothing %+v", got)
	}
}
