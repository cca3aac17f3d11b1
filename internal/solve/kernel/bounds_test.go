package kernel

import (
	"math"
	"testing"
)

// Section 7 of the reference, items 9 and 10.
func TestBoundExamples(t *testing.T) {
	// 8 (10 log 10^4 + log 20)/10^4 = 8 (92.1034 + 2.9957)/10^4
	if b := CompressionBound(0, 10, 1e4, 0.05); math.Abs(b-0.0760793) > 1e-7 {
		t.Errorf("compression: %v, expected 0.0760793", b)
	}
	// z = (92.1034 + 2.9957)/10^4, and 0.1 + sqrt(3.2 z) + 8 z
	if b, z := CompressionBound(0.1, 10, 1e4, 0.05), 0.00950991; math.Abs(b-(0.1+math.Sqrt(3.2*z)+8*z)) > 1e-6 {
		t.Errorf("compression of a loss of 0.1: %v", b)
	}
	cost := costs(0, 0.1, 10, 5)
	for algorithm, want := range map[string]Cost{
		"sbp": {"", 1e5, 100}, "perceptron": {"", 1e5, 100}, "dual decomposition": {"", 1e6, 1e3}, "sgd": {"", 1e7, 1e4},
		"pegasos": {"", 1e7, 1e4}, "random features": {"", 5e7, 5e4}, "sparsifier after sbp": {"", 1e5, 100},
	} {
		if c := cost[algorithm]; math.Abs(c.Training/want.Training-1) > 1e-9 || math.Abs(c.Support/want.Support-1) > 1e-9 {
			t.Errorf("%s: found %v, expected %v", algorithm, c, want)
		}
	}
}

// Below loss + eps = 1 the batch perceptron is promised the fewest evaluations and
// descent the most; there all are the same (3.2).
func TestBoundsOrder(t *testing.T) {
	for _, eps := range []float64{0.001, 0.01, 0.1, 0.3} {
		for _, loss := range []float64{0, 0.01, 0.2, 0.6, 1 - eps} {
			c := costs(loss, eps, 7, 3)
			sbp, dual, sgd := c["sbp"].Training, c["dual decomposition"].Training, c["sgd"].Training
			if loss+eps < 1 && !(sbp < dual && dual < sgd) || loss+eps == 1 && math.Abs(sbp/dual-1)+math.Abs(dual/sgd-1) > 1e-9 {
				t.Errorf("loss %g, eps %g: sbp %g, dual decomposition %g, sgd %g", loss, eps, sbp, dual, sgd)
			}
			if c["sparsifier after sbp"].Support > c["sbp"].Support || c["sbp"].Training != c["perceptron"].Training {
				t.Errorf("loss %g, eps %g: %v", loss, eps, c)
			}
		}
	}
}

func costs(loss, eps, radius, columns float64) map[string]Cost {
	m := map[string]Cost{}
	for _, c := range Costs(loss, eps, radius, columns) {
		m[c.Algorithm] = c
	}
	return m
}
