package oja

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Oja is the stochastic power method: stochastic gradient ascent on tr(U Sigma U^T).
//
//	U <- orth( U + eta_t y x^T ),   y = U x
//
// Whatever orthonormalises the rows, and however seldom, the subspace is the same,
// for U_t = R_t U_{t-1} (I + eta_t x x^T) with some k x k matrix R_t; it is only
// needed because without it all rows of U turn to the first component.
//
// "lazy" does it by Gram and Schmidt when the condition of U may be above 10^4: of
// V = U (I + eta x x^T) the trace of V V^T is known without reading V. "polar"
// does it in every step, by multiplying with the inverse root of
//
//	V V^T = I + c y y^T,   c = 2 eta + eta^2 |x|^2,
//
// which again is a move by one vector; "qr" in every step by Gram and Schmidt.
//
// Returned: U, made orthonormal. Cost of a step: O(k d), of qr O(k^2 d); of lazy on
// sparse rows without an offset O(k nonzeros), and O(k^2 d) each time that U has grown.
//
// Oja and Karhunen 1985; thesis 4.3; polar: reference 2.3. Steps C/max(t, Burn) are
// those of Jain et al. 2016, whose C is 1/gap times a constant.
type Oja struct {
	Steps     schedule.Schedule
	Normalise string // lazy, polar or qr
}

func init() {
	method.Register("oja", "stochastic power method, k d numbers; normalise=lazy|polar|qr, "+schedulesHelp,
		func(p *registry.Params) (method.Method, error) {
			return Oja{stepsOf(p), p.Choice("normalise", "lazy", "polar", "qr")}, p.Err()
		})
}

// schedulesHelp are the parameters that stepsOf reads.
const schedulesHelp = "schedule=inverse|sqrt|constant, c=100|1|0.01, burn=100"

// Start implements Streaming.
func (m Oja) Start(p method.Problem) method.State { return newRankOne(p, m.rule(), m.Steps) }

// longestStep is the most that eta |x|^2 may be where a step of any length is
// stable: x is in U then but for one part in a thousand.
const longestStep = 1e3

func (m Oja) rule() rule {
	switch m.Normalise {
	case "polar":
		return rule{longest: longestStep, move: polar, every: algebra.SteadySteps}
	case "qr":
		return rule{longest: longestStep, every: 1}
	}
	return rule{longest: longestStep, most: 1e8, every: 0}
}

// polar is the move of Oja's step and of what makes it orthonormal. With q = c yy
// the inverse root is I + f y y^T / yy, f = 1/sqrt(1+q) - 1, and
//
//	U'' = U + y ( (1+f) eta x + (f/yy) U^T y )^T.
func polar(eta, xx, yy float64) (alpha, beta float64) {
	long := 2 + float64(eta*xx)
	root := math.Sqrt(1 + float64(eta*yy*long))
	return eta / root, -eta * long / (root * (1 + root))
}

// stepsOf reads a schedule. Its defaults are within a factor of two or so of the
// best on images and on forms, from 10^4 to 10^5 rows.
func stepsOf(p *registry.Params) schedule.Schedule {
	switch p.Choice("schedule", "inverse", "sqrt", "constant") {
	case "sqrt":
		return schedule.InverseRoot{C: schedule.Positive(p, "c", 1)}
	case "constant":
		return schedule.Constant{C: schedule.Positive(p, "c", 0.01)}
	}
	return schedule.Inverse{C: schedule.Positive(p, "c", 100), Burn: schedule.Positive(p, "burn", 100)}
}
