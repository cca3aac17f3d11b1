package main

import "math"

// slope returns the least-squares slope of log y over log x, the growth
// exponent, and NaN when there are not two different x.
func slope(x, y []float64) float64 {
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

// A point is what a competitor reached at one setting of its tolerance.
type point struct {
	contender string
	peer      peer
	method    method
	knob      float64
	seconds   float64
	objective float64
	capped    bool // see solved
}

// accuracy is how far an objective is above the least one known, relatively.
func accuracy(objective, least float64) float64 {
	return (objective - least) / math.Max(math.Abs(least), 1e-300)
}

// loosest returns the first of the points, which go from loose to tight, that
// is as accurate as asked. A later one may be worse again: tolerances promise
// nothing about the objective.
func loosest(points []point, least, target float64) (point, bool) {
	for _, p := range points {
		if accuracy(p.objective, least) <= target {
			return p, true
		}
	}
	return point{}, false
}
