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

const (
	// dearMatrix is the number of passes over the data from which on, with sparse rows many
	// times the columns, conjugate gradients find d sooner than the matrix.
	dearMatrix = 200

	// cheapMatrix is the number of passes up to which each epoch has an H of its own, which
	// then costs no more than an epoch.
	cheapMatrix = 8

	// productPasses bounds the products that a factor of H is kept for: one for so many
	// passes that a new one costs, which is half as many as take as long as that. With fewer
	// than leastScaled the factor itself must serve. Not where curvatures jump: once fewer
	// rows are curved than there are columns, a factor of other rows says nothing (squared
	// hinge on clusters far apart does not converge so).
	productPasses = 8
	leastScaled   = 3

	// Dense rows begin with conjugate gradients if H costs leastMatrix products, and go
	// over to it when trialSteps steps take more than a share of these, or all steps more
	// than all. Where columns are nearly independent, whatever their scales, a step takes
	// 2 to 6 products, else soon 20 to 60; the first step says little.
	denseProducts = 3.2 // products that take as long as one pass of hessian.Time
	leastMatrix   = 15
	trialSteps    = 2
	trialShare    = 5
)
