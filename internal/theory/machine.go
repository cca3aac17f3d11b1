package theory

import (
	"fmt"
	"math"
)

// Machine is what the work of a kernel machine depends on that is to have an error of L* + epsilon
// on new rows, for kernels with values up to 1. L* is the mean hinge loss of a predictor of
// norm R on new rows.
type Machine struct {
	Loss    float64 `json:"loss"` // L*
	Epsilon float64 `json:"accuracy"`
	Radius  float64 `json:"radius"` // R; for random features a bound on the sum of |alpha_i|
	Dim     float64 `json:"d"`      // features of a row, which random features pay for
}

// Check refuses what is no machine.
func (m Machine) Check() error {
	for _, v := range []struct {
		name      string
		value, lo float64
		expected  string
	}{{"loss", m.Loss, 0, "a number from 0 to 1e100"}, {"accuracy", m.Epsilon, 1e-100, "a number from 1e-100 to 1e100"}, {"radius", m.Radius, 1e-100, "a number from 1e-100 to 1e100"}, {"d", m.Dim, 1, "a number of features >= 1"}} {
		if !(v.value >= v.lo && v.value <= 1e100) {
			return fmt.Errorf("%s %g: expected %s", v.name, v.value, v.expected)
		}
	}
	return nil
}

// A MachineCost is the number of kernel values, or of inner products for random features, of
// training, and that of one prediction, which is the support; and both for an epsilon of the order
// of L* or above, where only 1/epsilon counts.
type MachineCost struct {
	Method       string  `json:"method"`
	Training     float64 `json:"training"`
	Support      float64 `json:"support"`
	EasyTraining float64 `json:"training_easy"`
	EasySupport  float64 `json:"support_easy"`
}

// Costs are the rows of tables 1.2, 2.6 and 3.4 of [Cotter], both columns, up to constants and
// logarithms. They are infinite for numbers out of range.
func (m Machine) Costs() []MachineCost {
	costs, easy := m.costs((m.Loss+m.Epsilon)/m.Epsilon), m.costs(1)
	for i := range costs {
		costs[i].EasyTraining, costs[i].EasySupport = easy[i].Training, easy[i].Support
	}
	return costs
}

// costs are those where (L* + epsilon)/epsilon is rho.
func (m Machine) costs(rho float64) []MachineCost {
	valid := m.Check() == nil
	r2, e := m.Radius*m.Radius, m.Epsilon
	r4 := r2 * r2
	var costs []MachineCost
	for _, c := range []struct {
		method            string
		training, support float64
	}{
		{"SBP, then sparsified", rho * rho * rho * r4 / e, r2},
		{"SBP", rho * rho * rho * r4 / e, rho * rho * r2},
		{"perceptron, online to batch", rho * rho * rho * r4 / e, rho * rho * r2},
		{"dual decomposition", rho * rho * r4 / (e * e), rho * r2 / e},
		{"SGD on the norm-constrained problem", rho * r4 / (e * e * e), r2 / (e * e)},
		{"Pegasos", min(1/e, rho*rho) * r4 / (e * e * e), r2 / (e * e)},
		{"random Fourier features", rho * m.Dim * r4 / (e * e * e), m.Dim * r2 / (e * e)},
	} {
		costs = append(costs, MachineCost{Method: c.method, Training: given(valid, c.training), Support: given(valid, c.support)})
	}
	return costs
}

// Sample is lemma 1.18 of [Cotter]: so many rows, up to constants and logarithms, and the error on new
// rows of every predictor of norm up to R whose mean hinge loss on them is at most that of the predictor
// with L*, and epsilon, is at most L* + 2 epsilon, with probability 1 - delta (E10: as proved, 3).
//
//	(L* + epsilon)/epsilon (R + ln(1/delta))^2/epsilon
func (m Machine) Sample(delta float64) float64 {
	width := m.Radius - math.Log(delta)
	return given(m.Check() == nil && delta > 0 && delta < 1, (m.Loss+m.Epsilon)/m.Epsilon*width*width/m.Epsilon)
}

// Compression bounds the error on new rows of a classifier that k <= n/2 of the n rows determine, k
// being fixed before they are seen, such as 4 R^2 for a bound R on the norm (E12), if its mean loss on
// them, of values in [0, 1] and at least the error, is this (Shalev-Shwartz; [Cotter], section 3.3). It
// holds with probability 1 - delta:
//
//	loss + sqrt(32 loss z/n) + 8 z/n,  z = k ln n + ln(1/delta)
func Compression(loss, k, n, delta float64) float64 {
	z := (k*math.Log(n) - math.Log(delta)) / n
	return given(loss >= 0 && loss <= 1 && k >= 0 && 2*k <= n && delta > 0 && delta < 1, loss+math.Sqrt(32*loss*z)+8*z)
}

// Smoothness is the other bound, uniform over all machines of norm at most R within 1/3 of the band of
// a trained one whose mean hinge loss on n rows is this, up to the constant c, which is not known:
//
//	loss + c (sqrt(loss R^2 ln^3 n/n) + sqrt(loss ln(1/delta)/n) + R^2 ln^3 n/n + ln(1/delta)/n)
func Smoothness(loss, radius, n, delta, c float64) float64 {
	log := math.Log(n)
	complexity, chance := radius*radius*log*log*log/n, -math.Log(delta)/n
	return given(loss >= 0 && radius >= 0 && n >= 1 && delta > 0 && delta < 1, loss+c*(math.Sqrt(loss*complexity)+math.Sqrt(loss*chance)+complexity+chance))
}
