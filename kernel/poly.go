package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Poly is the polynomial kernel (gamma <x,y> + coef0)^degree: the inner product
// of all monomials of that degree, with coef0 > 0 of all up to that degree. With
// coef0 < 0 it is no inner product.
type Poly struct {
	Degree int
	Gamma  float64
	Coef0  float64
}

var (
	_ Inner      = Poly{}
	_ Sized      = Poly{}
	_ indefinite = Poly{}
)

// maxDegree bounds the degree: beyond it hardly a number is left between 0 and
// infinity.
const maxDegree = 1000

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "poly", Summary: "(gamma <x,y> + coef0)^degree, polynomial; degree=3, gamma=1, coef0=0",
		New: func(p *registry.Params) (Kernel, error) {
			return Poly{
				Degree: p.Int("degree", 3, 1, maxDegree),
				Gamma:  p.Float("gamma", 1, "a number > 0", positive),
				Coef0:  p.Float("coef0", 0, "a finite number", finite),
			}, nil
		}})
}

func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }
func finite(x float64) bool   { return math.Abs(x) <= math.MaxFloat64 }

// Eval returns (gamma <x,y> + coef0)^degree.
func (k Poly) Eval(x, y matrix.Vector) float64 { return k.of(dot(x, y)) }

func (k Poly) of(xy float64) float64 { return power(math.FMA(k.Gamma, xy, k.Coef0), k.Degree) }

// Of does so for many.
func (k Poly) Of(dst []float64, _ float64, _ []float64) {
	for j, xy := range dst {
		dst[j] = k.of(xy)
	}
}

// Of32 does so in single precision.
func (k Poly) Of32(dst []float32, _ float32, _ []float32) {
	gamma, coef0 := float32(k.Gamma), float32(k.Coef0)
	for j, xy := range dst {
		dst[j] = power(float32(gamma*xy)+coef0, k.Degree)
	}
}

// power returns z^n, n >= 1, by squaring: in all, n-1 relative errors.
func power[T float32 | float64](z T, n int) T {
	for n&1 == 0 {
		z *= z
		n >>= 1
	}
	result := z
	for n >>= 1; n > 0; n >>= 1 {
		z *= z
		if n&1 == 1 {
			result *= z
		}
	}
	return result
}

// Indefinite is for a negative coef0: then some k(x,x) is negative or k(0,x) is
// no inner product.
func (k Poly) Indefinite() bool { return k.Coef0 < 0 }

// Size is (gamma |x|^2 + |coef0|)^degree.
func (k Poly) Size(_ int, xx float64) float64 {
	size := float64(k.Gamma*xx) + math.Abs(k.Coef0)
	return power(size, k.Degree) * (1 + compounded(float64(k.Degree), 4*unit))
}

// Relative is that of degree factors gamma <x,y> + coef0, each of which is at
// most the root of those for <x,x> and <y,y>, and is off by as much of it as the
// inner product, and a few roundings.
func (k Poly) Relative(terms int, _, _ float64) float64 {
	return compounded(float64(k.Degree), dotError(terms+2, 1, 1))
}

// Error is Relative times the sizes.
func (k Poly) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
