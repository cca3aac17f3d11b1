// Package iterate holds the weights of a stochastic method in the forms in which a step costs
// as much as the row has nonzeros, however many weights there are:
//
//	Scaled    w = c (u - C h): penalties without an l1, rows of any kind
//	Soft      soft thresholds, done when a row asks for a weight
//	Link      w is the gradient of the conjugate of a squared p-norm at a sum of gradients
//	Entropic  the same for the entropy on a ball of the l1-norm: exponentiated gradients
//	Diagonal  steps of each weight's own size: AdaGrad, RMSprop, Adam
//
// It knows no loss, no step rule and no gradient estimate. It imports vec and matrix.
package iterate

import "github.com/fenchel-ml/fenchel/matrix"

// Iterate is the weights of a run: d of features and, last, that of a constant column if the
// penalty sees one; otherwise the last one stays 0.
//
// A step is Begin, any number of Add, End. Dot, between steps, is of the last iterate.
type Iterate interface {
	Dot(x matrix.Vector) float64    // <w, x>, with the constant column
	Begin(eta float64)              // a step of length eta > 0
	Add(x matrix.Vector, a float64) // a x is part of the gradient estimate
	End(weight float64)             // makes the step; the new iterate has this weight in the average
	Last(dst []float64)             // writes the iterate, d+1 numbers
	Average(dst []float64)          // writes the weighted average of the iterates, once one has a weight
	Forget()                        // begins the average anew
}

// Delayed is an iterate that also steps along a direction that has no zeros.
type Delayed interface {
	Iterate
	// Share makes the step that has begun, and later ones, go along share times h. It is called
	// before Turn.
	Share(share float64)
	// Turn is Add(x, direct), and adds early x to h for this step, late x for later ones.
	Turn(x matrix.Vector, direct, early, late float64)
	// Direct replaces h, d+1 numbers.
	Direct(h []float64)
	// Direction writes h.
	Direction(dst []float64)
}

// Batched is an iterate whose Dot changes nothing, so that several rows may be asked for at once, and that adds
// the rows of a batch on several cores. Where adding a row takes no longer than reading it, as in Scaled, two
// cores are slower than one: each reads rows that the other has in its cache.
type Batched interface {
	Iterate
	// AddRows is Add of each row with its a, in order, with the same bits: each core adds to columns of its own.
	AddRows(rows []matrix.Vector, a []float64, threads int)
}

// Ball is an iterate that can be moved, after End's step, to the nearest point of a ball.
type Ball interface {
	Iterate
	Confine(radius float64)
}

// Options say what an iterate of package iterate is for.
type Options struct {
	Columns  int     // d, features
	Constant bool    // the penalty sees a constant column
	Averaged bool    // Average is asked for
	Confined bool    // Confine is called
	L1, L2   float64 // of the penalty l1 |w|_1 + l2 |w|^2/2
	// Forward takes 1 - eta l2 for the factor of a step, where that is not negative, and not
	// 1/(1 + eta l2).
	Forward bool
}

// shrinkage returns by what a step multiplies the weights, and whether it does so before the
// gradient is taken off.
func (o *Options) shrinkage(eta float64) (factor float64, before bool) {
	if forward := 1 - float64(eta*o.L2); o.Forward && forward >= 0 {
		return forward, true
	}
	return 1 / (1 + float64(eta*o.L2)), false
}
