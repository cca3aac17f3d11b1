package iterate

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Link is the iterate of dual averaging with sigma |w|_p^2/(2(p-1)), 1 < p <= 2: with theta the
// sum of all gradient estimates, negative, after t steps
//
//	w = gradient of the conjugate at theta/((t+1) sigma), within the ball |w|_p <= radius
//	  = c v,  v_j = sgn(theta_j) |theta_j/M|^(q-1),  S = sum_j |theta_j/M|^q,  q = p/(p-1)
//	c = (p-1)/((t+1) sigma) M S^((2-q)/q),  |w|_p = (p-1)/((t+1) sigma) M S^(1/q)
//
// As the link is homogeneous, a row changes only its own v_j, and S; the sources compute all of
// w in every step. M is of the size of the largest theta_j, against overflow. The average is
// A v + z as in Scaled. theta is never confined, only w.
type Link struct {
	Options
	q, sigma, radius float64
	theta, v, z      []float64 // d+1
	quarters         int       // 4(q-1) where that is a small whole number, else 0
	inverseM, s      float64   // 1/M, a power of two
	t                float64   // steps
	c, a, total      float64
	touched          int // numbers since S was summed anew
}

// NewLink begins at w, d+1 numbers, as if after so many steps, or at 0 if w is nil. The radius may
// be infinite.
func NewLink(o Options, p, sigma, radius float64, w []float64, steps float64) *Link {
	size := o.Columns + 1
	l := &Link{Options: o, q: p / (p - 1), sigma: sigma, radius: radius,
		theta: make([]float64, size), v: make([]float64, size), inverseM: 1}
	if o.Averaged {
		l.z = make([]float64, size)
	}
	if k := 4 / (p - 1); math.Abs(k-math.Round(k)) < 1e-12*k && k < 100 {
		l.quarters = int(math.Round(k))
	}
	if w != nil {
		l.t = steps
		l.inverse(w)
	}
	l.refresh()
	return l
}

// inverse sets theta to (t+1) sigma times the gradient of |w|_p^2/(2(p-1)).
func (l *Link) inverse(w []float64) {
	largest := 0.0
	for _, x := range w {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return
	}
	p, sum := l.q/(l.q-1), 0.0
	for j, x := range w {
		l.theta[j] = power(x/largest, p-1)
		sum += float64(math.Abs(l.theta[j]) * math.Abs(x/largest))
	}
	factor := (l.t + 1) * l.sigma / (p - 1) * largest * power(sum, (2-p)/p)
	for j := range l.theta {
		l.theta[j] *= factor
	}
}

// power returns sgn(x) |x|^e, e > 0.
func power(x, e float64) float64 {
	switch {
	case e == 1 || x == 0:
		return x
	case x < 0:
		return -elementary.Exp(e * elementary.Log(-x))
	}
	return elementary.Exp(e * elementary.Log(x))
}

// link returns sgn(x) |x|^(q-1), by roots and products where 4(q-1) is a whole number: at p = 1.8,
// 1.5, 1.2 a third of the time.
func (l *Link) link(x float64) float64 {
	if l.quarters == 0 {
		return power(x, l.q-1)
	}
	size, k := math.Abs(x), l.quarters
	value := 1.0
	if k&3 != 0 {
		root := math.Sqrt(math.Sqrt(size))
		for range k & 3 {
			value *= root
		}
	}
	for range k >> 2 {
		value *= size
	}
	return math.Copysign(value, x)
}

// Dot returns <w, x>.
func (l *Link) Dot(x matrix.Vector) float64 {
	sum := x.Dot(l.v[:l.Columns])
	if l.Constant {
		sum += l.v[l.Columns]
	}
	return l.c * sum
}

// Begin begins a step; its length is that of dual averaging, whatever eta.
func (l *Link) Begin(float64) {}

// Add takes a x off theta.
func (l *Link) Add(x matrix.Vector, a float64) {
	for k, value := range x.Value {
		l.add(x.Column(k), float64(a*float64(value)))
	}
	if l.Constant {
		l.add(l.Columns, a)
	}
	l.touched += len(x.Value) + 1
}

func (l *Link) add(j int, a float64) {
	v, before := l.v[j], l.theta[j]
	theta := before - a
	l.theta[j] = theta
	scaled := theta * l.inverseM
	if math.Abs(scaled) > 2 {
		l.refresh()
		return
	}
	now := l.link(scaled)
	l.v[j] = now
	l.s += float64(now*scaled) - float64(v*(before*l.inverseM))
	if l.z != nil {
		l.z[j] -= float64(l.a * (now - v))
	}
}

// End ends a step.
func (l *Link) End(weight float64) {
	l.t++
	if l.touched > len(l.v) {
		l.resum()
	}
	l.scale()
	l.a += float64(weight * l.c)
	l.total += weight
}

// scale sets c.
func (l *Link) scale() {
	if l.s <= 0 {
		l.c = 0
		return
	}
	size := 1 / (l.inverseM * (l.t + 1) * l.sigma * (l.q - 1)) // p-1 = 1/(q-1)
	l.c = size * power(l.s, 1/l.q) / power(l.s, (l.q-1)/l.q)
	if norm := size * power(l.s, 1/l.q); norm > l.radius {
		l.c *= l.radius / norm
	}
}

// resum sums S anew, against drift.
func (l *Link) resum() {
	l.s, l.touched = 0, 0
	for j, v := range l.v {
		l.s += float64(v * (l.theta[j] * l.inverseM))
	}
}

// refresh makes M the power of two above the largest |theta_j|.
func (l *Link) refresh() {
	if l.z != nil {
		vec.Axpy64(l.z, l.a, l.v)
	}
	largest := 0.0
	for _, theta := range l.theta {
		largest = max(largest, math.Abs(theta))
	}
	l.a, l.inverseM = 0, 1
	if largest > 1e-290 {
		_, e := math.Frexp(largest)
		l.inverseM = math.Ldexp(1, -e)
	}
	for j, theta := range l.theta {
		l.v[j] = l.link(theta * l.inverseM)
	}
	l.resum()
	l.scale()
}

// Last writes the iterate.
func (l *Link) Last(dst []float64) {
	for j, v := range l.v {
		dst[j] = l.c * v
	}
}

// Average writes the average.
func (l *Link) Average(dst []float64) { l.refresh(); quotient(dst, l.z, l.total) }

// Forget begins the average anew.
func (l *Link) Forget() { clear(l.z); l.a, l.total = 0, 0 }
