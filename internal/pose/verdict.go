package pose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A Verdict is what of a model's claims does not hold, and why others are neither proved nor refuted.
type Verdict struct {
	Problems []string
	Unproved string
}

// A Claim is the certificate that a model states of an output, which messages call Subject, and the one found.
type Claim struct {
	Subject       string
	Stated, Found model.Certificate
	Rounding      float64        // bounds the error of the values found,
	Alone         func() float64 // and of the objective: asked only where that matters, as it may cost a pass
	Goal          float64        // the gap asked for
	Rebuilt       bool           // the model holds no dual variables
}

// Compare notes what of a claim does not hold.
func (v *Verdict) Compare(c Claim) {
	v.objective(c)
	v.values(c)
	v.status(c)
}

// Fail notes a problem.
func (v *Verdict) Fail(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// objective compares the objective.
func (v *Verdict) objective(c Claim) {
	slack := Tolerance * FiniteOr(math.Abs(float64(c.Found.Primal)), 0)
	if Differs(c.Stated.Primal, c.Found.Primal, slack) {
		v.number(c.Subject, "objective", c.Stated.Primal, c.Found.Primal, slack, c.Alone())
	}
}

// values compares every other number.
func (v *Verdict) values(c Claim) {
	claim, found := c.Stated, c.Found
	slack := Tolerance * FiniteOr(max(math.Abs(float64(found.Primal)), math.Abs(float64(found.Dual))), 0)
	v.number(c.Subject, "objective of zero weights", claim.Zero, found.Zero, Tolerance*FiniteOr(float64(found.Zero), 0), 0)
	if near := Tolerance * FiniteOr(math.Abs(float64(found.Dual)), 0); !c.Rebuilt && claim.Dual > found.Dual { // a smaller one is true too
		v.number(c.Subject, "lower bound", claim.Dual, found.Dual, near, max(near, slack+c.Rounding))
	}
	if claim.Dual > claim.Primal+model.Bound(slack) {
		v.Fail("%s claims the lower bound %.12g, which is above its objective %.12g", c.Subject, float64(claim.Dual), float64(claim.Primal))
	}
}

// number notes a claim that is not what was found: see CompareClaim.
func (v *Verdict) number(subject, what string, claim, found model.Bound, slack, rounding float64) {
	problem, unproved := CompareClaim(subject, what, claim, found, slack, rounding)
	if problem != "" {
		v.Problems = append(v.Problems, problem)
	}
	v.Unproved = cmp.Or(unproved, v.Unproved)
}

// status notes an end that the claimed gap does not support.
func (v *Verdict) status(c Claim) {
	claim, found, goal := c.Stated, c.Found, c.Goal
	gap := problem.Relative(float64(claim.Primal), float64(claim.Dual), float64(claim.Zero))
	proved := gap // of the claim's numbers, and of those found
	if !c.Rebuilt {
		proved = max(gap, problem.Relative(float64(found.Primal), float64(found.Dual), float64(found.Zero)))
	}
	switch status := solver.Status(claim.Status); {
	case status == model.Sparsified: // whatever gap it has
	case !slices.Contains(Severity, status):
		v.Fail("%s claims the status %q, expected one of %v", c.Subject, claim.Status, Severity)
	case status == solver.Converged && !(proved <= goal*(1+Tolerance)+1e-13):
		v.Fail("%s claims to have converged to the gap %g, but its gap is %g", c.Subject, goal, proved)
	case status != solver.Converged && status != solver.Diverged && gap < goal*(1-Tolerance):
		v.Fail("%s claims the status %s, but its gap %g is below the %g asked for", c.Subject, status, gap, goal)
	}
}

// Rebuilt says why the claim of a model without dual variables, whose bound was built from its predictions, is unproved; "": it is
// true. Asked is the gap that the model was trained to.
func Rebuilt(asked, claimed, found float64) string {
	if found > max(asked, claimed) {
		return fmt.Sprintf("the model has no dual variables: from its predictions a relative gap of %.3g is proved, and %.3g is claimed", found, claimed)
	}
	return ""
}
