package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// LP is |w|_p^2 / (2(p-1)) with p = Exponent, 1 < p <= 2: the nearer p is to 1, the fewer
// weights are large (Grove, Littlestone, Schuurmans 2001; Gentile 2003).
//
// Its conjugate is (p-1) |u|_q^2 / 2 = |u|_q^2 / (2(q-1)), 1/p + 1/q = 1: of the same form.
//
// Powers are taken of |w_j| over the largest of them, M, as those of the numbers themselves
// overflow where q is large: with S_e = sum_j (|w_j|/M)^e,
//
//	|w|_e = M S_e^(1/e),  the gradient of |w|_e^2/2: M S_e^((2-e)/e) (|w_j|/M)^(e-1) sign w_j
type LP struct{ Exponent float64 }

var (
	_ Strong         = LP{}
	_ Differentiable = LP{}
	_ PNorm          = LP{}
	_ Rounded        = LP{}
)

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "lp", Summary: "|w|_p^2 / (2(p-1)), p=1.5, 1 < p <= 2: between few large weights and many small ones",
		New: func(p *registry.Params) (Penalty, error) {
			exponent := p.Float("p", 1.5, "a number above 1, up to 2 (use l1 for 1)", func(v float64) bool { return v > 1 && v <= 2 })
			if exponent == 2 {
				return L2{}, p.Err()
			}
			return LP{exponent}, p.Err()
		}})
}

// Value returns |w|_p^2 / (2(p-1)).
func (l LP) Value(w []float64) float64 {
	norm := normOf(w, l.Exponent)
	return norm * (norm / (2 * (l.Exponent - 1)))
}

// Conjugate returns 1 and (p-1) |u|_q^2 / 2.
func (l LP) Conjugate(u []float64) (scale, value float64) {
	norm := normOf(u, l.dual())
	return 1, norm * (norm * (l.Exponent - 1)) / 2
}

// Weights returns (p-1) times the gradient of |u|_q^2/2.
func (l LP) Weights(dst, u []float64) { gradientOf(dst, u, l.dual(), l.Exponent-1) }

// Gradient writes that of |w|_p^2/2, over p-1.
func (l LP) Gradient(dst, w []float64) { gradientOf(dst, w, l.Exponent, 1/(l.Exponent-1)) }

// P is the exponent.
func (l LP) P() float64 { return l.Exponent }

// StrongConvexity is 1. Where no weight is 0 the Hessian is, with N = |w|_p,
//
//	diag (N/|w_j|)^(2-p)  +  (2-p)/(p-1) N^(2-2p) g g^T,   g_j = |w_j|^(p-1) sign w_j
//
// As |w_j| <= N the first part is at least the identity, and the second is not negative.
// Where weights are 0 the inequality holds as a limit.
func (LP) StrongConvexity() float64 { return 1 }

// Rounding is that of two norms in [normOf], and of what they are multiplied by.
func (LP) Rounding(n int) float64 { return 32 * (1 + elementary.Log(float64(max(n, 1)))) }

// dual returns q = p/(p-1).
func (l LP) dual() float64 { return l.Exponent / (l.Exponent - 1) }

