package theory

// Machine is what the work of a kernel machine depends on that is to have an error of L* + epsilon
// on new rows, for kernels with values up to 1. L* is the mean hinge loss of a predictor of
// norm R on new rows.
type Machine struct {
	Loss    float64 // L*
	Epsilon float64
	Radius  float64 // R; for random features a bound on the sum of |alpha_i|
	Dim     float64 // features of a row, which random features pay for
}

// A MachineCost is the number of kernel values, or of inner products for random features, of
// training, and that of one prediction, which is the support.
type MachineCost struct {
	Method            string
	Training, Support float64
}

// Costs are the rows of tables 1.2, 2.6 and 3.4 of [Cotter], up to constants and logarithms.
// They are infinite for numbers out of range.
func (m Machine) Costs() []MachineCost {
	valid := m.Loss >= 0 && m.Epsilon > 0 && m.Radius > 0 && m.Dim > 0
	rho := (m.Loss + m.Epsilon) / m.Epsilon
	r2, e := m.Radius*m.Radius, m.Epsilon
	r4 := r2 * r2
	costs := []MachineCost{
		{"SBP, then sparsified", rho * rho * rho * r4 / e, r2},
		{"SBP", rho * rho * rho * r4 / e, rho * rho * r2},
		{"perceptron, online to batch", rho * rho * rho * r4 / e, rho * rho * r2},
		{"dual decomposition", rho * rho * r4 / (e * e), rho * r2 / e},
		{"SGD on the norm-constrained problem", rho * r4 / (e * e * e), r2 / (e * e)},
		{"Pegasos", min(1/e, rho*rho) * r4 / (e * e * e), r2 / (e * e)},
		{"random Fourier features", rho * m.Dim * r4 / (e * e * e), m.Dim * r2 / (e * e)},
	}
	for i := range costs {
		costs[i].Training, costs[i].Support = given(valid, costs[i].Training), given(valid, costs[i].Support)
	}
	return costs
}
