package exact

import "math"

// A Judge knows one problem and evaluates it at any point. Nothing of package
// problem is used: these are the formulas of its comments, written down again.
type Judge interface {
	// Primal returns the objective of a predictor, and how far a value in
	// double precision may be off.
	Primal(w []float64, bias float64) (value Number, off float64)
	// Dual returns the dual objective at the feasible point made of a; nil: it
	// is minus infinity.
	Dual(a []float64) Number
	// Rounded returns another point that stands for a.
	Rounded(a []float64) []float64
}

// Risk is what all problems share: the average loss of some rows.
type Risk struct {
	Geometry
	loss lossTwin
	bias string // none, free, feature
	rows []int
	y, s []float64 // of these rows
	n    Number    // the sum of s
}

func NewRisk(g Geometry, loss lossTwin, bias string, rows []int, y, s []float64) Risk {
	return Risk{g, loss, bias, rows, y, s, sum(Nums(s))}
}

// losses returns the average loss of predictions, and how far off doubles are.
func (r *Risk) losses(p []Number, off []float64, bias float64) (value Number, doubts float64) {
	value = Zero()
	for i, y := range r.y {
		prediction := Add(p[i], Num(bias))
		l := r.loss.value(prediction, y)
		value = Add(value, Mul(Num(r.s[i]), l))
		reach := off[i] + doubt*(math.Abs(bias)+math.Abs(y))
		lo, hi := r.loss.domain(y)
		slope := max(-lo, hi)
		if r.loss.curved {
			slope = 3*math.Sqrt(Float(l)) + 2*reach + 1e-3*math.Abs(y)*doubt
		}
		doubts += r.s[i] * slope * reach
	}
	value = Quo(value, r.n)
	return value, doubts/Float(r.n) + 1e-9*Float(value)
}

// feasible returns v = s.a for the rows, clipped to the domains and, if the bias
// is free, with the heavier sign shrunk until the sum is 0; false where there is
// no such point because a number is none or has no end.
func (r *Risk) feasible(a []float64) (v []Number, ok bool) {
	v = make([]Number, len(a))
	var plus, minus = Zero(), Zero()
	for i, x := range a {
		lo, hi := r.loss.domain(r.y[i])
		if math.IsNaN(x) {
			x = 0
		}
		if x = min(max(x, lo), hi); math.IsInf(x, 0) {
			return nil, false
		}
		v[i] = Mul(Num(r.s[i]), Num(x))
		if x > 0 {
			plus = Add(plus, v[i])
		} else {
			minus = Sub(minus, v[i])
		}
	}
	if r.bias == "free" {
		balance(v, plus, minus)
	}
	return v, true
}

// conjugates returns (1/N) sum_i s_i l_i*(scale v_i/s_i).
func (r *Risk) conjugates(v []Number, scale Number) Number {
	total := Zero()
	for i, x := range v {
		a := Quo(Mul(scale, x), Num(r.s[i]))
		total = Add(total, Mul(Num(r.s[i]), r.loss.conjugate(a, r.y[i])))
	}
	return Quo(total, r.n)
}

// constant returns the squared weight of the constant column, if the penalty
// sees it.
func (r *Risk) constant(bias float64) Number {
	if r.bias == "feature" {
		return square(Num(bias))
	}
	return Zero()
}

// constantOf is that of the combination v of rows.
func (r *Risk) constantOf(v []Number) Number {
	if r.bias == "feature" {
		return square(sum(v))
	}
	return Zero()
}

// Penalised is the problem with lambda, of linear predictors.
type Penalised struct {
	Risk
	Linear  LinearRows
	Penalty penaltyTwin
	Lambda  Number
}

func (j *Penalised) Primal(w []float64, bias float64) (Number, float64) {
	p, off := j.Predict(j.rows, w)
	value, doubts := j.losses(p, off, bias)
	weights := Nums(w)
	if j.bias == "feature" {
		weights = append(weights, Num(bias))
	}
	cost := Mul(j.Lambda, j.Penalty.value(weights))
	return Add(value, cost), doubts + 1e-9*Float(cost)
}

func (j *Penalised) Dual(a []float64) Number {
	v, ok := j.feasible(a)
	if !ok {
		return nil
	}
	u := j.Linear.columns(j.rows, v)
	if j.bias == "feature" {
		u = append(u, sum(v))
	}
	for c := range u {
		u[c] = Neg(Quo(u[c], Mul(j.Lambda, j.n)))
	}
	scale, value := j.Penalty.conjugate(u)
	return Neg(Add(j.conjugates(v, scale), Mul(j.Lambda, value)))
}

// Machine is the problem with lambda of kernel machines, and of linear ones with
// half the squared norm.
type Machine struct {
	Risk
	Lambda Number
}

func (j *Machine) Primal(w []float64, bias float64) (Number, float64) {
	p, off := j.Predict(j.rows, w)
	value, doubts := j.losses(p, off, bias)
	squared, squaredOff := j.squared(w)
	cost := Mul(half(j.Lambda), Add(squared, j.constant(bias)))
	return Add(value, cost), doubts + 1e-9*math.Abs(Float(cost)) + Float(j.Lambda)*squaredOff
}

func (j *Machine) Dual(a []float64) Number {
	v, ok := j.feasible(a)
	if !ok {
		return nil
	}
	size := Add(j.Combine(j.rows, v), j.constantOf(v))
	// lambda/2 |v/(lambda N)|^2
	cost := Quo(size, Mul(Mul(Num(2), j.Lambda), square(j.n)))
	return Neg(Add(j.conjugates(v, Num(1)), cost))
}

// Ball is the problem of bounded norm.
type Ball struct {
	Risk
	Radius Number
}

// Primal stands, for a predictor outside of the ball, for the nearest one inside.
func (j *Ball) Primal(w []float64, bias float64) (Number, float64) {
	p, off := j.Predict(j.rows, w)
	squared, squaredOff := j.squared(w)
	size := sqrt(Add(squared, j.constant(bias)))
	b := Num(bias)
	// The program knows the norm up to the doubt in its square, and takes the point inside by the largest norm
	// that this leaves: of coefficients that cancel also a point that is inside by its exact norm.
	share := func(size float64) float64 { return min(1, Float(j.Radius)/size) }
	if moved := share(Float(size)) - share(math.Sqrt(Float(square(size))+squaredOff)); moved > 0 || Less(j.Radius, size) {
		for i := range off {
			off[i] += (doubt + moved) * (math.Abs(Float(p[i])) + math.Abs(bias))
		}
	}
	if Less(j.Radius, size) {
		inside := Quo(j.Radius, size)
		for i := range p {
			p[i] = Mul(inside, p[i])
		}
		if j.bias == "feature" {
			b = Mul(inside, b)
		}
	}
	for i := range p {
		p[i] = Add(p[i], b)
	}
	return j.losses(p, off, 0)
}

func (j *Ball) Dual(a []float64) Number {
	v, ok := j.feasible(a)
	if !ok {
		return nil
	}
	size := sqrt(Add(j.Combine(j.rows, v), j.constantOf(v)))
	return Neg(Add(j.conjugates(v, Num(1)), Quo(Mul(j.Radius, size), j.n)))
}
