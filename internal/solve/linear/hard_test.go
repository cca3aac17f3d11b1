package linear

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// hard holds problems at the ends of what data look like: rows, targets,
// classes made of the targets where the loss asks for them.
var hard = []struct {
	name   string
	rows   [][]float32
	y      []float64
	lambda float64
	slow   string // solvers that move one variable at a time and may run out of epochs
}{
	{"one row", [][]float32{{1, 2}}, []float64{1}, 0.1, ""},
	{"one feature", [][]float32{{1}, {-2}, {0.5}}, []float64{1, -1, 1}, 0.1, ""},
	{"no feature", [][]float32{{}, {}, {}}, []float64{1, -1, 1}, 0.1, ""},
	{"empty rows", [][]float32{{0, 0}, {1, 0}, {0, 0}, {0, 3}}, []float64{1, -1, -1, 1}, 0.1, ""},
	{"only empty rows", [][]float32{{0, 0}, {0, 0}, {0, 0}}, []float64{1, -1, 1}, 0.1, ""},
	{"duplicates", [][]float32{{1, 2}, {1, 2}, {1, 2}, {-1, 0}}, []float64{1, -1, 1, 1}, 0.1, ""},
	{"one class", [][]float32{{1, 2}, {2, 1}, {-1, 1}}, []float64{1, 1, 1}, 0.1, ""},
	{"all targets zero or one class", [][]float32{{1, 2}, {2, 1}, {-1, 1}}, []float64{0, 0, 0}, 0.1, ""},
	{"huge features", [][]float32{{1e6, 2e6}, {-1e6, 1e6}, {3e6, 1e5}}, []float64{1, -1, 1}, 0.1, "sdca cd"},
	{"tiny features", [][]float32{{1e-6, 2e-6}, {-1e-6, 1e-6}, {3e-6, 1e-7}}, []float64{1, -1, 1}, 0.1, ""},
	{"mixed features", [][]float32{{1e6, 2e-6}, {-1e6, 1e-6}, {3e5, 1e-7}}, []float64{1, -1, 1}, 0.1, "sdca cd"},
	{"small lambda", [][]float32{{1, 2}, {-1, 1}, {3, 1}, {1, 2}}, []float64{1, -1, 1, -1}, 1e-8, "sdca cd"},
	{"large lambda", [][]float32{{1, 2}, {-1, 1}, {3, 1}}, []float64{1, -1, 1}, 1e4, ""},
	{"huge targets", [][]float32{{1, 2}, {-1, 1}, {3, 1}}, []float64{1e6, -3e6, 2e6}, 0.1, "cd"},
}

// exacting are the solvers that must reach the gap.
const exacting = "sdca cd newton"

// TestHard: whatever the problem, no run diverges, no number is NaN, and what
// is reported is the problem's own certificate. The exacting solvers must also get
// there: a row says where the condition number (10^13 with features of 10^6)
// is too much for steps of one variable. Without -long the others try every fifth row, for
// a tenth of the epochs.
func TestHard(t *testing.T) {
	number := 0
	draw.Each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		for row, c := range hard {
			y := slices.Clone(c.y)
			for i := range y {
				if _, ok := l.(loss.Margin); ok {
					y[i] = math.Copysign(1, y[i])
				}
				if counts(l) { // of zeros alone there is no optimum, and of ones the objective is 0
					y[i] = math.Abs(y[i]) + 0.5
				}
			}
			q := must(problem.NewLinear(problem.NewRows(draw.Stored(c.rows, true), 1), y, nil, l, must(penalty.New(p)), c.lambda, bias))
			for k, s := range examined {
				exact := slices.Contains(strings.Fields(exacting), s.spec)
				if s.refuses(l, p) == "" && (exact || *long || (number+row+k)%5 == 0) {
					slow := strings.Contains(c.slow, s.spec) || counts(l) && c.name == "huge targets" // exponentials of them
					hardRun(t, c.name, s.spec, q, !exact || slow)
				}
			}
		}
		number++
	})
}

// counts reports whether a loss is for targets from 0.
func counts(l loss.Loss) bool {
	least, _ := loss.Targets(l)
	return least == 0
}

func hardRun(t *testing.T, name, spec string, q *problem.Linear, slow bool) {
	t.Helper()
	epochs := 3000
	if slow && !*long && spec != "newton" { // which may run out of them
		epochs = 300
	}
	sol := must(solver.Run(context.Background(), must(New(spec)), q, solver.Options{Gap: 1e-3, Epochs: epochs, Seed: 1}))
	numbers := append([]float64{sol.Certificate.Primal}, sol.Point.W...)
	for _, x := range append(numbers, sol.Point.A...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s, %s: %s with %v", spec, name, sol.Status, sol.Point)
		}
	}
	// No relative gap can be proved where the optimum is zero to all digits.
	tried := (sol.Status == solver.EpochLimit || sol.Status == solver.Stalled) && (slow || sol.Certificate.Primal < 1e-9*q.Zero())
	if sol.Status != solver.Converged && !tried {
		t.Errorf("%s, %s: %s, relative gap %g, %+v", spec, name, sol.Status, sol.Certificate.Relative(), sol.Point)
	}
	if own := q.Certify(sol.Point); own.Primal != sol.Certificate.Primal || own.Dual != sol.Certificate.Dual {
		t.Errorf("%s, %s: certificate %+v, recomputed %+v", spec, name, sol.Certificate, own)
	}
}
