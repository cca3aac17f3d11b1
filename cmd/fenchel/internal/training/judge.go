package training

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/tune"
)

// How train judges its own spec: by folds, or by rows that are left out once. The model is then
// trained on all rows.

// checkJudge refuses bad flags of how the spec is judged.
func (t *Trainer) checkJudge(cmd *cobra.Command) error {
	folds, holdout := cmd.Flags().Changed("folds"), cmd.Flags().Changed("holdout")
	switch {
	case folds && holdout:
		return errors.New("--folds and --holdout: found two ways to judge the model, expected one of them")
	case folds && t.folds < 2:
		return fmt.Errorf("--folds %d: expected at least 2", t.folds)
	case cmd.Flags().Changed("interval") && !(t.Spec.Interval > 0 && t.Spec.Interval < 1):
		return fmt.Errorf("--interval %g: expected a level between 0 and 1, such as 0.9", t.Spec.Interval)
	case t.valid != "" && folds:
		return errors.New("--folds and --valid: found two ways to judge the model, expected one of them")
	case t.valid != "" && t.probabilities == "" && t.cost == "" && t.Spec.Interval == 0:
		return fmt.Errorf("--valid %s: found nothing that is fitted to it, expected --probabilities, --cost or --interval too", t.valid)
	case holdout && !(t.holdout > 0 && t.holdout < 1):
		return fmt.Errorf("--holdout %g: expected a share of the rows between 0 and 1, such as 0.2", t.holdout)
	}
	return nil
}

// cross judges the spec of train, and notes the score for the model.
func (t *Trainer) cross(cmd *cobra.Command) (err error) {
	if t.folds == 0 && t.holdout == 0 {
		return nil
	}
	spec := tune.Spec{Train: t.Spec, Axes: []tune.Axis{}, Folds: tune.Folds{K: t.folds, Seed: t.Spec.Seed}}
	spec.Train.From, spec.Train.Notes = nil, nil
	spec.Train.Threads = t.In.Opt.Threads
	if t.holdout > 0 {
		if spec.Given, err = tune.Holdout(t.Set, t.Spec.Decide(t.Set.Target), t.holdout, t.Spec.Seed); err != nil {
			return err
		}
	}
	spec.Progress = t.judging("folds", "")
	t.shown.Phase(terminal.Searching)
	if t.crossed, err = tune.Run(cmd.Context(), t.Set, spec); err != nil {
		return err
	}
	if t.crossed.Best < 0 {
		t.crossed = nil
		return nil
	}
	warnOfFolds(cmd, t.crossed, &t.crossed.Candidates[0])
	t.held = spec.Given
	if t.held == nil {
		t.Spec.Dealt = t.crossed.Candidates[0].Spec.Dealt
		t.Spec.Folds, t.judged = t.crossed.Candidates[0].Spec.Folds, fmt.Sprintf("the %d folds that judge", t.folds)
	}
	notes := map[string]string{"cross-validation": t.crossWords()}
	for name, text := range t.Spec.Notes {
		notes[name] = text
	}
	t.Spec.Notes = notes
	return nil
}

// judgedBy is the flag by which the spec was judged.
func (t *Trainer) judgedBy() string {
	if t.held != nil {
		return "holdout"
	}
	return "folds"
}

// crossWords is the score of the spec on folds, or on rows that were left out.
func (t *Trainer) crossWords() string {
	r, c := t.crossed, t.crossed.Candidates[0]
	why := ""
	if r.ScoreWhy != "" {
		why = ", " + r.ScoreWhy
	}
	if t.held != nil {
		return fmt.Sprintf("%s %s%s of %d rows, by a model of the other %d%s", r.Score.Name, scoreText(c.Mean), trivialOnFolds(r), len(t.held[0].Judge), len(t.held[0].Learn), why)
	}
	return fmt.Sprintf("%s %s%s, deviation %s between %d folds%s", r.Score.Name, scoreText(c.Mean), trivialOnFolds(r), scoreText(c.SD), r.Folds, why)
}
