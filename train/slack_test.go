package train

import (
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/linear"
)

// A linear model with slack is proved and verified, whatever its bias, and half of
// its slack is found out; other solvers say what to change.
func TestLinearSlack(t *testing.T) {
	set := rings(t, 60, 2, false)
	for _, bias := range problem.BiasNames() {
		spec := Spec{Slack: 0.3, Bias: bias, Gap: 0.1}
		r, err := Fit(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Decode(encoded(t, r.Model))
		if err != nil || r.Status != solver.Converged {
			t.Fatalf("bias %s: %s, %v", bias, r.Status, err)
		}
		if v, err := Verify(m, set, 1); err != nil || len(v.Problems) > 0 || v.Found != v.Claimed {
			t.Errorf("bias %s: verification %+v, %v", bias, v, err)
		}
		m.Statement.Slack /= 2
		if v, err := Verify(m, set, 1); err != nil || len(v.Problems) == 0 {
			t.Errorf("bias %s: a model with half of the slack is not found out: %v", bias, err)
		}
		for _, e := range linear.Entries() {
			spec.Solver = e.Name
			if _, err := Fit(t.Context(), set, spec); (err == nil) != (e.Name == "simba") || err != nil && (!strings.Contains(err.Error(), "expected") || strings.Contains(err.Error(), "*")) {
				t.Errorf("bias %s, solver %s: %v", bias, e.Name, err)
			}
		}
	}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Slack: 1, Penalty: "l1"}, "slack=1 with the penalty l1: expected l2"},
		{Spec{Slack: 1, C: 1}, "expected one of them"},
		{Spec{Slack: 1, Loss: "logistic"}, "expected hinge"},
		{Spec{C: 1, Solver: "simba"}, "expected a problem with slack"},
	} {
		if _, err := Fit(t.Context(), set, c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: found %v, expected %q", c.spec, err, c.want)
		}
	}
}
