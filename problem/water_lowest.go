package problem

// Lowest covers the k lowest of the heights c, whatever water that takes. Where
// the highest of them are level with others, these share what is left; see
// [Water.Covered].
func (w *Water) Lowest(c []float64, k int) {
	w.prepare(c, nil)
	b := &w.basins[0]
	lo, hi := b.strain()
	if b.missed(k <= lo || k > hi) {
		lo, hi = 0, len(b.row)
	}
	b.place(lo, hi, k-1)
	b.tie(k, lo, hi)
}
