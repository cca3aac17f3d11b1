package task

import (
	"fmt"
	"time"
)

// A KernelProblem is a set and the kernel machine that is to be trained on it:
// the Gaussian kernel exp(-gamma |x-x'|^2), the hinge loss, a free bias.
type KernelProblem struct {
	Set      string
	C, Gamma float64
	Gap      float64 // the relative accuracy asked for
	Share    float64 // of the race's time

	// What is required: to be so many times faster than LIBSVM, on one core too,
	// or to end in time on a set that is too large for it.
	Faster, OneCore float64
	Within          time.Duration

	Quick bool // belongs to a run with --quick too
}

var KernelProblems = []KernelProblem{
	{Set: "a9a", C: 1, Gamma: 0.05, Gap: WholeTarget, Faster: 20, OneCore: 8, Share: 6},
	{Set: "w8a", C: 10, Gamma: 0.1, Gap: WholeTarget, Faster: 10, Share: 4},
	{Set: "ijcnn1", C: 10, Gamma: 1, Gap: WholeTarget, Faster: 5, Share: 2, Quick: true},
	{Set: "mnist8", C: 1, Gamma: 0.02, Gap: WholeTarget, Faster: 10, Share: 8},
	{Set: "mnist", C: 1, Gamma: 0.02, Gap: WholeTarget, Within: 3 * time.Minute, Share: 4},
	{Set: "covtype2", C: 10, Gamma: 10, Gap: 1e-2, Within: 3 * time.Minute, Share: 4},
}

// Growing is the set whose parts show how time grows with the rows.
const Growing = "a9a"

// Kernel spells the kernel as Fenchel takes it.
func (p KernelProblem) Kernel() string { return fmt.Sprintf("rbf:gamma=%g", p.Gamma) }

// Lambda is 1/(C n).
func (p KernelProblem) Lambda() Lambda {
	if p.C == 1 {
		return Lambdas[0]
	}
	return Lambda(fmt.Sprintf("1/(%gn)", p.C))
}

// Patience is how many times Fenchel's time a training of a peer may take before
// it is given up: enough to show more than what is required.
func (p KernelProblem) Patience() float64 { return 2 * p.Faster }

// SmallCache is the cache of the run that must end with less memory.
const SmallCache = 100 << 20
