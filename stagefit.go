package fenchel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Fit solves a problem on the rows to learn from. Its kernel, map, scaling and seed must be those
// of the stage. It begins at from, a solution on these or on other rows of the stage, where that
// has the same shape; nil: at zero. A certificate of its own bounds the gap of every answer.
func (p *Part) Fit(ctx context.Context, spec Spec, from *Fitted) (*Fitted, error) {
	begun := time.Now()
	spec.Threads, spec.Cache, spec.Progress, spec.Step = p.threads, p.stage.spec.Cache, nil, nil
	spec.Kernel, spec.Scaling = p.stage.spec.Kernel, p.stage.spec.Scaling
	if spec.Probabilities {
		spec.Threshold = nil // of calibrated probabilities, which models of folds do not have
	}
	limit := newLimit(spec.Time)
	j := &job{spec: spec, set: p.set, part: p}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	j.from = from.fitting(p, j)
	solutions, err := j.solve(ctx, limit)
	if err != nil {
		return nil, err
	}
	m := j.draft(len(solutions))
	if err := cmp.Or(j.seal(m, solutions, false), m.Seal(), spec.setThreshold(m)); err != nil {
		return nil, err
	}
	f := &Fitted{Model: m, Status: solver.Converged, Summary: Summarise(m), Lambda: j.spec.Lambda, C: j.c,
		part: p, lambda: j.spec.Lambda, classes: j.labels.Classes, Warmed: j.from != nil, margins: j.margins}
	for c, s := range solutions {
		f.points = append(f.points, s.Point)
		f.Epochs += s.Epochs
		f.Status = pose.Worse(f.Status, solver.Status(m.Outputs[c].Certificate.Status))
	}
	f.Seconds = time.Since(begun).Seconds()
	return f, nil
}

// Pose states the problem of a spec on the rows to learn from as Fit does, and solves nothing.
func (p *Part) Pose(ctx context.Context, spec Spec) (*pose.Case, error) {
	spec.Threads, spec.Cache, spec.Kernel, spec.Scaling = p.threads, p.stage.spec.Cache, p.stage.spec.Kernel, p.stage.spec.Scaling
	j := &job{spec: spec, set: p.set, part: p}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	return j.posed(), nil
}

// Pose is the case of which f is the solution, by the spec that it was made with, and the points
// of all outputs.
func (f *Fitted) Pose(ctx context.Context, spec Spec) (*pose.Case, []problem.Point, error) {
	c, err := f.part.Pose(ctx, spec)
	return c, f.points, err
}

// Evaluate judges the solution on the rows of the part that are to be judged on.
func (f *Fitted) Evaluate() (*Evaluation, error) {
	held := f.part.held
	truth, err := pose.MatchTargets(f.Model.Classes, held.Target)
	if err != nil && !f.Model.OneClass() {
		return nil, err
	}
	scores, err := f.part.scores(f.Model)
	if err != nil {
		return nil, err
	}
	return evaluateScores(f.Model, scores, truth, held, forScores), nil
}

// JudgeMargins sets Judged, of two classes.
func (f *Fitted) JudgeMargins() error {
	if len(f.Model.Classes) != 2 {
		return pose.DataError{Reason: fmt.Sprintf("found %d of two classes among the rows to learn from, expected both for costs", len(f.Model.Classes))}
	}
	scores, err := f.part.scores(f.Model)
	if err != nil {
		return err
	}
	var c calibrator
	c.take(f.Model, scores, f.margins, f.part.held, nil, 0)
	f.Judged = marginsOf(c.rows)
	return nil
}

// fitting returns f where a fit of j on the rows of p can begin at it, else nil.
func (f *Fitted) fitting(p *Part, j *job) *Fitted {
	if f == nil || len(f.points) != j.labels.Outputs() || !slices.Equal(f.classes, j.labels.Classes) || j.single() {
		return nil
	}
	if f.part == p {
		return f
	}
	moved := &Fitted{lambda: f.lambda, part: p, moved: true}
	_, machine := j.problems.Family.(pose.MachineFamily)
	place := make(map[int]int, len(f.part.learn))
	for k, i := range f.part.learn {
		place[i] = k
	}
	for _, point := range f.points {
		moved.points = append(moved.points, carry(point, p.learn, place, machine))
	}
	return moved
}

