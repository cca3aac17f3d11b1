package fenchel

import (
	"testing"

	"github.com/fenchel-ml/fenchel/model"
)

// TestSubjects checks what messages call a model's outputs: by their classes.
func TestSubjects(t *testing.T) {
	three := []string{"a", "b", "c"}
	for _, c := range []struct {
		model model.Model
		want  string
	}{
		{model.Model{Outputs: make([]model.Output, 1)}, "the model"},
		{model.Model{Outputs: make([]model.Output, 3), Classes: three}, `the classifier of "c"`},
		{model.Model{Outputs: make([]model.Output, 3), Classes: three, Statement: model.Statement{Scheme: model.OneAgainstOne}}, `the classifier of "b" and "c"`},
	} {
		if got := subjectOf(&c.model, len(c.model.Outputs)-1); got != c.want {
			t.Errorf("found %q, expected %q", got, c.want)
		}
	}
}
