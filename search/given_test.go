package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/search"
)

// Folds of the caller that judge nothing, and more repeats than make sense, are refused.
func TestRefusedFolds(t *testing.T) {
	set := generated(t, "@blobs:n=60,classes=2,seed=3")
	for _, c := range []struct {
		spec     search.Spec
		expected string
	}{
		{search.Spec{Given: []search.Fold{}}, "found no given folds"},
		{search.Spec{Given: []search.Fold{{Learn: []int{0, 1}}}}, "0 to be judged on"},
		{search.Spec{Given: []search.Fold{{Learn: []int{0, 1}, Judge: []int{60}}}}, "found the row 60"},
		{search.Spec{Folds: search.Folds{K: 2, Repeats: search.MostRepeats + 1}}, "repeats=1001: expected at most 1000"},
	} {
		c.spec.Axes = axes(t, "C=1")
		if _, err := search.Run(context.Background(), set, c.spec); err == nil || !strings.Contains(err.Error(), c.expected) {
			t.Errorf("found the error %v, expected %q", err, c.expected)
		}
	}
}
