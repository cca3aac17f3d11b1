// Package theory holds what is proved about the methods of this project as functions of
// numbers: bounds on their error after so many steps, on what a test set tells, on the work
// to an accuracy. Tests compare runs with them, "fenchel advise" decides by them.
//
// One topic a file: subgradient.go has stochastic subgradients, noise.go constant steps and noise,
// sample.go what a sample says of a population, scaling.go the time of training as a function of the
// number of rows, machine.go the work of kernel machines and their samples, quadratic.go that of
// quadratic programs for them, cost.go and advice.go which method takes the least work,
// decomposition.go where the error of a model comes from. Bounds that only tests compare runs with
// are in test files: the primal gradient solver (regret_test.go), gradients under noise
// (noise_test.go), SAG, SAGA and SVRG (finitesum_test.go), mini-batches (batch_test.go). A stranger
// begins with cost.go.
//
// Nothing here iterates over data, and no package of the project is imported. Where the
// conditions of a theorem do not hold, its bound is +Inf or NaN, never a finite number.
//
// Symbols: n rows, K or T steps, mu strong convexity, L smoothness, M^2 a bound on the mean
// squared norm of a stochastic gradient, f* the optimum. Sources:
//
//	[PGS]     Zhu et al., Inverse Time Dependency in Convex Regularized Learning, ICDM 2009
//	[Ulbrich] Ulbrich, lecture notes on optimization in machine learning, TU Munich 2017
//	[Schmidt] Schmidt, slides of CPSC 540, UBC 2017
//	[Cotter]  Cotter, Stochastic Optimization for Machine Learning, thesis, TTI Chicago 2013
//	[Lecture] Optimization Methods in Machine Learning, lecture 15
package theory

import "math"

// given returns the bound where the theorem holds, otherwise +Inf.
func given(holds bool, bound float64) float64 {
	if !holds {
		return math.Inf(1)
	}
	return bound
}
