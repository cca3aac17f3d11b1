package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// summarise puts together what is known of the outputs of a machine; nil: nothing is. The
// bound for several is the share of rows that are support vectors of any: without another
// row no output changes, and all of them get it right.
func summarise(m *model.Model, y *labels, facts []*problem.Facts) *model.Facts {
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
		own := y.pairRows(c)
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

// describe computes the facts of a machine with the points of its outputs.
func (j *job) describe(m *model.Model, points []problem.Point, facts []*problem.Facts) error {
	if m.Support == nil || len(facts) > 1 {
		m.Facts = summarise(m, j.labels, facts)
		return nil
	}
	p, err := j.problem(0)
	if err != nil {
		return err
	}
	m.Facts = p.facts(m, j.labels, points[0], facts[0], j.part == nil)
	return nil
}

// facts are those of a machine of one output, with the weights of its model as the point. Not all
// of them are worth their cost where many machines are compared.
func (o objective) facts(m *model.Model, y *labels, pt problem.Point, f *problem.Facts, all bool) *model.Facts {
	if f == nil && all {
		f = o.bounded(problem.Point{W: o.point(pt.W, float64(m.Outputs[0].Certificate.Primal)), A: pt.A})
	}
	total := summarise(m, y, []*problem.Facts{f})
	if total != nil && all {
		o.single(m, total, f)
	}
	return total
}

// single adds to the facts of a machine of one output what is known of that.
func (o objective) single(m *model.Model, total *model.Facts, f *problem.Facts) {
	g := o.family.(machineFamily).gram
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
	alignment, sample := kernel.Alignment(g.Kernel, g.X, o.Y, g.Threads())
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
func (o objective) bounded(pt problem.Point) *problem.Facts {
	p, ok := o.Problem.(problem.BiCriterion)
	if _, unbounded := o.Problem.(*problem.Kernel); !ok || unbounded {
		return nil
	}
	f := &problem.Facts{Violation: math.Inf(1), LeaveOneOut: -1, Errors: -1}
	f.Norm, f.Losses = p.Criteria(pt.W)
	f.Losses *= o.N
	if lambda := impliedLambda(p, pt); lambda > 0 {
		f.Lambda = lambda
	}
	return f
}

// impliedLambda is the lambda of the problem with a penalty that has the optimal classifier of p, if
// pt is optimal; NaN: not known.
func impliedLambda(p problem.BiCriterion, pt problem.Point) float64 {
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

// facts compares what a model says of itself besides its proof with what training writes of it.
// A number where training knows none is false; what the model does not say is not proved, nor what
// it may have known by dual variables that it does not hold.
func (v *Verification) facts(claim, found *model.Facts) {
	if claim == nil || found == nil {
		if claim != nil || found != nil {
			v.Unproved = fmt.Sprintf("the model holds facts of its machine: found %t, expected %t, as training writes them", claim != nil, found != nil)
		}
		return
	}
	share := func(p *float64) model.Bound {
		if p == nil {
			return model.Bound(math.NaN())
		}
		return model.Bound(*p)
	}
	for _, c := range []struct {
		what         string
		claim, found model.Bound
	}{
		{"number of support vectors", model.Bound(claim.Support), model.Bound(found.Support)}, {"number of bounded vectors", model.Bound(claim.Bounded), model.Bound(found.Bounded)},
		{"violation", claim.Violation, found.Violation}, {"norm", claim.Norm, found.Norm}, {"sum of losses", claim.Losses, found.Losses}, {"weight of errors", claim.Errors, found.Errors},
		{"bound on steps", claim.Steps, found.Steps}, {"alignment", claim.Alignment, found.Alignment}, {"rows of the alignment", model.Bound(claim.Sample), model.Bound(found.Sample)},
		{"leave-one-out bound", share(claim.LeaveOneOut), share(found.LeaveOneOut)},
		{"lambda", claim.Same.Lambda, found.Same.Lambda}, {"C", claim.Same.C, found.Same.C}, {"radius", claim.Same.Radius, found.Same.Radius}, {"slack", claim.Same.Slack, found.Same.Slack}, {"nu", claim.Same.Nu, found.Same.Nu},
	} {
		claim, found, rounding := float64(c.claim), float64(c.found), 0.0
		if slices.Contains([]string{"violation", "sum of losses", "alignment", "slack"}, c.what) { // sums that may cancel
			rounding = 1e-9
		}
		switch {
		case math.IsNaN(claim) && math.IsNaN(found) || math.Abs(claim-found) <= 1e-6*math.Abs(found)+rounding:
		case math.IsNaN(claim), math.IsNaN(found) && v.Rebuilt:
			v.Unproved = fmt.Sprintf("the model says of itself: %s %.12g, found %.12g, expected the same", c.what, claim, found)
		default:
			v.fail("the model says of itself: %s %.12g, found %.12g", c.what, claim, found)
		}
	}
	if claim.By != found.By {
		v.fail("the model says of itself: leave-one-out bound by %q, found %q", claim.By, found.By)
	}
}
