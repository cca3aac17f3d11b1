package theory

import (
	"math"
	"testing"
)

// TestMachineCosts: by hand for L* = 0.1, epsilon = 0.1, R = 10, of which (L*+epsilon)/epsilon
// is 2; SBP before dual decomposition before SGD as long as L* + epsilon < 1, and equal at 1.
func TestMachineCosts(t *testing.T) {
	costs := func(m Machine) map[string]MachineCost {
		named := map[string]MachineCost{}
		for _, c := range m.Costs() {
			named[c.Method] = c
		}
		return named
	}
	hand := costs(Machine{Loss: 0.1, Epsilon: 0.1, Radius: 10, Dim: 50})
	for name, want := range map[string][2]float64{
		"SBP, then sparsified": {8e5, 100}, "SBP": {8e5, 400}, "dual decomposition": {4e6, 2000},
		"SGD on the norm-constrained problem": {2e7, 1e4}, "Pegasos": {4e7, 1e4}, "random Fourier features": {1e9, 5e5},
	} {
		found := hand[name]
		if math.Abs(found.Training/want[0]-1) > 1e-12 || math.Abs(found.Support/want[1]-1) > 1e-12 {
			t.Errorf("%s: found %g and %g, expected %g and %g", name, found.Training, found.Support, want[0], want[1])
		}
	}
	easy := costs(Machine{Epsilon: 0.1, Radius: 10, Dim: 5}) // the second column, and item 10 of section 7 of the reference
	for name, want := range map[string][2]float64{
		"SBP, then sparsified": {1e5, 100}, "SBP": {1e5, 100}, "perceptron, online to batch": {1e5, 100}, "dual decomposition": {1e6, 1e3},
		"SGD on the norm-constrained problem": {1e7, 1e4}, "Pegasos": {1e7, 1e4}, "random Fourier features": {5e7, 5e4},
	} {
		if c := easy[name]; math.Abs(c.Training/want[0]-1) > 1e-12 || math.Abs(c.Support/want[1]-1) > 1e-12 || c.Training != c.EasyTraining || c.Support != c.EasySupport {
			t.Errorf("%s: found %+v, expected %g and %g in both columns", name, c, want[0], want[1])
		}
		if c := hand[name]; name != "random Fourier features" && (c.EasyTraining != easy[name].Training || c.EasySupport != easy[name].Support) {
			t.Errorf("%s: found %+v, expected the second column without L*", name, c)
		}
	}
	for _, m := range []Machine{{Loss: 0, Epsilon: 0.5}, {Loss: 0.3, Epsilon: 0.01}, {Loss: 0.9, Epsilon: 0.05}, {Loss: 0.95, Epsilon: 0.05}} {
		m.Radius, m.Dim = 3, 7
		c := costs(m)
		sbp, dual, sgd := c["SBP"].Training, c["dual decomposition"].Training, c["SGD on the norm-constrained problem"].Training
		if equal := m.Loss+m.Epsilon == 1; equal && (math.Abs(sbp/dual-1) > 1e-12 || math.Abs(dual/sgd-1) > 1e-12) || !equal && !(sbp < dual && dual < sgd) {
			t.Errorf("%+v: found %g, %g, %g", m, sbp, dual, sgd)
		}
	}
	for _, c := range (Machine{Loss: 0.1, Radius: 1, Dim: 1}).Costs() {
		if !math.IsInf(c.Training, 1) || !math.IsInf(c.Support, 1) {
			t.Errorf("epsilon 0: found %+v, expected infinite costs", c)
		}
	}
}

// TestMachineSample: lemma 1.18 by hand, with (L*+epsilon)/epsilon = 2 and R + ln(1/delta) = 10 + ln 20; the
// bounds by compression (item 9 of section 7 of the reference: 8 (10 ln 10^4 + ln 20)/10^4) and smoothness; and
// nothing where their conditions do not hold.
func TestMachineSample(t *testing.T) {
	m, z := Machine{Loss: 0.1, Epsilon: 0.1, Radius: 10, Dim: 1}, 0.00950991
	log := math.Log(1000.)
	for _, c := range []struct {
		what                       string
		found, expected, tolerance float64
	}{
		{"lemma 1.18", m.Sample(0.05), 2 * 12.995732 * 12.995732 / 0.1, 1e-3},
		{"compression", Compression(0, 10, 1e4, 0.05), 0.0760793, 1e-7},
		{"compression of a loss of 0.1", Compression(0.1, 10, 1e4, 0.05), 0.1 + math.Sqrt(3.2*z) + 8*z, 1e-6},
		{"smoothness", Smoothness(0.1, 2, 1000, 0.05, 2), 0.1 + 2*(math.Sqrt(0.1*4*log*log*log/1000)+math.Sqrt(0.1*math.Log(20.)/1000)+4*log*log*log/1000+math.Log(20.)/1000), 1e-12},
	} {
		near(t, c.what, c.found, c.expected, c.tolerance)
	}
	for _, v := range []float64{m.Sample(0), m.Sample(1), Machine{}.Sample(0.1), Compression(0, 6, 11, 0.1), Compression(2, 1, 10, 0.1), Compression(0, 1, 10, 1), Smoothness(0, 1, 0, 0.1, 1), Smoothness(-1, 1, 10, 0.1, 1)} {
		if !math.IsInf(v, 1) {
			t.Errorf("found %g, expected no bound", v)
		}
	}
}
