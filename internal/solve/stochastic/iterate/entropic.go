package iterate

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Entropic is the iterate of mirror descent with the entropy on the ball |w|_1 <= B, for a
// penalty l1 |w|_1 (EG+-, Kivinen and Warmuth 1997): of each weight there are a positive and a
// negative part, and one more part takes what they leave of B:
//
//	w_j = B (e^theta_j - e^-theta_j)/Z,  Z = e^tau + sum_j (e^theta_j + e^-theta_j)
//
// A step takes eta g off theta, and adds eta l1 to tau, which is the same as to take it off all
// parts of weights. Numbers are kept as e^(+-theta_j - m).
//
//	Scaling  w = c v with v_j = 2 sinh(theta_j) e^-m, so that a row changes its own v_j only
type Entropic struct {
	Options
	radius      float64
	theta, v, z []float64 // d+1
	tau, m      float64
	sum         float64 // of the parts of weights
	eta         float64
	c, a, total float64
	touched     int
}

// NewEntropic begins at w, d+1 numbers within the ball, or at 0 if w is nil.
func NewEntropic(o Options, radius float64, w []float64) *Entropic {
	size := o.Columns + 1
	e := &Entropic{Options: o, radius: radius, theta: make([]float64, size), v: make([]float64, size), z: make([]float64, size)}
	if w != nil {
		e.inverse(w)
	}
	e.refresh()
	return e
}

// inverse sets theta and tau to those of w, for a Z at which the rest of B is not negative.
func (e *Entropic) inverse(w []float64) {
	norm := 0.0
	for _, x := range w {
		norm += math.Abs(x)
	}
	share := min(1, norm/e.radius)
	z := 4 * float64(len(w)) / max(1-share, 1e-6)
	rest := z
	for j, x := range w {
		if j == e.Columns && !e.Constant {
			break
		}
		half := x * min(1, (1-1e-6)*e.radius/max(norm, 1e-300)) * z / (2 * e.radius)
		root := math.Sqrt(1 + float64(half*half))
		e.theta[j] = math.Copysign(elementary.Log(math.Abs(half)+root), half)
		rest -= 2 * root
	}
	e.tau = elementary.Log(max(rest, 1e-3))
}

// parts returns the two parts of a weight.
func (e *Entropic) parts(theta float64) (up, down float64) {
	return elementary.Exp(theta - e.m), elementary.Exp(-theta - e.m)
}

// Dot returns <w, x>.
func (e *Entropic) Dot(x matrix.Vector) float64 {
	sum := x.Dot(e.v[:e.Columns])
	if e.Constant {
		sum += e.v[e.Columns]
	}
	return e.c * sum
}

// Begin begins a step.
func (e *Entropic) Begin(eta float64) { e.eta = eta }

// Add takes eta a x off theta.
func (e *Entropic) Add(x matrix.Vector, a float64) {
	a *= e.eta
	for k, value := range x.Value {
		e.add(x.Column(k), float64(a*float64(value)))
	}
	if e.Constant {
		e.add(e.Columns, a)
	}
	e.touched += len(x.Value) + 1
}

func (e *Entropic) add(j int, a float64) {
	up, down := e.parts(e.theta[j])
	e.theta[j] -= a
	if math.Abs(e.theta[j]) > e.m+300 {
		e.refresh()
		return
	}
	newUp, newDown := e.parts(e.theta[j])
	e.sum += newUp + newDown - up - down
	v := newUp - newDown
	e.z[j] -= float64(e.a * (v - e.v[j]))
	e.v[j] = v
}

// End ends a step.
func (e *Entropic) End(weight float64) {
	e.tau += float64(e.eta * e.L1)
	if e.tau > e.m+300 || e.touched > len(e.v) {
		e.refresh()
	}
	e.scale()
	e.a += float64(weight * e.c)
	e.total += weight
}

// scale sets c.
func (e *Entropic) scale() { e.c = e.radius / (e.sum + elementary.Exp(e.tau-e.m)) }

// refresh makes m the largest exponent, and sums anew.
func (e *Entropic) refresh() {
	for j, v := range e.v {
		e.z[j] += float64(e.a * v)
	}
	e.a, e.m, e.sum, e.touched = 0, e.tau, 0, 0
	for _, theta := range e.theta {
		e.m = max(e.m, math.Abs(theta))
	}
	for j, theta := range e.theta {
		if j == e.Columns && !e.Constant {
			break
		}
		up, down := e.parts(theta)
		e.v[j] = up - down
		e.sum += up + down
	}
	e.scale()
}

// Last writes the iterate.
func (e *Entropic) Last(dst []float64) {
	for j, v := range e.v {
		dst[j] = e.c * v
	}
}

// Average writes the average.
func (e *Entropic) Average(dst []float64) { e.refresh(); quotient(dst, e.z, e.total) }

// Forget begins the average anew.
func (e *Entropic) Forget() { clear(e.z); e.a, e.total = 0, 0 }
