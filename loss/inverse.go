package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/vec"
)

// Invertible is a loss of which it is known at which predictions it has a given
// slope: for methods that compare dual variables with predictions.
//
// Laws: Inverse(a, y) returns the ends of the interval of all p of which a, in
// Domain(y), is a subgradient: the subdifferential of the conjugate at a. An
// end may be infinite; at an end of the domain that no slope reaches, both are.
// Inside the domain the conjugate has a corner, lo < hi, at a = 0 only; its
// derivative rises by at least (a'-a)/Smoothness() from a to a' > a, and by just
// that on either side of 0 unless the loss is [Logistic].
type Invertible interface {
	Loss
	Inverse(a, y float64) (lo, hi float64)
}

var (
	_ Invertible = Absolute{}
	_ Invertible = EpsilonInsensitive{}
	_ Invertible = Hinge{}
	_ Invertible = Huber{}
	_ Invertible = HuberHinge{}
	_ Invertible = Logistic{}
	_ Invertible = Squared{}
	_ Invertible = SquaredEpsilonInsensitive{}
	_ Invertible = SquaredHinge{}
)

// Inverse returns y, and what lies beyond at the ends of the domain.
func (Absolute) Inverse(a, y float64) (lo, hi float64) { return beyond(a, -1, 1, y, y) }

// Inverse returns a wall of the tube, or all of it.
func (l EpsilonInsensitive) Inverse(a, y float64) (lo, hi float64) {
	lo, hi = tube(a, y, l.Epsilon)
	return beyond(a, -1, 1, lo, hi)
}

// Inverse returns y, and what lies beyond at the ends of the domain.
func (Hinge) Inverse(a, y float64) (lo, hi float64) {
	first, last := marginDomain(y, 1)
	return beyond(a, first, last, y, y)
}

// Inverse returns y+a, and what lies beyond at the ends of the domain.
func (l Huber) Inverse(a, y float64) (lo, hi float64) {
	return beyond(a, -l.Delta, l.Delta, y+a, y+a)
}

// Inverse returns y + h a, and what lies beyond at the ends of the domain.
func (l HuberHinge) Inverse(a, y float64) (lo, hi float64) {
	first, last := marginDomain(y, 1)
	p := y + float64(l.Width*a)
	return beyond(a, first, last, p, p)
}

// Inverse returns the log-odds y log((1-b)/b), b = -y a.
func (Logistic) Inverse(a, y float64) (lo, hi float64) {
	b := min(max(-y*a, 0), 1)
	p := y * (vec.Log(1-b) - vec.Log(b))
	return p, p
}

// Inverse returns y+a.
func (Squared) Inverse(a, y float64) (lo, hi float64) { return y + a, y + a }

// Inverse returns a place outside the tube, or all of it.
func (l SquaredEpsilonInsensitive) Inverse(a, y float64) (lo, hi float64) {
	return tube(a, y+a/2, l.Epsilon)
}

// Inverse returns y + a/2, and at 0 what lies beyond.
func (SquaredHinge) Inverse(a, y float64) (lo, hi float64) {
	first, last := marginDomain(y, math.Inf(1))
	return beyond(a, first, last, y+a/2, y+a/2)
}

// beyond makes an end infinite where a is at that end of the domain.
func beyond(a, first, last, lo, hi float64) (float64, float64) {
	if a <= first {
		lo = math.Inf(-1)
	}
	if a >= last {
		hi = math.Inf(1)
	}
	return lo, hi
}

// tube returns the wall around p that is on the side of a, both for a = 0.
func tube(a, p, epsilon float64) (lo, hi float64) {
	lo, hi = p-epsilon, p+epsilon
	switch {
	case a < 0:
		hi = lo
	case a > 0:
		lo = hi
	}
	return lo, hi
}
