package kerneltest

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Histograms returns rows of very different sizes without negative values, some of
// them zero and two the same; signed gives about half of the values a sign.
func Histograms(n, d int, signed bool) *matrix.Dense {
	r := rand.New(rand.NewPCG(3, 5))
	x, err := matrix.NewDense(n, d, make([]float32, n*d))
	if err != nil {
		panic(err)
	}
	for i := range n {
		scale := math.Exp(1.5 * r.NormFloat64())
		for j := range d {
			if v := scale * r.NormFloat64(); i%9 != 4 && r.IntN(3) > 0 {
				x.Value[i*d+j] = float32(math.Abs(v))
				if signed {
					x.Value[i*d+j] = float32(v)
				}
			}
		}
	}
	copy(x.Row(1).Value, x.Row(0).Value)
	return x
}
