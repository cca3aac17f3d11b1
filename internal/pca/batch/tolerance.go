package batch

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Tolerances of methods that stop by an estimate. Where none was given, which NaN
// stands for, the caller says in Problem.Loss how much may be missing.

// usualLoss is the part of the captured sum that may be missing where none is asked for.
const usualLoss = 3e-7

// lossTolerance reads the parameter tol of a method that estimates what is missing.
func lossTolerance(p *registry.Params) float64 {
	return p.Float("tol", math.NaN(), "a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })
}

// lossOf returns the tolerance that was given, or else that of the problem.
func lossOf(given float64, p method.Problem) float64 {
	switch {
	case !math.IsNaN(given):
		return given
	case p.Loss > 0:
		return p.Loss
	}
	return usualLoss
}

// residualOf is lossOf for a tolerance of the residual |U Sigma - diag(value) U|, of
// whose square the loss is a small multiple.
func residualOf(given float64, p method.Problem) float64 {
	switch {
	case !math.IsNaN(given):
		return given
	case p.Loss > 0:
		return math.Sqrt(p.Loss)
	}
	return 1e-8
}
