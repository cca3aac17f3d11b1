package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A kernel may need values of parts of it for a row with itself, as those that are
// normalised do. In a matrix they are computed once for each row, and not for each pair.

// owners returns how many such values k needs of a row.
func owners(k Kernel) (n int) {
	switch k := k.(type) {
	case normalised:
		return owners(k.of) + 1
	case combination:
		for _, part := range k.parts {
			n += owners(part)
		}
	}
	return n
}

// appendOwn appends these values of row x.
func appendOwn(dst []float64, k Kernel, x matrix.Vector) []float64 {
	switch k := k.(type) {
	case normalised:
		begin := len(dst)
		dst = appendOwn(dst, k.of, x)
		return append(dst, evalOwn(k.of, x, x, dst[begin:], dst[begin:]))
	case combination:
		for _, part := range k.parts {
			dst = appendOwn(dst, part, x)
		}
	}
	return dst
}

// ownOf returns these values of all rows, one row after another.
func ownOf(k Kernel, x matrix.Matrix, threads int) (own []float64) {
	n, _ := x.Dims()
	each := owners(k)
	own = make([]float64, n*each)
	if each > 0 {
		parallel.Blocks(n, passingSingly, threads, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				appendOwn(own[:i*each], k, x.Row(i)) // there is room
			}
		})
	}
	return own
}

// evalOwn returns the bits of k.Eval(x, y) from these values of both rows.
func evalOwn(k Kernel, x, y matrix.Vector, xx, yy []float64) float64 {
	switch k := k.(type) {
	case normalised:
		last := len(xx) - 1
		if xx[last] < leastSelf || yy[last] < leastSelf {
			return 0
		}
		return k.between(evalOwn(k.of, x, y, xx[:last], yy[:last]), xx[last], yy[last])
	case combination:
		at := 0
		return k.join(func(part Kernel) float64 {
			from := at
			at += owners(part)
			return evalOwn(part, x, y, xx[from:at], yy[from:at])
		})
	}
	return k.Eval(x, y)
}
