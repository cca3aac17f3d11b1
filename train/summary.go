package train

import (
	"slices"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Summary is the certificate of a model as a whole: sums over its outputs, and
// the worst of them.
type Summary struct {
	Primal, Dual, Zero float64
	Gap                float64 // relative, of the sums
	Worst              float64 // the largest relative gap of an output
	WorstOutput        int
}

// Unproved reports whether there is no lower bound at all: the method has none.
func (s Summary) Unproved() bool { return finiteOr(s.Dual, 1) != s.Dual }

// Summarise adds up the certificates of a model.
func Summarise(m *model.Model) Summary {
	var s Summary
	if m == nil {
		return s
	}
	outputs := m.Outputs
	if m.IsJoint() && len(outputs) > 0 { // each has the certificate of all
		outputs = outputs[:1]
	}
	for i, o := range outputs {
		c := o.Certificate
		s.Primal, s.Dual, s.Zero = s.Primal+float64(c.Primal), s.Dual+float64(c.Dual), s.Zero+float64(c.Zero)
		gap := problem.Relative(float64(c.Primal), float64(c.Dual), float64(c.Zero))
		if i == 0 || gap > s.Worst {
			s.Worst, s.WorstOutput = gap, i
		}
	}
	s.Gap = problem.Relative(s.Primal, s.Dual, s.Zero)
	return s
}

// endOf is the status that the final certificate supports.
func endOf(s solver.Status, gap, goal float64) solver.Status {
	switch {
	case gap <= goal && s != solver.Diverged:
		return solver.Converged
	case s == solver.Converged: // only rounding the point can have cost that
		return solver.Stalled
	}
	return s
}

// severity ranks the ends of a run, the worst last.
var severity = []solver.Status{solver.Converged, solver.EpochLimit, solver.TimeLimit, solver.Stalled, solver.Diverged, solver.Interrupted}

// worse returns the worse of two ends.
func worse(a, b solver.Status) solver.Status {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// rank is the place in severity; an end that nobody knows is the worst.
func rank(s solver.Status) int {
	if at := slices.Index(severity, s); at >= 0 {
		return at
	}
	return len(severity)
}

// Worst returns the worst of several ends, as they are stored in models.
func Worst(ends []string) solver.Status {
	worst := solver.Converged
	for _, e := range ends {
		worst = worse(worst, solver.Status(e))
	}
	return worst
}
