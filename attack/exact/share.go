package exact

import "math"

// Share is the problem with nu: of one class, of two, or with a tube.
type Share struct {
	Risk
	Nu, Lambda Number
	Task       string // one-class, classification, regression
}

// cap returns what the part of a row may be at most on a side, 0 or 1.
func (j *Share) cap(i, side int) Number {
	each := Quo(Num(j.s[i]), j.n)
	switch {
	case j.Task == "one-class" && side == 0:
		return Quo(each, j.Nu)
	case j.Task == "regression", j.Task == "classification" && (j.y[i] > 0) == (side == 0):
		return each
	}
	return Zero()
}

// mass returns what the parts of a side add up to.
func (j *Share) mass(side int) Number {
	switch {
	case j.Task != "one-class":
		return half(j.Nu)
	case side == 0:
		return Num(1)
	}
	return Zero()
}

func (j *Share) Primal(w []float64, bias float64) (Number, float64) {
	p, off := j.Predict(j.rows, w)
	squared, squaredOff := j.squared(w)
	cost := Mul(half(j.Lambda), squared)
	worth := make([]Number, len(p)) // what the level is compared with
	doubts, reach := 0.0, 0.0
	for i := range p {
		switch f := Add(p[i], Num(bias)); j.Task {
		case "classification":
			worth[i] = Mul(Num(j.y[i]), f)
		case "regression":
			worth[i] = Neg(Abs(Sub(Num(j.y[i]), f)))
		default:
			worth[i] = p[i]
		}
		doubts = max(doubts, off[i]+doubt*math.Abs(j.y[i]))
		reach = max(reach, math.Abs(Float(worth[i])))
	}
	best := j.at(worth, Num(-bias))
	if j.Task != "one-class" {
		best = j.at(worth, Zero())
		for _, rho := range worth { // piecewise linear between these
			if j.Task == "classification" || rho.Sign() < 0 {
				best = least(best, j.at(worth, rho))
			}
		}
	}
	nu := Float(j.Nu)
	doubts = doubts/min(1, nu) + doubt*math.Abs(bias)*(1+1/nu) + 1e-9*(reach+math.Abs(bias)+math.Abs(Float(best)))
	return Add(cost, best), doubts + 1e-9*math.Abs(Float(cost)) + Float(j.Lambda)*squaredOff
}

// at returns the losses at a level: -mass rho + sum_i cap_i max(0, rho - c_i).
func (j *Share) at(worth []Number, rho Number) Number {
	total := Neg(Mul(Add(j.mass(0), j.mass(1)), rho))
	for i, c := range worth {
		short := Largest(Zero(), Sub(rho, c))
		most := Largest(j.cap(i, 0), j.cap(i, 1))
		total = Add(total, Mul(most, short))
	}
	return total
}

func (j *Share) Dual(a []float64) Number {
	v := make([]Number, len(a))
	for i, x := range a {
		if math.IsNaN(x) {
			x = 0
		}
		x = min(max(x, -1e300), 1e300)
		part := Neg(Quo(Mul(Num(j.s[i]), Num(x)), j.n))
		v[i] = least(Largest(part, Neg(j.cap(i, 1))), j.cap(i, 0))
	}
	target := [2]Number{j.mass(0), j.mass(1)}
	if j.Task == "regression" {
		most := least(target[0], least(j.sum(v, 1), j.sum(v, -1)))
		target = [2]Number{most, most}
	}
	for side, mass := range target {
		j.repair(v, side, mass)
	}
	value := Neg(Quo(j.Combine(j.rows, v), Mul(Num(2), j.Lambda)))
	if j.Task == "regression" {
		for i, x := range v {
			value = Add(value, Mul(x, Num(j.y[i])))
		}
	}
	return value
}

// sum adds up the parts of a sign.
func (j *Share) sum(v []Number, sign int) Number {
	total := Zero()
	for _, x := range v {
		if x.Sign() == sign {
			total = Add(total, Abs(x))
		}
	}
	return total
}

// repair makes the parts of a side add up to mass: it shrinks all, or moves those
// that there are towards their caps, and all if these are not enough.
func (j *Share) repair(v []Number, side int, mass Number) {
	sign := 1 - 2*side
	found := j.sum(v, sign)
	if found.Cmp(mass) > 0 {
		for i := range v {
			if v[i].Sign() == sign {
				v[i] = Mul(v[i], Quo(mass, found))
			}
		}
		return
	}
	for _, others := range []bool{false, true} {
		missing, room := Sub(mass, j.sum(v, sign)), Zero()
		open := func(i int) bool { return v[i].Sign() == sign || others && v[i].Sign() == 0 }
		for i := range v {
			if open(i) {
				room = Add(room, Sub(j.cap(i, side), Abs(v[i])))
			}
		}
		if missing.Sign() <= 0 || room.Sign() <= 0 {
			continue
		}
		lift := least(Num(1), Quo(missing, room))
		for i := range v {
			if open(i) {
				part := Add(Abs(v[i]), Mul(lift, Sub(j.cap(i, side), Abs(v[i]))))
				v[i] = Mul(Num(float64(sign)), part)
			}
		}
	}
}
