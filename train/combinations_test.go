package train

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	kernelsolver "github.com/fenchel-ml/fenchel/solver/kernel"
)

// Every problem of a kernel machine with every bias and every solver works, or is
// refused in one line that says what to change; auto and the default bias work.
func TestCombinations(t *testing.T) {
	set := rings(t, 40, 2, false)
	solvers := []string{"auto"}
	for _, e := range kernelsolver.Entries() {
		solvers = append(solvers, e.Name)
	}
	for _, stated := range []struct {
		name string
		spec Spec
	}{
		{"lambda", Spec{Lambda: 0.01}},
		{"C", Spec{C: 10}},
		{"radius", Spec{Radius: 2}},
		{"slack", Spec{Slack: 0.2}},
		{"nu", Spec{Nu: 0.2}},
	} {
		works := map[string]bool{}
		for _, bias := range append([]string{""}, problem.BiasNames()...) {
			for _, name := range solvers {
				spec := stated.spec
				spec.Kernel, spec.Bias, spec.Solver, spec.Epochs, spec.Seed = "rbf", bias, name, 50, 1
				r, err := Fit(t.Context(), set, spec)
				where := stated.name + ", bias " + bias + ", solver " + name
				if err != nil {
					if bias == "" && name == "auto" {
						t.Errorf("%s: refused: %v", where, err)
					}
					var data DataError
					if text := err.Error(); errors.As(err, &data) || !strings.Contains(text, "expected") || strings.ContainsAny(text, "\n*%") {
						t.Errorf("%s: found the error %q, expected one line that says what is expected", where, text)
					}
					continue
				}
				works[name] = true
				switch r.Status {
				case solver.Converged, solver.EpochLimit, solver.Stalled:
				default:
					t.Errorf("%s: found the status %s", where, r.Status)
				}
				if math.IsNaN(r.Summary.Primal) || math.IsInf(r.Summary.Primal, 0) {
					t.Errorf("%s: found the objective %g", where, r.Summary.Primal)
				}
				if v, err := Verify(r.Model, set, 1); err != nil || len(v.Problems) > 0 {
					t.Errorf("%s: verify found %v (error %v)", where, v, err)
				}
			}
		}
		if len(works) == 0 || !works["auto"] {
			t.Errorf("%s: works with the solvers %v, expected auto among them", stated.name, works)
		}
	}
}