// carry returns a point of other rows: of those that it has too it takes the dual variables
// and coefficients, of which each row has as many as the loss judges classes, the others have 0.
func carry(from problem.Point, rows []int, place map[int]int, machine bool) problem.Point {
	if from.A == nil {
		return problem.Point{} // no run begins at weights alone
	}
	k := len(from.A) / len(place)
	n := k * len(rows)
	take := func(dst, of []float64) {
		for to, i := range rows {
			if at, ok := place[i]; ok {
				copy(dst[to*k:(to+1)*k], of[at*k:])
			}
		}
	}
	to := problem.Point{W: slices.Clone(from.W), A: make([]float64, n)}
	if machine {
		to.W = make([]float64, n+k)
		take(to.W, from.W)
		copy(to.W[n:], from.W[len(from.W)-k:])
	}
	take(to.A, from.A)
	return to
}

// LargestLambda returns the smallest lambda for which no weight of any output differs from 0, of
// penalties that have one: with the slopes g_i of the losses at the best bias alone, the penalty's
// conjugate is finite at X^T(s.g)/(lambda N) from there on.
func (p *Part) LargestLambda(ctx context.Context, spec Spec) (float64, error) {
	spec.Threads = p.threads
	j := &job{spec: spec, set: p.set, part: p}
	if err := j.prepare(ctx); err != nil {
		return 0, err
	}
	largest := 0.0
	for c := range j.labels.Outputs() {
		o, err := j.problem(c)
		if err != nil {
			return 0, err
		}
		l, ok := o.Problem.(*problem.Linear)
		if !ok {
			return 0, fmt.Errorf("penalty %s: expected a linear model, for which a path of lambda is known", j.spec.Penalty)
		}
		largest = max(largest, largestLambda(l))
	}
	if !(largest > 0) {
		return 0, pose.DataError{Reason: "no feature says anything of the targets: all weights are 0 for every lambda"}
	}
	return largest, nil
}

// largestLambda is LargestLambda of one output.
func largestLambda(p *problem.Linear) float64 {
	bias := 0.0
	if p.Bias == problem.Free {
		bias = p.BestBias(nil, 0, 1e-12)
	}
	v := make([]float64, len(p.Y))
	for i, y := range p.Y {
		v[i] = p.S[i] * p.Loss.Derivative(bias, y) / p.N
	}
	u, _ := p.Combine(v)
	u = u[:p.Penalised()]
	if l1, _, nonnegative, ok := penalty.Corners(p.Penalty); ok && l1 > 0 {
		most := 0.0
		for _, x := range u {
			if !nonnegative || x < 0 { // with a positive slope a weight that must not be negative stays 0
				most = max(most, math.Abs(x))
			}
		}
		return most / l1
	}
	const far = 1e12 // beyond what any feasible point has
	for j := range u {
		u[j] *= far
	}
	if scale, _ := p.Penalty.Conjugate(u); scale > 0 && scale < 1 {
		return 1 / (far * scale)
	}
	return 0
}

// ExamineKernel computes the matrix of the kernel of a spec on all rows, scaled as for training,
// with its eigenvalues, and eigenvectors where vectors is true: for repairs. A precomputed matrix is
// examined without a shift.
func ExamineKernel(ctx context.Context, set *data.Set, spec Spec, vectors bool) (*gram.Examined, error) {
	if err := pose.CheckSet(set); err != nil {
		return nil, err
	}
	if !spec.IsMachine() || spec.Map != "" {
		return nil, errors.New("there is no kernel to examine: expected 'kernel', without 'map'")
	}
	if spec.Kernel == "precomputed" {
		spec.Kernel = "precomputed:shift=0"
	}
	j := &job{spec: spec, set: set}
	if err := j.spec.Check(); err != nil {
		return nil, err
	}
	j.spec.complete(set)
	if err := j.spec.takes(set.Structure); err != nil {
		return nil, err
	}
	if err := j.readFeatures(ctx); err != nil {
		return nil, err
	}
	e, err := parallel.Until(ctx, func() (*gram.Examined, error) { return gram.Examine(j.kernel, j.features, vectors, spec.Threads) })
	if err != nil && ctx.Err() == nil {
		err = pose.DataError{Reason: err.Error()}
	}
	return e, err
}
