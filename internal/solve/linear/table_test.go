package linear

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

var (
	long    = flag.Bool("long", false, "solve a9a by every solver with every loss and penalty it takes, for an hour")
	longFor = flag.String("long.only", "", "of these those whose solver/loss/penalty match this expression")
	longEnd = flag.Duration("long.time", 60*time.Second, "time for each of them")
)

// linearly are the solvers with linear rates. The others have to prove 1e-2 within 200 epochs.
var linearly = []string{"accelerated", "catalyst", "cd", "covariance", "cutting-plane", "hybrid", "lbfgs", "miso", "newton", "preconditioned", "proximal-gradient", "s2gd", "sag", "saga", "sdca", "svrg"}

// gradually are those whose steps see all rows, soon or always, at a length that the condition, 3,500 here,
// decides: 200 passes are too few by their theory, so that the table only reports them.
var gradually = []string{"growing", "subgradient", "admm"}

// tablePenalties are what the table has columns for; two are bounds on the norm.
var tablePenalties = []string{"l2", "elastic-net", "lp", "l1", "group", "fused", "radius l1", "radius l2"}

// tableProblem is a9a with lambda 1e-3 and a bias that is a feature.
func tableProblem(rows *problem.Rows, y []float64, l loss.Loss, spec string) *problem.Linear {
	lambda := 1e-3
	var p penalty.Penalty
	if name, found := strings.CutPrefix(spec, "radius "); found {
		p, lambda = must(penalty.NewBall(must(penalty.New(name)), 2)), 1
	} else {
		p = must(penalty.New(spec))
	}
	return must(problem.NewLinear(rows, y, nil, l, p, lambda, problem.Feature))
}

// goalOf is the gap that a solver has to prove, and within how many epochs. Where neither the loss nor the
// penalty is strongly convex, rates are linear only near the optimum, if at all.
func goalOf(name, spec string) (gap float64, epochs int) {
	strong := spec == "l2" || spec == "elastic-net" || spec == "lp"
	switch {
	case slices.Contains(linearly, name) && (strong || name == "cd" || name == "covariance" || name == "newton"):
		return 1e-6, 20000
	case slices.Contains(linearly, name):
		return 1e-4, 20000
	}
	return 1e-2, 200
}

// TestSolverTable: each solver on each problem that it takes, on a9a with lambda 1e-3: methods with linear
// rates prove 1e-6, subgradient methods 1e-2 within 200 epochs; refusals have a reason of one line.
func TestSolverTable(t *testing.T) {
	if !*long {
		t.Skip("takes an hour: go test ./solver/linear -run SolverTable -timeout 4h -v -args -long")
	}
	rows, y := a9a(t)
	only := regexp.MustCompile(*longFor)
	for _, e := range solver.Linear.Entries() {
		s := must(New(e.Name))
		for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.Squared{}} {
			line := fmt.Sprintf("%s | %s |", e.Name, strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", l), "loss.")))
			runs := 0
			for _, spec := range tablePenalties {
				if !only.MatchString(fmt.Sprintf("%s/%T/%s", e.Name, l, spec)) {
					continue
				}
				p := tableProblem(rows, y, l, spec)
				if err := s.Accepts(p); err != nil {
					if line += " - |"; strings.Contains(err.Error(), "\n") || len(err.Error()) < 20 {
						t.Errorf("%s, %T, %s: refused by %q", e.Name, l, spec, err)
					}
					continue
				}
				gap, epochs := goalOf(e.Name, spec)
				runs++
				sol := must(solver.Run(context.Background(), s, p, solver.Options{Gap: gap, Epochs: epochs, Time: *longEnd, Seed: 1}))
				line += fmt.Sprintf(" %.0e in %d |", math.Max(sol.Certificate.Relative(), 1e-16), sol.Epochs)
				if sol.Status != solver.Converged && !slices.Contains(gradually, e.Name) {
					t.Errorf("%s, %T, %s: %s after %d epochs, gap %g, expected %g", e.Name, l, spec, sol.Status, sol.Epochs, sol.Certificate.Relative(), gap)
				}
			}
			if runs > 0 {
				t.Log(line)
			}
		}
	}
}

// a9a reads the set, or skips the test.
func a9a(t *testing.T) (*problem.Rows, []float64) {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("FENCHEL_DATA"), "../../../../shared/data"), "adult/a9a.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no real set: %v", err)
	}
	x, y := readAblated(t, path, "")
	return problem.NewRows(x, 2), y
}

// TestHingeLassoRealRows: the hinge with l1, a linear program, is proved to 1e-6 on the first 2,000 rows of
// a9a and on all of them, with lambda 1e-2 and 1e-3, by the solver that is chosen for it.
func TestHingeLassoRealRows(t *testing.T) {
	rows, y := a9a(t)
	part, few := firstRows(2000)(rows.X, y)
	for _, c := range []struct {
		rows *problem.Rows
		y    []float64
	}{{problem.NewRows(part, 2), few}, {rows, y}} {
		last := math.MaxInt
		for _, lambda := range []float64{1e-3, 1e-2} {
			p := must(problem.NewLinear(c.rows, c.y, nil, loss.Hinge{}, penalty.L1{}, lambda, problem.Free))
			name, _ := Choose(p, 1e-6)
			sol := must(solver.Run(context.Background(), must(New(name)), p, solver.Options{Gap: 1e-6, Epochs: 500}))
			nonzeros := 0
			for _, w := range sol.Point.W {
				if math.Abs(w) > 1e-6 {
					nonzeros++
				}
			}
			t.Logf("%d rows, lambda %g: %s, %s after %d epochs, %.2g s, %d weights", len(c.y), lambda, name, sol.Status, sol.Epochs, sol.Train.Seconds(), nonzeros)
			if sol.Status != solver.Converged || name != "newton" || nonzeros >= last {
				t.Errorf("%d rows, lambda %g: %s by %s, gap %g, %d weights after %d", len(c.y), lambda, sol.Status, name, sol.Certificate.Relative(), nonzeros, last)
			}
			last = nonzeros
		}
	}
}
