package linear

import "math"

// A rows is a block of rows as the passes see them.
type rows struct {
	lo, hi       int
	away         []float64 // predictions, counted from t of the first ramp
	before, move []float64 // steps of the predictions: predictor's, corrector's
	weight       []float64 // s
}

// linearise adds the curvatures s/theta to c, and to v the slopes with their
// predicted steps for dp = 0: s (a + k/theta), k = q - W a.
func (e *ramps) linearise(b rows, c, v []float64) {
	x, r, u, away, weight := e.x[b.lo:b.hi], e.r[b.lo:b.hi], e.u[b.lo:b.hi], b.away[b.lo:b.hi], b.weight[b.lo:b.hi]
	r, u, away, weight, c, v = r[:len(x)], u[:len(x)], away[:len(x)], weight[:len(x)], c[:len(x)], v[:len(x)]
	for i, x := range x {
		a, b := e.split(x)
		wa := float64(e.width * a)
		rate := float64(a*b) / (float64(wa*b) + float64(r[i]*b) + float64(u[i]*a))
		c[i] += float64(weight[i] * rate)
		v[i] += float64(weight[i] * (a + float64((away[i]-e.shift-wa)*rate)))
	}
}

// predicted is what a predictor comes to: the largest part of itself that a variable
// loses in the whole step, and the sums of s times the products now, after the step
// if each ramp stops alone, and of second order.
type predicted struct{ loses, now, alone, second float64 }

// predict makes a predictor's step:
//
//	da = (dp + k)/theta, dr = -r (1 + da/a), du = -u (1 - da/b)
func (e *ramps) predict(b rows) (p predicted) {
	x, r, u, away, before, weight := e.x[b.lo:b.hi], e.r[b.lo:b.hi], e.u[b.lo:b.hi], b.away[b.lo:b.hi], b.before[b.lo:b.hi], b.weight[b.lo:b.hi]
	r, u, away, before, weight = r[:len(x)], u[:len(x)], away[:len(x)], before[:len(x)], weight[:len(x)]
	most := 0.0
	for i, x := range x {
		a, b := e.split(x)
		r, u := r[i], u[i]
		wa := float64(e.width * a)
		z := (before[i] + (away[i] - e.shift - wa)) / (float64(wa*b) + float64(r*b) + float64(u*a))
		da, f, g := float64(z*a*b), float64(z*b), float64(z*a)
		if f < -most {
			most = -f
		}
		if 1+f > most {
			most = 1 + f
		}
		if g > most {
			most = g
		}
		if 1-g > most {
			most = 1 - g
		}
		weight := weight[i]
		p.now += float64(weight * (float64(a*r) + float64(b*u)))
		p.second += float64(weight * float64(da*(float64(u*(1-g))-float64(r*(1+f)))))
		a1, b1 := e.alone(a, b, da)
		p.alone += float64(weight * (float64(float64(a1*r)*max(-f, 1-singlePart)) + float64(float64(b1*u)*max(g, 1-singlePart))))
	}
	p.loses = most
	return p
}

// alone returns the slopes after a step that stops alone.
func (e *ramps) alone(a, b, da float64) (a1, b1 float64) {
	a1, b1 = max(a+da, float64((1-singlePart)*a)), max(b-da, float64((1-singlePart)*b))
	if a1 < b1 {
		return a1, e.jump - a1
	}
	return e.jump - b1, b1
}

// correct adds to v what the corrector's right-hand sides differ by from those of the
// predictor, for products m: s/theta times
//
//	m/a - m/b - da dr/a - da du/b
func (e *ramps) correct(b rows, m float64, v []float64) {
	x, r, u, away, before, weight := e.x[b.lo:b.hi], e.r[b.lo:b.hi], e.u[b.lo:b.hi], b.away[b.lo:b.hi], b.before[b.lo:b.hi], b.weight[b.lo:b.hi]
	r, u, away, before, weight, v = r[:len(x)], u[:len(x)], away[:len(x)], before[:len(x)], weight[:len(x)], v[:len(x)]
	for i, x := range x {
		a, b := e.split(x)
		r, u := r[i], u[i]
		wa := float64(e.width * a)
		D := 1 / (float64(wa*b) + float64(r*b) + float64(u*a))
		z := (before[i] + (away[i] - e.shift - wa)) * D
		f, g := float64(z*b), float64(z*a)
		second := float64(float64(f*r)*(1+f)) + float64(float64(g*u)*(1-g))
		v[i] += float64(weight[i] * float64(D*(float64(m*(b-a))+float64(float64(a*b)*second))))
	}
}

// corrected is what a corrector comes to: the largest part of itself that a variable
// loses, and for each of some steps how much the slopes miss of it if each ramp
// stops alone, and how far all slopes go in the whole step; sums by weight.
type corrected struct {
	loses float64
	lost  [len(shares)]float64
	moved float64
}

