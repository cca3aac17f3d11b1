// Package vec holds loops over numbers, and nothing that knows what the
// numbers mean.
//
// Every function has one canonical order of operations, part of its contract:
// a fixed number of lanes, each a chain of multiply and add, and a fixed tree
// that adds the lanes. Faster versions for single processors must give the
// same bits. Products are written float64(a*b)+c because the compiler would
// otherwise fuse them on some machines and not on others; for the same reason
// Exp, Log and Log1p are our own.
//
// dst comes first. Lengths are the caller's promise; a broken one panics.
package vec

// Dot returns sum_j w[j]*x[j] over len(x) elements, in eight lanes.
func Dot(w []float64, x []float32) float64 {
	w = w[:len(x)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	j := 0
	for ; j+8 <= len(x); j += 8 {
		a, b := w[j:j+8:j+8], x[j:j+8:j+8]
		s0 += float64(a[0] * float64(b[0]))
		s1 += float64(a[1] * float64(b[1]))
		s2 += float64(a[2] * float64(b[2]))
		s3 += float64(a[3] * float64(b[3]))
		s4 += float64(a[4] * float64(b[4]))
		s5 += float64(a[5] * float64(b[5]))
		s6 += float64(a[6] * float64(b[6]))
		s7 += float64(a[7] * float64(b[7]))
	}
	for ; j < len(x); j++ {
		s0 += float64(w[j] * float64(x[j]))
	}
	return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
}

// SparseDot returns sum_k w[index[k]]*value[k], in four lanes.
func SparseDot(w []float64, index []uint32, value []float32) float64 {
	index = index[:len(value)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(value); k += 4 {
		a, b := index[k:k+4:k+4], value[k:k+4:k+4]
		s0 += float64(w[a[0]] * float64(b[0]))
		s1 += float64(w[a[1]] * float64(b[1]))
		s2 += float64(w[a[2]] * float64(b[2]))
		s3 += float64(w[a[3]] * float64(b[3]))
	}
	for ; k < len(value); k++ {
		s0 += float64(w[index[k]] * float64(value[k]))
	}
	return (s0 + s2) + (s1 + s3)
}

// Axpy adds scale*x to w, element by element.
func Axpy(w []float64, scale float64, x []float32) {
	w = w[:len(x)]
	for j, v := range x {
		w[j] += float64(scale * float64(v))
	}
}

// SparseAxpy adds scale*value[k] to w[index[k]], in the order of k.
func SparseAxpy(w []float64, scale float64, index []uint32, value []float32) {
	index = index[:len(value)]
	for k, v := range value {
		w[index[k]] += float64(scale * float64(v))
	}
}

// SquaredNorm returns sum_j x[j]^2 of single-precision numbers, in four lanes.
func SquaredNorm(x []float32) float64 {
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+4 <= len(x); j += 4 {
		b := x[j : j+4 : j+4]
		s0 += float64(float64(b[0]) * float64(b[0]))
		s1 += float64(float64(b[1]) * float64(b[1]))
		s2 += float64(float64(b[2]) * float64(b[2]))
		s3 += float64(float64(b[3]) * float64(b[3]))
	}
	for ; j < len(x); j++ {
		s0 += float64(float64(x[j]) * float64(x[j]))
	}
	return (s0 + s2) + (s1 + s3)
}

// SquaredNorm64 is SquaredNorm of double-precision numbers.
func SquaredNorm64(x []float64) float64 {
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+4 <= len(x); j += 4 {
		b := x[j : j+4 : j+4]
		s0 += float64(b[0] * b[0])
		s1 += float64(b[1] * b[1])
		s2 += float64(b[2] * b[2])
		s3 += float64(b[3] * b[3])
	}
	for ; j < len(x); j++ {
		s0 += float64(x[j] * x[j])
	}
	return (s0 + s2) + (s1 + s3)
}

// Shrink moves x towards zero by t, but not past it (soft thresholding): how
// far x is outside [-t, t], with its sign.
func Shrink(x, t float64) float64 {
	switch {
	case x > t:
		return x - t
	case x < -t:
		return x + t
	}
	return 0
}

// Sum is a running sum with compensation (Neumaier): its error stays below two
// rounding errors of the result plus n*eps^2 of the sum of magnitudes, however
// many numbers are added. The zero value is an empty sum.
type Sum struct{ sum, lost float64 }

// Add adds x. The conversion keeps a product that the caller passes from being
// fused into the additions.
func (s *Sum) Add(x float64) {
	x = float64(x)
	t := s.sum + x
	if abs(s.sum) >= abs(x) {
		s.lost += (s.sum - t) + x
	} else {
		s.lost += (x - t) + s.sum
	}
	s.sum = t
}

// Value returns the sum so far.
func (s *Sum) Value() float64 {
	if total := s.sum + s.lost; total == total {
		return total
	}
	return s.sum // infinite: the compensation is then meaningless
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
