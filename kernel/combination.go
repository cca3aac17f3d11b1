package kernel

import (
	"fmt"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Sum returns the kernel k_1(x,y) + k_2(x,y) + ..., the inner product of the
// images of the parts side by side. It is [Inner] if all parts are, and
// indefinite if one part is. Every part must be [Sized].
func Sum(parts ...Kernel) (Kernel, error) { return combine(false, parts) }

// Product returns the kernel k_1(x,y) k_2(x,y) ..., the inner product of all
// products of the features of the parts, by Schur's theorem. In all else it is
// like [Sum].
func Product(parts ...Kernel) (Kernel, error) { return combine(true, parts) }

func combine(product bool, parts []Kernel) (Kernel, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("kernel: found no kernels to combine, expected at least one")
	}
	k, inner := combination{product: product}, true
	for _, part := range parts {
		s, ok := part.(Sized)
		if !ok {
			return nil, fmt.Errorf("kernel: found the kernel %s in a sum or product, expected a kernel with a known size", Name(part))
		}
		k.parts = append(k.parts, s)
		_, ok = part.(Inner)
		inner = inner && ok
	}
	switch {
	case len(parts) == 1:
		return parts[0], nil
	case inner:
		return innerCombination{k}, nil
	}
	return k, nil
}

// Selective reports whether k does not take every row: then rows must reach it
// as they are, not scaled.
func Selective(k Kernel) bool {
	switch k := k.(type) {
	case innerCombination:
		return false
	case combination:
		return slices.ContainsFunc(k.parts, func(part Sized) bool { return Selective(part) })
	case normalised:
		return Selective(k.of)
	}
	_, ok := k.(preparer)
	return ok
}

// combination is a sum, or a product.
type combination struct {
	product bool
	parts   []Sized
}

var (
	_ Sized      = combination{}
	_ preparer   = combination{}
	_ indefinite = combination{}
	_ Inner      = innerCombination{}
)

func (k combination) Eval(x, y matrix.Vector) float64 {
	return k.join(func(part Kernel) float64 { return part.Eval(x, y) })
}

// join combines what of returns of the parts, in their order.
func (k combination) join(of func(part Kernel) float64) float64 {
	value := of(k.parts[0])
	for _, part := range k.parts[1:] {
		if v := of(part); k.product {
			value = float64(value * v)
		} else {
			value += v
		}
	}
	return value
}

// Prepare lets every part prepare what the parts before it made.
func (k combination) Prepare(x matrix.Matrix, width int) (matrix.Matrix, error) {
	for _, part := range k.parts {
		var err error
		if x, err = Prepare(part, x, width); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (k combination) Indefinite() bool {
	for _, part := range k.parts {
		if IsIndefinite(part) {
			return true
		}
	}
	return false
}

func (k combination) Size(terms int, xx float64) float64 {
	size := k.parts[0].Size(terms, xx)
	for _, part := range k.parts[1:] {
		if s := part.Size(terms, xx); k.product {
			size *= s
		} else {
			size += s
		}
	}
	return size * (1 + float64(float64(len(k.parts))*2*unit))
}

// Relative is for a sum, by Cauchy and Schwarz, that of its worst part, and for
// a product that of all its parts together; and one rounding for each part.
func (k combination) Relative(terms int, xx, yy float64) float64 {
	worst, all := 0.0, 0.0
	for _, part := range k.parts {
		r := part.Relative(terms, xx, yy)
		worst = max(worst, r)
		all += r
	}
	if k.product {
		worst = all
	}
	return compounded(1, worst+float64(float64(len(k.parts))*unit))
}

func (k combination) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }

// innerCombination is a combination of kernels that all are Inner.
type innerCombination struct{ combination }

func (k innerCombination) Of(dst []float64, xx float64, yy []float64) {
	combineOf(&scratch64, k.combination, dst, func(part Inner, dst []float64) { part.Of(dst, xx, yy) })
}

func (k innerCombination) Of32(dst []float32, xx float32, yy []float32) {
	combineOf(&scratch32, k.combination, dst, func(part Inner, dst []float32) { part.Of32(dst, xx, yy) })
}

var scratch64, scratch32 sync.Pool

// combineOf turns the inner products in dst into values of each part and
// combines these in the order of Eval.
func combineOf[T float32 | float64](pool *sync.Pool, k combination, dst []T, of func(part Inner, dst []T)) {
	n := len(dst)
	scratch, ok := pool.Get().(*[]T)
	if !ok || cap(*scratch) < 2*n {
		s := make([]T, 2*n)
		scratch = &s
	}
	defer pool.Put(scratch)
	products, values := (*scratch)[:n], (*scratch)[n:2*n]
	copy(products, dst)
	for i, part := range k.parts {
		if i == 0 {
			of(part.(Inner), dst)
			continue
		}
		copy(values, products)
		of(part.(Inner), values)
		if k.product {
			for j, v := range values {
				dst[j] *= v
			}
			continue
		}
		for j, v := range values {
			dst[j] += v
		}
	}
}

// Constant is one number >= 0 for any two rows. A product with it scales; a sum
// with it gives the predictor a constant feature. A spec writes the number.
type Constant float64

var (
	_ Inner = Constant(0)
	_ Sized = Constant(0)
)

// Eval returns the number.
func (c Constant) Eval(_, _ matrix.Vector) float64 { return float64(c) }

// Of sets all to the number.
func (c Constant) Of(dst []float64, _ float64, _ []float64) { fill(dst, float64(c)) }

// Of32 does so in single precision.
func (c Constant) Of32(dst []float32, _ float32, _ []float32) { fill(dst, float32(c)) }

func fill[T any](dst []T, v T) {
	for j := range dst {
		dst[j] = v
	}
}

// Size is the number.
func (c Constant) Size(int, float64) float64 { return float64(c) }

// Relative is 0.
func (Constant) Relative(int, float64, float64) float64 { return 0 }

// Error is 0.
func (Constant) Error(int, float64, float64) float64 { return 0 }
