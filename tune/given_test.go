package tune_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/tune"
)

// Folds of the caller that judge nothing, and more repeats than make sense, are refused.
func TestRefusedFolds(t *testing.T) {
	set := generated(t, "@blobs:n=60,classes=2,seed=3")
	for _, c := range []struct {
		spec     tune.Spec
		expected string
	}{
		{tune.Spec{Given: []tune.Fold{}}, "found no given folds"},
		{tune.Spec{Given: []tune.Fold{{Learn: []int{0, 1}}}}, "0 to be judged on"},
		{tune.Spec{Given: []tune.Fold{{Learn: []int{0, 1}, Judge: []int{60}}}}, "found the row 60"},
		{tune.Spec{Folds: tune.Folds{K: 2, Repeats: tune.MostRepeats + 1}}, "repeats=1001: expected at most 1000"},
	} {
		c.spec.Axes = axes(t, "C=1")
		if _, err := tune.Run(context.Background(), set, c.spec); err == nil || !strings.Contains(err.Error(), c.expected) {
			t.Errorf("found the error %v, expected %q", err, c.expected)
		}
	}
}
