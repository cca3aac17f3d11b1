package newton

import (
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// Newton's method for curved losses begins at the solution of a sample: what it does
// far from the solution, half of its epochs, needs few rows.
//
// In the sample a row has the weight against the penalty that it has among all, lambda
// N: with the same lambda rare features would get weights that fit the few rows of the sample
// that have them.
//
// Rejected: the factor of the sample's H for the first steps with all rows. What is rare is
// not in it, and the steps of lambda = 1/(100n) become 20 times too long. A first H of
// a quarter of the rows: the epoch that it costs is more expensive.
const (
	startRows    = 8192 // the least sample for curved losses, which has
	startColumns = 64   // so many rows for each column; sampleShare bounds it too
	startFewest  = 16   // with fewer for each column there is none
	startDrop    = 0.01 // of P(0): the sample is solved when g^T H^-1 g is less
	startEpochs  = 10   // or after so many
)

// startSize returns the size of the sample.
func startSize(p *problem.Linear) int {
	n, d := p.Dims()
	return min(n/sampleShare, max(startRows, startColumns*d))
}

// worthStart reports whether a sample says enough: a parabola needs none.
func worthStart(p *problem.Linear) bool {
	n, d := p.Dims()
	rows := startSize(p)
	return !loss.IsQuadratic(p.Loss) && n >= fewestRows && rows >= startFewest*d && sampled(p, rows)
}

// start sets the weights to about the solution of a sample, and H up; it reports whether
// there is a factor of that of the sample.
func (s *curved) start() (factored bool) {
	part := sample(s.p, startSize(s.p))
	n, d := s.p.Dims()
	rows, _ := part.Dims()
	part.Lambda *= float64(n) / float64(rows)
	t := newCurved(part, s.loss, &problem.Point{W: make([]float64, d+1)})
	for range startEpochs {
		t.Epoch()
		if t.length == 1 && t.drop <= startDrop*s.p.Zero() {
			break
		}
	}
	copy(s.w, t.w)
	if s.hessian = t.hessian; s.hessian == nil { // conjugate gradients were enough
		return false
	}
	s.hessian.Fit(s.p) // in the same memory
	return true
}
