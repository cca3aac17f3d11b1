// Package spectral has the streaming methods that move eigenvalues and eigenvectors of a matrix by
// every row: the incremental algorithm, MSG, capped and regularised MSG, Warmuth and Kuzmin's
// algorithm, and mirror descent on dense matrices as their reference.
//
// What they share is the state [Spectral] (spectral.go, state.go) and how rows move it (walk.go), the projections
// that make the trace k again (fantope.go, entropy.go), what the answer is: which iterate (iterate.go),
// rounded to k directions how (rounding.go), both of which output.go asks for; what was lost on the way
// (regret.go), a probe that tells whether a state is stuck (probe.go), and what the theory promises
// (bound.go). The steps of the theory are in the tests. Methods of O(k d) memory without eigenvalues are in package oja, those that learn
// from blocks in package block.
//
// A new method is a file with its type, an init that registers it, and a state, mostly a [Spectrum];
// a row of spectralSpecs in the tests has it scaled, kept and given extreme
// rows, and a dense twin says what a step is.
package spectral
