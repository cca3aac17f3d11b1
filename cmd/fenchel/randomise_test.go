package main

import (
	"math"
	"testing"
)

// TestRandomiseIsUniform: the numbers that predict --randomise adds are uniform, and neighbouring seeds and rows share
// nothing: means over either vary as those of independent numbers.
func TestRandomiseIsUniform(t *testing.T) {
	const n = 300
	var bySeed, byRow [n]float64
	for seed := range n {
		p := predictor{seed: uint64(seed)}
		for row := range n {
			v := p.random(row).Float64()
			bySeed[seed] += v / n
			byRow[row] += v / n
		}
	}
	for name, means := range map[string][n]float64{"seed": bySeed, "row": byRow} {
		sum, squares := 0.0, 0.0
		for _, m := range means {
			sum += m
			squares += (m - 0.5) * (m - 0.5)
		}
		if mean := sum / n; math.Abs(mean-0.5) > 3/math.Sqrt(12*n*n) {
			t.Errorf("by %s: mean %v, expected 1/2", name, mean)
		}
		if ratio := squares * 12; math.Abs(ratio-1) > 3*math.Sqrt(2./n) { // n means of variance 1/(12 n)
			t.Errorf("by %s: variance of the means %v times that of independent numbers", name, ratio)
		}
	}
}
