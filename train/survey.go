package train

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/theory"
)

// Survey is what the choice of a method for a linear model depends on. Of several classes
// it is about the first problem.
type Survey struct {
	Rows            int     `json:"n"`
	Features        int     `json:"d"`
	Nonzeros        int64   `json:"nonzeros"`
	MaxSquaredNorm  float64 `json:"max_squared_norm"` // of the rows, scaled as for training
	MeanSquaredNorm float64 `json:"mean_squared_norm"`
	Classes         int     `json:"classes"` // 0: the targets are numbers
	Loss            string  `json:"loss"`
	Penalty         string  `json:"penalty"`
	Lambda          float64 `json:"lambda"`
	C               float64 `json:"C"`
	Kinked          bool    `json:"kinked"` // the loss has kinks
	Corner          bool    `json:"corner"` // the penalty has a corner
	Solver          string  `json:"solver"` // as asked for, or that auto chooses
	Why             string  `json:"solver_why"`

	// Condition is (L R^2 + mu)/mu of a loss with a derivative that rises by L at most, R^2
	// the largest squared norm, mu = lambda times the strong convexity of the penalty; R^2/mu if
	// the loss has kinks (of slope 1). It leaves out the bias. nil: the penalty is not
	// strongly convex.
	Condition *float64 `json:"condition"`
}

// Examine surveys the data for a spec of a linear model; it trains nothing.
func Examine(ctx context.Context, set *dataset.Set, spec Spec) (*Survey, error) {
	if err := checkSet(set); err != nil {
		return nil, err
	}
	j, err := newLimit(0).prepare(ctx, set, spec)
	if err != nil {
		return nil, err
	}
	p, linear := j.first.Problem.(*problem.Linear)
	if !linear || j.single() {
		return nil, DataError{"found one class, or no linear model with a lambda: there is no method to choose"}
	}
	s := &Survey{Rows: set.Rows(), Features: set.Cols(), Nonzeros: matrix.Nonzeros(j.features), MeanSquaredNorm: p.MeanSquaredNorm(),
		Classes: len(j.labels.classes), Loss: j.spec.Loss, Penalty: j.spec.Penalty, Lambda: p.Lambda, C: j.c, Solver: j.spec.Solver, Why: j.why}
	for _, norm := range p.SquaredNorm {
		s.MaxSquaredNorm = max(s.MaxSquaredNorm, norm)
	}
	s.Kinked, s.Corner = cornersOf(p.Loss, p.Penalty)
	if mu := p.Lambda * p.Penalty.StrongConvexity(); mu > 0 {
		condition := s.MaxSquaredNorm / mu
		if !s.Kinked {
			condition = float64(p.Loss.Smoothness()*condition) + 1
		}
		condition = min(max(1, condition), math.MaxFloat64)
		s.Condition = &condition
	}
	return s, nil
}

// Setting is what theory needs to know, for an accuracy.
func (s *Survey) Setting(accuracy float64) theory.Setting {
	t := theory.Setting{Rows: float64(s.Rows), Accuracy: accuracy, Kinked: s.Kinked, Corner: s.Corner}
	if s.Condition != nil {
		t.Condition = *s.Condition
	}
	return t
}

// Corners reports whether the loss of a spec has kinks, and the penalty a corner. No loss
// counts as smooth.
func (spec *Spec) Corners() (kinked, corner bool, err error) {
	t, err := spec.terms()
	if err != nil {
		return false, false, err
	}
	kinked, corner = cornersOf(t.loss, t.penalty)
	return kinked, corner, nil
}

// cornersOf is Corners of the terms themselves.
func cornersOf(l loss.Loss, p penalty.Penalty) (kinked, corner bool) {
	l1, _, elastic := penalty.Coefficients(p)
	return math.IsInf(l.Smoothness(), 1), elastic && l1 > 0 || p.StrongConvexity() == 0
}
