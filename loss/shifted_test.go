package loss_test

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
)

// TestShifted compares what a shifted loss says with what the loss says of p+by.
func TestShifted(t *testing.T) {
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }
	for _, e := range loss.Entries() {
		l, err := loss.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []float64{-1.75, 0.5, 3} {
			s := loss.Shifted(l, by)
			if _, margin := s.(loss.Margin); margin {
				t.Errorf("%s: found a loss of the margin, expected none: it depends on more", e.Name)
			}
			for _, y := range []float64{-1, 1} {
				if least, _ := loss.Targets(l); y < least {
					continue
				}
				for p := -4.0; p <= 4; p += 0.37 {
					a := l.Derivative(p+by, y)
					// Fenchel and Young hold with equality at the slope.
					if !near(s.Value(p, y), l.Value(p+by, y)) || s.Derivative(p, y) != a || !near(s.Value(p, y)+s.Conjugate(a, y), a*p) {
						t.Fatalf("%s shifted by %g at %g of %g: value %g, slope %g, conjugate %g", e.Name, by, p, y, s.Value(p, y), s.Derivative(p, y), s.Conjugate(a, y))
					}
					u := s.Prox(p, 0.7, y)
					if !near(u+by, l.Prox(p+by, 0.7, y)) {
						t.Fatalf("%s shifted by %g: proximal point %g of %g", e.Name, by, u, p)
					}
					if i, ok := s.(loss.Invertible); ok {
						lo, hi := i.Inverse(a, y)
						if !(lo <= p+1e-7 && p-1e-7 <= hi) {
							t.Fatalf("%s shifted by %g: the slope %g at %g, found from %g to %g", e.Name, by, a, p, lo, hi)
						}
					}
					if c, ok := s.(loss.Curved); ok && c.Curvature(p, y) != l.(loss.Curved).Curvature(p+by, y) {
						t.Fatalf("%s shifted by %g: another curvature at %g", e.Name, by, p)
					}
				}
				if c, ok := s.(loss.Cornered); ok {
					cornered(t, c, y)
				}
			}
		}
	}
}

// cornered compares the differences of values with those of the line and the ramps that the loss declares.
func cornered(t *testing.T, l loss.Cornered, y float64) {
	slope, ramps := l.Ramps(y)
	sum := func(p float64) float64 {
		v := slope * p
		for _, r := range ramps {
			a := r.Jump
			if r.Width > 0 {
				a = min(max((p-r.At)/r.Width, 0), r.Jump)
			} else if p < r.At {
				a = 0
			}
			v += a*(p-r.At) - r.Width*a*a/2
		}
		return v
	}
	for p := -4.0; p <= 4; p += 0.37 {
		if found, want := l.Value(p, y)-l.Value(0, y), sum(p)-sum(0); math.Abs(found-want) > 1e-12*(1+math.Abs(want)) {
			t.Fatalf("a loss of the ramps %v: from 0 to %g it rises by %g, expected %g", ramps, p, found, want)
		}
	}
}
