package main

import (
	"fmt"
	"time"
)

// A kernelProblem is a set and the kernel machine that is to be trained on it:
// the Gaussian kernel exp(-gamma |x-x'|^2), the hinge loss, a free bias.
type kernelProblem struct {
	set      string
	c, gamma float64
	gap      float64 // the relative accuracy asked for
	share    float64 // of the race's time

	// What is required: to be so many times faster than LIBSVM, on one core too,
	// or to end in time on a set that is too large for it.
	faster, oneCore float64
	within          time.Duration

	quick bool // belongs to a run with --quick too
}

var kernelProblems = []kernelProblem{
	{set: "a9a", c: 1, gamma: 0.05, gap: wholeTarget, faster: 20, oneCore: 8, share: 6},
	{set: "w8a", c: 10, gamma: 0.1, gap: wholeTarget, faster: 10, share: 4},
	{set: "ijcnn1", c: 10, gamma: 1, gap: wholeTarget, faster: 5, share: 2, quick: true},
	{set: "mnist8", c: 1, gamma: 0.02, gap: wholeTarget, faster: 10, share: 8},
	{set: "mnist", c: 1, gamma: 0.02, gap: wholeTarget, within: 3 * time.Minute, share: 4},
	{set: "covtype2", c: 10, gamma: 10, gap: 1e-2, within: 3 * time.Minute, share: 4},
}

// growing is the set whose parts show how time grows with the rows.
const growing = "a9a"

// kernel spells the kernel as Fenchel takes it.
func (p kernelProblem) kernel() string { return fmt.Sprintf("rbf:gamma=%g", p.gamma) }

// lambda is 1/(C n).
func (p kernelProblem) lambda() lambda {
	if p.c == 1 {
		return lambdas[0]
	}
	return lambda(fmt.Sprintf("1/(%gn)", p.c))
}

// patience is how many times Fenchel's time a training of a peer may take before
// it is given up: enough to show more than what is required.
func (p kernelProblem) patience() float64 { return 2 * p.faster }

// smallCache is the cache of the run that must end with less memory.
const smallCache = 100 << 20
