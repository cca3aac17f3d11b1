package linear

// arrive is slope with all that belongs to it in one pass over the data: before it dst
// becomes X u, unless that is nil, and after it g becomes X^T v. A block of rows is in the
// cache when it is added.
func (s *curved) arrive(dst, u []float64, t float64) (first, second float64) {
	sums := make([][2]float64, len(s.a)/blockRows+1) // of each part, which is blockRows at least
	s.p.SumTo(s.g, func(sum []float64, lo, hi int) {
		total := &sums[lo/blockRows]
		for ; lo < hi; lo += blockRows {
			end := min(lo+blockRows, hi)
			if u != nil {
				predict(dst, s.p.X, lo, end, u)
			}
			x, y := s.slopes(t, lo, end)
			total[0] += x
			total[1] += y
			addRows(sum, s.p, lo, s.v[lo:end])
		}
	})
	for _, total := range sums {
		first += total[0]
		second += total[1]
	}
	return s.penalise(first, second, t)
}

// settle says that g is that of this point, but for the penalty, which it adds.
func (s *curved) settle() {
	addPenalty(s.g, s.p, s.w)
	s.current = true
}
