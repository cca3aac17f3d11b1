package problem

import (
	"math"
	"math/big"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Exact evaluation of what a certificate is about, of the same stored numbers: with
// 700 bits, where a computed value has 53. None of it shares code with the package.

const exactBits = 700

func newBig(x float64) *big.Float       { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }
func add(x, y *big.Float) *big.Float    { return newBig(0).Add(x, y) }
func sub(x, y *big.Float) *big.Float    { return newBig(0).Sub(x, y) }
func mul(x, y *big.Float) *big.Float    { return newBig(0).Mul(x, y) }
func quo(x, y *big.Float) *big.Float    { return newBig(0).Quo(x, y) }
func magnitude(x *big.Float) *big.Float { return newBig(0).Abs(x) }
func half(x *big.Float) *big.Float      { return mul(x, newBig(0.5)) }

func root(x *big.Float) *big.Float {
	if x.Sign() <= 0 {
		return newBig(0)
	}
	return newBig(0).Sqrt(x)
}

func atMost(x, y *big.Float) *big.Float {
	if x.Cmp(y) > 0 {
		return y
	}
	return x
}

func atLeast(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func positive(x *big.Float) *big.Float { return atLeast(x, newBig(0)) }

func bigs(x []float64) []*big.Float {
	out := make([]*big.Float, len(x))
	for i, x := range x {
		out[i] = newBig(x)
	}
	return out
}

// exponential is that of |x| < 2000, by the series of x/2^k.
func exponential(x *big.Float) *big.Float {
	const squarings = 40
	small := newBig(0).SetMantExp(x, -squarings)
	sum, term := newBig(1), newBig(1)
	for k := 1; k < 40; k++ {
		term = quo(mul(term, small), newBig(float64(k)))
		sum = add(sum, term)
	}
	for range squarings {
		sum = mul(sum, sum)
	}
	return sum
}

// logarithm is that of x > 0, by Newton's method.
func logarithm(x *big.Float) *big.Float {
	mantissa := newBig(0)
	exponent := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	y := newBig(math.Log(m) + float64(exponent)*math.Ln2)
	for range 5 {
		y = add(y, sub(mul(x, exponential(newBig(0).Neg(y))), newBig(1)))
	}
	return y
}

// exactLoss returns the value for a prediction.
func exactLoss(l loss.Loss, p *big.Float, target float64) *big.Float {
	y := newBig(target)
	r := magnitude(sub(p, y))
	short := positive(sub(newBig(1), mul(y, p)))
	switch l := l.(type) {
	case loss.Squared:
		return half(mul(r, r))
	case loss.Absolute:
		return r
	case loss.Quantile:
		if p.Cmp(y) < 0 {
			return mul(newBig(l.Tau), r)
		}
		return mul(newBig(1-l.Tau), r)
	case loss.Poisson:
		return sub(add(exponential(p), sub(entropic(y), y)), mul(y, p))
	case loss.EpsilonInsensitive:
		return positive(sub(r, newBig(l.Epsilon)))
	case loss.SquaredEpsilonInsensitive:
		r = positive(sub(r, newBig(l.Epsilon)))
		return mul(r, r)
	case loss.Huber:
		return rounded(r, newBig(l.Delta))
	case loss.Hinge:
		return short
	case loss.SquaredHinge:
		return mul(short, short)
	case loss.HuberHinge:
		return quo(rounded(short, newBig(l.Width)), newBig(l.Width))
	case loss.Logistic:
		return softplus(mul(newBig(-target), p))
	}
	panic("unknown loss")
}

// rounded is r^2/2 up to delta, and goes on as a straight line.
func rounded(r, delta *big.Float) *big.Float {
	if r.Cmp(delta) <= 0 {
		return half(mul(r, r))
	}
	return mul(delta, sub(r, half(delta)))
}

// softplus is log(1 + exp(t)), to 60 digits or 1e-400.
func softplus(t *big.Float) *big.Float {
	switch {
	case t.Cmp(newBig(1000)) > 0:
		return t
	case t.Cmp(newBig(-1000)) < 0:
		return newBig(0)
	case t.Cmp(newBig(-150)) < 0: // lost beside 1
		return exponential(t)
	}
	return logarithm(add(newBig(1), exponential(t)))
}

// exactConjugate returns the conjugate in its domain.
func exactConjugate(l loss.Loss, a *big.Float, target float64) *big.Float {
	linear := mul(a, newBig(target))
	square := half(mul(a, a))
	switch l := l.(type) {
	case loss.Squared, loss.Huber:
		return add(linear, square)
	case loss.EpsilonInsensitive:
		return add(linear, mul(newBig(l.Epsilon), magnitude(a)))
	case loss.SquaredEpsilonInsensitive:
		return add(add(linear, half(square)), mul(newBig(l.Epsilon), magnitude(a)))
	case loss.SquaredHinge:
		return add(linear, half(square))
	case loss.HuberHinge:
		return add(linear, mul(newBig(l.Width), square))
	case loss.Poisson:
		b, y := add(a, newBig(target)), newBig(target)
		return sub(sub(entropic(b), b), sub(entropic(y), y))
	case loss.Logistic:
		b := magnitude(a)
		if b.Cmp(newBig(1e-60)) < 0 { // lost beside 1
			return sub(entropic(b), b)
		}
		return add(entropic(b), entropic(sub(newBig(1), b)))
	}
	return linear // Absolute, Hinge
}

func entropic(b *big.Float) *big.Float {
	if b.Sign() <= 0 {
		return newBig(0)
	}
	return mul(b, logarithm(b))
}

// exactPenalty returns the value for weights.
func exactPenalty(p penalty.Penalty, w []*big.Float) *big.Float {
	ratio := newBig(0)
	switch p := p.(type) {
	case penalty.LP:
		slope := sub(newBig(p.Exponent), newBig(1))
		return quo(half(squaredNorm(w, newBig(p.Exponent))), slope)
	case penalty.L1:
		ratio = newBig(1)
	case penalty.ElasticNet:
		ratio = newBig(p.Ratio)
	}
	sum := newBig(0)
	for _, w := range w {
		sum = add(sum, mul(ratio, magnitude(w)))
		sum = add(sum, mul(sub(newBig(1), ratio), half(mul(w, w))))
	}
	return sum
}

// squaredNorm is |v|_e^2, by the powers of |v_j| over the largest of them.
func squaredNorm(v []*big.Float, e *big.Float) *big.Float {
	largest := newBig(0)
	for _, v := range v {
		largest = atLeast(largest, magnitude(v))
	}
	if largest.Sign() == 0 {
		return largest
	}
	powers := newBig(0)
	for _, v := range v {
		if v.Sign() == 0 {
			continue
		}
		if t := mul(e, logarithm(quo(magnitude(v), largest))); t.Cmp(newBig(-1900)) > 0 {
			powers = add(powers, exponential(t))
		}
	}
	return mul(mul(largest, largest), exponential(quo(mul(newBig(2), logarithm(powers)), e)))
}

// exactPenaltyConjugate returns the conjugate in its domain.
func exactPenaltyConjugate(p penalty.Penalty, u []*big.Float) *big.Float {
	sum := newBig(0)
	ratio := newBig(0)
	switch p := p.(type) {
	case penalty.LP:
		slope := sub(newBig(p.Exponent), newBig(1))
		return mul(half(squaredNorm(u, quo(newBig(p.Exponent), slope))), slope)
	case penalty.L1:
		return sum
	case penalty.ElasticNet:
		ratio = newBig(p.Ratio)
	}
	for _, u := range u {
		over := positive(sub(magnitude(u), ratio))
		sum = add(sum, half(mul(over, over)))
	}
	return quo(sum, sub(newBig(1), ratio))
}

// exactRisk returns (1/N) sum_i s_i l_i(p_i).
func exactRisk(r *Risk, p []*big.Float) *big.Float {
	sum := newBig(0)
	for i, p := range p {
		sum = add(sum, mul(newBig(r.S[i]), exactLoss(r.Loss, p, r.Y[i])))
	}
	return quo(sum, exactTotal(r.S))
}

// exactConjugates returns (1/N) sum_i s_i l_i*(scale v_i/s_i), clipped to the domains,
// from which v_i/s_i may be off by a rounding.
func exactConjugates(r *Risk, v []float64, scale *big.Float) *big.Float {
	sum := newBig(0)
	for i, v := range v {
		lo, hi := r.Loss.Domain(r.Y[i])
		a := mul(scale, quo(newBig(v), newBig(r.S[i])))
		if !math.IsInf(hi, 0) {
			a = atMost(a, newBig(hi))
		}
		if !math.IsInf(lo, 0) {
			a = atLeast(a, newBig(lo))
		}
		sum = add(sum, mul(newBig(r.S[i]), exactConjugate(r.Loss, a, r.Y[i])))
	}
	return quo(sum, exactTotal(r.S))
}

func exactTotal(s []float64) *big.Float {
	sum := newBig(0)
	for _, s := range s {
		sum = add(sum, newBig(s))
	}
	return sum
}
