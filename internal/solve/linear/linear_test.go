package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/column"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	kerneldual "github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// newtonRefuses says why Newton's method does not take a problem of few columns.
func newtonRefuses(l loss.Loss, p string) string {
	_, cornered := l.(loss.Cornered)
	if cornered && p == "l1" {
		return elsewhere
	}
	if p != "l2" && !cornered {
		return "solver newton needs the penalty l2, or l1 or elastic-net with a loss with corners such as hinge: its equations rely on it"
	}
	return ""
}

// elsewhere is the reason of what a test of its own examines.
const elsewhere = "TestLinearPrograms"

// TestLinearPrograms: losses with corners with the penalty l1 are proved to 1e-9, dense and sparse,
// and the objective is that of the method of multipliers. Warm starts are as good as the dual
// variables, of which such problems have many.
func TestLinearPrograms(t *testing.T) {
	draw.Each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		if _, cornered := l.(loss.Cornered); !cornered || p != "l1" {
			return
		}
		for _, q := range []*problem.Linear{draw.Problem(l, p, bias, 40, 5, false), draw.Problem(l, p, bias, 50, 12, true)} {
			sol := must(solver.Run(context.Background(), newton.Newton{}, q, solver.Options{Gap: 1e-9, Epochs: 200}))
			if sol.Status != solver.Converged {
				t.Errorf("%T: %s, relative gap %g", q.X, sol.Status, sol.Certificate.Relative())
			}
			other := must(solver.Run(context.Background(), must(New("admm")), q, solver.Options{Gap: 1e-3, Epochs: 20000}))
			if apart := other.Certificate.Primal - sol.Certificate.Primal; apart < -1e-9*q.Zero() || apart > 1e-3*q.Zero() {
				t.Errorf("%T: objective %v, by multipliers %v", q.X, sol.Certificate.Primal, other.Certificate.Primal)
			}
		}
	})
}

