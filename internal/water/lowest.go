package water

// Lowest covers the k lowest of the heights c, whatever water that takes. Where
// the highest of them are level with others, these share what is left; see
// [Filling.Covered].
func (w *Filling) Lowest(c []float64, k int) {
	w.prepare(c, nil)
	b := &w.basins[0]
	lo, hi := b.strain()
	if b.missed(k <= lo || k > hi) {
		lo, hi = 0, len(b.row)
	}
	b.place(lo, hi, k-1)
	b.tie(k, lo, hi)
}

// Last returns the row of the k-th lowest height, after [Filling.Lowest].
func (w *Filling) Last() int { return int(w.basins[0].row[w.basins[0].sure]) }
