package tune

import (
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/loss"
)

// judgeTrivial judges the model that sees no feature as candidates are judged: on each fold by what the
// rows that are learned from say. Leaving one row out, where there are no folds, all rows say it.
func (r *run) judgeTrivial() error {
	r.result.Trivial.Mean = math.NaN()
	if r.spec.Path || r.set.Target.Names != nil { // no one constant is for several targets
		return nil
	}
	var classes []string
	if r.task == "classification" {
		classes = pose.ClassesOf(r.set.Target)
	}
	all, err := pose.TruthOf(classes, r.set)
	if err != nil {
		return err
	}
	quantile, scores := r.quantile(), make([]float64, len(r.folds))
	var costs []float64
	if r.result.Score.Name == costName {
		both := r.spec.Train.CostsOf(r.set.Target)
		costs = both[:]
	}
	r.result.Trivial.Prediction = fenchel.JudgeTrivial(classes, quantile, all, pose.Truth{}, costs...).Prediction
	for f, fold := range r.folds {
		learn, judge := all, all
		switch {
		case r.leavesOne():
		case r.spec.Held != nil:
			if judge, err = pose.TruthOf(classes, r.spec.Held); err != nil {
				return err
			}
		default:
			learn, judge = all.Of(fold.Learn), all.Of(fold.Judge)
		}
		scores[f] = r.result.Score.value(fenchel.JudgeTrivial(classes, quantile, learn, judge, costs...).Evaluation)
	}
	r.result.Trivial.Mean, _ = moments(scores)
	return nil
}

// quantile is the one that predicts best by the score; 0: the mean does.
func (r *run) quantile() float64 {
	switch r.result.Score.Name {
	case "mae":
		return 0.5
	case "pinball":
		if l, err := lossOf(r.result.Candidates[0].Spec, r.task); err == nil {
			if _, tau := loss.ScoreOf(l); tau > 0 {
				return tau
			}
		}
		return 0.5
	}
	return 0
}

// Beaten reports whether the candidate is better than the trivial model, or either has no score.
func (r *Result) Beaten(t *Trial) bool {
	return math.IsNaN(r.Trivial.Mean) || math.IsNaN(t.Mean) || r.Score.better(t.Mean, r.Trivial.Mean)
}
