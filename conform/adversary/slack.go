package adversary

import (
	"math"
	"slices"
)

// slack is the slack-constrained problem: -f is least, where f is the level of
// the volume n nu of water over the margins of a w in the unit ball.
type slack struct {
	risk
	nu     number
	linear bool // its bound is a tighter one than dual
}

func (j *slack) volume() number { return mul(j.n, j.nu) }

func (j *slack) primal(w []float64, bias float64) (number, float64) {
	p, off := j.predict(j.rows, w)
	squared, squaredOff := j.squared(w)
	size := sqrt(add(squared, j.constant(bias)))
	inside := num(1)
	if less(num(1), size) {
		inside = quo(num(1), size)
	}
	margins := make([]number, len(p))
	doubts, reach := 0.0, 0.0
	for i := range p {
		margins[i] = mul(num(j.y[i]), mul(inside, add(p[i], num(bias))))
		doubts = max(doubts, off[i])
		reach = max(reach, math.Abs(float(margins[i])))
	}
	if squaredOff > 0 { // the program shrinks w by its own bound on that error, which is wider
		doubts += 8 * squaredOff / max(1, float(squared)) * reach
	}
	f := level(margins, j.volume())
	return neg(f), doubts + doubt*math.Abs(bias) + 1e-9*(reach+math.Abs(float(f)))
}

// level returns the height of so much water over the floors.
func level(floors []number, volume number) number {
	floors = slices.Clone(floors)
	slices.SortFunc(floors, func(a, b number) int { return a.Cmp(b) })
	covered := zero()
	var height number
	for k, floor := range floors {
		covered = add(covered, floor)
		if h := quo(add(volume, covered), num(float64(k+1))); height == nil || less(h, height) {
			height = h
		}
	}
	return height
}

func (j *slack) dual(a []float64) number {
	v := make([]number, len(a))
	plus, minus := zero(), zero()
	for i, x := range a {
		mass := -j.y[i] * x
		if !(mass > 0) || math.IsInf(mass, 0) {
			mass = 0
		}
		v[i] = mul(num(j.y[i]), num(mass))
		if j.y[i] > 0 {
			plus = add(plus, v[i])
		} else {
			minus = sub(minus, v[i])
		}
	}
	if j.bias == "free" {
		balance(v, plus, minus)
	}
	total, most := zero(), zero()
	for _, x := range v {
		total = add(total, abs(x))
		most = largest(most, abs(x))
	}
	if total.Sign() == 0 {
		return nil
	}
	size := sqrt(add(j.combine(j.rows, v), j.constantOf(v)))
	return neg(quo(add(size, mul(j.volume(), most)), total))
}
