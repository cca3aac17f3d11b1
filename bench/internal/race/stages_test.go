package race

import (
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// TestStages: what the acceptance table asks for comes first; what was not chosen
// leaves no stage.
func TestStages(t *testing.T) {
	spell := func(opt options) (all []string) {
		for _, s := range (&lab{opt: opt}).stages() {
			all = append(all, s.sets[0].Name+" "+strings.Join(s.losses, " "))
		}
		return all
	}
	if got, want := spell(options{losses: task.LossNames}), []string{"a9a hinge logistic", "a9a squared-hinge", "a1a hinge logistic squared-hinge"}; !slices.Equal(got, want) {
		t.Errorf("stages %q, want %q", got, want)
	}
	if got, want := spell(options{losses: task.AcceptedLosses, sets: []string{"imdb"}}), []string{"imdb hinge logistic"}; !slices.Equal(got, want) {
		t.Errorf("stages %q, want %q", got, want)
	}
}
