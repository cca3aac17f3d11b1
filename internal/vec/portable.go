package vec

import "math"

// lanes is the number of partial sums of a dense sum. Thirty-two hide the
// latency of the multiply-add on all processors that we know; sixteen take as
// long on rows of 14 to 300 elements, and Dot64 takes a quarter longer with them
// at 784 elements, and half as long again at 2000.
const lanes = 32

type Float interface{ float32 | float64 }

// product is the dense sum of a[j]*b[j] in plain Go; the slices have the same
// length. It passes over them once for every eight lanes, because those fit
// into registers.
func product[A, B Float](a []A, b []B) float64 {
	var s [lanes]float64
	for l := 0; l < lanes && l < len(b); l += 8 {
		eightLanes((*[8]float64)(s[l:]), a[l:], b[l:])
	}
	var eight [8]float64
	for l := range eight {
		eight[l] = (s[l] + s[8+l]) + (s[16+l] + s[24+l])
	}
	return AddLanes(&eight)
}

// eightLanes sums the first eight products of every 32.
func eightLanes[A, B Float](s *[8]float64, a []A, b []B) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for len(b) >= 8 && len(a) >= 8 {
		x, y := (*[8]A)(a), (*[8]B)(b)
		s0 = math.FMA(float64(x[0]), float64(y[0]), s0)
		s1 = math.FMA(float64(x[1]), float64(y[1]), s1)
		s2 = math.FMA(float64(x[2]), float64(y[2]), s2)
		s3 = math.FMA(float64(x[3]), float64(y[3]), s3)
		s4 = math.FMA(float64(x[4]), float64(y[4]), s4)
		s5 = math.FMA(float64(x[5]), float64(y[5]), s5)
		s6 = math.FMA(float64(x[6]), float64(y[6]), s6)
		s7 = math.FMA(float64(x[7]), float64(y[7]), s7)
		next := min(lanes, len(b))
		a, b = a[next:], b[next:]
	}
	*s = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	for l, y := range b {
		s[l] = math.FMA(float64(a[l]), float64(y), s[l])
	}
}

// tree adds eight lanes; a zero becomes +0.
func AddLanes(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])) + 0
}

func axpyPortable[X Float](dst []float64, scale float64, x []X) {
	dst = dst[:len(x)]
	for j, v := range x {
		dst[j] = math.FMA(scale, float64(v), dst[j])
	}
}

func scaledAddPortable(dst []float64, alpha, beta float64, x []float64) {
	dst = dst[:len(x)]
	for j, v := range x {
		dst[j] = math.FMA(beta, v, float64(alpha*dst[j]))
	}
}

func addRowsPortable[T Float](dst []float64, rows [][]T, first int, c []float64) {
	for k, row := range rows {
		for j, x := range row[first:][:len(dst)] {
			dst[j] = math.FMA(c[k], float64(x), dst[j])
		}
	}
}

// sparseDotPortable is the sparse sum in plain Go.
func sparseDotPortable[X Float](w []float64, index []uint32, value []X) float64 {
	index = index[:len(value)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for len(value) >= 8 && len(index) >= 8 {
		j, v := (*[8]uint32)(index), (*[8]X)(value)
		s0 = math.FMA(w[j[0]], float64(v[0]), s0)
		s1 = math.FMA(w[j[1]], float64(v[1]), s1)
		s2 = math.FMA(w[j[2]], float64(v[2]), s2)
		s3 = math.FMA(w[j[3]], float64(v[3]), s3)
		s4 = math.FMA(w[j[4]], float64(v[4]), s4)
		s5 = math.FMA(w[j[5]], float64(v[5]), s5)
		s6 = math.FMA(w[j[6]], float64(v[6]), s6)
		s7 = math.FMA(w[j[7]], float64(v[7]), s7)
		index, value = index[8:], value[8:]
	}
	s := [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	for l, v := range value {
		s[l] = math.FMA(w[index[l]], float64(v), s[l])
	}
	return AddLanes(&s)
}

func sparseAxpyPortable[X Float](w []float64, scale float64, index []uint32, value []X) {
	index = index[:len(value)]
	for k, v := range value {
		j := index[k]
		w[j] = math.FMA(scale, float64(v), w[j])
	}
}
