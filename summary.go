package fenchel

import (
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
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
func (s Summary) Unproved() bool { return pose.FiniteOr(s.Dual, 1) != s.Dual }

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
