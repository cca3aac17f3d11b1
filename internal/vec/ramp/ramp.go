// Package ramp holds the loops of an interior-point method over rows whose slope rises by a ramp.
package ramp

import "math"

// Rows are the rows of a table whose slope rises by Jump over the width Width*Jump, from Shift
// on, each with what an interior-point method keeps of it. All slices are of the same length, those
// that a loop is given are no shorter; otherwise it panics.
//
//	X       of the two parts a + b = Jump of the slope the smaller: a, or -b
//	R, U    how far a row is below the ramp and beyond it
//	Away    where the row is: q = Away - Shift
//	Before  where the predictor moves it
//	Move    where the corrector moves it
//	Weight  how much it counts
//
// with
//
//	D = 1/(Width a b + R b + U a)    k = q - Width a
//	z = (Before + k) D               f = z b, g = z a
//
// A loop over the rows adds up in eight lanes, row i in lane i mod 8, which are then
// added as those of a sparse sum.
type Rows struct {
	Jump, Width, Shift                  float64
	X, R, U, Away, Before, Move, Weight []float64
}

// Steps is the number of steps that Measure tries.
const Steps = 5

// Linearise adds to c the slopes of the slope, scale Weight a b D, and to v the slopes
// that belong to a move of 0, scale Weight (a + k a b D).
func (e *Rows) Linearise(c, v []float64, scale float64) {
	p := e.pass()
	p.numbers[rampScale] = scale
	p.add(len(e.X), c, v)
	for i := rampLinearise(len(e.X), &p); i < len(e.X); i++ {
		s := e.row(i)
		rate, weight := float64(float64(s.a*s.b)*s.d), float64(e.Weight[i]*scale)
		c[i] = math.FMA(weight, rate, c[i])
		v[i] = math.FMA(weight, math.FMA(s.k, rate, s.a), v[i])
	}
}

// Predicted is what a predictor comes to: the largest part of itself that one of a, b, R
// and U loses in the whole step, and sums by Weight of the products a R + b U now, of what
// they change by in second order, and of the products after a step in which each of these
// loses at most a part.
type Predicted struct{ Loses, Now, Second, Alone float64 }

// Add adds what another predictor comes to.
func (p *Predicted) Add(q Predicted) {
	p.Loses = max(p.Loses, q.Loses)
	p.Now += q.Now
	p.Second += q.Second
	p.Alone += q.Alone
}

// Predict makes the predictor's step, in which a and R become a (1+f) and -R f, b and U
// b (1-g) and U g.
func (e *Rows) Predict(part float64) Predicted {
	p := e.pass()
	p.numbers[rampFloor] = 1 - part
	for i := rampPredict(len(e.X), &p); i < len(e.X); i++ {
		p.predict(e, i)
	}
	return Predicted{Loses: p.most(0) + 0.5, Now: p.sum(1), Second: p.sum(2), Alone: p.sum(3)}
}

func (p *rampPass) predict(e *Rows, i int) {
	s, lane := e.row(i), i%8
	z, f, g := s.relative(e.Before[i])
	p.sums[0][lane] = larger(math.Abs(f+0.5), p.sums[0][lane])
	p.sums[0][lane] = larger(math.Abs(g-0.5), p.sums[0][lane])
	weight := e.Weight[i]
	p.sums[1][lane] = math.FMA(weight, math.FMA(s.a, s.r, float64(s.b*s.u)), p.sums[1][lane])
	da := float64(z * float64(s.a*s.b))
	p.sums[2][lane] = math.FMA(float64(weight*da), math.FMA(-s.r, 1+f, float64(s.u*(1-g))), p.sums[2][lane])
	floor := p.numbers[rampFloor]
	a, b := larger(s.a+da, float64(floor*s.a)), larger(s.b-da, float64(floor*s.b))
	if a < b {
		b = e.Jump - a
	} else {
		a = e.Jump - b
	}
	alone := float64(float64(a*s.r) * larger(-f, floor))
	p.sums[3][lane] = math.FMA(weight, math.FMA(float64(b*s.u), larger(g, floor), alone), p.sums[3][lane])
}

// Correct adds to v what the corrector's right side differs by from that of the
// predictor, for products m:
//
//	scale Weight D (m (b-a) + a b (R f (1+f) + U g (1-g)))
func (e *Rows) Correct(v []float64, m, scale float64) {
	p := e.pass()
	p.numbers[rampM], p.numbers[rampScale] = m, scale
	p.add(len(e.X), v, v)
	for i := rampCorrect(len(e.X), &p); i < len(e.X); i++ {
		s := e.row(i)
		_, f, g := s.relative(e.Before[i])
		second := math.FMA(float64(f*s.r), 1+f, float64(float64(g*s.u)*(1-g)))
		inner := math.FMA(m, s.b-s.a, float64(float64(s.a*s.b)*second))
		v[i] = math.FMA(float64(float64(e.Weight[i]*scale)*s.d), inner, v[i])
	}
}

// Corrected is what a corrector comes to: the largest part of itself that one of a, b, R
// and U loses in the whole step, and sums by Weight of how far the slopes go in it, and
// for each of some steps of how much they miss of it if each loses at most a part.
type Corrected struct {
	Loses, Moved float64
	Lost         [Steps]float64
}

