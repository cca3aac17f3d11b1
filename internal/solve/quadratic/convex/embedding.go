package convex

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// embedding is a predictor-corrector method on the homogeneous embedding of a program, which ends
// at an optimum or at a proof that there is none (Andersen, Ye 1999 for monotone problems; Goulart,
// Chen 2024: Clarabel).
//
//	Symbols   s, z > 0 slacks and multipliers of the sides, y multipliers of equations, tau, kappa > 0;
//	          mu the mean of s z and tau kappa
//	Residuals rx = P x + sum sign z row + sum y row + tau q,  rz = sign row x + s - tau bound,
//	          ry = row x - tau value,  rt = kappa + q^T x + bound^T z + value^T y + x^T P x/tau
//	Step      of Newton towards residuals (1 - sigma) r and products sigma mu, first with sigma = 0,
//	          then with sigma = (1 - step)^3 and the products of the first changes
//	Returned  x/tau and the multipliers divided by tau; where tau goes to 0 before kappa, the
//	          multipliers, or x, are the proof: see proof.go
//	Cost      of a step: one factor of n x n numbers and three solutions
type embedding struct {
	*system
	at         primalDual
	s          []float64
	tau, kappa float64
	rx, rz, ry []float64
	rt         float64
	mu         float64
	px         []float64  // P x
	fixed      primalDual // the solution for the right-hand side -q, bound, value
	step, aim  primalDual // the change of at, and that of the predictor
	ds, as     []float64
	dtau, atau float64
	dkap, akap float64
}

// newEmbedding begins at the solution for slacks and multipliers whose squares are least, moved
// inside.
func newEmbedding(s *system) *embedding {
	e := &embedding{system: s, tau: 1, kappa: 1, at: s.zero(), fixed: s.zero(), step: s.zero(), aim: s.zero()}
	n, k := len(s.g.Q), len(s.sides)
	for _, v := range []*[]float64{&e.rx, &e.px} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&e.s, &e.rz, &e.ds, &e.as} {
		*v = make([]float64, k)
	}
	e.ry = make([]float64, len(s.equations))
	for k := range s.weight {
		s.weight[k] = 1
	}
	s.prepare()
	s.solve(e.at, e.constants())
	for k, z := range e.at.z {
		e.s[k] = -z
	}
	inside(e.s)
	inside(e.at.z)
	return e
}

// inside adds the same to all, so that they are positive.
func inside(v []float64) {
	if len(v) == 0 {
		return
	}
	if least := slices.Min(v); least < 1e-2 {
		for k := range v {
			v[k] += 1 - least
		}
	}
}

// constants is the right-hand side -q, bound, value.
func (e *embedding) constants() primalDual {
	c := e.zero()
	for j, q := range e.g.Q {
		c.x[j] = -q
	}
	for k, side := range e.sides {
		c.z[k] = side.bound
	}
	for k, eq := range e.equations {
		c.y[k] = eq.value
	}
	return c
}

// linear is q^T x + bound^T z + value^T y.
func (e *embedding) linear(d primalDual) float64 {
	sum := vec.Dot64(e.g.Q, d.x)
	for k, side := range e.sides {
		sum += float64(side.bound * d.z[k])
	}
	for k, eq := range e.equations {
		sum += float64(eq.value * d.y[k])
	}
	return sum
}

// residuals sets what is left, and mu.
func (e *embedding) residuals() {
	e.g.P.Times(e.px, e.at.x)
	e.gradient(e.rx, e.at.x, e.multipliers(e.at.z, e.at.y))
	for j, q := range e.g.Q {
		e.rx[j] += float64(e.tau * q)
	}
	v := e.values(e.at.x)
	e.mu = float64(e.tau * e.kappa)
	for k, side := range e.sides {
		e.rz[k] = float64(side.sign*v[side.row]) + e.s[k] - float64(e.tau*side.bound)
		e.mu += float64(e.s[k] * e.at.z[k])
	}
	for k, eq := range e.equations {
		e.ry[k] = v[eq.row] - float64(e.tau*eq.value)
	}
	e.mu /= float64(len(e.sides) + 1)
	e.rt = e.kappa + e.linear(e.at) + vec.Dot64(e.px, e.at.x)/e.tau
}

