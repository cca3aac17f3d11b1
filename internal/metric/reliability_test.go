package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestReliability: the parts add up to the Brier score, by hand and of random rows of two classes and
// of more; probabilities that are the same within each bin leave nothing within.
func TestReliability(t *testing.T) {
	rows := [][]float64{{0.8, 0.2}, {0.8, 0.2}, {0.3, 0.7}, {0.3, 0.7}}
	r := MeasureReliability(rows, []int{0, 1, 1, 1}, nil)
	// by hand: bins of 0.2 (share 1/2) and 0.7 (share 1), base 3/4
	for name, pair := range map[string][2]float64{
		"reliability": {r.Reliability, (0.3*0.3 + 0.3*0.3) / 2}, "resolution": {r.Resolution, 1.0 / 16}, "uncertainty": {r.Uncertainty, 3.0 / 16},
		"within": {r.Within, 0}, "error": {r.CalibrationError, 0.3}, "bins": {float64(len(r.Bins)), 2}, "share": {r.Bins[0].Share, 0.5}, "mean": {r.Bins[1].Mean, 0.7},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-15 {
			t.Errorf("%s: found %g, expected %g", name, pair[0], pair[1])
		}
	}
	random := rand.New(rand.NewPCG(3, 3))
	for _, classes := range []int{2, 4} {
		var p [][]float64
		var truth []int
		var weight []float64
		for range 500 {
			one, sum := make([]float64, classes), 0.0
			for c := range one {
				one[c] = random.Float64()
				sum += one[c]
			}
			for c := range one {
				one[c] /= sum
			}
			p, truth, weight = append(p, one), append(truth, random.IntN(classes)), append(weight, random.Float64())
		}
		r := MeasureReliability(p, truth, weight)
		if got, want := r.Reliability-r.Resolution+r.Uncertainty+r.Within, Brier(p, truth, weight); math.Abs(got-want) > 1e-12 || math.Abs(r.Within) > 0.01*float64(classes) {
			t.Errorf("%d classes: the parts add up to %g, expected %g; within bins %g", classes, got, want, r.Within)
		}
	}
	if MeasureReliability(nil, nil, nil) != nil || MeasureReliability([][]float64{{math.NaN(), 1}}, []int{0}, nil) != nil {
		t.Error("no rows, or no numbers: found something, expected nothing")
	}
}
