package ramp

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// rampPass is a pass over the rows, as the kernels see it.
type rampPass struct {
	slices  [9]*float64
	numbers [rampSteps + Steps]float64
	sums    [2 + Steps][8]float64
}

// The places of the slices are those of the fields of Ramp, then c and v.
const (
	rampC = 7
	rampV = 8
)

// The places of the numbers.
const (
	rampJump = iota
	rampWidth
	rampHalf    // of the width
	rampInverse // of the width
	rampShift
	rampM
	rampScale
	rampT
	rampLeast
	rampPart
	rampFloor
	rampSteps
)

// pass prepares a pass over rows, one at least.
func (e *Rows) pass() (p rampPass) {
	n := len(e.X)
	for k, s := range [...][]float64{e.X, e.R, e.U, e.Away, e.Before, e.Move, e.Weight} {
		if len(s) != n {
			panic("ramp: rows with slices of different length")
		}
		if n > 0 {
			p.slices[k] = &s[0]
		}
	}
	p.numbers = [...]float64{rampJump: e.Jump, rampWidth: e.Width, rampHalf: e.Width / 2, rampInverse: 1 / e.Width,
		rampShift: e.Shift, rampSteps + Steps - 1: 0}
	return p
}

// add adds c and v.
func (p *rampPass) add(n int, c, v []float64) {
	if n > 0 {
		p.slices[rampC], p.slices[rampV] = &c[:n][0], &v[:n][0]
	}
}

// sum adds the lanes of a sum.
func (p *rampPass) sum(k int) float64 { return vec.AddLanes(&p.sums[k]) }

// most returns the largest lane.
func (p *rampPass) most(k int) float64 {
	most := 0.0
	for _, x := range p.sums[k] {
		most = larger(x, most)
	}
	return most
}

// Split returns the a and b of which x is the X of [Rows] with that Jump.
func Split(x, jump float64) (a, b float64) {
	sign := uint64(int64(math.Float64bits(x)) >> 63)
	over := math.Float64frombits(math.Float64bits(jump) & sign)
	return x + over, (jump - over) - x
}

// rampRow is what the loops have in common.
type rampRow struct{ a, b, r, u, k, d float64 }

func (e *Rows) row(i int) (s rampRow) {
	s.a, s.b = Split(e.X[i], e.Jump)
	s.r, s.u = e.R[i], e.U[i]
	s.k = math.FMA(-e.Width, s.a, e.Away[i]-e.Shift)
	s.d = 1 / math.FMA(s.a, math.FMA(e.Width, s.b, s.u), float64(s.r*s.b))
	return s
}

// relative returns z, f and g.
func (s *rampRow) relative(before float64) (z, f, g float64) {
	z = float64((before + s.k) * s.d)
	return z, float64(z * s.b), float64(z * s.a)
}

// steps returns the corrector's steps of a, R and U for products m.
func (s *rampRow) steps(before, move, m float64) (da, dr, du float64) {
	_, f, g := s.relative(before)
	fr, gu := float64(float64(f*s.r)*(1+f)), float64(float64(g*s.u)*(1-g))
	ab := float64(s.a * s.b)
	each := m / ab
	ma, mb := float64(each*s.b), float64(each*s.a)
	y := float64((move + s.k + (ma - mb) + (fr + gu)) * s.d)
	da = float64(ab * y)
	dr = math.FMA(-s.r, float64(s.b*y), (ma-s.r)+fr)
	du = math.FMA(s.u, float64(s.a*y), (mb-s.u)-gu)
	return da, dr, du
}

// larger returns a if that is larger, and else b: b, too, where one is not a number.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}
