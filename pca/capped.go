package pca

// projectCapped replaces sigma by its projection on {0 <= s <= 1, sum s = k, at
// most size of them not 0}, in the Frobenius norm; k <= size.
//
// All beyond the size largest become 0, of equal values the later ones; the rest
// is projected among itself, where S may be positive, because what was dropped
// may have carried more than the step added. Dropping the smallest is optimal:
// if a were dropped and b <= a kept at t >= 0, then giving t to a and 0 to b
// changes the squared distance by -2t(a-b) <= 0. The thesis (6.3) tries all
// subsets instead: the twin in the tests.
func (f *fantope) projectCapped(sigma []float64, size int, k float64) {
	if len(sigma) == 0 {
		return
	}
	f.sort(sigma)
	dropped := f.order[min(size, len(sigma)):]
	f.order = f.order[:min(size, len(sigma))]
	pivot, s := f.solve(sigma, nil, k)
	clipShifted(sigma, sigma[pivot], s)
	for _, i := range dropped {
		sigma[i] = 0
	}
}
