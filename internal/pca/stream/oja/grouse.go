package oja

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// GROUSE turns U, along a geodesic of the Grassmannian, towards a row:
//
//	U <- U + [ (cos theta - 1) p/|p| + sin theta r/|r| ] w^T/|w|
//	w = U x,   p = U^T w,   r = x - p,   theta = eta_t |r| |w|
//
// (here U has the directions as rows, so the bracket is multiplied from the left by
// w/|w|). The step is |x - U^T U x|^2's gradient; to first order it is Oja's. Where
// x is in U or orthogonal to it nothing moves. U stays orthonormal but for rounding,
// which Gram and Schmidt remove every thousand rows.
//
// The greedy step, theta = arctan(|r|/|w|), puts x into U; it needs no step size but
// never settles. No step goes beyond it.
//
// Returned: U. Cost of a step: O(k d).
//
// Balzano, Nowak and Recht 2010, with all of a row observed; reference 2.4.
type GROUSE struct{ Steps schedule.Schedule } // nil: greedy

func init() {
	method.Register("grouse", "gradient on the Grassmannian; step=schedule|greedy, "+schedulesHelp,
		func(p *registry.Params) (method.Method, error) {
			m := GROUSE{stepsOf(p)}
			if p.Choice("step", "schedule", "greedy") == "greedy" {
				m.Steps = nil
			}
			return m, p.Err()
		})
}

// Start implements Streaming.
func (m GROUSE) Start(p method.Problem) method.State {
	r, steps := rule{longest: longestStep, move: geodesic, every: algebra.SteadySteps}, m.Steps
	if steps == nil {
		r.move, steps = greedy, schedule.Constant{C: 1}
	}
	return newRankOne(p, r, steps)
}

// geodesic is the move of an angle eta |r| |w|, or of the greedy angle if that is
// smaller; xx is |x|^2, yy is |w|^2 = |p|^2.
func geodesic(eta, xx, yy float64) (alpha, beta float64) {
	residual := max(0, xx-yy)
	if yy <= algebra.Negligible*algebra.Negligible*xx {
		return 0, 0
	}
	product := math.Sqrt(residual) * math.Sqrt(yy)
	turns := eta * product / (2 * math.Pi)
	sine, half := elementary.Sin(turns), elementary.Sin(turns/2)
	if turns >= 0.25 || float64(sine*sine)*xx >= residual && residual > 0 {
		return greedy(eta, xx, yy)
	}
	alpha = eta // the limit of sin theta / (|r| |w|)
	if product > 0 {
		alpha = sine / product
	}
	return alpha, -2*half*half/yy - alpha
}

// greedy replaces p/|p| by x/|x|: then sin theta = |r|/|x| and cos theta = |w|/|x|, and
//
//	(cos theta - 1) p/|w| + sin theta r/|r| = x/|x| - p/|w|.
func greedy(_, xx, yy float64) (alpha, beta float64) {
	if yy <= algebra.Negligible*algebra.Negligible*xx {
		return 0, 0
	}
	return 1 / (math.Sqrt(xx) * math.Sqrt(yy)), -1 / yy
}
