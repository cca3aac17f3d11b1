package fenchel

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A linear model with slack is proved and verified, whatever its bias, and half of
// its slack is found out; other solvers say what to change.
func TestLinearSlack(t *testing.T) {
	set := rings(t, 60, 2, false)
	for _, bias := range problem.BiasNames() {
		spec := Spec{Slack: 0.3, Bias: bias, Gap: 0.1}
		r, err := Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Decode(encoded(t, r.Model))
		if err != nil || r.Status != solver.Converged {
			t.Fatalf("bias %s: %s, %v", bias, r.Status, err)
		}
		if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || v.Found != v.Claimed {
			t.Errorf("bias %s: verification %+v, %v", bias, v, err)
		}
		m.Statement.Slack /= 2
		if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) == 0 {
			t.Errorf("bias %s: a model with half of the slack is not found out: %v", bias, err)
		}
		for _, e := range linear.Entries() {
			spec.Solver = e.Name
			if _, err := Train(t.Context(), set, spec); (err == nil) != (e.Name == "simba" || e.Name == "root") || err != nil && (!strings.Contains(err.Error(), "expected") || strings.Contains(err.Error(), "*")) {
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
		{Spec{C: 1, Solver: "simba"}, "simba needs 'slack'"},
	} {
		if _, err := Train(t.Context(), set, c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: found %v, expected %q", c.spec, err, c.want)
		}
	}
}

// What is stored of a problem whose weights are bounded is the point that its objective is
// about: inside of the ball, and not one instead of which another is judged.
func TestStoredInsideTheBall(t *testing.T) {
	set := rings(t, 60, 2, false)
	for name, spec := range map[string]Spec{
		"slack":        {Slack: 0.3, Gap: 0.1},
		"hard margin":  {HardMargin: true, Kernel: "rbf:gamma=1"},
		"kernel slack": {Slack: 0.3, Kernel: "rbf:gamma=1", Gap: 0.1},
		"radius":       {Radius: 2, Kernel: "rbf:gamma=1", Gap: 0.1, Bias: "feature"},
		"small radius": {Radius: 0.01, Kernel: "rbf:gamma=1", Gap: 0.1, Bias: "none"},
	} {
		r, err := Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		s, err := pose.Restate(r.Model, set, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Output(0)
		if err != nil {
			t.Fatal(err)
		}
		stored := s.Family.Weights(r.Model, 0)
		w := p.Point(stored, r.Summary.Primal)
		if inside := p.Problem.(problem.Bounded).Inside(w); !pose.Near(inside, w) || !spec.margin() && &inside[0] != &w[0] {
			t.Errorf("%s: the stored point is outside of the ball: found the weight %g, inside %g", name, w[0], inside[0])
		}
		if v, err := Verify(t.Context(), r.Model, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || v.Found != v.Claimed {
			t.Errorf("%s: verification %+v, %v", name, v, err)
		}
		if !spec.margin() {
			continue
		}
		// What is stored has the margin 1, which is what the solver's point is divided by.
		classifier, ok := p.Problem.(interface {
			Classifier([]float64) ([]float64, bool)
		}).Classifier(w)
		for i := range stored {
			if !ok || !(math.Abs(classifier[i]-stored[i]) <= 1e-6*math.Abs(stored[i])) {
				t.Fatalf("%s: found the weight %g, expected %g, %v", name, stored[i], classifier[i], ok)
			}
		}
		for _, factor := range []float64{0.9, 1.1} { // in other units it is another model
			other := *r.Model
			other.Outputs = slices.Clone(other.Outputs)
			other.Outputs[0].Bias *= factor
			other.Outputs[0].Weights = slices.Clone(other.Outputs[0].Weights)
			for i := range other.Outputs[0].Weights {
				other.Outputs[0].Weights[i] *= factor
			}
			if v, err := Verify(t.Context(), &other, set, Options{Threads: 1}); err != nil || len(v.Problems) == 0 {
				t.Errorf("%s: weights times %g are not found out: %+v, %v", name, factor, v, err)
			}
		}
	}
}
