package adversary

import "math"

// A judge knows one problem and evaluates it at any point. Nothing of package
// problem is used: these are the formulas of its comments, written down again.
type judge interface {
	// primal returns the objective of a predictor, and how far a value in
	// double precision may be off.
	primal(w []float64, bias float64) (value number, off float64)
	// dual returns the dual objective at the feasible point made of a; nil: it
	// is minus infinity.
	dual(a []float64) number
	// rounded returns another point that stands for a.
	rounded(a []float64) []float64
}

// risk is what all problems share: the average loss of some rows.
type risk struct {
	geometry
	loss lossTwin
	bias string // none, free, feature
	rows []int
	y, s []float64 // of these rows
	n    number    // the sum of s
}

func newRisk(g geometry, loss lossTwin, bias string, rows []int, y, s []float64) risk {
	return risk{g, loss, bias, rows, y, s, sum(nums(s))}
}

// losses returns the average loss of predictions, and how far off doubles are.
func (r *risk) losses(p []number, off []float64, bias float64) (value number, doubts float64) {
	value = zero()
	for i, y := range r.y {
		prediction := add(p[i], num(bias))
		l := r.loss.value(prediction, y)
		value = add(value, mul(num(r.s[i]), l))
		reach := off[i] + doubt*(math.Abs(bias)+math.Abs(y))
		lo, hi := r.loss.domain(y)
		slope := max(-lo, hi)
		if r.loss.curved {
			slope = 3*math.Sqrt(float(l)) + 2*reach + 1e-3*math.Abs(y)*doubt
		}
		doubts += r.s[i] * slope * reach
	}
	value = quo(value, r.n)
	return value, doubts/float(r.n) + 1e-9*float(value)
}

// feasible returns v = s.a for the rows, clipped to the domains and, if the bias
// is free, with the heavier sign shrunk until the sum is 0; false where there is
// no such point because a number is none or has no end.
func (r *risk) feasible(a []float64) (v []number, ok bool) {
	v = make([]number, len(a))
	var plus, minus = zero(), zero()
	for i, x := range a {
		lo, hi := r.loss.domain(r.y[i])
		if math.IsNaN(x) {
			x = 0
		}
		if x = min(max(x, lo), hi); math.IsInf(x, 0) {
			return nil, false
		}
		v[i] = mul(num(r.s[i]), num(x))
		if x > 0 {
			plus = add(plus, v[i])
		} else {
			minus = sub(minus, v[i])
		}
	}
	if r.bias == "free" {
		balance(v, plus, minus)
	}
	return v, true
}

// conjugates returns (1/N) sum_i s_i l_i*(scale v_i/s_i).
func (r *risk) conjugates(v []number, scale number) number {
	total := zero()
	for i, x := range v {
		a := quo(mul(scale, x), num(r.s[i]))
		total = add(total, mul(num(r.s[i]), r.loss.conjugate(a, r.y[i])))
	}
	return quo(total, r.n)
}

// constant returns the squared weight of the constant column, if the penalty
// sees it.
func (r *risk) constant(bias float64) number {
	if r.bias == "feature" {
		return square(num(bias))
	}
	return zero()
}

// constantOf is that of the combination v of rows.
func (r *risk) constantOf(v []number) number {
	if r.bias == "feature" {
		return square(sum(v))
	}
	return zero()
}

// penalised is the problem with lambda, of linear predictors.
type penalised struct {
	risk
	linear  linearRows
	penalty penaltyTwin
	lambda  number
}

func (j *penalised) primal(w []float64, bias float64) (number, float64) {
	p, off := j.predict(j.rows, w)
	value, doubts := j.losses(p, off, bias)
	weights := nums(w)
	if j.bias == "feature" {
		weights = append(weights, num(bias))
	}
	cost := mul(j.lambda, j.penalty.value(weights))
	return add(value, cost), doubts + 1e-9*float(cost)
}

func (j *penalised) dual(a []float64) number {
	v, ok := j.feasible(a)
	if !ok {
		return nil
	}
	u := j.linear.columns(j.rows, v)
	if j.bias == "feature" {
		u = append(u, sum(v))
	}
	for c := range u {
		u[c] = neg(quo(u[c], mul(j.lambda, j.n)))
	}
	scale, value := j.penalty.conjugate(u)
	return neg(add(j.conjugates(v, scale), mul(j.lambda, value)))
}

// machine is the problem with lambda of kernel machines, and of linear ones with
// half the squared norm.
type machine struct {
	risk
	lambda number
}

func (j *machine) primal(w []float64, bias float64) (number, float64) {
	p, off := j.predict(j.rows, w)
	value, doubts := j.losses(p, off, bias)
	squared, squaredOff := j.squared(w)
	cost := mul(half(j.lambda), add(squared, j.constant(bias)))
	return add(value, cost), doubts + 1e-9*math.Abs(float(cost)) + float(j.lambda)*squaredOff
}

func (j *machine) dual(a []float64) number {
	v, ok := j.feasible(a)
	if !ok {
		return nil
	}
	size := add(j.combine(j.rows, v), j.constantOf(v))
	// lambda/2 |v/(lambda N)|^2
	cost := quo(size, mul(mul(num(2), j.lambda), square(j.n)))
	return neg(add(j.conjugates(v, num(1)), cost))
}

// ball is the problem of bounded norm.
type ball struct {
	risk
	radius number
}

// primal stands, for a predictor outside of the ball, for the nearest one inside.
func (j *ball) primal(w []float64, bias float64) (number, float64) {
	p, off := j.predict(j.rows, w)
	squared, squaredOff := j.squared(w)
	size := sqrt(add(squared, j.constant(bias)))
	b := num(bias)
	if less(j.radius, size) {
		inside := quo(j.radius, size)
		for i := range p {
			p[i] = mul(inside, p[i])
		}
		if j.bias == "feature" {
			b = mul(inside, b)
		}
		for i := range off { // the size is off as well
			off[i] += (doubt + squaredOff/float(square(size))) * math.Abs(float(p[i]))
		}
	}
	for i := range p {
		p[i] = add(p[i], b)
	}
	return j.losses(p, off, 0)
}

func (j *ball) dual(a []float64) number {
	v, ok := j.feasible(a)
	if !ok {
		return nil
	}
	size := sqrt(add(j.combine(j.rows, v), j.constantOf(v)))
	return neg(add(j.conjugates(v, num(1)), quo(mul(j.radius, size), j.n)))
}
