package ramp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rampLaw is what the loops over the rows of a ramp should find, from the formulas as
// they are written in its documentation.
type rampLaw struct {
	predicted Predicted
	corrected Corrected
	reached   Reached
	c, v      []float64 // of Linearise
	right     []float64 // of Correct
}

const lawM, lawStep, lawPart, lawScale = 0.1, 0.7, 0.6, 0.3

var lawSteps = [Steps]float64{1, 0.7, 0.5, 0.3, 0.2}

// lawOf leaves e where Step should.
func lawOf(e *Rows) (l rampLaw) {
	for i := range e.X {
		s, w := e.row(i), e.Weight[i]
		k := e.Away[i] - e.Shift - e.Width*s.a
		d := 1 / (e.Width*s.a*s.b + s.r*s.b + s.u*s.a)
		z := (e.Before[i] + k) * d
		f, g := z*s.b, z*s.a
		l.c = append(l.c, lawScale*w*s.a*s.b*d)
		l.v = append(l.v, lawScale*w*(s.a+k*s.a*s.b*d))
		l.right = append(l.right, lawScale*w*d*(lawM*(s.b-s.a)+s.a*s.b*(s.r*f*(1+f)+s.u*g*(1-g))))

		p := &l.predicted
		p.Loses = max(p.Loses, -f, 1+f, g, 1-g)
		p.Now += w * (s.a*s.r + s.b*s.u)
		p.Second += w * (s.a*f*(-s.r*(1+f)) + -s.b*g*(-s.u*(1-g)))
		least := func(now, next float64) float64 { return max(next, (1-lawPart)*now) }
		a, b := least(s.a, s.a*(1+f)), least(s.b, s.b*(1-g))
		if a < b {
			b = e.Jump - a
		} else {
			a = e.Jump - b
		}
		p.Alone += w * (a*least(s.r, -s.r*f) + b*least(s.u, s.u*g))

		da, dr, du := s.steps(e.Before[i], e.Move[i], lawM) // see TestSteps
		loser := s.b
		if da < 0 {
			loser = s.a
		}
		q := &l.corrected
		q.Loses = max(q.Loses, -dr/s.r, -du/s.u, math.Abs(da)/loser)
		q.Moved += w * math.Abs(da)
		for j, t := range lawSteps {
			q.Lost[j] += w * max(t*math.Abs(da)-lawPart*loser, 0)
		}

		a, b = least(s.a, s.a+lawStep*da), least(s.b, s.b-lawStep*da)
		e.R[i], e.U[i] = least(s.r, s.r+lawStep*dr), least(s.u, s.u+lawStep*du)
		if e.X[i] = a; a > b {
			e.X[i] = -b
		}
		a, b = Split(e.X[i], e.Jump)
		at := e.Away[i] + lawStep*e.Move[i] - e.Shift
		best := 0.0
		if at > 0 {
			best = min(e.Jump, at/e.Width)
		}
		loss := best*at - e.Width*best*best/2
		l.reached.Products += w * (a*e.R[i] + b*e.U[i])
		l.reached.Losses += w * loss
		l.reached.Defects += w * (loss - (a*at - e.Width*a*a/2))
	}
	return l
}

// TestRampLaw: the loops do what is written of them, in one piece and in two.
func TestRampLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 1))
	for n := 2; n < 40; n++ {
		for range 5 {
			e := drawRamp(r, n)
			moved := e
			moved.X, moved.R, moved.U, moved.Away = slices.Clone(e.X), slices.Clone(e.R), slices.Clone(e.U), slices.Clone(e.Away)
			want := lawOf(&moved)
			for _, cut := range []int{0, n / 2} {
				var got rampLaw
				got.c, got.v, got.right = make([]float64, n), make([]float64, n), make([]float64, n)
				var x, rest, beyond []float64
				for _, s := range [][2]int{{0, cut}, {cut, n}} {
					lo, hi := s[0], s[1]
					p := e
					p.X, p.R, p.U = slices.Clone(e.X[lo:hi]), slices.Clone(e.R[lo:hi]), slices.Clone(e.U[lo:hi])
					p.Away, p.Before, p.Move, p.Weight = e.Away[lo:hi], e.Before[lo:hi], e.Move[lo:hi], e.Weight[lo:hi]
					p.Linearise(got.c[lo:hi], got.v[lo:hi], lawScale)
					p.Correct(got.right[lo:hi], lawM, lawScale)
					if hi > lo {
						got.corrected.Add(p.Measure(lawM, lawPart, &lawSteps))
						got.predicted.Add(p.Predict(lawPart))
						step := p.Step(lawM, lawStep, lawPart)
						got.reached.Add(step)
						for i, move := range p.Move {
							moved.Away[lo+i] = math.FMA(lawStep, move, p.Away[i])
						}
						p.Away = moved.Away[lo:hi]
						if look := p.Reach(); look != step {
							t.Fatalf("n=%d: Reach finds %+v where Step has led, which found %+v", n, look, step)
						}
					}
					x, rest, beyond = append(x, p.X...), append(rest, p.R...), append(beyond, p.U...)
				}
				compareLaw(t, n, got.numbers(x, rest, beyond), want.numbers(moved.X, moved.R, moved.U))
			}
		}
	}
}

func (l *rampLaw) numbers(x, r, u []float64) [][]float64 {
	return [][]float64{l.c, l.v, l.right, x, r, u, {l.predicted.Loses}, {l.predicted.Now}, {l.predicted.Second}, {l.predicted.Alone},
		{l.corrected.Loses}, {l.corrected.Moved}, l.corrected.Lost[:], {l.reached.Products}, {l.reached.Losses, l.reached.Defects}}
}

// compareLaw allows for rounding, by the largest of the numbers that belong together.
func compareLaw(t *testing.T, n int, got, want [][]float64) {
	t.Helper()
	for k := range want {
		size := 0.0
		for _, x := range want[k] {
			size = max(size, math.Abs(x))
		}
		for i, x := range want[k] {
			if !(math.Abs(got[k][i]-x) <= 1e-8*size) {
				t.Fatalf("n=%d, group %d, number %d: %v, the formula gives %v", n, k, i, got[k][i], x)
			}
		}
	}
}

// TestRampCentral: a R = b U = m, and U - R is counted from the middle of the ramp.
func TestRampCentral(t *testing.T) {
	r := rand.New(rand.NewPCG(66, 1))
	for range 200 {
		e := drawRamp(r, 11)
		e.Central(lawM)
		for i, x := range e.X {
			a, b := Split(x, e.Jump)
			q := e.Away[i] - e.Shift - e.Width*e.Jump/2
			off := math.Abs(a*e.R[i]-lawM) + math.Abs(b*e.U[i]-lawM) + math.Abs(e.U[i]-e.R[i]-q)/(1+math.Abs(q))
			if !(off < 1e-12) || a > b != (x < 0) {
				t.Fatalf("a = %g, b = %g, R = %g, U = %g, q = %g", a, b, e.R[i], e.U[i], q)
			}
		}
	}
}
