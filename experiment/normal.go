package experiment

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/vec"
)

// fillNormal sets x to independent standard normal numbers (Marsaglia's polar
// method), the same on every machine.
func fillNormal(x []float32, seed uint64) {
	random := rand.NewPCG(seed, normalStream)
	symmetric := func() float64 { return float64(random.Uint64()>>11)*0x1p-52 - 1 }
	for i := 0; i < len(x); {
		a, b := symmetric(), symmetric()
		s := float64(a*a) + float64(b*b)
		if s >= 1 || s == 0 {
			continue
		}
		f := math.Sqrt(-2 * vec.Log(s) / s)
		x[i] = float32(a * f)
		if i+1 < len(x) {
			x[i+1] = float32(b * f)
		}
		i += 2
	}
}

// normalStream names the random numbers of normal deviates among those of a seed.
const normalStream = 0x6e6f726d616c // "normal"
