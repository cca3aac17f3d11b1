package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Sigmoid is tanh(gamma <x,y> + coef0). It is no inner product in general, for
// no choice of its parameters (Schoelkopf and Smola, Learning with Kernels,
// 2002, section 13.1).
type Sigmoid struct{ Gamma, Coef0 float64 }

var (
	_ Inner      = Sigmoid{}
	_ Sized      = Sigmoid{}
	_ indefinite = Sigmoid{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "sigmoid", Summary: "tanh(gamma <x,y> + coef0), not positive definite; gamma=1, coef0=0",
		New: func(p *registry.Params) (Kernel, error) {
			return Sigmoid{
				Gamma: p.Float("gamma", 1, "a number > 0", positive),
				Coef0: p.Float("coef0", 0, "a finite number", finite),
			}, nil
		}})
}

// Eval returns tanh(gamma <x,y> + coef0).
func (k Sigmoid) Eval(x, y matrix.Vector) float64 {
	return tanh(elementary.Sigmoid(k.twice(dot(x, y))))
}

// twice returns 2z for the argument z of tanh.
func (k Sigmoid) twice(xy float64) float64 { return 2 * math.FMA(k.Gamma, xy, k.Coef0) }

// tanh returns tanh(z) = 2/(1+e^-2z) - 1 for s = 1/(1+e^-2z).
func tanh(s float64) float64 { return math.FMA(2, s, -1) }

// Of does so for many.
func (k Sigmoid) Of(dst []float64, _ float64, _ []float64) {
	for j, xy := range dst {
		dst[j] = k.twice(xy)
	}
	elementary.SigmoidTo(dst, dst)
	for j, s := range dst {
		dst[j] = tanh(s)
	}
}

// Of32 does so in single precision: tanh(z) = 1 - 2/(1+e^2z).
func (k Sigmoid) Of32(dst []float32, _ float32, _ []float32) {
	gamma, coef0 := float32(2*k.Gamma), float32(2*k.Coef0)
	for j, xy := range dst {
		dst[j] = float32(gamma*xy) + coef0
	}
	elementary.ExpTo32(dst, dst)
	for j, e := range dst {
		dst[j] = 1 - 2/(1+e)
	}
}

// Indefinite is always so.
func (Sigmoid) Indefinite() bool { return true }

// Size is 1.
func (Sigmoid) Size(int, float64) float64 { return 1 }

// Relative is that of the argument, as the slope of tanh is at most 1, and a few
// roundings of the value.
func (k Sigmoid) Relative(terms int, xx, yy float64) float64 {
	argument := float64(k.Gamma*math.Sqrt(xx)*math.Sqrt(yy)) + math.Abs(k.Coef0)
	return float64(dotError(terms+2, 1, 1)*argument) + 8*unit
}

// Error is Relative.
func (k Sigmoid) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
