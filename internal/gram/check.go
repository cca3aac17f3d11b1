package gram

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// MaxSample is the largest number of rows that [Check] takes.
const MaxSample = 2000

// Check looks for a reason why k is no inner product: a pair of rows with other
// values one way round than the other (to 1e-12 of their size), or a negative
// curvature, the smallest eigenvalue of the matrix K of the sample, below -1e-10
// of the mean of its diagonal. The sample is that many rows of x, evenly spread.
//
// The curvature is returned, and what was found as an error; none being found
// proves nothing about other rows. Cost: sample^2 values and sample^3 operations.
func Check(k kernel.Kernel, x matrix.Matrix, sample int) (curvature float64, err error) {
	if x, err = kernel.Prepare(k, x, 0); err != nil {
		return 0, err
	}
	rows, _ := x.Dims()
	n := min(sample, rows, MaxSample)
	if n <= 0 {
		return 0, fmt.Errorf("kernel: found %d rows and a sample of %d, expected at least one", rows, sample)
	}
	e, err := examine(k, x, n, false, 0)
	if err != nil {
		return 0, err
	}
	if !e.Definite() {
		return e.Smallest(), fmt.Errorf("kernel: found the curvature %.3g on a sample of %d rows with mean k(x,x) %.3g, expected none below 0: it is no inner product", e.Smallest(), n, e.Trace/float64(n))
	}
	return e.Smallest(), nil
}

// Alignment returns <K,yy^T>/(n |K|), the cosine of the angle between the matrix of the kernel and
// that of targets -1 and +1, from -1 to 1 (Cristianini, Shawe-Taylor, Elisseeff, Kandola 2002), of
// a sample of the prepared rows of x, evenly spread: all up to 32, then a quarter, at most 128.
// It is 0 where K is.
func Alignment(k kernel.Kernel, x matrix.Matrix, y []float64, threads int) (alignment float64, sample int) {
	n := min(len(y), 128, max(32, len(y)/4))
	values, at := sampled(k, x, n, threads)
	var product, squared float64
	for i := range n {
		for j := range n {
			v := values[i*n+j]
			product += float64(v * y[at(i)] * y[at(j)])
			squared += float64(v * v)
		}
	}
	if !(squared > 0) || math.IsInf(squared, 1) {
		return 0, n
	}
	return product / (float64(n) * math.Sqrt(squared)), n
}