// examined holds one row per solver: what it is asked to prove, and the reason
// for which it refuses a penalty or a loss ("" for none).
var examined = []struct {
	spec    string
	gap     float64
	epochs  int
	refuses func(l loss.Loss, penalty string) string
}{
	{"sdca", 1e-6, 20000, func(_ loss.Loss, p string) string {
		if p == "l1" {
			return "solver sdca needs a strongly convex penalty (l2 or elastic-net): without one the dual does not determine the weights"
		}
		return ""
	}},
	{"newton", 1e-9, 60, newtonRefuses},
	{"cd", 1e-6, 2000, func(l loss.Loss, p string) string {
		if p == "l2" {
			return "solver cd needs the penalty l1 or elastic-net; for l2 use sdca"
		}
		if math.IsInf(l.Smoothness(), 1) {
			return fmt.Sprintf("solver cd needs a smooth loss such as squared-hinge, logistic or squared: moving one weight at a time gets stuck at the corners of %s", loss.Name(l))
		}
		return ""
	}},
	{"covariance", 1e-9, 60, func(l loss.Loss, p string) string {
		if p == "l2" {
			return "solver covariance needs the penalty l1 or elastic-net; for l2 use newton"
		}
		if !loss.IsQuadratic(l) {
			return "solver covariance needs the squared loss, whose curvature is the same everywhere"
		}
		return ""
	}},
	{"gram", 1e-6, 20000, func(l loss.Loss, p string) string {
		if p != "l2" {
			return "solver gram needs the penalty l2: inner products of rows say nothing of others"
		}
		if err := kerneldual.TakesLoss("solver gram", l); err != nil {
			return err.Error()
		}
		return ""
	}},
	{"simba", 0, 0, func(loss.Loss, string) string {
		return "simba needs 'slack', the average slack with which it maximises the margin: expected 'slack', or another solver"
	}},
	{"pegasos", 2e-2, 20000, refuses("pegasos", onRidge, false)},
	{"pgs", 2e-2, 20000, refuses("pgs", map[string]string{"l1": ofNorm, "elastic-net": ofNorm}, false)},
	{"sgd", 2e-2, 20000, refuses("sgd", map[string]string{"l1": notStrong}, false)},
	{"stochastic", 2e-2, 20000, refuses("stochastic", map[string]string{"l1": notStrong}, false)},
	{"asgd", 1e-2, 20000, refuses("asgd", map[string]string{"l1": noZeros, "elastic-net": noZeros}, true)},
	{"stochastic-newton", 2e-2, 20000, refuses("stochastic-newton", onRidge, true)},
	{"adagrad", 0.5, 2000, refuses("adagrad", nil, false)},
	{"rmsprop", 0.5, 2000, refuses("rmsprop", nil, false)},
	{"adam", 0.5, 2000, refuses("adam", nil, false)},
	{"exponentiated", 0.5, 2000, refuses("exponentiated", map[string]string{"l2": ofBall, "elastic-net": ofBall}, false)},
	{"frank-wolfe", 0, 0, func(_ loss.Loss, p string) string {
		return fmt.Sprintf("solver frank-wolfe needs a bound on the norm, 'radius' with the penalty l1 or l2: found the penalty %s", penalty.Name(must(penalty.New(p))))
	}},
	{"root", 0, 0, func(_ loss.Loss, p string) string {
		return fmt.Sprintf("solver root needs a bound on the norm, 'radius' with the penalty l2, or on the slack: found the penalty %s", penalty.Name(must(penalty.New(p))))
	}},
	{"projected-sgd", 0, 0, refuses("projected-sgd", map[string]string{"l1": ofRadius, "l2": ofRadius, "elastic-net": ofRadius}, false)},
	{"subgradient", 2e-2, 20000, func(l loss.Loss, _ string) string {
		if _, most := l.Domain(1); math.IsInf(l.Smoothness(), 1) && math.IsInf(most, 1) {
			return fmt.Sprintf("solver subgradient needs a loss that is smooth or of bounded slope, which %s is not: its steps would overflow; use sdca", loss.Name(l))
		}
		return ""
	}},
	{"preconditioned", 1e-6, 2000, func(l loss.Loss, p string) string {
		if p != "l2" {
			return "solver preconditioned needs the penalty l2: its matrix relies on it"
		}
		return smooth("preconditioned")(l, p)
	}},
	{"hybrid", 1e-6, 5000, smooth("hybrid")},
	{"growing", 1e-2, 2000, refuses("growing", nil, true)},
	{"admm", 1e-3, 20000, func(loss.Loss, string) string { return "" }},
	{"lbfgs", 1e-6, 5000, smooth("lbfgs")},
	{"accelerated", 1e-6, 20000, smooth("accelerated")},
	{"proximal-gradient", 1e-6, 20000, smooth("proximal-gradient")},
	{"sag", 1e-6, 2000, refuses("sag", onRidge, true)},
	{"saga", 1e-6, 2000, refuses("saga", nil, true)},
	{"svrg", 1e-6, 2000, refuses("svrg", nil, true)},
	{"s2gd", 1e-6, 2000, refuses("s2gd", nil, true)},
	{"catalyst", 1e-6, 2000, refuses("catalyst", onRidge, true)},
}

// Why stochastic methods refuse penalties.
var onRidge = map[string]string{"l1": "the penalty l2: its steps rely on it", "elastic-net": "the penalty l2: its steps rely on it"}

const (
	ofNorm    = "the penalty l2 or lp: its weights are gradients of a conjugate of a squared norm"
	ofBall    = "the penalty l1: it divides a ball of the l1-norm among the weights"
	ofRadius  = "a bound on the norm, 'radius' with the penalty l2: its steps are of the size of the ball"
	notStrong = "a strongly convex penalty (l2 or elastic-net) for step=inverse: expected step=sqrt"
	noZeros   = "output=last, best or random with this penalty: averages of iterates have no zeros"
)

// smooth says why a batch method does not take a loss.
func smooth(name string) func(loss.Loss, string) string {
	return func(l loss.Loss, _ string) string {
		if math.IsInf(l.Smoothness(), 1) {
			return fmt.Sprintf("solver %s needs a smooth loss such as huber-hinge, squared-hinge, logistic or squared, which %s is not", name, loss.Name(l))
		}
		return ""
	}
}

// refuses says why a stochastic method does not take some penalties, and corners if it is smooth.
func refuses(name string, penalties map[string]string, smooth bool) func(loss.Loss, string) string {
	return func(l loss.Loss, p string) string {
		_, most := l.Domain(1)
		switch {
		case math.IsInf(l.Smoothness(), 1) && math.IsInf(most, 1):
			return fmt.Sprintf("solver %s needs a loss that is smooth or of bounded slope, which %s is not: its steps would overflow; use sdca", name, loss.Name(l))
		case penalties[p] != "":
			return "solver " + name + " needs " + penalties[p]
		case smooth && math.IsInf(l.Smoothness(), 1):
			return fmt.Sprintf("solver %s needs a smooth loss such as squared-hinge, logistic or squared: %s has corners, at which gradients do not settle", name, loss.Name(l))
		}
		return ""
	}
}

