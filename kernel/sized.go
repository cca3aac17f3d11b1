package kernel

import "math"

// Sized is a kernel that knows how large it is, so that sums, products and
// quotients of it know how accurate they are.
//
// Laws: |k(x,y)| <= sqrt(s(x) s(y)) and |Eval(x,y) - k(x,y)| <=
// Relative(m,xx,yy) sqrt(s(x) s(y)), where s(x) = k(x,x), or Size(m,xx) if the
// kernel [IsIndefinite]; s(x) <= Size(m,xx); for rows of at most m stored values
// and of squared norms at most xx and yy.
type Sized interface {
	Kernel
	Size(terms int, xx float64) float64
	Relative(terms int, xx, yy float64) float64
}

var (
	_ Sized = Linear{}
	_ Sized = RBF{}
)

// Size is |x|^2.
func (Linear) Size(_ int, xx float64) float64 { return xx }

// Relative is the error for rows of norm 1.
func (Linear) Relative(terms int, _, _ float64) float64 { return dotError(terms, 1, 1) }

// Size is 1.
func (RBF) Size(int, float64) float64 { return 1 }

// Relative is the error itself.
func (k RBF) Relative(terms int, xx, yy float64) float64 { return k.Error(terms, xx, yy) }

// errorOf is the error of a kernel of which the size is known. What is added
// stands for results too small to be normal numbers.
func errorOf(k Sized, terms int, xx, yy float64) float64 {
	size := math.Sqrt(k.Size(terms, xx)) * math.Sqrt(k.Size(terms, yy))
	return float64(k.Relative(terms, xx, yy)*size*(1+64*unit)) + 0x1p-1000
}

// compounded bounds (1+t)^n - 1 for t n <= 1, the relative error of n factors
// that are off by t each.
func compounded(n, t float64) float64 { return float64(n * t * (1 + float64(n*t))) }