// steps returns the steps of a row's variables for products m.
func (e *ramps) steps(a, b, r, u, q, before, move, m float64) (da, dr, du float64) {
	wa := float64(e.width * a)
	k := q - wa
	D := 1 / (float64(wa*b) + float64(r*b) + float64(u*a))
	z := (before + k) * D
	f, g := float64(z*b), float64(z*a)
	fr, gu := float64(float64(f*r)*(1+f)), float64(float64(g*u)*(1-g))
	each := m / float64(a*b)
	ma, mb := float64(each*b), float64(each*a)
	z = float64((move + k + (ma - mb) + (fr + gu)) * D)
	da = float64(float64(a*b) * z)
	dr = ma - r + fr - float64(r*float64(b*z))
	du = mb - u - gu + float64(u*float64(a*z))
	return da, dr, du
}

// measure makes a corrector's step.
func (e *ramps) measure(b rows, m float64) (c corrected) {
	x, r, u, away, before, move, weight := e.x[b.lo:b.hi], e.r[b.lo:b.hi], e.u[b.lo:b.hi], b.away[b.lo:b.hi], b.before[b.lo:b.hi], b.move[b.lo:b.hi], b.weight[b.lo:b.hi]
	r, u, away, before, move, weight = r[:len(x)], u[:len(x)], away[:len(x)], before[:len(x)], move[:len(x)], weight[:len(x)]
	most := 0.0
	for i, x := range x {
		a, b := e.split(x)
		da, dr, du := e.steps(a, b, r[i], u[i], away[i]-e.shift, before[i], move[i], m)
		sign := uint64(int64(math.Float64bits(da)) >> 63)
		b = math.Float64frombits(math.Float64bits(b) ^ (math.Float64bits(a)^math.Float64bits(b))&sign) // what loses
		da = math.Abs(da)
		// Products are compared, because they are cheaper than quotients.
		if da > most*b {
			most = da / b
		}
		if -dr > most*r[i] {
			most = -dr / r[i]
		}
		if -du > most*u[i] {
			most = -du / u[i]
		}
		part := float64(singlePart * b)
		for k, t := range shares {
			if lost := float64(t*da) - part; lost > 0 {
				c.lost[k] += float64(weight[i] * lost)
			}
		}
		c.moved += float64(weight[i] * da)
	}
	c.loses = most
	return c
}

// reached is what a point comes to: sums by weight of the products, of the ramps'
// part of the loss, and of that, its conjugate and -a q.
type reached struct{ products, losses, defects float64 }

// step goes the way t, but no variable loses more than a part of itself.
func (e *ramps) step(b rows, m, t, part float64) {
	x, r, u, away, before, move := e.x[b.lo:b.hi], e.r[b.lo:b.hi], e.u[b.lo:b.hi], b.away[b.lo:b.hi], b.before[b.lo:b.hi], b.move[b.lo:b.hi]
	r, u, away, before, move = r[:len(x)], u[:len(x)], away[:len(x)], before[:len(x)], move[:len(x)]
	least := 1 - part
	for i, y := range x {
		a, b := e.split(y)
		da, dr, du := e.steps(a, b, r[i], u[i], away[i]-e.shift, before[i], move[i], m)
		a, b = max(a+float64(t*da), float64(least*a)), max(b-float64(t*da), float64(least*b))
		x[i] = smaller(a, b)
		r[i], u[i] = max(r[i]+float64(t*dr), float64(least*r[i])), max(u[i]+float64(t*du), float64(least*u[i]))
	}
}

// look sums up where the rows are.
func (e *ramps) look(b rows) (s reached) {
	x, r, u, away, weight := e.x[b.lo:b.hi], e.r[b.lo:b.hi], e.u[b.lo:b.hi], b.away[b.lo:b.hi], b.weight[b.lo:b.hi]
	r, u, away, weight = r[:len(x)], u[:len(x)], away[:len(x)], weight[:len(x)]
	for i, x := range x {
		a, b := e.split(x)
		q, weight := away[i]-e.shift, weight[i]
		loss := e.value(q)
		s.products += float64(weight * (float64(a*r[i]) + float64(b*u[i])))
		s.losses += float64(weight * loss)
		s.defects += float64(weight * (loss + float64(float64(e.width/2*a)*a) - float64(a*q)))
	}
	return s
}

// common returns by how much the conjugate of a loss is below those of its two
// ramps: a slope comes from the first as far as that goes. That is so for corners; for
// wide ramps 0 will do.
func common(first, second *ramps, b rows) (sum float64) {
	if first.width > 0 || second.width > 0 {
		return 0
	}
	for i := b.lo; i < b.hi; i++ {
		_, left := first.split(first.x[i])
		taken, _ := second.split(second.x[i])
		sum += float64(b.weight[i] * float64((second.shift-first.shift)*min(left, taken)))
	}
	return sum
}

// value is the ramp's part of the loss, the largest a q - W a^2/2.
func (e *ramps) value(q float64) float64 {
	if e.width == 0 {
		return float64(e.jump * max(q, 0))
	}
	best := min(max(q/e.width, 0), e.jump)
	return float64(best * (q - float64(e.width/2*best)))
}

// addSlopes adds s a to v.
func (e *ramps) addSlopes(b rows, v []float64) {
	for k, x := range e.x[b.lo:b.hi] {
		a, _ := e.split(x)
		v[k] += float64(b.weight[b.lo+k] * a)
	}
}
