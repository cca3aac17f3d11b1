package pose

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// FactsOf puts together what is known of the outputs of a machine; nil: nothing is. The
// bound for several is the share of rows that are support vectors of any: without another
// row no output changes, and all of them get it right.
func FactsOf(m *model.Model, y *Labels, facts []*problem.Facts) *model.Facts {
	if m.Support == nil {
		return nil
	}
	unknown := model.Bound(math.NaN())
	total, bounded := &model.Facts{Support: m.Support.Len(), Norm: unknown, Losses: unknown, Errors: unknown, Steps: unknown, Alignment: unknown,
		Same: model.Parameters{Lambda: unknown, C: unknown, Radius: unknown, Slack: unknown, Nu: unknown}}, map[uint32]bool{}
	known, rows := true, float64(m.Data.Rows)
	for c, f := range facts {
		if f == nil {
			return nil
		}
		total.Violation = max(total.Violation, model.Bound(f.Violation))
		known = known && f.LeaveOneOut >= 0
		own := y.PairRows(c)
		for _, i := range f.Bounded {
			if own != nil {
				i = own[i]
			}
			bounded[i] = true
		}
	}
	if total.Bounded = len(bounded); math.IsInf(float64(total.Violation), 1) {
		total.Violation = unknown
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

// DescribeNetwork writes into the model of a network what is said of its point w besides the objective.
func DescribeNetwork(m *model.Model, p *problem.Network, w []float64) {
	m.Network.Gradient, m.Network.Held, m.Network.HeldLoss = model.Bound(p.Slope(w)), len(p.Held), model.Bound(math.NaN())
	if len(p.Held) > 0 {
		m.Network.HeldLoss = model.Bound(p.Loss(w, p.Held))
	}
}

// Facts are those of a machine of one output, with the weights of its model as the point. Not all
// of them are worth their cost where many machines are compared.
func (o Objective) Facts(m *model.Model, y *Labels, pt problem.Point, f *problem.Facts, all bool) *model.Facts {
	if f == nil && all {
		f = o.bounded(problem.Point{W: o.Point(pt.W, float64(m.Outputs[0].Certificate.Primal)), A: pt.A})
	}
	total := FactsOf(m, y, []*problem.Facts{f})
	if total != nil && all {
		o.single(m, total, f)
	}
	return total
}

// single adds to the facts of a machine of one output what is known of that.
func (o Objective) single(m *model.Model, total *model.Facts, f *problem.Facts) {
	g := o.Family.(MachineFamily).Gram
	put := func(dst *model.Bound, value float64, known bool) {
		if known && value-value == 0 {
			*dst = model.Bound(value)
		}
	}
	put(&total.Norm, f.Norm, f.Norm >= 0)
	put(&total.Losses, f.Losses, f.Losses >= 0)
	if m.Classes == nil || m.OneClass() || len(m.Classes) < 2 {
		return
	}
	put(&total.Errors, f.Errors, f.Errors >= 0)
	alignment, sample := gram.Alignment(g.Kernel, g.X, o.Y, g.Threads())
	total.Alignment, total.Sample = model.Bound(alignment), sample
	if !(f.Lambda > 0) {
		return
	}
	if o.Constant() == 0 {
		put(&total.Steps, math.Floor(4*slices.Max(g.Diagonal)*f.Norm*f.Norm), true)
	}
	put(&total.Same.Lambda, f.Lambda, true)
	put(&total.Same.C, 1/(f.Lambda*o.N), true)
	put(&total.Same.Radius, f.Norm, f.Norm > 0)
	put(&total.Same.Slack, f.Losses/(o.N*f.Norm), f.Norm > 0)
	put(&total.Same.Nu, f.Share, f.Share > 0)
}

// bounded returns the facts of a machine of a bounded norm or slack, at a point of its problem;
// nil: it is none.
func (o Objective) bounded(pt problem.Point) *problem.Facts {
	p, ok := o.Problem.(problem.BiCriterion)
	if _, unbounded := o.Problem.(*problem.Kernel); !ok || unbounded {
		return nil
	}
	f := &problem.Facts{Violation: math.Inf(1), LeaveOneOut: -1, Errors: -1}
	f.Norm, f.Losses = p.Criteria(pt.W)
	f.Losses *= o.N
	if lambda := ImpliedLambda(p, pt); lambda > 0 {
		f.Lambda = lambda
	}
	return f
}

// ImpliedLambda is the lambda of the problem with a penalty that has the optimal classifier of p, if
// pt is optimal; NaN: not known.
func ImpliedLambda(p problem.BiCriterion, pt problem.Point) float64 {
	switch p := p.(type) {
	case *problem.NormConstrained:
		if pt.A != nil && loss.IsHinge(p.Loss) {
			return p.ImpliedLambda(pt)
		}
	case *problem.Slack:
		if pt.A != nil {
			return p.ImpliedLambda(pt)
		}
	}
	return math.NaN()
}
