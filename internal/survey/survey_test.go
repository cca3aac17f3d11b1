package survey

import (
	"context"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// TestExamine takes rows (3,4) and (0,1): squared norms 25 and 1, mu = lambda = 0.5.
func TestExamine(t *testing.T) {
	set := decodeSurvey(t, "+1 1:3 2:4\n-1 2:1\n")
	for _, c := range []struct {
		spec      fenchel.Spec
		condition float64
	}{
		{fenchel.Spec{Loss: "logistic", Lambda: 0.5}, 25*0.25/0.5 + 1},
		{fenchel.Spec{Loss: "hinge", C: 1}, 25 / 0.5},
	} {
		s, err := Examine(context.Background(), set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if s.Condition == nil || *s.Condition != c.condition || s.MaxSquaredNorm != 25 || s.MeanSquaredNorm != 13 || s.Lambda != 0.5 || s.C != 1 || s.Solver == "" {
			t.Errorf("%s: found %+v, expected the condition %g", c.spec.Loss, s, c.condition)
		}
	}
	s, err := Examine(context.Background(), set, fenchel.Spec{Loss: "logistic", Penalty: "l1"})
	if err != nil || s.Condition != nil || !s.Corner {
		t.Errorf("l1: found %+v, %v, expected no condition", s, err)
	}
}

func decodeSurvey(t *testing.T, text string) *data.Set {
	t.Helper()
	set, err := data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: strings.NewReader(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}
