package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The values are those of scikit-learn 1.9.1.
func TestPinballAndDeviance(t *testing.T) {
	target, prediction, weight := []float64{0, 1, 2, 5, 3.5, 0, 1}, []float64{0.5, 1.2, 1, 6, 3, 0.1, 2}, []float64{1, 2, 0.5, 3, 1, 1, 0.25}
	want(t, "pinball", Pinball(prediction, target, nil, 0.9), 0.23285714285714285)
	want(t, "pinball, weights", Pinball(prediction, target, weight, 0.25), 0.39285714285714285)
	want(t, "deviance", Deviance(prediction, target, nil), 0.4110700626261778)
	want(t, "deviance, weights", Deviance(prediction, target, weight), 0.2765534398441454)
	want(t, "a mean of 0", Deviance([]float64{1, 0}, []float64{1, 0}, nil), math.NaN())
	want(t, "a count below 0", Deviance([]float64{1, 1}, []float64{1, -1}, nil), math.NaN())
	want(t, "no rows", Deviance(nil, nil, nil), math.NaN())
}

func TestRegression(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                       string
		prediction, target, weight []float64
		rmse, mae, r2, median      float64
	}{
		// Errors 1, -1, 2, 0; target mean 2.5, spread sum 2.25+0.25+0.25+2.25 = 5.
		{"four rows", []float64{2, 1, 5, 4}, []float64{1, 2, 3, 4}, nil,
			math.Sqrt(6.0 / 4), 1, 1 - 6.0/5, 1},
		{"three rows", []float64{1, 2, 9}, []float64{1, 0, 5}, nil, // errors 0, 2, 4; mean 2, spread 1+4+9 = 14
			math.Sqrt(20.0 / 3), 2, 1 - 20.0/14, 2},
		{"even: the middle of two", []float64{1, 3}, []float64{0, 0}, nil, math.Sqrt(5), 2, nan, 2},
		// Weights 3 and 1 on errors 1 and 3; weighted mean 0, target constant.
		{"weights", []float64{1, 3}, []float64{0, 0}, []float64{3, 1}, math.Sqrt(3), 1.5, nan, 1},
		{"weight 0 hides", []float64{1, 1e300}, []float64{0, -1e300}, []float64{1, 0}, 1, 1, nan, 1},
		{"perfect and constant", []float64{0.1, 0.1, 0.1}, []float64{0.1, 0.1, 0.1}, nil, 0, 0, nan, 0},
		{"squares overflow", []float64{1e300, -1e300}, []float64{0, 0}, nil, 1e300, 1e300, nan, 1e300},
		{"huge targets", []float64{1e300, 1e300}, []float64{2e300, 0}, nil, 1e300, 1e300, 0, 1e300},
		{"squares vanish", []float64{1e-300, -1e-300}, []float64{0, 0}, nil, 1e-300, 1e-300, nan, 1e-300},
		{"no rows", nil, nil, nil, nan, nan, nan, nan},
	} {
		want(t, c.name+": RMSE", RMSE(c.prediction, c.target, c.weight), c.rmse)
		want(t, c.name+": MAE", MAE(c.prediction, c.target, c.weight), c.mae)
		want(t, c.name+": R2", R2(c.prediction, c.target, c.weight), c.r2)
		want(t, c.name+": median", MedianAbsolute(c.prediction, c.target, c.weight), c.median)
	}
}

// A textbook twin: two passes, no scaling, the median by sorting.
func TestRegressionBrute(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := 2 + r.IntN(20)
		p, y, miss := make([]float64, n), make([]float64, n), make([]float64, n)
		var squares, absolute, sum, spread float64
		for i := range n {
			p[i], y[i] = r.NormFloat64(), r.NormFloat64()
			miss[i] = math.Abs(p[i] - y[i])
			squares += miss[i] * miss[i]
			absolute += miss[i]
			sum += y[i]
		}
		for _, v := range y {
			spread += (v - sum/float64(n)) * (v - sum/float64(n))
		}
		slices.Sort(miss)
		want(t, "RMSE", RMSE(p, y, nil), math.Sqrt(squares/float64(n)))
		want(t, "MAE", MAE(p, y, nil), absolute/float64(n))
		if got := R2(p, y, nil); math.Abs(got-(1-squares/spread)) > 1e-11*(1+squares/spread) {
			t.Errorf("R2: found %v, expected %v", got, 1-squares/spread)
		}
		want(t, "median", MedianAbsolute(p, y, nil), (miss[(n-1)/2]+miss[n/2])/2)
	}
}