// ridgeOnly are the solvers that refuse a free bias: what else they refuse, and what they are
// asked to prove.
var ridgeOnly = []struct {
	spec, free string
	gap        float64
	refuses    func(l loss.Loss, penalty string) string
}{
	{"miso", "solver miso needs the bias none or feature: its weights are sums over rows divided by lambda, which a bias without a penalty is not",
		1e-6, refuses("miso", onRidge, true)},
	{"cutting-plane", "solver cutting-plane needs the bias none or feature: its weights are combinations of planes divided by lambda, which a bias without a penalty is not",
		1e-6, func(_ loss.Loss, p string) string {
			if p != "l2" {
				return "solver cutting-plane needs the penalty l2: its weights are combinations of planes divided by lambda"
			}
			return ""
		}},
}

// TestRidgeOnly is TestSolvers for those.
func TestRidgeOnly(t *testing.T) {
	draw.Each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		q := draw.Problem(l, p, bias, 40, 5, bias == problem.None)
		for _, c := range ridgeOnly {
			reason := c.refuses(l, p)
			if bias == problem.Free && reason == "" {
				reason = c.free
			}
			s := must(New(c.spec))
			if reason != "" {
				if err := conform.Refusal(s, q, reason); err != nil {
					t.Error(err)
				}
				continue
			}
			if err := conform.Solver(s, conform.Case{Problem: q, Optimum: optimum(q), Gap: c.gap, Epochs: 5000}); err != nil {
				t.Errorf("%s: %v", c.spec, err)
			}
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestEverySolverIsExamined(t *testing.T) {
	rows := []string{}
	for _, c := range examined {
		rows = append(rows, c.spec)
	}
	for _, c := range ridgeOnly {
		rows = append(rows, c.spec)
	}
	slices.Sort(rows)
	if names := solver.Linear.Names(); !slices.Equal(rows, names) {
		t.Errorf("the table has rows for %v, registered are %v", rows, names)
	}
}

// TestSolvers examines every solver on every problem, dense and sparse, and
// every refusal; without -long on every fifth problem, dense or sparse in turn.
func TestSolvers(t *testing.T) {
	number := 0
	draw.Each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		dense, sparse := draw.Problem(l, p, bias, 40, 5, false), draw.Problem(l, p, bias, 50, 12, true)
		number++
		for k, c := range examined {
			s := must(New(c.spec))
			reason := c.refuses(l, p)
			if reason == elsewhere {
				continue
			}
			if reason != "" {
				if err := conform.Refusal(s, dense, reason); err != nil || s.Accepts(dense).Error() != reason {
					t.Errorf("%s: %v", c.spec, err)
				}
				continue
			}
			for _, q := range []*problem.Linear{dense, sparse} {
				if turn := number + k; !*long && (turn%5 != 0 || (q == sparse) != (turn/5%2 == 0)) {
					continue
				}
				if err := conform.Solver(s, conform.Case{Problem: q, Optimum: optimum(q), Gap: c.gap, Epochs: c.epochs}); err != nil {
					t.Errorf("%s on %T: %v", c.spec, q.X, err)
				}
			}
		}
	})
}

// optimum is the objective of an answer that is proved to 1e-11, NaN when no
// solver proves that much.
func optimum(p *problem.Linear) float64 {
	for _, s := range []solver.Solver{column.CD{}, dual.SDCA{}} {
		if s.Accepts(p) != nil {
			continue
		}
		sol := must(solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-11, Epochs: 5000, Seed: 99}))
		if sol.Status == solver.Converged {
			return sol.Certificate.Primal
		}
	}
	return math.NaN()
}

// stranger is no linear predictor.
type stranger struct{}

func (stranger) Dims() (rows, cols int)                    { return 1, 1 }
func (stranger) Certify(problem.Point) problem.Certificate { return problem.Certificate{} }

// near says that a and b agree element by element, relative to size.
func near(a, b []float64, tolerance, size float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= tolerance*math.Max(size, math.Abs(y)) })
}

