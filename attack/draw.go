package attack

import (
	"math"
	"math/rand/v2"
)

// draw is a stream of random choices.
type draw struct{ *rand.Rand }

// drawOf is the stream of a case: it depends on nothing but these numbers.
func drawOf(seed uint64, number int) draw { return draw{rand.New(rand.NewPCG(seed, uint64(number)))} }

// chance is true in so many of a hundred draws.
func (r draw) chance(percent int) bool { return r.IntN(100) < percent }

// one returns one of several things.
func one[T any](r draw, of ...T) T { return of[r.IntN(len(of))] }

// power returns a number between 10^lo and 10^hi, its logarithm being uniform; a
// round one now and then.
func (r draw) power(lo, hi float64) float64 {
	e := lo + r.Float64()*(hi-lo)
	if r.chance(30) {
		e = math.Round(e)
	}
	return math.Pow(10, e)
}

// size returns a whole number from 1 to most, small ones more often.
func (r draw) size(most int) int { return 1 + int(math.Pow(r.Float64(), 2)*float64(most)) }

// sign returns 1 or -1.
func (r draw) sign() float64 { return one(r, 1.0, -1.0) }

// values returns what draws the values of one column: small whole numbers, of
// ordinary size, of one extreme size, or of any size.
func (r draw) values() func() float64 {
	switch r.IntN(12) {
	case 4: // down to what single precision has no normal numbers for
		size := r.power(-40, -36)
		return func() float64 { return size * r.NormFloat64() }
	case 0:
		return func() float64 { return float64(r.IntN(3)) }
	case 1:
		size := r.power(-30, 30)
		return func() float64 { return size * r.NormFloat64() }
	case 2:
		return func() float64 { return r.sign() * r.power(-30, 30) }
	case 3:
		size := r.power(-4, 4)
		return func() float64 { return size * (1 + 1e-6*r.NormFloat64()) }
	}
	return r.NormFloat64
}
