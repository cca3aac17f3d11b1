package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/tune"
)

// tuneRequest asks which parameters predict held-out rows best. The model of the best is a
// request of its own: fit.
type tuneRequest struct {
	Data    arrays  `json:"data"`
	Spec    spec    `json:"spec"`
	Search  *string `json:"search"` // as ParseAxes reads it; "": the spec alone; absent: what the spec leaves open
	Folds   int     `json:"folds"`
	Repeats int     `json:"repeats"`
	Given   *splits `json:"given"` // instead of Folds
	Score   string  `json:"score"`
	Rule    string  `json:"rule"`
	Halving int     `json:"halving"`
	Budget  float64 `json:"budget"`  // seconds; 0: no limit
	Weights bool    `json:"weights"` // of the linear models of all candidates on all folds are wanted too
}

// splits are folds of the caller's: for each in turn the rows to learn from and those to be
// judged on, and how many these are.
type splits struct {
	Rows   Place `json:"rows"` // uint32, increasing within each part
	Counts []int `json:"counts"`
}

// errBudget says that the time of a search was too short.
var errBudget = errors.New("it was over before any candidate was judged on all folds")

// tune judges candidates by held-out rows.
func (r *request) tune(q *tuneRequest) (any, error) {
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, err
	}
	spec, err := q.spec(r.mapped)
	if err != nil {
		return nil, err
	}
	if err := set.Check(); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	models := map[[2]int]learned{}
	if q.Weights {
		spec.Fitted = func(candidate, fold int, f *fenchel.Fitted) { models[[2]int{candidate, fold}] = learnedBy(f) }
	}
	found, err := tune.Run(r.ctx, set, spec)
	if err != nil {
		return nil, err
	}
	if found.Best < 0 {
		if found.Stopped == "budget" {
			return nil, fmt.Errorf("budget=%s: %w", spec.Budget, errBudget)
		}
		return nil, context.Canceled
	}
	answer := tuned(found)
	if q.Weights {
		err = r.putLearned(answer, models, len(found.Candidates), found.Folds)
	}
	return answer, err
}

// learned is what a linear model of a fold is: passes, and the weights of each output with its bias behind them.
type learned struct {
	epochs  int
	weights []float64
}

func learnedBy(f *fenchel.Fitted) (l learned) {
	l.epochs = f.Epochs
	for k := range f.Model.Outputs {
		w, bias := f.Model.Original(k)
		l.weights = append(append(l.weights, w...), bias)
	}
	return l
}

// putLearned adds to an answer the models of all candidates x folds: epochs, and weights as one array of float64.
func (r *request) putLearned(answer map[string]any, all map[[2]int]learned, candidates, folds int) (err error) {
	epochs, weights := make([]int, 0, candidates*folds), []float64(nil)
	for c := range candidates {
		for f := range folds {
			l := all[[2]int{c, f}]
			epochs, weights = append(epochs, l.epochs), append(weights, l.weights...)
		}
	}
	answer["epochs"] = epochs
	answer["weights"], err = put(r.mapped, weights)
	return err
}

// spec makes what package tune takes.
func (q *tuneRequest) spec(mapped *region) (tune.Spec, error) {
	s := tune.Spec{
		Train: q.Spec.spec(), Folds: tune.Folds{K: q.Folds, Repeats: q.Repeats, Seed: q.Spec.Seed, Group: q.Data.Groups != nil, Time: q.Data.Times != nil},
		Score: q.Score, Rule: q.Rule, Halving: q.Halving, Budget: duration(q.Budget),
	}
	var err error
	if q.Given != nil {
		if s.Given, err = q.Given.folds(mapped); err != nil {
			return s, err
		}
	}
	if q.Search != nil {
		if s.Axes, err = tune.ParseAxes(*q.Search); s.Axes == nil {
			s.Axes = []tune.Axis{}
		}
	}
	return s, err
}

// folds takes the rows apart.
func (s *splits) folds(mapped *region) ([]tune.Fold, error) {
	all, err := numbers[uint32](mapped, s.Rows)
	if err != nil {
		return nil, err
	}
	if len(s.Counts) == 0 || len(s.Counts)%2 != 0 {
		return nil, fmt.Errorf("folds: found %d counts of rows, expected two for each fold", len(s.Counts))
	}
	parts := make([][]int, len(s.Counts))
	for k, n := range s.Counts {
		if n < 0 || n > len(all) {
			return nil, fmt.Errorf("folds: found %d rows of a part among %d, expected no more than there are", n, len(all))
		}
		for _, i := range all[:n] {
			parts[k] = append(parts[k], int(i))
		}
		all = all[n:]
	}
	folds := make([]tune.Fold, len(parts)/2)
	for f := range folds {
		folds[f] = tune.Fold{Learn: parts[2*f], Judge: parts[2*f+1]}
	}
	return folds, nil
}

// tuned says what came out for each candidate.
func tuned(found *tune.Result) map[string]any {
	list := make([]map[string]any, len(found.Candidates))
	for k := range found.Candidates {
		t := &found.Candidates[k]
		settings := make([][2]string, len(t.Settings))
		for i, s := range t.Settings {
			settings[i] = [2]string{s.Key, s.Value}
		}
		list[k] = map[string]any{"settings": settings, "scores": result.Numbers(t.Scores), "mean": model.Bound(t.Mean), "gap": model.Bound(t.Gap), "status": t.Status, "rows": t.Rows, "seconds": t.Seconds, "reason": t.Reason,
			"loss": t.Spec.Loss, "penalty": t.Spec.Penalty, "kernel": t.Spec.Kernel}
	}
	return map[string]any{"candidates": list, "best": found.Best, "score": found.Score.Name, "score_why": found.ScoreWhy, "lower": found.Score.Lower, "stopped": found.Stopped, "folds": found.Folds, "shared": found.Shared}
}

// leaveOut predicts each row by the model of all others, for each C: float64 numbers, values of C x rows.
func (r *request) leaveOut(q *struct {
	Data arrays    `json:"data"`
	Spec spec      `json:"spec"`
	C    []float64 `json:"C"`
}) (any, error) {
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, err
	}
	state := func(ctx context.Context, spec fenchel.Spec) (*pose.Case, error) { return spec.Pose(ctx, set) }
	found, err := tune.PredictLeftOut(r.ctx, state, q.Spec.spec(), q.C)
	if err != nil {
		return nil, err
	}
	place, err := put(r.mapped, slices.Concat(found...))
	return map[string]any{"numbers": place}, err
}
