package pose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Custom are the parts of a problem that are not this module's but of the program that uses
// it. They are known by names: in a model these begin with model.Foreign, and whoever
// verifies it has to say again what they mean.
type Custom struct {
	Loss    loss.Loss
	Penalty penalty.Penalty
}

// Pick returns the part of that name: a registered one, or the program's own.
func Pick[T any](kind, name string, value T, given bool, registered func(string) (T, error), entries []registry.Entry[T]) (T, error) {
	bare, foreign := strings.CutPrefix(name, model.Foreign)
	if !given && !foreign {
		return registered(name)
	}
	if !given {
		return value, fmt.Errorf("%s %q is of the program that stated the problem, not of this one: expected its value, as Custom%s", kind, bare, strings.ToUpper(kind[:1])+kind[1:])
	}
	taken := slices.ContainsFunc(entries, func(e registry.Entry[T]) bool { return e.Name == bare })
	if bare == "" || taken || strings.ContainsAny(bare, ":=,") || registry.Spell(bare) != bare {
		return value, fmt.Errorf("%s %q of the program's own: expected a name that no other has, without \":\", \"=\" and \",\"", kind, bare)
	}
	return value, nil
}

// PickLoss returns the loss of that name. For a joint loss it is that of two classes, which states
// the kind of targets.
func (o Custom) PickLoss(name string) (loss.Loss, error) {
	if joint.Is(name) {
		l, err := joint.New(name)
		switch {
		case err != nil:
			return nil, err
		case o.Loss != nil:
			return nil, fmt.Errorf("loss %q of the program's own: expected a name that no other has", name)
		}
		return l.Two(), nil
	}
	return Pick("loss", name, o.Loss, o.Loss != nil, loss.New, loss.Entries())
}

func (o Custom) pickPenalty(name string) (penalty.Penalty, error) {
	return Pick("penalty", name, o.Penalty, o.Penalty != nil, penalty.New, penalty.Entries())
}

// Known returns why the problem of a model cannot be stated: values that only the program
// that trained it has are not there.
func (o Custom) Known(s model.Statement) error {
	_, lossErr := o.PickLoss(s.Loss)
	_, penaltyErr := o.pickPenalty(s.Penalty)
	switch {
	case strings.HasPrefix(s.Loss, model.Foreign) && o.Loss == nil:
		return lossErr
	case strings.HasPrefix(s.Penalty, model.Foreign) && o.Penalty == nil:
		return penaltyErr
	}
	return nil
}
