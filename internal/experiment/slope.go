package experiment

import "math"

// SlopeOf is the exponent of y as a power of x, by least squares in logarithms.
func SlopeOf(x, y []float64) float64 {
	logX, logY := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		logX[i], logY[i] = math.Log(x[i]), math.Log(y[i])
	}
	slope, _ := Line(logX, logY)
	return slope
}

// Line fits y = slope x + at by least squares.
func Line(x, y []float64) (slope, at float64) {
	var mx, my, xx, xy float64
	n := float64(len(x))
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	return xy / xx, my - xy/xx*mx
}