// advance makes a step; false: there is none.
func (e *embedding) advance() bool {
	for k, s := range e.s {
		e.weight[k] = e.at.z[k] / s
	}
	e.prepare()
	e.solve(e.fixed, e.constants())
	clear(e.as)
	clear(e.aim.z)
	e.atau, e.akap = 0, 0
	if !e.newton(0) {
		return false
	}
	sigma := 1 - min(1, e.longest())
	sigma = float64(sigma * sigma * sigma)
	e.aim, e.step = e.step, e.aim
	copy(e.as, e.ds)
	e.atau, e.akap = e.dtau, e.dkap
	if !e.newton(sigma) {
		return false
	}
	step := min(1, 0.99*e.longest())
	e.at.add(step, e.step)
	for k, d := range e.ds {
		e.s[k] = max(e.s[k]+float64(step*d), 1e-300)
		e.at.z[k] = max(e.at.z[k], 1e-300)
	}
	e.tau += float64(step * e.dtau)
	e.kappa += float64(step * e.dkap)
	e.normalise()
	return step > 1e-9
}

// normalise keeps the point, which any factor may multiply, near 1.
func (e *embedding) normalise() {
	_, exponent := math.Frexp(max(e.tau, e.kappa))
	c := math.Ldexp(1, -exponent)
	for _, v := range [][]float64{e.at.x, e.at.z, e.at.y, e.s} {
		for k := range v {
			v[k] *= c
		}
	}
	e.tau *= c
	e.kappa *= c
}

// newton sets the step towards sigma, with the products of the predictor; false: it is not finite.
func (e *embedding) newton(sigma float64) bool {
	right, keep := e.zero(), 1-sigma
	products := make([]float64, len(e.s)) // what s dz + z ds is to be
	for j, r := range e.rx {
		right.x[j] = float64(-keep * r)
	}
	for k, s := range e.s {
		products[k] = float64(sigma*e.mu) - float64(s*e.at.z[k]) - float64(e.as[k]*e.aim.z[k])
		right.z[k] = float64(-keep*e.rz[k]) - products[k]/e.at.z[k]
	}
	for k, r := range e.ry {
		right.y[k] = float64(-keep * r)
	}
	product := float64(sigma*e.mu) - float64(e.tau*e.kappa) - float64(e.atau*e.akap)
	e.solve(e.step, right)
	slope := func(d primalDual) float64 { return e.linear(d) + float64(2*vec.Dot64(e.px, d.x))/e.tau }
	below := slope(e.fixed) - vec.Dot64(e.px, e.at.x)/float64(e.tau*e.tau) - e.kappa/e.tau
	e.dtau = (float64(-keep*e.rt) - product/e.tau - slope(e.step)) / below
	e.step.add(e.dtau, e.fixed)
	e.dkap = (product - float64(e.kappa*e.dtau)) / e.tau
	sum := e.dtau + e.dkap
	for k, s := range e.s {
		e.ds[k] = (products[k] - float64(s*e.step.z[k])) / e.at.z[k]
		sum += e.ds[k] + e.step.z[k]
	}
	for _, d := range e.step.x {
		sum += d
	}
	return sum-sum == 0
}

// longest is how far all can go, at most 1/0.99.
func (e *embedding) longest() float64 {
	step := 1 / 0.99
	limit := func(v, d float64) {
		if d < 0 && float64(-d*step) > v {
			step = -v / d
		}
	}
	for k, s := range e.s {
		limit(s, e.ds[k])
		limit(e.at.z[k], e.step.z[k])
	}
	limit(e.tau, e.dtau)
	limit(e.kappa, e.dkap)
	return step
}
