package tune

import (
	"context"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// dealt is what a model says of folds; nil of given ones.
func (f Folds) dealt(given []Fold) *model.Folds {
	by := "random"
	switch {
	case given != nil:
		return nil
	case f.Group:
		by = "group"
	case f.Time:
		by = "time"
	}
	return &model.Folds{K: f.K, Repeats: max(f.Repeats, 1), Seed: f.Seed, By: by}
}

// calibratorOf names the calibrator that a model of classes was asked for; "": it has none.
func calibratorOf(m *model.Model) string {
	if c := m.Calibration; c != nil && c.LogLoss != nil {
		return calibration.ByAuto
	}
	return m.Calibration.Calibrator()
}

// levelOf is the level of intervals; 0: there are none.
func levelOf(c *model.Coverage) float64 {
	if c == nil {
		return 0
	}
	return c.Level
}

// Refit trains the folds of a model's calibration or threshold again, on the rows that it was trained on, and
// adds to v what comes of it. Folds of groups or in order of time need their ids in the set.
func Refit(ctx context.Context, v *fenchel.Verification, m *model.Model, set *data.Set, threads int) error {
	how, _ := m.Refittable()
	switch {
	case len(v.Problems) > 0 || m.OneClass() || len(m.Classes) == 1:
		return nil
	case how == nil:
		v.Unproved = "the model does not say of which folds its calibration or threshold is"
		return nil
	case how.By == "valid":
		v.Unproved = "the calibration or threshold was fitted to other rows than those that the model was trained on ('valid')"
		return nil
	}
	spec, err := fenchel.SpecOf(m)
	if err != nil {
		return err
	}
	if m.Threshold.Chosen() {
		spec.Costs = map[string]float64{m.Classes[0]: m.Threshold.Costs[0], m.Classes[1]: m.Threshold.Costs[1]}
	}
	spec.Probabilities, spec.Threads, spec.Scaling, spec.Seed = m.Calibration != nil, threads, "none", m.Statement.Seed
	spec.Calibrator, spec.Interval = calibratorOf(m), levelOf(m.Coverage)
	if m.Scaling != nil {
		spec.Scaling = m.Scaling.Kind
	}
	if spec.C, spec.Lambda = how.C, how.Lambda; how.Loss != "" {
		spec.Loss = how.Loss
	} else if how.C == 0 && m.Statement.Lambda != 0 && m.Statement.Nu == 0 && how.Lambda == 0 {
		spec.C = 1
	}
	var classes []uint32
	if m.Classes != nil {
		classes = set.Target.Code
	}
	spec.Balanced = how.Balanced
	if how.Balanced {
		spec.ClassWeight = nil
	}
	folds := Folds{K: how.K, Repeats: how.Repeats, Seed: how.Seed, Group: how.By == "group", Time: how.By == "time"}
	if how.Repeats > 0 {
		if spec.Folds, err = folds.Deal(set, classes, set.Target.Label); err != nil {
			return pose.DataError{Reason: err.Error()}
		}
		spec.Groups = folds.Groups(set)
	}
	again, err := fenchel.Train(ctx, set, spec)
	if err != nil {
		return err
	}
	return v.Refitted(m, again.Model, set, threads)
}
