package penalty

// denoise writes to dst the x that minimises |x-v|^2/2 + step sum_j |x_{j+1} - x_j|, by dynamic
// programming (Johnson 2013). dst may be v.
//
//	Symbols   phi_k(x) the least of the terms up to the k-th as a function of x_k: convex, its
//	          derivative piecewise linear and rising from -step to step once it is clipped
//	Update    phi'_{k+1}(x) = x - v_{k+1} + phi'_k(x) clipped to [-step, step]; lo_k and hi_k, where
//	          phi'_k is -step and step; the clipping removes the knots outside, and adds these two
//	Returned  x_n, where phi'_n is 0, and back from there x_k = x_{k+1} clipped to [lo_k, hi_k]
//	Cost      O(n): each knot is added once and removed once
func denoise(dst, v []float64, step float64) {
	n := len(v)
	if n < 2 || !(step > 0) {
		copy(dst, v)
		return
	}
	k := newKnots(n, v[0], step)
	lo, hi := make([]float64, n-1), make([]float64, n-1)
	lo[0], hi[0] = v[0]-step, v[0]+step
	for j := 1; j < n-1; j++ {
		lo[j], hi[j] = k.clip(v[j], step)
	}
	x := k.zero(v[n-1], step)
	dst[n-1] = x
	for j := n - 2; j >= 0; j-- {
		x = min(max(x, lo[j]), hi[j])
		dst[j] = x
	}
}

// knots are where the slope of a clipped derivative changes, and by what line: left of all it is
// -step, and each adds slope x + level.
type knots struct {
	at          []float64
	line        []line
	first, last int // range of the knots in use
}

// A line is slope x + level.
type line struct{ slope, level float64 }

func (l line) plus(m line) line          { return line{l.slope + m.slope, l.level + m.level} }
func (l line) minus(m line) line         { return line{l.slope - m.slope, l.level - m.level} }
func (l line) reaches(y float64) float64 { return (y - l.level) / l.slope }
func (l line) value(x float64) float64   { return float64(l.slope*x) + l.level }

// newKnots returns those of x - v clipped to [-step, step].
func newKnots(n int, v, step float64) *knots {
	k := &knots{at: make([]float64, 2*n), line: make([]line, 2*n), first: n - 1, last: n}
	k.at[n-1], k.line[n-1] = v-step, line{1, -v + step}
	k.at[n], k.line[n] = v+step, line{-1, v + step}
	return k
}

// clip adds x - v to the derivative and clips the sum to [-step, step]. It returns where these two
// are reached.
func (k *knots) clip(v, step float64) (lo, hi float64) {
	left := k.fromLeft(line{1, -v - step}, -step)
	lo = left.reaches(-step)
	right := line{1, -v + step} // right of all knots
	for k.last >= k.first && right.value(k.at[k.last]) >= step {
		right = right.minus(k.line[k.last])
		k.last--
	}
	hi = right.reaches(step)
	k.first--
	k.at[k.first], k.line[k.first] = lo, line{left.slope, left.level + step}
	k.last++
	k.at[k.last], k.line[k.last] = hi, line{-right.slope, step - right.level}
	return lo, hi
}

// zero returns where the derivative with x - v is 0.
func (k *knots) zero(v, step float64) float64 {
	return k.fromLeft(line{1, -v - step}, 0).reaches(0)
}

// fromLeft removes the knots at which a line from the left, and all it meets, is at most y, and
// returns the line that it is then.
func (k *knots) fromLeft(l line, y float64) line {
	for k.first <= k.last && l.value(k.at[k.first]) <= y {
		l = l.plus(k.line[k.first])
		k.first++
	}
	return l
}