func TestStrangersAreRefused(t *testing.T) {
	for _, c := range examined {
		err := conform.Refusal(must(New(c.spec)), stranger{}, "found a problem of the program's own, expected a linear model")
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
		}
	}
}

// TestSDCAAndCDAgree has elastic-net and a smooth loss: both must find the same
// objective and the same weights, which strong convexity makes unique.
func TestSDCAAndCDAgree(t *testing.T) {
	draw.Each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		if p != "elastic-net" || math.IsInf(l.Smoothness(), 1) {
			return // one of the two refuses it
		}
		q := draw.Problem(l, p, bias, 60, 8, true)
		opt := solver.Options{Gap: 1e-12, Epochs: 20000}
		a, b := must(solver.Run(context.Background(), dual.SDCA{}, q, opt)), must(solver.Run(context.Background(), column.CD{}, q, opt))
		d := len(a.Point.W) - 1
		if math.Abs(a.Certificate.Primal-b.Certificate.Primal) > 1e-10*q.Zero() || !near(a.Point.W[:d], b.Point.W[:d], 1e-5, 1) {
			t.Errorf("sdca %v with %v, cd %v with %v", a.Certificate.Primal, a.Point.W, b.Certificate.Primal, b.Point.W)
		}
	})
}

// TestElasticNetWithHinge is a combination that few programs have.
func TestElasticNetWithHinge(t *testing.T) {
	p := draw.Problem(loss.Hinge{}, "elastic-net", problem.Free, 60, 20, true)
	sol := must(solver.Run(context.Background(), dual.SDCA{}, p, solver.Options{Gap: 1e-7, Epochs: 50000}))
	zeros := 0
	for _, w := range sol.Point.W {
		if w == 0 {
			zeros++
		}
	}
	if sol.Status != solver.Converged || zeros == 0 {
		t.Errorf("%s with relative gap %g and %d weights of zero", sol.Status, sol.Certificate.Relative(), zeros)
	}
}

// TestWarmStartsFromElsewhere: a warm start from another problem is only a
// beginning: the answer is proved all the same.
func TestWarmStartsFromElsewhere(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		for _, spec := range []string{"sdca", "cd", "pegasos"} {
			name, gap := "elastic-net", 1e-6
			if spec == "pegasos" {
				name, gap = "l2", 1e-2
			}
			q := draw.Problem(loss.Logistic{}, name, bias, 40, 5, false)
			r := rand.New(rand.NewPCG(31, 1))
			from := problem.Point{W: make([]float64, 6), A: make([]float64, 40)}
			for j := range from.W {
				from.W[j] = 3 * r.NormFloat64() // the bias, too, where there is none
			}
			for i := range from.A {
				from.A[i] = 3 * r.NormFloat64()
			}
			for _, f := range []problem.Point{from, {W: from.W}, {A: from.A}} {
				if f.A != nil && f.W != nil && bias == problem.None {
					f.W = append(slices.Clone(f.W[:5]), 0)
				}
				sol := must(solver.Run(context.Background(), must(New(spec)), q, solver.Options{Gap: gap, Epochs: 20000, From: &f}))
				if sol.Status != solver.Converged || bias == problem.None && sol.Point.W[5] != 0 {
					t.Errorf("%s, bias %v: %s, relative gap %g, %v", spec, bias, sol.Status, sol.Certificate.Relative(), sol.Point.W)
				}
			}
		}
	}
}

func TestUnknownSolver(t *testing.T) {
	_, err := New("sdac")
	if err == nil || !strings.HasPrefix(err.Error(), `unknown solver "sdac": did you mean "sdca"?`) {
		t.Errorf("New: %v", err)
	}
}

// TestInterruptedBeforeItBegins: a run that ends before its first epoch, where a
// sample is still to be solved, has a point.
func TestInterruptedBeforeItBegins(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}} {
		p := draw.Problem(l, "l2", problem.Free, 4*4096, 6, false)
		for _, spec := range []string{"newton", "sdca"} {
			sol := must(solver.Run(ended, must(New(spec)), p, solver.Options{}))
			if sol.Status != solver.Interrupted || sol.Epochs != 0 || len(sol.Point.W) != 7 {
				t.Errorf("%T, %s: %s after %d epochs, %d weights", l, spec, sol.Status, sol.Epochs, len(sol.Point.W))
			}
		}
	}
}
