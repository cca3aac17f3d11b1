package fenchel

import (
	"time"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
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

// Result is what Train made.
type Result struct {
	Model   *model.Model
	Status  solver.Status // the worst of all classes
	Summary Summary
	N       float64 // the sum of the row weights
	C       float64 // 1/(lambda N), where the problem has a lambda; as the Spec has it, if it has one
	Epochs  int     // epochs of all classes together
	Why     string  // the solver was chosen; "" if it was asked for
	BiasWhy string  // why the bias is not the usual default, where the Spec names none; "": it is the usual one

	Ended         string // how a method without proof ended by itself; "": otherwise
	Unproved      string // why there is no gap; "": there is one
	ProvesNothing bool   // no gap can be proved by this solver or with this kernel: success is that all its passes were made

	// Margins are, of classes with nu, the margin rho of each output in the unit of its scores:
	// LIBSVM divides those of nu_svc by it. 1 where it is not above 0; nil: not classes with nu.
	Margins []float64

	Evaluations gram.Counts // number of kernel values computed in training; those of certificates are not counted

	// The time spent in solvers, and before in mapping rows, and in certificates,
	// added up over classes that may have run at the same time.
	Train, Certify time.Duration
	Warnings       []error

	constant error // all rows get one class by scores above 0; nil: not, or it is not known
}
