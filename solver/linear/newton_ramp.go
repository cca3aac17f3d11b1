package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
)

// ramp is one ramp of one row in the interior-point method; the symbols are
// explained there. A ramp with Jump = 0 is not there, and stays all zero.
type ramp struct {
	loss.Ramp
	a, b, r, u     float64
	da, dr, du     float64 // steps; that of b is -da
	rate, constant float64 // 1/theta, k
}

// middle is where the slope has risen by half.
func (e *ramp) middle() float64 { return e.At + float64(e.Width*e.Jump/2) }

// centre sets the variables to a r = b u for the prediction p.
func (e *ramp) centre(p, room float64) {
	if e.Jump == 0 {
		return
	}
	away := p - e.middle()
	e.u, e.r = max(away, 0)+room, max(-away, 0)+room
	e.a = e.Jump * (e.u / (e.u + e.r))
	e.b = e.Jump * (e.r / (e.u + e.r))
}

// central sets the variables to a r = b u = m and u - r = p - t, the middle of a ramp
// for its corner.
func (e *ramp) central(p, m float64) {
	if e.Jump == 0 {
		return
	}
	x := (p - e.middle()) * e.Jump / m
	root := math.Sqrt(4 + float64(x*x))
	small := float64((1 + 2/(root+math.Abs(x))) / (2 + root) * e.Jump) // it is taken off: no fused product
	if x > 0 {
		e.b, e.a = small, e.Jump-small
	} else {
		e.a, e.b = small, e.Jump-small
	}
	e.r, e.u = m/e.a, m/e.b
}

// away returns how far p is from the ramp.
func (e *ramp) away(p float64) float64 {
	if e.Jump == 0 {
		return math.Inf(1)
	}
	return max(e.At-p, p-(e.At+float64(e.Width*e.Jump)), 0)
}

// aims returns the right-hand sides for products m'. They are cheaper to make twice
// than to keep.
func (e *ramp) aims(target float64) (er, eu float64) {
	return target - float64(e.a*e.r) - float64(e.da*e.dr), target - float64(e.b*e.u) + float64(e.da*e.du)
}

// linearise sets 1/theta and k for products m'.
func (e *ramp) linearise(p, target float64) {
	if e.Jump == 0 {
		return
	}
	er, eu := e.aims(target)
	e.rate = 1 / (e.Width + e.r/e.a + e.u/e.b)
	e.constant = p - e.At - float64(e.Width*e.a) - (e.u - e.r) - eu/e.b + er/e.a
}

// follow sets the steps that belong to a step dp of the prediction.
func (e *ramp) follow(dp, target float64) {
	if e.Jump == 0 {
		return
	}
	er, eu := e.aims(target)
	e.da = (dp + e.constant) * e.rate
	e.dr = (er - float64(e.r*e.da)) / e.a
	e.du = (eu + float64(e.u*e.da)) / e.b
}

// step goes the way t, but no variable loses more than a part of itself.
func (e *ramp) step(t, part float64) {
	e.a, e.b, e.r, e.u = e.after(t, part)
	e.da, e.dr, e.du = 0, 0, 0
}

func (e *ramp) after(t, part float64) (a, b, r, u float64) {
	a, b = shortened(e.a, float64(t*e.da), part), shortened(e.b, -float64(t*e.da), part)
	if a < b { // the smaller one keeps its digits
		b = e.Jump - a
	} else {
		a = e.Jump - b
	}
	return a, b, shortened(e.r, float64(t*e.dr), part), shortened(e.u, float64(t*e.du), part)
}

func shortened(x, d, part float64) float64 {
	if least := x - float64(part*x); x+d < least {
		return least
	}
	return x + d
}

// products returns a r + b u after a step.
func (e *ramp) products(t, part float64) float64 {
	a, b, r, u := e.after(t, part)
	return float64(a*r) + float64(b*u)
}

// count returns how much two products of a row of that weight count for.
func (e *ramp) count(weight float64) float64 {
	if e.Jump == 0 {
		return 0
	}
	return 2 * weight
}

// loses returns the largest part that a variable loses in a whole step, or most
// if that is more. Products are compared, because they are cheaper than quotients.
func (e *ramp) loses(most float64) float64 {
	if -e.da > most*e.a {
		most = -e.da / e.a
	}
	if e.da > most*e.b {
		most = e.da / e.b
	}
	if -e.dr > most*e.r {
		most = -e.dr / e.r
	}
	if -e.du > most*e.u {
		most = -e.du / e.u
	}
	return most
}

// How far to go. The textbook goes 0.99 of the way to where the first variable
// becomes 0, all together. Among ten thousands of ramps there is always one
// that is in the way: steps of 0.2 to 0.4, and 33 (a9a), 60 (ijcnn1), 40 (w8a)
// epochs for hinge to gap 1e-6. Here the weights go further, and the ramps that
// would leave their bounds stop at the part of the way given below, as long
// as the slopes that are lost so are a small share of all that move: the
// equations that these ramps then miss are part of the next right-hand side.
// That needs 19, 23 and 21 epochs. Gondzio's further correctors gain less and
// cost more (22, 42, 33). Since no theorem covers it, a run that has not ended
// after carefulAfter epochs goes on by the textbook.
const (
	wholePart    = 0.99 // for all together
	singlePart   = 0.6  // for each alone
	largestShare = 0.3  // of the slopes that may be lost
	carefulAfter = 60   // epochs
)

// together returns the longest step, at most 1, within which no variable loses
// more than wholePart of itself, if loses is the most that one loses in 1.
func together(loses float64) float64 { return min(1, wholePart/max(loses, 1e-300)) }

// length returns how far to go, and the part of themselves that single
// variables may lose on the way.
func (s *interior) length(loses float64) (t, part float64) {
	whole := together(loses)
	if whole > 0.9 || s.epoch >= carefulAfter {
		return whole, 1
	}
	for t = 1.0; t > whole; t *= 0.7 {
		lost, moved := sumRows(s.p, func(lo, hi int) (x, y float64) {
			for i := lo; i < hi; i++ {
				row := s.row(i)
				for k := range row {
					lost, moved := row[k].shortfall(t)
					x += float64(s.p.S[i] * lost)
					y += float64(s.p.S[i] * moved)
				}
			}
			return x, y
		})
		if lost <= largestShare*moved {
			return t, singlePart
		}
	}
	return whole, 1
}

// shortfall returns how much the slope misses of a step t when it goes alone,
// and how long that step is.
func (e *ramp) shortfall(t float64) (lost, moved float64) {
	move := float64(t * e.da)
	if move < 0 {
		return max(0, -move-float64(singlePart*e.a)), -move
	}
	return max(0, move-float64(singlePart*e.b)), move
}

// target returns m' after a predictor: m times the cube of the share of m that
// the predictor would leave, which is the geometric mean of what it leaves when
// all ramps go together and when each goes alone.
func (s *interior) target(loses float64) float64 {
	whole := together(loses)
	left, alone := sumRows(s.p, func(lo, hi int) (x, y float64) {
		for i := lo; i < hi; i++ {
			row := s.row(i)
			for k := range row {
				x += float64(s.p.S[i] * row[k].products(whole, 1))
				y += float64(s.p.S[i] * row[k].products(1, singlePart))
			}
		}
		return x, y
	})
	left, alone = left/s.count, alone/s.count
	if s.epoch < carefulAfter {
		left = math.Sqrt(left * alone)
	}
	ratio := min(1, left/s.mean)
	return s.mean * ratio * ratio * ratio
}
