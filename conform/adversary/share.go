package adversary

import "math"

// share is the problem with nu: of one class, of two, or with a tube.
type share struct {
	risk
	nu, lambda number
	task       string // one-class, classification, regression
}

// cap returns what the part of a row may be at most on a side, 0 or 1.
func (j *share) cap(i, side int) number {
	each := quo(num(j.s[i]), j.n)
	switch {
	case j.task == "one-class" && side == 0:
		return quo(each, j.nu)
	case j.task == "regression", j.task == "classification" && (j.y[i] > 0) == (side == 0):
		return each
	}
	return zero()
}

// mass returns what the parts of a side add up to.
func (j *share) mass(side int) number {
	switch {
	case j.task != "one-class":
		return half(j.nu)
	case side == 0:
		return num(1)
	}
	return zero()
}

func (j *share) primal(w []float64, bias float64) (number, float64) {
	p, off := j.predict(j.rows, w)
	squared, squaredOff := j.squared(w)
	cost := mul(half(j.lambda), squared)
	worth := make([]number, len(p)) // what the level is compared with
	doubts, reach := 0.0, 0.0
	for i := range p {
		switch f := add(p[i], num(bias)); j.task {
		case "classification":
			worth[i] = mul(num(j.y[i]), f)
		case "regression":
			worth[i] = neg(abs(sub(num(j.y[i]), f)))
		default:
			worth[i] = p[i]
		}
		doubts = max(doubts, off[i]+doubt*math.Abs(j.y[i]))
		reach = max(reach, math.Abs(float(worth[i])))
	}
	best := j.at(worth, num(-bias))
	if j.task != "one-class" {
		best = j.at(worth, zero())
		for _, rho := range worth { // piecewise linear between these
			if j.task == "classification" || rho.Sign() < 0 {
				best = least(best, j.at(worth, rho))
			}
		}
	}
	nu := float(j.nu)
	doubts = doubts/min(1, nu) + doubt*math.Abs(bias)*(1+1/nu) + 1e-9*(reach+math.Abs(bias)+math.Abs(float(best)))
	return add(cost, best), doubts + 1e-9*math.Abs(float(cost)) + float(j.lambda)*squaredOff
}

// at returns the losses at a level: -mass rho + sum_i cap_i max(0, rho - c_i).
func (j *share) at(worth []number, rho number) number {
	total := neg(mul(add(j.mass(0), j.mass(1)), rho))
	for i, c := range worth {
		short := largest(zero(), sub(rho, c))
		most := largest(j.cap(i, 0), j.cap(i, 1))
		total = add(total, mul(most, short))
	}
	return total
}

func (j *share) dual(a []float64) number {
	v := make([]number, len(a))
	for i, x := range a {
		if math.IsNaN(x) {
			x = 0
		}
		x = min(max(x, -1e300), 1e300)
		part := neg(quo(mul(num(j.s[i]), num(x)), j.n))
		v[i] = least(largest(part, neg(j.cap(i, 1))), j.cap(i, 0))
	}
	target := [2]number{j.mass(0), j.mass(1)}
	if j.task == "regression" {
		most := least(target[0], least(j.sum(v, 1), j.sum(v, -1)))
		target = [2]number{most, most}
	}
	for side, mass := range target {
		j.repair(v, side, mass)
	}
	value := neg(quo(j.combine(j.rows, v), mul(num(2), j.lambda)))
	if j.task == "regression" {
		for i, x := range v {
			value = add(value, mul(x, num(j.y[i])))
		}
	}
	return value
}

// sum adds up the parts of a sign.
func (j *share) sum(v []number, sign int) number {
	total := zero()
	for _, x := range v {
		if x.Sign() == sign {
			total = add(total, abs(x))
		}
	}
	return total
}

// repair makes the parts of a side add up to mass: it shrinks all, or moves those
// that there are towards their caps, and all if these are not enough.
func (j *share) repair(v []number, side int, mass number) {
	sign := 1 - 2*side
	found := j.sum(v, sign)
	if found.Cmp(mass) > 0 {
		for i := range v {
			if v[i].Sign() == sign {
				v[i] = mul(v[i], quo(mass, found))
			}
		}
		return
	}
	for _, others := range []bool{false, true} {
		missing, room := sub(mass, j.sum(v, sign)), zero()
		open := func(i int) bool { return v[i].Sign() == sign || others && v[i].Sign() == 0 }
		for i := range v {
			if open(i) {
				room = add(room, sub(j.cap(i, side), abs(v[i])))
			}
		}
		if missing.Sign() <= 0 || room.Sign() <= 0 {
			continue
		}
		lift := least(num(1), quo(missing, room))
		for i := range v {
			if open(i) {
				part := add(abs(v[i]), mul(lift, sub(j.cap(i, side), abs(v[i]))))
				v[i] = mul(num(float64(sign)), part)
			}
		}
	}
}
