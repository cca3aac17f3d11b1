package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/vec"
)

// TestTheRampsAreTheLoss: see loss.Cornered for the law.
func TestTheRampsAreTheLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	found := 0
	for _, spec := range []string{"hinge", "huber-hinge", "huber-hinge:width=0.3", "absolute", "huber", "huber:delta=2.5",
		"epsilon-insensitive", "epsilon-insensitive:epsilon=0"} {
		l := must(loss.New(spec)).(loss.Cornered)
		found++
		for range 200 {
			y, p := 2*r.NormFloat64(), 3*r.NormFloat64()
			if _, ok := l.(loss.Margin); ok {
				y = math.Copysign(1, y)
			}
			want := l.Value(p, y) - l.Value(0, y)
			if got := rampsAt(l, p, y) - rampsAt(l, 0, y); math.Abs(got-want) > 1e-13 {
				t.Errorf("%s: l(%v) - l(0) = %v for y = %v, by its ramps %v", spec, p, want, y, got)
			}
		}
		slope, ramps := l.Ramps(1)
		if _, other := l.Ramps(-1); ramps[0].Jump != other[0].Jump || ramps[1].Jump != other[1].Jump || ramps[0].Width != other[0].Width ||
			ramps[1].Width != other[1].Width || math.Abs(ramps[1].At-ramps[0].At-(other[1].At-other[0].At)) > 1e-15 && ramps[1].Jump > 0 {
			t.Errorf("%s: ramps %v for y = 1, %v for y = -1: only where they begin may differ", spec, ramps, other)
		}
		if lo, hi := l.Domain(1); slope != lo || slope+ramps[0].Jump+ramps[1].Jump != hi {
			t.Errorf("%s: slopes from %v by %v, but the domain is [%v, %v]", spec, slope, ramps, lo, hi)
		}
	}
	for _, e := range loss.Entries() {
		if _, ok := must(loss.New(e.Name)).(loss.Cornered); ok {
			found--
		}
	}
	if found != 3 {
		t.Errorf("%d more specs than losses made of ramps, expected 3", found)
	}
}

// rampsAt is the right side of the law of loss.Cornered.
func rampsAt(l loss.Cornered, p, y float64) float64 {
	slope, ramps := l.Ramps(y)
	value := slope * p
	for _, e := range ramps {
		a := 0.0
		switch beyond := p - e.At; {
		case beyond >= e.Width*e.Jump:
			a = e.Jump
		case beyond > 0:
			a = beyond / e.Width
		}
		if p > e.At {
			value += a*(p-e.At) - e.Width*a*a/2
		}
	}
	return value
}

// TestShare: a step that is one over the share long ends at the ramp; away from it there
// is none, and a row that is infinitely far away goes none.
func TestShare(t *testing.T) {
	e := ramps{jump: 2, width: 0.5, shift: 10}
	for _, c := range []struct{ q, move, end float64 }{{7, 0.7, 10}, {7, 70, 10}, {14, -1, 11}, {14, -9, 11}} {
		share := func(move float64) float64 {
			return e.share([]float64{math.Inf(1), c.q, c.q}, []float64{-1, move / 2, move}, 0)
		}
		if got := c.q + c.move/share(c.move); math.Abs(got-c.end) > 1e-14 {
			t.Errorf("from %v by %v: ends at %v, want %v", c.q, c.move, got, c.end)
		}
		if back := share(-c.move); back != 0 {
			t.Errorf("from %v by %v: share %v", c.q, -c.move, back)
		}
	}
}

// TestCentral: a + b = J, a r = b u = m and u - r = p - t, near and far.
func TestCentral(t *testing.T) {
	for _, jump := range []float64{1, 2} {
		away := []float64{-1e6, -3, -1e-9, 0, 0.1, 7, 1e5}
		for _, m := range []float64{1e-8, 0.3, 50} {
			n := len(away)
			e := ramps{jump: jump, x: make([]float64, n), r: make([]float64, n), u: make([]float64, n)}
			e.of(rows{hi: n, away: away, before: away, move: away, weight: away}).Central(m)
			for i, q := range away {
				a, b := vec.SplitRamp(e.x[i], e.jump)
				off := math.Abs(a+b-jump)/jump + math.Abs(a*e.r[i]-m)/m + math.Abs(b*e.u[i]-m)/m + math.Abs(e.u[i]-e.r[i]-q)/(e.u[i]+e.r[i])
				if !(off < 1e-8) || !(a > 0) || !(b > 0) {
					t.Errorf("J = %v, p - t = %v, m = %v: a = %v, b = %v, r = %v, u = %v", jump, q, m, a, b, e.r[i], e.u[i])
				}
			}
		}
	}
}
