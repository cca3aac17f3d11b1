package train

import (
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// MachineFacts are what is known of a kernel machine besides its gap; see problem.Facts.
type MachineFacts struct {
	Support, Bounded int     // support vectors; those at their bound in some output
	Violation        float64 // of the KKT conditions, the largest of all outputs; +Inf: not known

	// Of one output with lambda or C: |w|, and the sum of the weighted losses, of the hinge the
	// slacks; -1: not known. 1/|w| is the distance of the margin from the boundary.
	Norm, Losses float64

	// LeaveOneOut bounds the share of rows that a model trained without them gets wrong,
	// if this one is optimal; nil: it is not known. By names the bound.
	LeaveOneOut *float64
	By          string
}

// summarise puts together what is known of the outputs of a machine; nil: nothing is. The
// bound for several is the share of rows that are support vectors of any: without another
// row no output changes, and all of them get it right.
func (j *job) summarise(m *model.Model, facts []*problem.Facts) *MachineFacts {
	if m.Support == nil {
		return nil
	}
	total, bounded := &MachineFacts{Support: m.Support.Len(), Norm: -1, Losses: -1}, map[uint32]bool{}
	known, rows := true, float64(m.Data.Rows)
	for c, f := range facts {
		if f == nil {
			return nil
		}
		total.Violation = max(total.Violation, f.Violation)
		known = known && f.LeaveOneOut >= 0
		own := j.labels.pairRows(c)
		for _, i := range f.Bounded {
			if own != nil {
				i = own[i]
			}
			bounded[i] = true
		}
	}
	total.Bounded = len(bounded)
	if len(facts) == 1 && m.Statement.Nu == 0 {
		total.Norm, total.Losses = facts[0].Norm, facts[0].Losses
	}
	if !known {
		return total
	}
	share := float64(total.Support) / rows
	if total.By = "support vectors"; len(facts) == 1 {
		share, total.By = float64(facts[0].LeaveOneOut)/rows, facts[0].LeaveOneOutBy
	}
	total.LeaveOneOut = &share
	return total
}
