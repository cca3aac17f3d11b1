package kernel

import (
	"errors"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/matrix"
)

// RBF is the Gaussian kernel exp(-gamma |x-y|^2). With gamma = 1/(2 sigma^2) it
// is exp(-|x-y|^2 / (2 sigma^2)).
type RBF struct{ Gamma float64 }

var (
	_ Inner    = RBF{}
	_ Sized    = RBF{}
	_ Decaying = RBF{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "rbf", Summary: "exp(-gamma |x-y|^2), Gaussian; gamma=X, or sigma=X with gamma = 1/(2 sigma^2)",
		New: func(p *registry.Params) (Kernel, error) {
			gamma := p.Float("gamma", 0, "a number > 0", positive)
			sigma := p.Float("sigma", 0, "a number > 0", positive)
			switch {
			case p.Err() != nil:
				return nil, p.Err()
			case gamma > 0 && sigma > 0:
				return nil, errors.New("found gamma and sigma, expected one of the two, as gamma = 1/(2 sigma^2)")
			case sigma > 0:
				gamma = 1 / (2 * sigma * sigma)
			case gamma == 0:
				return nil, errors.New("found no gamma, expected gamma=X or sigma=X")
			}
			return RBF{gamma}, nil
		}})
}

// Eval returns exp(-gamma (|x|^2 + |y|^2 - 2<x,y>)).
func (k RBF) Eval(x, y matrix.Vector) float64 {
	return k.of(dot(x, y), SquaredNorm(x), SquaredNorm(y))
}

func (k RBF) of(xy, xx, yy float64) float64 {
	return elementary.Exp(-k.Gamma * max(0, (xx+yy)-2*xy))
}

// Of does so for many.
func (k RBF) Of(dst []float64, xx float64, yy []float64) {
	elementary.Gaussian64(dst, xx, yy, k.Gamma)
}

// Of32 does so in single precision.
func (k RBF) Of32(dst []float32, xx float32, yy []float32) {
	elementary.Gaussian32(dst, xx, yy, float32(k.Gamma))
}

// Error is that of the exponent, as the slope of exp is at most 1 there, and a
// few roundings of the value.
func (k RBF) Error(terms int, xx, yy float64) float64 { return k.exponentError(terms, xx, yy) + 8*unit }

func (k RBF) exponentError(terms int, xx, yy float64) float64 {
	return float64(k.Gamma * float64(2*(terms+8)) * unit * (xx + yy))
}

// Size is 1.
func (RBF) Size(int, float64) float64 { return 1 }

// Relative is the error itself.
func (k RBF) Relative(terms int, xx, yy float64) float64 { return k.Error(terms, xx, yy) }

// Ratios are those of exp for the error of the exponent.
func (k RBF) Ratios(terms int, xx, yy float64) (near, far float64) {
	return ratiosOf(k.exponentError(terms, xx, yy))
}
