// Package region bounds where the optima of a problem are: how far from a point with a small gap their weights may be, and
// between which numbers a free bias is. docs/certificates.md, "Predictions", has the theorems.
package region

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Locate sets the regions of all outputs of a model, of which state gives the problems, so many at once.
func Locate(ctx context.Context, m *model.Model, problems *pose.Problems, state func(c int) (pose.Objective, error), workers int) error {
	outputs := len(m.Outputs)
	if m.IsJoint() {
		outputs = 1
	}
	errs := make([]error, outputs)
	parallel.Blocks(outputs, 1, workers, func(c, _, _ int) {
		p, err := state(c)
		if err != nil {
			errs[c] = err
			return
		}
		point := problem.Point{W: problems.WeightsOf(m, c), A: problems.Dual(m, c)}
		if point.A == nil {
			point.A = p.Derivatives(point.W)
		}
		m.Outputs[c].Certificate.Region, errs[c] = Find(ctx, p, point, p.Certify(point))
	})
	for c := outputs; c < len(m.Outputs); c++ {
		m.Outputs[c].Certificate.Region = m.Outputs[0].Certificate.Region
	}
	return cmp.Or(errs...)
}

// Check finds the regions of a model again, and returns which claims are false, and which are more than was found: an interval of the
// bias is neither proved nor refuted by a wider one, nor a radius by dual variables that the model does not hold.
func Check(ctx context.Context, m *model.Model, problems *pose.Problems, subject func(c int) string) (wrong []string, unproved string, err error) {
	if !slices.ContainsFunc(m.Outputs, func(o model.Output) bool { return o.Certificate.Region != nil }) {
		return nil, "", nil
	}
	found := *m
	found.Outputs = slices.Clone(m.Outputs)
	if err := Locate(ctx, &found, problems, problems.Output, 1); err != nil {
		return nil, "", err
	}
	for c, o := range m.Outputs {
		claim, now := o.Certificate.Region, found.Outputs[c].Certificate.Region
		if claim == nil {
			continue
		}
		if now == nil {
			wrong = append(wrong, subject(c)+" claims to bound the optimum, of which nothing is known")
			continue
		}
		slack := model.Bound(pose.Tolerance * max(1, math.Abs(float64(now.High-now.Low)), math.Abs(o.Bias)))
		near := claim.Radius >= now.Radius*(1-pose.Tolerance)
		if !near && o.Dual != nil {
			wrong = append(wrong, fmt.Sprintf("%s claims that optima are within %.12g, found %.12g", subject(c), claim.Radius, now.Radius))
		} else if known := claim.Low == claim.Low || claim.High == claim.High; !near || known && (!(claim.Low <= now.Low+slack) || !(claim.High >= now.High-slack)) {
			unproved = fmt.Sprintf("%s claims that optima are within %.12g, with a bias from %.12g to %.12g; found %.12g, from %.12g to %.12g", subject(c), claim.Radius, claim.Low, claim.High, now.Radius, now.Low, now.High)
		}
	}
	return wrong, unproved, nil
}

// Find bounds the optima of o, by a point of all rows with that certificate. The ends of the interval of the bias are found by
// solving the problem with the bias fixed beyond them; both are NaN where ctx ends before, and of other biases than a free one.
func Find(ctx context.Context, o pose.Objective, pt problem.Point, c problem.Certificate) (*model.Region, error) {
	located, ok := o.Problem.(problem.Located)
	if !ok {
		return nil, nil
	}
	pt = o.Restrict(pt)
	unknown := model.Bound(math.NaN())
	r := &model.Region{Radius: model.Bound(located.Radius(pt, c.Gap())), Low: unknown, High: unknown}
	if !(r.Radius <= math.MaxFloat64) {
		return nil, nil
	}
	fixed, ok := o.Problem.(problem.BiasFixed)
	if !ok || o.Risk == nil || o.Bias != problem.Free {
		return r, nil
	}
	s := search{ctx: ctx, objective: o, problem: fixed, from: pt, bias: pt.W[len(pt.W)-1], primal: c.Primal + c.Rounding, gap: c.Gap()}
	low, err := s.end(-1)
	if err != nil {
		return nil, err
	}
	high, err := s.end(1)
	if r.Low, r.High = model.Bound(low), model.Bound(high); !(high-low >= 0 && high-low <= math.MaxFloat64) {
		r.Low, r.High = unknown, unknown
	}
	return r, err
}

// search looks for one end of the interval of the bias.
type search struct {
	ctx       context.Context
	objective pose.Objective
	problem   problem.BiasFixed
	from      problem.Point
	bias      float64
	primal    float64
	gap       float64
}

const (
	mostSolves = 12  // of problems with a fixed bias, for each end
	mostEpochs = 300 // of each
	growth     = 16  // the bias goes at most so many times farther
)

// end returns a number beyond which, on one side, no optimum's bias is. Every dual point of a problem with a fixed bias gives a
// line below the least objective as a function of the bias, which is convex: where the line meets the objective reached is
// such a number, and the bias of the next problem, as in Newton's method.
func (s *search) end(side float64) (float64, error) {
	best := math.Inf(1) // distance
	step := s.first()
	from := s.from
	for range mostSolves {
		solution, err := s.solve(s.bias+side*step, from)
		if err != nil || s.ctx.Err() != nil {
			return math.NaN(), err
		}
		from = solution.Point
		low, high := s.objective.BiasBound(s.bias+side*step, solution.Point.A, solution.Certificate.Dual, s.primal)
		found := high - s.bias
		if side < 0 {
			found = s.bias - low
		}
		gained := found < 0.8*best
		best = min(best, max(found, 0))
		switch {
		case math.IsInf(best, 1):
			step *= growth
		case !gained:
			return s.bias + side*best*(1+0x1p-50), nil
		default:
			step = min(best, growth*step)
		}
	}
	return s.bias + side*best*(1+0x1p-50), nil
}

// first is where to begin: the objective rises by about its own size where the bias is off by the spread of the targets, and
// with the square of what it is off.
func (s *search) first() float64 {
	y := s.objective.Y
	mean := vec.Total(y) / float64(len(y))
	squares := 0.0
	for _, v := range y {
		squares += (v - mean) * (v - mean)
	}
	spread := math.Sqrt(squares / float64(len(y)))
	return max(2*spread*math.Sqrt(s.gap/max(math.Abs(s.primal), s.gap)), 1e-12*max(1, math.Abs(s.bias)))
}

// solve solves the problem with that bias to a fraction of the gap.
func (s *search) solve(bias float64, from problem.Point) (*solver.Solution, error) {
	p := s.problem.FixBias(bias)
	gap := max(s.gap/(4*max(math.Abs(s.primal), s.gap)), 1e-13)
	name, _ := s.objective.Family.Choose(p, gap)
	method, err := s.objective.Family.Solver(name)
	if err != nil {
		return nil, err
	}
	start := problem.Point{W: append(from.W[:len(from.W)-1:len(from.W)-1], 0), A: from.A}
	return solver.Run(s.ctx, method, p, solver.Options{Gap: gap, Epochs: mostEpochs, From: &start, Seed: 1})
}
