package exact

import (
	"math"
	"slices"
)

// Slack is the slack-constrained problem: -f is least, where f is the level of
// the volume n nu of water over the margins of a w in the unit ball.
type Slack struct {
	Risk
	Nu     Number
	Linear bool // its bound is a tighter one than dual
}

func (j *Slack) volume() Number { return Mul(j.n, j.Nu) }

func (j *Slack) Primal(w []float64, bias float64) (Number, float64) {
	p, off := j.Predict(j.rows, w)
	squared, squaredOff := j.squared(w)
	size := sqrt(Add(squared, j.constant(bias)))
	inside := Num(1)
	if Less(Num(1), size) {
		inside = Quo(Num(1), size)
	}
	margins := make([]Number, len(p))
	doubts, reach := 0.0, 0.0
	for i := range p {
		margins[i] = Mul(Num(j.y[i]), Mul(inside, Add(p[i], Num(bias))))
		doubts = max(doubts, off[i])
		reach = max(reach, math.Abs(Float(margins[i])))
	}
	if squaredOff > 0 { // the program shrinks w by its own bound on that error, which is wider
		doubts += 8 * squaredOff / max(1, Float(squared)) * reach
	}
	f := level(margins, j.s, j.volume())
	return Neg(f), doubts + doubt*math.Abs(bias) + 1e-9*(reach+math.Abs(Float(f)))
}

// level returns the height of so much water over floors of these widths.
func level(floors []Number, widths []float64, volume Number) Number {
	order := make([]int, len(floors))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return floors[i].Cmp(floors[j]) })
	covered, width := Zero(), Zero()
	var height Number
	for _, i := range order {
		covered, width = Add(covered, Mul(Num(widths[i]), floors[i])), Add(width, Num(widths[i]))
		if h := Quo(Add(volume, covered), width); height == nil || Less(h, height) {
			height = h
		}
	}
	return height
}

func (j *Slack) Dual(a []float64) Number {
	v := make([]Number, len(a))
	plus, minus := Zero(), Zero()
	for i, x := range a {
		mass := -j.y[i] * x
		if !(mass > 0) || math.IsInf(mass, 0) {
			mass = 0
		}
		v[i] = Mul(Num(j.y[i]), Mul(Num(mass), Num(j.s[i])))
		if j.y[i] > 0 {
			plus = Add(plus, v[i])
		} else {
			minus = Sub(minus, v[i])
		}
	}
	if j.bias == "free" {
		balance(v, plus, minus)
	}
	total, most := Zero(), Zero()
	for i, x := range v {
		total = Add(total, Abs(x))
		most = Largest(most, Quo(Abs(x), Num(j.s[i])))
	}
	if total.Sign() == 0 {
		return nil
	}
	size := sqrt(Add(j.Combine(j.rows, v), j.constantOf(v)))
	return Neg(Quo(Add(size, Mul(j.volume(), most)), total))
}
