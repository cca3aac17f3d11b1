package vec

// Dot returns sum_j w[j]*x[j] over len(x) elements: a dense sum.
func Dot(w []float64, x []float32) float64 { return dot(w[:len(x)], x) }

// Dot64 returns sum_j x[j]*y[j] over len(y) elements: a dense sum.
func Dot64(x, y []float64) float64 { return dot64(x[:len(y)], y) }

// SquaredNorm returns sum_j x[j]^2 in double precision: a dense sum.
func SquaredNorm(x []float32) float64 { return squaredNorm(x) }

// SquaredNorm64 returns sum_j x[j]^2: a dense sum.
func SquaredNorm64(x []float64) float64 { return dot64(x, x) }

// Axpy adds scale*x to the first len(x) elements of dst, each with one
// rounding: dst[j] = fma(scale, x[j], dst[j]).
func Axpy(dst []float64, scale float64, x []float32) { axpy(dst[:len(x)], scale, x) }

// Axpy64 is Axpy for double-precision x.
func Axpy64(dst []float64, scale float64, x []float64) { axpy64(dst[:len(x)], scale, x) }

// ScaledAdd replaces the first len(x) elements of dst by alpha*dst + beta*x:
// dst[j] = fma(beta, x[j], alpha*dst[j]).
func ScaledAdd(dst []float64, alpha, beta float64, x []float64) {
	scaledAdd(dst[:len(x)], alpha, beta, x)
}

// DenseDots sets dst[k] to the Dot of w and row k of the rows of len(w) elements that x has one
// after another. Short rows need no lanes beside their elements: a call for each would cost more
// than the row.
func DenseDots(dst, w []float64, x []float32) {
	d := len(w)
	x = x[:len(dst)*d]
	if d > 8 {
		for k := range dst {
			dst[k] = dot(w, x[k*d:(k+1)*d])
		}
		return
	}
	var c, s [8]float64
	copy(c[:], w)
	for k := range dst {
		for j, v := range x[k*d : (k+1)*d] {
			s[j&7] = c[j&7] * float64(v)
		}
		dst[k] = AddLanes(&s)
	}
}

// DenseAxpys adds to w the rows of DenseDots, each times its element of scale: Axpy for every row
// whose scale is not 0, in order.
func DenseAxpys(w, scale []float64, x []float32) {
	const most = 64 // rows at a time
	var rows [most][]float32
	var factor [most]float64
	d, n := len(w), 0
	x = x[:len(scale)*d]
	for k, s := range scale {
		if s != 0 {
			rows[n], factor[n] = x[k*d:(k+1)*d], s
			n++
		}
		if n == most || n > 0 && k == len(scale)-1 {
			AddRows32(w, rows[:n], 0, factor[:n])
			n = 0
		}
	}
}

// AddRows32 adds to each dst[j] the terms c[k]*rows[k][first+j], in the order of
// k and with one rounding each. It reads dst once for many rows.
func AddRows32(dst []float64, rows [][]float32, first int, c []float64) {
	if checkRows(len(dst), rows, first, c) {
		addRows32(dst, rows, first, c)
	}
}

// AddRows64 is AddRows32 for rows in double precision.
func AddRows64(dst []float64, rows [][]float64, first int, c []float64) {
	if checkRows(len(dst), rows, first, c) {
		addRows64(dst, rows, first, c)
	}
}

// checkRows panics unless there is what AddRows32 reads, and returns whether
// that is anything.
func checkRows[T Float](n int, rows [][]T, first int, c []float64) bool {
	if len(rows) != len(c) {
		panic("vec: rows without factors, or factors without rows")
	}
	for _, row := range rows {
		if first < 0 || first > len(row)-n {
			panic("vec: a row that is too short")
		}
	}
	return n > 0 && len(rows) > 0
}
