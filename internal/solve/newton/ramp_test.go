package newton

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/ramp"
)

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
				a, b := ramp.Split(e.x[i], e.jump)
				off := math.Abs(a+b-jump)/jump + math.Abs(a*e.r[i]-m)/m + math.Abs(b*e.u[i]-m)/m + math.Abs(e.u[i]-e.r[i]-q)/(e.u[i]+e.r[i])
				if !(off < 1e-8) || !(a > 0) || !(b > 0) {
					t.Errorf("J = %v, p - t = %v, m = %v: a = %v, b = %v, r = %v, u = %v", jump, q, m, a, b, e.r[i], e.u[i])
				}
			}
		}
	}
}
