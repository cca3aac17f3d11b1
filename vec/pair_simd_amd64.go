//go:build !purego

package vec

// extremes does the first elements, and returns how many.
func extremes(l *extremeLanes, up, low, r []float64) (done int) {
	switch {
	case hasAVX512:
		extremesAVX512(&l.best, &l.at, up, low, r)
	case hasAVX2:
		extremesAVX2(&l.best, &l.at, up, low, r)
	default:
		return 0
	}
	return len(r) &^ 7
}

// partner does the first elements, and returns how many.
func partner(l *partnerLanes, h, diagonal, floor float64, low, r, own, row []float64) (done int) {
	switch {
	case hasAVX512:
		partnerAVX512(&l.best, &l.at, h, diagonal, floor, low, r, own, row)
	case hasAVX2:
		partnerAVX2(&l.best, &l.at, h, diagonal, floor, low, r, own, row)
	default:
		return 0
	}
	return len(r) &^ 7
}
