package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/problem"
)

// truncated finds steps by conjugate gradients, for more columns than a matrix can have
// (truncated Newton; Lin, Weng, Keerthi 2008).
//
//	Ends      when the residual is a tenth of g, less where Newton's method
//	          begins to converge: (|g|/|g of the first epoch|)^(1/2), but at least a
//	          twentieth, because a run may be over sooner; or after so many products
//	          that an epoch would be endless, or a new factor cheaper
//
// Rejected, logistic on rcv1's shape: H of every fourth row, the diagonal and the gradient
// of all, as rare columns ask for more products and epochs; to begin at the solution of an
// eighth of the rows, which fits its rare columns; the diagonal of every eighth row, or H
// without the rows that have 2 % of the curvature, either of which doubles the products.
type truncated struct {
	*hessian.Conjugate
	most  int     // products of a step of Newton's method
	first float64 // |g| of the first epoch
	since int     // products since the scale was made
	last  int     // products of the last step
	steps int     // of Newton's method so far,
	spent int     // and their products

	matrix int // so many products take as long as H, see curved.prepare; 0: it is not the alternative
}

const (
	mostProducts = 100
	mostSince    = 10 // a diagonal costs as much as a product
)

func newTruncated(p *problem.Linear) *truncated {
	return &truncated{Conjugate: hessian.NewConjugate(p), most: mostProducts}
}

// step sets x to nearly -H^-1 g, and move to X x.
func (m *truncated) step(x, move, g []float64, p *problem.Linear, c []float64) {
	size := math.Sqrt(parts.Inner(g, g))
	if m.first == 0 {
		m.first = size
	}
	if m.Factor == nil && (m.since == 0 || m.since > mostSince) {
		m.Prepare(p, c)
		m.since = 0
	}
	goal := size * min(0.1, max(0.05, math.Sqrt(size/m.first)))
	m.last = m.Solve(x, move, g, goal, m.most, p, c)
	m.since += m.last
	m.spent += m.last
	m.steps++
}

// worth returns how many products the next step may take, where there may be a matrix
// instead.
func (m *truncated) worth() int {
	if m.steps < trialSteps {
		return m.matrix/trialShare + 1 - m.spent
	}
	return min(m.matrix-m.spent, mostProducts)
}
