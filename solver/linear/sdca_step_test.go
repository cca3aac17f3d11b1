package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
)

// TestDualSteps: each loss's own step is feasible, as good as the exact one by
// the objective of one variable, to a quarter of what there is to win; its part
// of the gap and its rise are those of the definition, to second order.
func TestDualSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}} {
		step := dualStepOf(l)
		for range 20000 {
			y := math.Copysign(1, r.Float64()-0.5)
			before := -y * max(0, min(1, 1.4*r.Float64()-0.2))
			p, q := 4*r.NormFloat64(), math.Exp(6*r.NormFloat64())
			value := func(a float64) float64 {
				return -l.Conjugate(a, y) + p*(a-before) - q/2*(a-before)*(a-before)
			}
			after, gap, rise := step(before, p, q, y)
			if lo, hi := l.Domain(y); !(after >= lo && after <= hi) {
				t.Fatalf("%T: %g outside [%g, %g]", l, after, lo, hi)
			}
			best := value(proxStep(l, before, p, q, y))
			if won, most := value(after)-value(before), best-value(before); won < 0.75*most-1e-12 {
				t.Fatalf("%T: before %g, p %g, q %g, y %g: wins %g of %g", l, before, p, q, y, won, most)
			}
			if _, exact := l.(loss.Hinge); exact {
				part := l.Value(p, y) + l.Conjugate(before, y) - before*p
				if math.Abs(gap-part) > 1e-12*(1+math.Abs(p)) || math.Abs(rise-(l.Conjugate(after, y)-l.Conjugate(before, y))) > 1e-12 {
					t.Fatalf("%T: gap %g, want %g; rise %g", l, gap, part, rise)
				}
			}
		}
		for _, q := range []float64{0, 1e-300, 1e300} {
			for _, p := range []float64{0, 1, -1, 1e300, -1e300} {
				for _, before := range []float64{0, -0.5, -1 + 0x1p-53, -1} {
					after, gap, rise := step(before, p, q, 1)
					if !(after >= -1 && after <= 0) || math.IsNaN(gap) || math.IsNaN(rise) || math.IsInf(rise, 0) {
						t.Errorf("%T: before %g, p %g, q %g: %g, %g, %g", l, before, p, q, after, gap, rise)
					}
				}
			}
		}
	}
}

// TestLogOdds: as near as promised, at both ends too.
func TestLogOdds(t *testing.T) {
	for _, x := range []float64{1e-300, 1e-9, 0.1, 1 / 3., 0.5, 1 - math.Sqrt2/2, math.Sqrt2 / 2, 0.9, 1 - 0x1p-53} {
		for _, x := range []float64{x, math.Nextafter(x, 0)} {
			if got, want := logOdds(x), math.Log(x/(1-x)); math.Abs(got-want) > 2e-5 {
				t.Errorf("log odds of %g: %g, want %g", x, got, want)
			}
		}
	}
}
