package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// Nested is what a search is worth: on each of some outer folds the rows to learn from are searched as
// the whole set would be, the best candidate is trained on them, and judged on rows that no
// choice has seen. The score of the best candidate of a single search is too good, as it
// was chosen for it (Cawley, Talbot 2010).
type Nested struct {
	Scores   []float64 // score of each outer fold
	Mean, SD float64
	Chosen   []Candidate
}

// Nest judges a search by so many outer folds, one after another.
func Nest(ctx context.Context, set *data.Set, spec Spec, outer int) (*Nested, error) {
	r, err := newRun(set, spec)
	if err != nil {
		return nil, err
	}
	if spec.Folds.Time || spec.Held != nil || spec.Given != nil {
		return nil, fmt.Errorf("outer=%d: expected folds that are not in order, nor given", outer)
	}
	around := spec.Folds
	around.K, around.Repeats, around.Seed = outer, 1, spec.Folds.Seed+1
	classes := set.Target.Code
	if r.task == "regression" {
		classes = nil
	}
	folds, err := around.Deal(set, classes, set.Target.Label)
	if err != nil {
		return nil, err
	}
	n := &Nested{}
	done, tell := 0, spec.Progress
	if tell != nil {
		spec.Progress = func(p Progress) {
			tell(Progress{Done: done*p.Problems + p.Done, Problems: outer * p.Problems, Best: p.Best, Score: p.Score})
		}
	}
	spec.Train.Task = r.task
	for _, fold := range folds {
		value, chosen, err := inner(ctx, set, spec, fold)
		if err != nil {
			return nil, err
		}
		n.Scores, n.Chosen = append(n.Scores, value), append(n.Chosen, chosen)
		done++
	}
	n.Mean, n.SD = moments(n.Scores)
	return n, nil
}

// inner searches the rows of a fold that are learned from, and judges the best on the others.
func inner(ctx context.Context, set *data.Set, spec Spec, fold Fold) (float64, Candidate, error) {
	learn, held, _, err := set.Apart(fold.Learn, fold.Judge)
	if err != nil {
		return 0, Candidate{}, err
	}
	found, err := Run(ctx, learn, spec)
	if err != nil {
		return 0, Candidate{}, err
	}
	if found.Best < 0 || found.Stopped != "" {
		return math.NaN(), Candidate{}, context.Cause(ctx)
	}
	best := found.Candidates[found.Best].Candidate
	fitted, err := fenchel.Train(ctx, learn, best.Spec)
	if err != nil {
		return 0, best, err
	}
	e, err := fenchel.Evaluate(ctx, fitted.Model, held, fenchel.Options{Threads: spec.Train.Threads})
	if err != nil {
		return 0, best, err
	}
	best.Settings = slices.Clone(best.Settings)
	return found.Score.value(e), best, nil
}
