package theory

import "math"

// TestSize is the number of rows for which Hoeffding is at most t: width^2 ln(2/alpha)/(2 t^2), rounded up.
func TestSize(width, alpha, t float64) float64 {
	return given(t > 0 && alpha > 0 && alpha <= 1, math.Ceil(width*width*math.Log(2/alpha)/(2*t*t)))
}

// VCTerm is eta = 4 (d (ln(2n/d) + 1) - ln(alpha/4))/n, which a class of models of dimension d
// pays for n rows; a linear model of p features and a bias has d = p+1. It needs 2n > d.
func VCTerm(dimension, n, alpha float64) float64 {
	eta := 4 * (dimension*(math.Log(2*n/dimension)+1) - math.Log(alpha/4)) / n
	return given(2*n > dimension && alpha > 0 && alpha <= 1, eta)
}

// VC bounds the risk R of a model by its mean loss R_n = empirical on n rows, for losses in
// [0, b], Theorem 2.7 of [Ulbrich]. With probability 1 - alpha it holds for all models of the
// class at once, and so also for a model that was trained on these rows:
//
//	R <= R_n + (b eta/2)(1 + sqrt(1 + 4 R_n/(b eta)))
//
// A bound of b or more says nothing.
func VC(empirical, b, dimension, n, alpha float64) float64 {
	eta := b * VCTerm(dimension, n, alpha)
	return empirical + eta/2*(1+math.Sqrt(1+4*empirical/eta))
}
