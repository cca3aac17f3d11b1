package algebra

import "github.com/fenchel-ml/fenchel/internal/vec"

// Scale multiplies x by a number.
func Scale(x []float64, by float64) {
	for j := range x {
		x[j] *= by
	}
}

// Zeros returns n zeros in the memory of x, if there is enough.
func Zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, n+n/2)
	}
	x = x[:n]
	clear(x)
	return x
}

// Combine returns the product of v, r x m, and q, m x d, in the memory of out if
// there is enough.
func Combine(out, v, q []float64, r, m, d int) []float64 {
	var lines [][]float64
	for j := range m {
		lines = append(lines, q[j*d:(j+1)*d])
	}
	return CombineLines(out, v, lines, r, d)
}

// CombineLines is combine by strips of q that stay in the first cache.
func CombineLines(out, v []float64, lines [][]float64, r, d int) []float64 {
	const strip = 256
	out = Zeros(out, r*d)
	m := len(lines)
	for lo := 0; lo < d; lo += strip {
		hi := min(lo+strip, d)
		for i := range r {
			vec.AddRows64(out[i*d+lo:i*d+hi], lines, lo, v[i*m:(i+1)*m])
		}
	}
	return out
}

// Total returns the sum.
func Total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// Symmetrise makes s what it is but for the order of terms.
func Symmetrise(s []float64, d int) {
	for i := range d {
		for j := range i {
			mean := (s[i*d+j] + s[j*d+i]) / 2
			s[i*d+j], s[j*d+i] = mean, mean
		}
	}
}

// Divide divides x by a number.
func Divide(x []float64, by float64) {
	for i := range x {
		x[i] /= by
	}
}
