//go:build !purego

package vec

// extremes does the first elements, and returns how many.
func extremes(l *extremeLanes, up, low, r []float64) (done int) {
	if hasAVX2 {
		extremesAVX2(&l.best, &l.at, up, low, r)
	} else {
		return 0
	}
	return len(r) &^ 7
}

// partner does the first elements, and returns how many.
func partner(l *partnerLanes, h, diagonal, floor float64, low, r, own, row []float64) (done int) {
	if hasAVX2 {
		partnerAVX2(&l.best, &l.at, h, diagonal, floor, low, r, own, row)
	} else {
		return 0
	}
	return len(r) &^ 7
}
