package algebra

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// RandomBasis returns k <= d orthonormal rows of d numbers that span a uniformly
// random subspace, the same for one seed on every machine. Gradient methods start
// there: a start that is orthogonal to the answer is a saddle, and an axis start
// never moves on data of axes.
func RandomBasis(seed uint64, k, d int) []float64 {
	u := make([]float64, k*d)
	FillNormal(u, rand.NewPCG(seed, StartStream))
	Orthonormalise(u, k, d)
	return u
}

// StartStream names the random numbers of a start among those of a seed.
const StartStream = 0x7374617274 // "start"

// FillNormal sets x to independent standard normal numbers (Marsaglia's polar
// method). Only Uint64 of the generator is used, whose sequence is part of its
// definition, and vec's logarithm, so the bits are the same everywhere.
func FillNormal(x []float64, random *rand.PCG) {
	for i := 0; i < len(x); {
		a, b := symmetric(random), symmetric(random)
		s := float64(a*a) + float64(b*b)
		if s >= 1 || s == 0 {
			continue
		}
		f := math.Sqrt(-2 * elementary.Log(s) / s)
		x[i] = a * f
		if i+1 < len(x) {
			x[i+1] = b * f
		}
		i += 2
	}
}

// symmetric returns a multiple of 2^-52 in [-1, 1).
func symmetric(random *rand.PCG) float64 {
	return float64(random.Uint64()>>11)*0x1p-52 - 1
}
