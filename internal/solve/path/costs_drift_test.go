package path

import (
	"context"
	"math"
	"testing"
)

// The responses that are kept up to date stay within their bound of those computed anew, at every
// breakpoint, and the certificate is that of these to what it allows for rounding.
func TestDrift(t *testing.T) {
	for seed := range uint64(short(200, 60)) {
		p := random(t, seed, 60)
		held := *p
		held.Gram = p.Gram.Hold()
		s := newCosts(&held)
		s.tolerance = 1e-8
		if err := s.restart(context.Background(), 0.01); err != nil {
			t.Fatal(err)
		}
		fresh := make([]float64, len(s.r))
		err := s.follow(context.Background(), 100, func(b Breakpoint) error {
			off := s.combine(fresh, s.beta) + s.drift.r
			for i, r := range s.r {
				if !(math.Abs(r-fresh[i]) <= off) {
					t.Errorf("seed %d, C %g: the response of row %d is %g, computed anew %g, expected within %g", seed, b.C, i, r, fresh[i], off)
				}
			}
			whole := at(p, b.C).Certify(b.Point)
			if rounding := b.Certificate.Rounding + whole.Rounding; !(math.Abs(b.Certificate.Primal-whole.Primal) <= rounding && math.Abs(b.Certificate.Dual-whole.Dual) <= 2*rounding) {
				t.Errorf("seed %d, C %g: certificate %g, %g, with the responses computed anew %g, %g, expected within %g",
					seed, b.C, b.Certificate.Primal, b.Certificate.Dual, whole.Primal, whole.Dual, rounding)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
