package train

import (
	"context"
	"errors"
	"slices"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver/leaveout"
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

// Span applies the span rule to f, a machine of two classes that was trained by spec on its part.
func (f *Fitted) Span(ctx context.Context, spec Spec) (*leaveout.Span, error) {
	p := f.part
	spec.Threads, spec.Cache, spec.Kernel, spec.Scaling = p.threads, p.stage.spec.Cache, p.stage.spec.Kernel, p.stage.spec.Scaling
	j := &job{spec: spec, set: p.set, part: p}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	k, ok := j.first.Problem.(*problem.Kernel)
	if !ok || len(f.points) != 1 || f.Machine == nil {
		return nil, errors.New("the span rule is for kernel machines of two classes with lambda or C: expected one, or folds")
	}
	point := problem.Point{W: slices.Clone(f.points[0].W), A: f.points[0].A}
	if point.A != nil { // weights that begin at another solution may have none of their own
		k.Weights(point.W, point.A)
	}
	c := k.Certify(point)
	if c.Facts == nil {
		return nil, errors.New("the span rule is for convex losses: expected hinge or squared-hinge, or folds")
	}
	return leaveout.NewSpan(k, point.W, c.Facts.Violation)
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