// Prox returns x = N r with N = |x|_p: where the gradient is 0, for v_j >= 0,
//
//	N (r_j + k r_j^(p-1)) = v_j,   k = step/(p-1),   sum_j r_j^p = 1
//
// The r_j are functions of N alone. log sum_j r_j^p falls in log N, at a rate between p and
// q, so that Newton's method finds it. As r <= r^(p-1) on [0, 1], N(1+k) lies between
// max |v_j|, where one r_j is 1, and |v|_p.
func (l LP) Prox(dst, v []float64, step float64) {
	largest := largestOf(v)
	if !(largest > 0) {
		copy(dst, v)
		return
	}
	k := min(step/(l.Exponent-1), math.MaxFloat64)
	lo := -elementary.Log1p(k)
	hi := elementary.Log(powersOf(v, largest, l.Exponent))/l.Exponent + lo
	log, last := hi, math.Inf(1) // of N/largest
	for range 100 {
		sum, slope := l.shares(v, largest, log, k)
		excess := elementary.Log(sum)
		if excess > 0 {
			lo = log
		} else {
			hi = log
		}
		next := log + float64(excess*sum/slope)
		if !(next >= lo && next <= hi) { // also where all powers underflow
			next = lo + (hi-lo)/2
		}
		moved := math.Abs(next - log)
		if log = next; moved <= 1e-16 || moved >= last && moved < 1e-12 { // what is left is rounding
			break
		}
		last = moved
	}
	norm := elementary.Exp(log)
	for j, x := range v {
		size := math.Abs(x)
		dst[j] = math.Copysign(min(size, largest*(norm*l.share(size/largest, log, k))), x)
	}
}

// shares returns sum_j r_j^p, and by how much it falls in log N:
// p r_j^p (1 + k m)/(1 + k (p-1) m) for each, m = r_j^(p-2).
func (l LP) shares(v []float64, largest, log, k float64) (sum, slope float64) {
	var total, rate vec.Sum
	for _, x := range v {
		r := l.share(math.Abs(x)/largest, log, k)
		if r == 0 {
			continue
		}
		power := elementary.Pow(r, l.Exponent-1) // r/m
		total.Add(power * r)
		rate.Add(l.Exponent * power * r * (r + float64(k*power)) / (r + float64(k*(l.Exponent-1)*power)))
	}
	return total.Value(), rate.Value()
}

// share returns the r of r + k r^(p-1) = x e^-log, by Newton's method for the logarithm of
// both sides in log r. Its left side is convex there, with a slope from p-1 to 1: from above
// no step goes too far. Each of its two terms alone gives an r above.
func (l LP) share(x, log, k float64) float64 {
	if x == 0 {
		return 0
	}
	target, slope := elementary.Log(x)-log, l.Exponent-1
	at := target
	if k > 0 {
		at = min(at, (target-elementary.Log(k))/slope)
	}
	for range 60 {
		r := elementary.Exp(at)
		rest := float64(k * elementary.Exp(slope*at))
		if r == 0 {
			return 0
		}
		move := (elementary.Log(r+rest) - target) * (r + rest) / (r + float64(slope*rest))
		if at -= move; math.Abs(move) <= 1e-15*(1+math.Abs(at)) {
			break
		}
	}
	return elementary.Exp(at)
}

// normOf returns |v|_e = M S^(1/e), 1 < e, with a relative error below 13 (1 + log n) 2^-53: each power
// of the sum is off by e + 4 + 6t units, t its exponent, and the average of t over the terms
// is at most log n; the root takes 1/e of that, its own logarithm and rounding come on top.
func normOf(v []float64, e float64) float64 {
	largest := largestOf(v)
	if !(largest > 0 && largest <= math.MaxFloat64) {
		return largest
	}
	return largest * elementary.Pow(powersOf(v, largest, e), 1/e)
}

// gradientOf writes that of |v|_e^2/2, times factor.
func gradientOf(dst, v []float64, e, factor float64) {
	largest := largestOf(v)
	if !(largest > 0) {
		copy(dst, v)
		return
	}
	size := largest * factor * elementary.Exp((2-e)/e*elementary.Log(powersOf(v, largest, e)))
	for j, x := range v {
		dst[j] = math.Copysign(size*elementary.Pow(math.Abs(x)/largest, e-1), x)
	}
}

// powersOf returns sum_j (|v_j|/largest)^e.
func powersOf(v []float64, largest, e float64) float64 {
	var sum vec.Sum
	for _, x := range v {
		sum.Add(elementary.Pow(math.Abs(x)/largest, e))
	}
	return sum.Value()
}

// largestOf returns the largest magnitude, NaN if there is one.
func largestOf(v []float64) float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return largest
}
