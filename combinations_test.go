package fenchel

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pose"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// goType is the name of a Go type of this module, as in *problem.Kernel.
var goType = regexp.MustCompile(`\b(loss|joint|penalty|kernel|problem|matrix|solver)\.[A-Z]`)

// What a linear solver, a loss and a penalty refuse they refuse by the names of the command line.
func TestRefusalsNameWhatUsersKnow(t *testing.T) {
	set, refused := rings(t, 12, 2, false), 0
	for _, s := range linear.Entries() {
		for _, l := range loss.Entries() {
			for _, p := range penalty.Entries() {
				_, err := Train(t.Context(), set, Spec{Loss: l.Name, Penalty: p.Name, Solver: s.Name, Run: Run{Epochs: 1}, Lambda: 1})
				if err == nil {
					continue
				}
				if refused++; goType.MatchString(err.Error()) {
					t.Errorf("loss %s, penalty %s, solver %s: found the error %q with the name of a Go type", l.Name, p.Name, s.Name, err)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("found nothing refused: the test proves nothing")
	}
}

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
				r, err := Train(t.Context(), set, spec)
				where := stated.name + ", bias " + bias + ", solver " + name
				if err != nil {
					if bias == "" && name == "auto" {
						t.Errorf("%s: refused: %v", where, err)
					}
					var data pose.DataError
					if text := err.Error(); errors.As(err, &data) || goType.MatchString(text) || !strings.Contains(text, "expected") || strings.ContainsAny(text, "\n*%") {
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
				if v, err := Verify(t.Context(), r.Model, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
					t.Errorf("%s: verify found %v (error %v)", where, v, err)
				}
			}
		}
		if len(works) == 0 || !works["auto"] {
			t.Errorf("%s: works with the solvers %v, expected auto among them", stated.name, works)
		}
	}
}
