package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/path"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// PathSpec says which machine is wanted for which C, or which radius or slack. Of Spec, solver,
// lambda and C do not count; epochs do for radius and slack. Gap is what every point must prove.
type PathSpec struct {
	fenchel.Spec
	Over     string  // "radius" or "slack", as in Spec; "" or "C": C
	From, To float64 // of that
	Points   int     // growing by a factor; but C has all breakpoints unless the loss is squared
}

// PathPoint is the best machine for one C.
type PathPoint struct {
	C, Lambda         float64
	Primal, Dual, Gap float64 // Gap is relative
	Norm              float64 // |w|
	Loss              float64 // mean
	Free, Bounded     int     // rows between their bounds, and at one that is not 0; of a radius or slack all support vectors are free
	Error             float64 // share of the rows in the wrong class, or root of the mean squared error
	LeftOut           float64 // that of each row by the machine of all others; NaN: not known
}

// Slack is that of the problem of the slack of which the machine is the optimum too: the mean
// loss over the norm.
func (p PathPoint) Slack() float64 { return p.Loss / p.Norm }

// Costs is what is known of a whole path.
type Costs struct {
	Kernel, Loss, Bias string
	Unit               string  // unit of errors: "error" or "RMSE"
	N                  float64 // sum of the row weights
	Points             int
	Unproved           int     // number of points whose gap is larger than was asked for
	Leaps              int     // ranges of C in which breakpoints may be missing, see path.Breakpoint
	WorstGap           float64 // relative
	Counts             gram.Counts
	Status             solver.Status // stalled where a point is not proved
}

// add counts a point.
func (c *Costs) add(p PathPoint, goal float64) {
	c.Points++
	c.WorstGap = max(c.WorstGap, p.Gap)
	if !(p.Gap <= goal) {
		c.Unproved++
		c.Status = pose.Worse(c.Status, solver.Stalled)
	}
}

// ended returns err, unless it is that of a limit: then the points so far are the path.
func (c *Costs) ended(ctx, limited context.Context, err error) error {
	switch {
	case err == nil:
	case ctx.Err() != nil:
		c.Status = solver.Interrupted
	case limited.Err() != nil:
		c.Status = pose.Worse(solver.TimeLimit, c.Status)
	default:
		return err
	}
	return nil
}

// Path follows a kernel machine of two classes or of numbers along C (package internal/solve/path), and
// tells each of every point, C increasing. Each point is certified for its own C.
func Path(ctx context.Context, set *data.Set, spec PathSpec, each func(PathPoint) error) (*Costs, error) {
	spec.Solver, spec.Lambda, spec.C, spec.Radius, spec.Slack = "", 0, 0, 0, 0
	limited := ctx
	if spec.Time > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, spec.Time)
		defer cancel()
	}
	if spec.Over == "radius" || spec.Over == "slack" {
		return sweep(ctx, limited, set, spec, each)
	}
	of, err := spec.Pose(ctx, set)
	if err != nil {
		return nil, err
	}
	p, err := pathProblem(of)
	if err != nil {
		return nil, err
	}
	var f path.Follower = path.Costs{From: spec.From, To: spec.To}
	if ridge := (path.Ridge{From: spec.From, To: spec.To, Points: spec.Points}); loss.IsQuadratic(p.Loss) {
		f = ridge
	}
	if err := f.Accepts(p); err != nil {
		return nil, err
	}
	out, classes := newCosts(of), of.Labels.Classes != nil
	err = f.Follow(limited, p, func(b path.Breakpoint) error {
		point := pathPoint(p, b, classes)
		out.add(point, of.Statement.Gap)
		if b.Leaped {
			out.Leaps++
		}
		return each(point)
	})
	out.Counts = of.Problems.Evaluations()
	return out, out.ended(ctx, limited, err)
}

// newCosts is a path of which no point is known yet.
func newCosts(of *pose.Case) *Costs {
	s := of.Statement
	out := &Costs{Kernel: s.Kernel, Loss: s.Loss, Bias: s.Bias, Unit: "RMSE", N: of.First.N, Status: solver.Converged}
	if of.Labels.Classes != nil {
		out.Unit = "error"
	}
	return out
}

