package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Quantile is max(Tau (y-p), (1-Tau)(p-y)), 0 < Tau < 1: regression towards the value below which
// the share Tau of targets lies (Koenker and Bassett 1978), also called the pinball loss.
//
// l*(a) = a y on -Tau <= a <= 1-Tau.
type Quantile struct{ Tau float64 }

var (
	_ Cornered   = Quantile{}
	_ Invertible = Quantile{}
	_ scored     = Quantile{}
	_ Numeric    = Quantile{}
	_ Flowing    = Quantile{}
)

func init() {
	losses.Register(registry.Entry[Loss]{Name: "quantile", Summary: "max(tau (y-p), (1-tau)(p-y)), tau=0.5: quantile regression",
		New: func(p *registry.Params) (Loss, error) {
			tau := p.Float("tau", 0.5, "a number between 0 and 1", func(v float64) bool { return v > 0 && v < 1 })
			return Quantile{tau}, p.Err()
		}})
}

// Value returns the larger of tau (y-p) and (1-tau)(p-y).
func (l Quantile) Value(p, y float64) float64 {
	return math.Max(float64(l.Tau*(y-p)), float64((1-l.Tau)*(p-y)))
}

// Score is the pinball loss.
func (l Quantile) Score() (name string, tau float64) { return "pinball", l.Tau }

// UsualC is the scale: no row pulls harder than C, however far its target is.
func (Quantile) UsualC(scale, mean float64) float64 { return scale }

// Derivative returns -tau below the target, 1-tau above.
func (l Quantile) Derivative(p, y float64) float64 {
	switch {
	case p < y:
		return -l.Tau
	case p > y:
		return 1 - l.Tau
	}
	return 0
}

// Conjugate returns a*y.
func (Quantile) Conjugate(a, y float64) float64 { return a * y }

// Domain is [-tau, 1-tau].
func (l Quantile) Domain(y float64) (lo, hi float64) { return -l.Tau, 1 - l.Tau }

// Prox moves v towards y by at most tau step upwards, (1-tau) step downwards.
func (l Quantile) Prox(v, step, y float64) float64 {
	return v + clip(y-v, -(1-l.Tau)*step, l.Tau*step)
}

// Smoothness is infinite: the slope jumps at p = y.
func (Quantile) Smoothness() float64 { return math.Inf(1) }

// Ramps returns the corner at p = y.
func (l Quantile) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	return -l.Tau, [2]Ramp{{At: y, Jump: 1}}
}

// Inverse returns y, and what lies beyond at the ends of the domain.
func (l Quantile) Inverse(a, y float64) (lo, hi float64) { return beyond(a, -l.Tau, 1-l.Tau, y, y) }

// Flow moves p towards y by at most tau h upwards, (1-tau) h downwards.
func (l Quantile) Flow(p, y, h float64) float64 { return clip(y-p, -(1-l.Tau)*h, l.Tau*h) }

// Straight is true: the inverse is piecewise linear.
func (Quantile) Straight() bool { return true }
