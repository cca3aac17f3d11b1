package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// DualStep returns a step of Newton's method.
func (Logistic) DualStep() (step Step, exact bool) { return logisticStep, false }

// logisticStep solves m' = m + q (s(-m') - b) for the margin m' after the step
// with b = -ya and s the logistic function, whose s(-m') is the new b. One
// step of Newton's method from m' = m costs one exponential, and its b lies
// between the old one and s(-m). Only a long one, over which the curvature
// changes, is made exactly. The conjugate is the negative entropy of (b, 1-b): its
// second derivative 1/(b(1-b)) and its slope log(b/(1-b)) are taken in the
// middle.
func logisticStep(before, p, q, y float64) (after, gap, rise float64) {
	m, b := float64(y*p), -y*before
	target := elementary.Sigmoid(-m)
	away := target - b
	next := b + away/(1+float64(q*float64(target*(1-target))))
	if q*math.Abs(next-b) > 0.5 {
		next = -y * ProxStep(Logistic{}, before, p, q, y)
	}
	if away != 0 {
		middle := belowOne((b + target) / 2)
		gap = float64(away*away) / float64(2*middle*(1-middle))
	}
	if move := next - b; move != 0 {
		middle := belowOne((b + next) / 2)
		rise = float64(move * logOdds(middle))
	}
	return -y * next, gap, rise
}

// logOdds is log(x/(1-x)) for 0 < x < 1 to 2e-5: the logarithms of vec take a fifth
// of the time of an epoch. With the powers of two taken out of x and 1-x, what is left
// of them are at most twice as large as one another: log(r) = 2 atanh((r-1)/(r+1)).
func logOdds(x float64) float64 {
	m, j := nearOne(x)
	n, k := nearOne(1 - x)
	s := (m - n) / (m + n)
	z := s * s
	series := math.FMA(math.FMA(math.FMA(2./7, z, 2./5), z, 2./3), z, 2)
	return math.FMA(float64(j-k), math.Ln2, float64(s*series))
}

// nearOne splits a normal number x > 0 into m 2^k with m in [sqrt(1/2), sqrt(2)).
func nearOne(x float64) (m float64, k int) {
	bits := math.Float64bits(x)
	k = int(int64(bits-math.Float64bits(math.Sqrt2/2)) >> 52)
	return math.Float64frombits(bits - uint64(k)<<52), k
}

// belowOne keeps a middle that was rounded to 1 below it.
func belowOne(x float64) float64 { return min(x, 1-0x1p-53) }
