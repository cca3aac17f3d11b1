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
