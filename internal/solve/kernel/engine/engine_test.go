package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
)

// Whatever is done to an engine, its responses are K beta, its norm is that of
// w, and its mean is the mean of what was counted (F3).
func TestEngine(t *testing.T) {
	x, _ := kerneltest.Toy(40)
	for _, constant := range []float64{0, 1} {
		e := newEngine(kerneltest.GramOf(t, x, 1), constant, nil, true)
		random := rand.New(rand.NewPCG(3, 4))
		plain, total, weights := make([]float64, 41), make([]float64, 41), 0.0
		for range 3000 {
			i, x := random.IntN(40), random.NormFloat64()
			switch random.IntN(5) {
			case 0:
				e.add(i, x)
				plain[i] += x
				plain[40] += constant * x
			case 1:
				by := math.Exp(0.2 * x)
				if random.IntN(50) == 0 {
					by = 0
				}
				e.multiply(by)
				for j := range plain {
					plain[j] *= by
				}
			case 2:
				weight := random.Float64()
				e.count(weight)
				weights += weight
				for j, v := range plain {
					total[j] += weight * v
				}
			case 3:
				before := math.Sqrt(e.squared)
				e.project(2)
				for j := range plain {
					plain[j] *= math.Min(1, 2/math.Max(before, 1e-300))
				}
			case 4:
				if random.IntN(20) == 0 {
					e.flatten()
				}
			}
		}
		for j := range total {
			total[j] /= weights
		}
		for name, c := range map[string]struct {
			found    iterate
			expected []float64
		}{"last": {e.last(), plain}, "average": {e.average(), total}} {
			size := 1.0
			for _, v := range c.expected {
				size += math.Abs(v)
			}
			squared := constant * c.expected[40] * c.expected[40]
			responses := make([]float64, 40)
			e.gram.Combine(responses, c.expected[:40])
			for j := range 40 {
				squared += c.expected[j] * responses[j]
				if d := math.Abs(c.found.responses[j] - responses[j] - c.expected[40]); d > 1e-10*size {
					t.Fatalf("%s: response %d is off by %g", name, j, d)
				}
			}
			for j, v := range c.expected {
				if math.Abs(c.found.w[j]-v) > 1e-10*size {
					t.Fatalf("%s: weight %d is %g, expected %g", name, j, c.found.w[j], v)
				}
			}
			if math.Abs(c.found.squared-squared) > 1e-9*size*size {
				t.Errorf("%s: |w|^2 is %g, expected %g", name, c.found.squared, squared)
			}
		}
		if last := e.last(); math.Abs(e.squared-last.squared) > 1e-9*(1+last.squared) {
			t.Errorf("|w|^2 is %g, expected %g", e.squared, last.squared)
		}
		if drift := e.refresh(); drift > 1e-9 {
			t.Errorf("the responses drifted by %g", drift)
		}
	}
}
