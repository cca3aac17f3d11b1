package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// PredictLeftOut as the number of folds judges each row by a model of all others. Only where that has
// a closed form: least squares with the penalty l2, of linear models and kernel machines.
const LeaveOneOut = -1

// leavesOne reports whether rows are judged on one at a time.
func (r *run) leavesOne() bool { return r.spec.Held == nil && r.spec.Folds.K == LeaveOneOut }

// checkLeaveOneOut refuses what is not judged so.
func (r *run) checkLeaveOneOut() error {
	switch {
	case r.task != "regression":
		return errors.New("folds=loo is for numbers and the loss squared: expected a number of folds")
	case r.spec.Folds.Group || r.spec.Folds.Time || r.spec.Folds.Repeats > 1 || r.spec.Halving > 0:
		return errors.New("folds=loo with groups, times, repeats or halving: expected none of them")
	case r.set.Target.Names != nil:
		return errors.New("folds=loo is for one target: expected a number of folds")
	case r.set.Weight != nil:
		return errors.New("folds=loo with weights of rows: expected a number of folds")
	case r.spec.Rule == "one-se":
		return errors.New("folds=loo has no standard error between folds: expected the rule best")
	}
	return nil
}

// leaveOneOut judges candidates: those that differ in C alone by one factorisation.
func (r *run) leaveOneOut(members []int) error {
	r.tell.problems += len(members)
	all := make([]int, r.set.Rows())
	for i := range all {
		all[i] = i
	}
	for _, g := range r.groups(members, nil) {
		stage, err := fenchel.NewStage(r.ctx, r.set, r.result.Candidates[g.members[0]].Spec)
		if err != nil {
			return err
		}
		r.leftOut(stage)
		part, err := stage.Part(all, nil, fenchel.Resources{Threads: r.spec.Train.Threads})
		if err != nil {
			return err
		}
		for lo := 0; lo < len(g.members) && r.ctx.Err() == nil; {
			hi := lo + 1
			for hi < len(g.members) && r.chain(g.members[hi]) == r.chain(g.members[lo]) {
				hi++
			}
			if err := r.leaveOut(part, g.members[lo:hi]); err != nil {
				return err
			}
			lo = hi
		}
	}
	r.result.Shared = "one factorisation for all rows that are left out and all values of C"
	return nil
}

// leftOut notes what the features of rows that are left out are fitted to.
func (r *run) leftOut(s *fenchel.Stage) {
	for _, what := range s.Fitted() {
		if !slices.Contains(r.result.FittedAll, what) {
			r.result.FittedAll = append(r.result.FittedAll, what)
		}
	}
}

// leaveOut judges the candidates of a chain.
func (r *run) leaveOut(part *fenchel.Part, chain []int) error {
	c := make([]float64, len(chain))
	for k, m := range chain {
		spec := r.result.Candidates[m].Spec
		switch {
		case spec.Lambda != 0:
			c[k] = 1 / (spec.Lambda * float64(r.set.Rows()-1)) // of the rows that are left
		case spec.C != 0:
			c[k] = spec.C
		default:
			c[k] = 1
		}
	}
	predicted, err := PredictLeftOut(r.ctx, part.Pose, r.result.Candidates[chain[0]].Spec, c)
	if err != nil {
		return err
	}
	truth := r.set.Target.Number
	for k, m := range chain {
		value := r.result.Score.value(fenchel.EvaluateNumbers(predicted[k], truth, nil, 0))
		r.tell.note(r, m, 0, nil, value, nil)
		r.result.Candidates[m].Status = "converged" // by a closed form
	}
	return nil
}

// path solves the problem of every candidate on all rows, and judges none: each begins at the solution
// for the next smaller C. Axes nil: 100 values of lambda where the penalty makes weights zero.
func (s Spec) path(r *run) ([]Axis, error) {
	lambdas, err := sparsePath(r.ctx, r.set, s.Train, r.task, 100, pathDepth)
	if err != nil || lambdas == nil {
		return nil, err
	}
	return []Axis{*lambdas}, nil
}

// unjudged are folds of all rows, of which none is held out: those of a path.
func (r *run) unjudged() []Fold {
	all := make([]int, r.set.Rows())
	for i := range all {
		all[i] = i
	}
	return []Fold{{Learn: all}}
}

// noteFit takes down what a path shows of a solution, and its estimate.
func (t *Trial) noteFit(ctx context.Context, f *fenchel.Fitted, estimate string) (float64, error) {
	t.Objective, t.Nonzeros, t.Lambda, t.Epochs = f.Summary.Primal, f.Model.Nonzeros(), f.Lambda, f.Epochs
	switch estimate {
	case "":
		return 0, nil
	case "span":
		s, err := spanOf(ctx, f, t.Spec)
		if err != nil {
			return math.NaN(), fmt.Errorf("estimate span: %w", err)
		}
		t.Span = s
		return float64(s.Wrong) / float64(len(s.Prediction)), nil
	}
	if f.Model.Facts == nil || f.Model.Facts.LeaveOneOut == nil {
		return math.NaN(), fmt.Errorf("estimate %s: nothing bounds the errors of leaving one row out of this loss and model: expected a kernel machine (kernel linear for one) with the loss hinge, or folds", estimate)
	}
	return *f.Model.Facts.LeaveOneOut, nil
}

// Estimates returns the names of the scores that need no held-out rows.
func Estimates() []string { return []string{"xi-alpha", "span"} }

// estimateScore is the score of an estimate, or of none.
func estimateScore(name string) (Score, error) {
	if name == "" {
		return Score{Name: "none", Summary: "no row is held out"}, nil
	}
	if !slices.Contains(Estimates(), name) {
		return Score{}, registry.Unknown("estimate", name, Estimates())
	}
	kind := map[string]string{"xi-alpha": "bound on", "span": "estimate of"}[name]
	return Score{Name: name, Summary: kind + " the share of rows that models without them get wrong", Lower: true, Classes: true}, nil
}
