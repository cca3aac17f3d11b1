package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Logistic is log(1 + exp(-yp)): the prediction is the log-odds of y = 1.
//
// With a = -y b: l*(a) = b log b + (1-b) log(1-b) on 0 <= b <= 1.
type Logistic struct{}

var (
	_ Margin         = Logistic{}
	_ Curved         = Logistic{}
	_ Probabilistic  = Logistic{}
	_ Batch          = Logistic{}
	_ Invertible     = Logistic{}
	_ Stepped        = Logistic{}
	_ SelfConcordant = Logistic{}
	_ CurvedBatch    = Logistic{}
	_ Flowing        = Logistic{}
)

func init() {
	register("logistic", "log(1+exp(-yp)): logistic regression, gives probabilities", Logistic{})
}

func (Logistic) OfMargins() {}

// Value returns log(1+exp(-yp)) without overflow.
func (Logistic) Value(p, y float64) float64 { return elementary.Softplus(-y * p) }

// ValueTo is Value of many rows. A slope is below the value at the same place,
// e^x/(1+e^x) <= log(1+e^x), and changes by a quarter of the way at most.
func (Logistic) ValueTo(value, slope, p, y, reach []float64) {
	for i, y := range y {
		value[i] = -y * p[i]
	}
	elementary.SoftplusTo(value, value)
	for i, v := range value {
		slope[i] = min(1, float64(v*(1+0x1p-49))+reach[i]/4) // both may be rounded
	}
}

// Derivative returns -y/(1+exp(yp)).
func (Logistic) Derivative(p, y float64) float64 { return -y * elementary.Sigmoid(-y*p) }

// Curvature returns s(1-s) with s the probability of y.
func (Logistic) Curvature(p, y float64) float64 {
	return elementary.Sigmoid(p) * elementary.Sigmoid(-p)
}

// Probability returns 1/(1+exp(-p)).
func (Logistic) Probability(p float64) float64 { return elementary.Sigmoid(p) }

// Conjugate returns the negative entropy of (b, 1-b), b = -y a.
func (Logistic) Conjugate(a, y float64) float64 { return -elementary.Entropy(-y * a) }

// ConjugateTo is Conjugate of many rows.
func (Logistic) ConjugateTo(dst, a, y []float64) {
	for i, y := range y {
		dst[i] = -y * a[i]
	}
	elementary.EntropyTo(dst, dst)
	for i, e := range dst {
		dst[i] = -e
	}
}

// Domain is [-1, 0] for y = 1 and [0, 1] for y = -1.
func (Logistic) Domain(y float64) (lo, hi float64) { return marginDomain(y, 1) }

// Prox solves m - v = step/(1+exp(m)) for the margin m by Newton's method, kept
// inside a bracket: the right side lies in (0, step).
func (Logistic) Prox(v, step, y float64) float64 {
	start := y * v
	if start+step == start { // far out: the loss cannot move it
		return v
	}
	lo, hi := start, start+step
	m := lo + float64(step*elementary.Sigmoid(-lo-step/2)) // the slope in the middle of the bracket
	m = clip(m, lo, hi)
	last := step
	for range 100 {
		s := elementary.Sigmoid(-m)
		f := m - start - float64(step*s) // increasing in m
		if f > 0 {
			hi = m
		} else {
			lo = m
		}
		next := m - f/(1+float64(step*s*(1-s)))
		halve := !(next > lo && next < hi) || 2*math.Abs(next-m) > last // Newton may cycle
		if halve {
			next = lo + (hi-lo)/2
		}
		last = math.Abs(next - m)
		m = next
		// Newton squares the error: after a step this short there is none left.
		if size := math.Max(1, math.Abs(m)); last <= 1e-15*size || !halve && last <= 1e-8*size {
			break
		}
	}
	return y * m
}

// Smoothness is 1/4.
func (Logistic) Smoothness() float64 { return 0.25 }

// Inverse returns the log-odds y log((1-b)/b), b = -y a.
func (Logistic) Inverse(a, y float64) (lo, hi float64) {
	b := min(max(-y*a, 0), 1)
	p := y * (elementary.Log(1-b) - elementary.Log(b))
	return p, p
}

// Straight is false: the inverse is the log-odds.
func (Logistic) Straight() bool { return false }

// SelfConcordance is 1: s(1-s) changes by the factor 1-2s of itself.
func (Logistic) SelfConcordance() float64 { return 1 }

// DifferentiateTo is Derivative and Curvature of many rows, with all exponentials at once:
// a third of the time. Curvatures need no digits where a row is far on the wrong side.
func (Logistic) DifferentiateTo(slope, curvature, p, y []float64) {
	p, slope, curvature = p[:len(y)], slope[:len(y)], curvature[:len(y)]
	for i, y := range y {
		slope[i] = -y * p[i]
	}
	elementary.SigmoidTo(slope, slope)
	for i, y := range y {
		curvature[i] = slope[i] * (1 - slope[i])
		slope[i] *= -y
	}
}
