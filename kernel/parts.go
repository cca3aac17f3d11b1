package kernel

import "github.com/fenchel-ml/fenchel/matrix"

// How a kernel is made of others.
const (
	HowSum        = "sum"
	HowProduct    = "product"
	HowNormalised = "normalised"
)

// Parts returns the kernels of a sum or product, in their order, or the one that is
// normalised, and which of these it is; "" and nil for a kernel that is made of no others.
func Parts(k Kernel) (how string, parts []Kernel) {
	switch k := k.(type) {
	case innerCombination:
		return Parts(k.combination)
	case combination:
		how = HowSum
		if k.product {
			how = HowProduct
		}
		for _, part := range k.parts {
			parts = append(parts, part)
		}
		return how, parts
	case normalised:
		return HowNormalised, []Kernel{k.of}
	}
	return "", nil
}

// A value of a kernel may be made of values of its parts for each of the two rows with itself,
// as that of one that is normalised is. In a matrix these are computed once for each row, and
// not for each pair.

// SelfValues returns how many values for a row with itself k is made of.
func SelfValues(k Kernel) (n int) {
	switch k := k.(type) {
	case normalised:
		return SelfValues(k.of) + 1
	case combination:
		for _, part := range k.parts {
			n += SelfValues(part)
		}
	}
	return n
}

// AppendSelf appends these values of row x.
func AppendSelf(dst []float64, k Kernel, x matrix.Vector) []float64 {
	switch k := k.(type) {
	case normalised:
		begin := len(dst)
		dst = AppendSelf(dst, k.of, x)
		return append(dst, EvalWith(k.of, x, x, dst[begin:], dst[begin:]))
	case combination:
		for _, part := range k.parts {
			dst = AppendSelf(dst, part, x)
		}
	}
	return dst
}

// EvalWith returns the bits of k.Eval(x, y) from these values of both rows.
func EvalWith(k Kernel, x, y matrix.Vector, xx, yy []float64) float64 {
	switch k := k.(type) {
	case normalised:
		last := len(xx) - 1
		if xx[last] < LeastSelf || yy[last] < LeastSelf {
			return 0
		}
		return k.between(EvalWith(k.of, x, y, xx[:last], yy[:last]), xx[last], yy[last])
	case combination:
		at := 0
		return k.join(func(part Kernel) float64 {
			from := at
			at += SelfValues(part)
			return EvalWith(part, x, y, xx[from:at], yy[from:at])
		})
	}
	return k.Eval(x, y)
}