// sweep solves the problems of some radii or slacks, whose optima trade norm for loss as those of
// all C do (package problem, BiCriterion). The lambda of a point is computed from its
// dual variables (ImpliedLambda).
func sweep(ctx, limited context.Context, set *data.Set, spec PathSpec, each func(PathPoint) error) (*Costs, error) {
	own := spec.Spec
	if own.Radius = spec.From; spec.Over == "slack" {
		own.Radius, own.Slack = 0, spec.From
	}
	of, err := own.Pose(ctx, set)
	if err != nil {
		return nil, err
	}
	_, machine := of.Problems.Family.(pose.MachineFamily)
	if err := oneOutput(of); err != nil {
		return nil, err
	}
	if !machine {
		return nil, errors.New("a sweep is one of a kernel machine: expected 'kernel', linear for one")
	}
	var problems []problem.BiCriterion
	for k := range spec.Points {
		value := spec.From * math.Pow(spec.To/spec.From, float64(k)/float64(max(1, spec.Points-1)))
		other := *of.Problems
		if other.Terms.Radius = value; spec.Over == "slack" {
			other.Terms.Radius, other.Terms.Slack = 0, value
		}
		o, err := other.Output(0)
		if err != nil {
			return nil, err
		}
		problems = append(problems, o.Problem.(problem.BiCriterion))
	}
	front, err := kernelsolver.Pareto(limited, of.Solver, solver.Options{Gap: of.Statement.Gap, Seed: of.Statement.Seed, Epochs: own.Epochs}, problems...)
	out := newCosts(of)
	if err := out.ended(ctx, limited, cmp.Or(err, limited.Err())); err != nil {
		return nil, err
	}
	for k, t := range front {
		if t.Solution.Status == solver.Interrupted {
			break // one that is not finished is none of the front
		}
		point := tradeoff(of, problems[k], t)
		out.add(point, of.Statement.Gap)
		if err := each(point); err != nil {
			return nil, err
		}
	}
	out.Counts = of.Problems.Evaluations()
	return out, nil
}

// tradeoff makes a point of the solution of a problem.
func tradeoff(of *pose.Case, p problem.BiCriterion, t kernelsolver.Tradeoff) PathPoint {
	c, pt := t.Solution.Certificate, t.Solution.Point
	out := PathPoint{Primal: c.Primal, Dual: c.Dual, Gap: c.Relative(), Norm: t.Norm, Loss: t.Loss, LeftOut: math.NaN(), Lambda: pose.ImpliedLambda(p, pt)}
	w := pt.W
	switch p := p.(type) {
	case *problem.NormConstrained:
		w = p.Inside(w)
	case *problem.Slack:
		w, _ = p.Classifier(w)
	}
	out.C = 1 / (out.Lambda * of.First.N)
	values := make([]float64, len(w)-1)
	of.First.Family.Predict(values, w)
	judge := &problem.Kernel{Gram: of.Problems.Family.(pose.MachineFamily).Gram, Risk: *of.First.Risk}
	out.Error = errorOf(judge, values, of.Labels.Classes != nil)
	for _, b := range w[:len(values)] {
		if b != 0 {
			out.Free++
		}
	}
	return out
}

// oneOutput refuses problems of which there are none or several.
func oneOutput(of *pose.Case) error {
	switch {
	case of.Single:
		return pose.DataError{Reason: "found one class, expected two: there is nothing to tell apart"}
	case of.Labels.Outputs() > 1:
		return pose.DataError{Reason: fmt.Sprintf("found %s, expected two, or numbers", registry.Count(len(of.Labels.Classes), "class"))}
	}
	return nil
}

// pathProblem returns the problem of a path, or why there is none.
func pathProblem(of *pose.Case) (*problem.Kernel, error) {
	if err := oneOutput(of); err != nil {
		return nil, err
	}
	p, ok := of.First.Problem.(*problem.Kernel)
	if !ok {
		return nil, errors.New("a path is one of a kernel machine with C: expected 'kernel', such as rbf, without 'map', 'nu', 'radius' and 'slack'")
	}
	return p, nil
}

// pathPoint makes a point of a breakpoint.
func pathPoint(p *problem.Kernel, b path.Breakpoint, classes bool) PathPoint {
	squared := b.Squared()
	out := PathPoint{C: b.C, Lambda: 1 / (b.C * p.N), Primal: b.Certificate.Primal, Dual: b.Certificate.Dual, Gap: b.Certificate.Relative(),
		Norm: math.Sqrt(squared), Free: b.Free, Bounded: b.Bounded, LeftOut: math.NaN()}
	bias := b.Point.W[p.Len()]
	out.Loss = max(0, out.Primal-float64(out.Lambda/2*(squared+float64(p.Constant()*bias*bias))))
	out.Error = errorOf(p, b.Predictions, classes)
	if b.LeftOut != nil {
		out.LeftOut = errorOf(p, b.LeftOut, classes)
	}
	return out
}

// errorOf is the share of wrong classes, or the root of the mean squared error, by row weight.
func errorOf(p *problem.Kernel, predictions []float64, classes bool) float64 {
	sum := 0.0
	for i, y := range p.Y {
		off := predictions[i] - y
		switch {
		case !classes:
			sum += float64(p.S[i] * float64(off*off))
		case (predictions[i] >= 0) != (y > 0):
			sum += p.S[i]
		}
	}
	if !classes {
		return math.Sqrt(sum / p.N)
	}
	return sum / p.N
}
