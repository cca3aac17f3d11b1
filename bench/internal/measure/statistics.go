package measure

import "math"

// Slope returns the least-squares slope of log y over log x, the growth
// exponent, and NaN when there are not two different x.
func Slope(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx += math.Log(x[i]) / n
		my += math.Log(y[i]) / n
	}
	var sxy, sxx float64
	for i := range x {
		dx := math.Log(x[i]) - mx
		sxy += dx * (math.Log(y[i]) - my)
		sxx += dx * dx
	}
	if !(sxx > 1e-12) {
		return math.NaN()
	}
	return sxy / sxx
}
