package tune

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// A candidate that is dropped on a sample was learned from a share of the rows of each fold, with the
// classes in proportion, and judged on the rows that the fold is judged on.
func TestHalvingLearnsFromItsFolds(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@blobs:n=1000,classes=2,spread=3,seed=3"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	axes, _ := ParseAxes("C=1e-4..1")
	spec := Spec{Train: fenchel.Spec{Gap: 1e-9, Loss: "logistic"}, Axes: axes, Folds: Folds{K: 3, Seed: 5}, Halving: 2, Score: "logloss"}
	found, err := Run(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := spec.Folds.Deal(set, set.Target.Code, set.Target.Label)
	if err != nil {
		t.Fatal(err)
	}
	small := sampled(folds, set, "classification", 4, 5)
	for f, fold := range small {
		classes, all := [2]int{}, [2]int{}
		for _, i := range folds[f].Learn {
			all[set.Target.Code[i]]++
		}
		for _, i := range fold.Learn {
			if classes[set.Target.Code[i]]++; !slices.Contains(folds[f].Learn, i) {
				t.Fatalf("fold %d: found row %d, which is not one to learn from", f, i)
			}
		}
		if n := len(folds[f].Learn) / 4; !slices.Equal(fold.Judge, folds[f].Judge) || len(fold.Learn) < n || len(fold.Learn) > n+1 || classes[0] < all[0]/4 || classes[1] < all[1]/4 {
			t.Errorf("fold %d: found %d rows, %v of the classes, expected a fourth of %d", f, len(fold.Learn), classes, len(folds[f].Learn))
		}
	}
	dropped := 0
	for _, trial := range found.Candidates {
		if trial.Rows != len(small[0].Learn) {
			continue
		}
		dropped++
		for f, fold := range small {
			learn, judge, _, _ := set.Apart(fold.Learn, fold.Judge)
			r, err := fenchel.Train(context.Background(), learn, trial.Spec)
			if err != nil {
				t.Fatal(err)
			}
			e, err := fenchel.Evaluate(t.Context(), r.Model, judge, fenchel.Options{Threads: 1})
			if err != nil || math.Abs(*e.LogLoss-trial.Scores[f]) > 1e-6 {
				t.Errorf("%s, fold %d: found the score %.9g, expected %.9g, error %v", trial.Candidate, f, trial.Scores[f], *e.LogLoss, err)
			}
		}
	}
	if dropped != 2 {
		t.Errorf("found %d candidates that were dropped on %d rows, expected 2 of 5", dropped, len(small[0].Learn))
	}
}