// Add adds what another corrector comes to.
func (c *Corrected) Add(d Corrected) {
	c.Loses = max(c.Loses, d.Loses)
	c.Moved += d.Moved
	for k, lost := range d.Lost {
		c.Lost[k] += lost
	}
}

// Measure makes the corrector's step for products m, and parts of it.
func (e *Rows) Measure(m, part float64, steps *[Steps]float64) (c Corrected) {
	p := e.pass()
	p.numbers[rampM], p.numbers[rampPart] = m, part
	copy(p.numbers[rampSteps:], steps[:])
	for i := rampMeasure(len(e.X), &p); i < len(e.X); i++ {
		p.measure(e, i)
	}
	c.Loses, c.Moved = p.most(0), p.sum(1)
	for k := range c.Lost {
		c.Lost[k] = p.sum(2 + k)
	}
	return c
}

func (p *rampPass) measure(e *Rows, i int) {
	s, lane := e.row(i), i%8
	da, dr, du := s.steps(e.Before[i], e.Move[i], p.numbers[rampM])
	loser := s.b
	if math.Signbit(da) {
		loser = s.a
	}
	da = math.Abs(da)
	for _, loses := range [...]float64{-dr / s.r, -du / s.u, da / loser} {
		p.sums[0][lane] = larger(loses, p.sums[0][lane])
	}
	weight, most := e.Weight[i], float64(p.numbers[rampPart]*loser)
	p.sums[1][lane] = math.FMA(weight, da, p.sums[1][lane])
	for k, t := range p.numbers[rampSteps:] {
		p.sums[2+k][lane] = math.FMA(weight, larger(math.FMA(t, da, -most), 0), p.sums[2+k][lane])
	}
}

// Reached is what a point comes to: sums by Weight of the products a R + b U, of the
// largest s q - Width s^2/2 (the part of the loss that the ramp gives), and of by how much
// that of a is below it.
type Reached struct{ Products, Losses, Defects float64 }

// Add adds what another point comes to.
func (s *Reached) Add(t Reached) {
	s.Products += t.Products
	s.Losses += t.Losses
	s.Defects += t.Defects
}

// Step goes the way t of the corrector's step for products m, but a, b, R and U lose at most
// a part of themselves. It returns what is reached with Away + t Move.
func (e *Rows) Step(m, t, part float64) Reached {
	p := e.pass()
	p.numbers[rampM], p.numbers[rampT], p.numbers[rampLeast] = m, t, 1-part
	for i := rampStep(len(e.X), &p); i < len(e.X); i++ {
		s := e.row(i)
		da, dr, du := s.steps(e.Before[i], e.Move[i], m)
		least := p.numbers[rampLeast]
		a, b := larger(math.FMA(t, da, s.a), float64(least*s.a)), larger(math.FMA(-t, da, s.b), float64(least*s.b))
		e.R[i], e.U[i] = larger(math.FMA(t, dr, s.r), float64(least*s.r)), larger(math.FMA(t, du, s.u), float64(least*s.u))
		if e.X[i] = a; !(a <= b) {
			e.X[i] = -b
		}
		p.look(e, i, math.FMA(t, e.Move[i], e.Away[i]))
	}
	return p.reached()
}

// Reach returns what the rows have reached.
func (e *Rows) Reach() Reached {
	p := e.pass()
	for i, away := range e.Away {
		p.look(e, i, away)
	}
	return p.reached()
}

func (p *rampPass) look(e *Rows, i int, away float64) {
	a, b := Split(e.X[i], e.Jump)
	lane, q, weight := i%8, away-e.Shift, e.Weight[i]
	best := larger(float64(q*p.numbers[rampInverse]), 0) // 0 times infinity is taken for 0
	if !(best < e.Jump) {
		best = e.Jump
	}
	half := p.numbers[rampHalf]
	loss := float64(best * math.FMA(-half, best, q))
	p.sums[0][lane] = math.FMA(weight, math.FMA(a, e.R[i], float64(b*e.U[i])), p.sums[0][lane])
	p.sums[1][lane] = math.FMA(weight, loss, p.sums[1][lane])
	p.sums[2][lane] = math.FMA(weight, math.FMA(-a, q, math.FMA(float64(half*a), a, loss)), p.sums[2][lane])
}

func (p *rampPass) reached() Reached {
	return Reached{Products: p.sum(0), Losses: p.sum(1), Defects: p.sum(2)}
}

// Central sets a, b, R and U to a R = b U = m and U - R = q, counted from the middle of the
// ramp.
func (e *Rows) Central(m float64) {
	_ = e.pass() // refuses slices of different length
	middle, scale := e.Shift+float64(e.Width*e.Jump)/2, e.Jump/m
	for i, away := range e.Away {
		x := float64((away - middle) * scale)
		root := math.Sqrt(math.FMA(x, x, 4))
		few := float64((1 + 2/(root+math.Abs(x))) / (2 + root) * e.Jump)
		near, far := m/few, m/(e.Jump-few)
		if x > 0 {
			e.X[i], e.R[i], e.U[i] = -few, far, near
		} else {
			e.X[i], e.R[i], e.U[i] = few, near, far
		}
	}
}
