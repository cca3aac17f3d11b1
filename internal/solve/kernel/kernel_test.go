package kernel

import (
	"context"
	"flag"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	_ "github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// With the linear kernel a kernel machine is the linear predictor with the
// penalty |w|^2/2.
func TestLinearKernelIsLinear(t *testing.T) {
	x, y := kerneltest.Toy(60)
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.Squared{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature} {
			gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := problem.NewKernel(gram, y, nil, l, 0.1, bias)
			if err != nil {
				t.Fatal(err)
			}
			q, err := problem.NewLinear(problem.NewRows(x, 1), y, nil, l, penalty.L2{}, 0.1, bias)
			if err != nil {
				t.Fatal(err)
			}
			one, err := solver.Run(context.Background(), engine.SDCA{}, p, solver.Options{Gap: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			s, _ := solver.Linear.New("sdca")
			two, err := solver.Run(context.Background(), s, q, solver.Options{Gap: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			if one.Status != solver.Converged || math.Abs(one.Certificate.Primal-two.Certificate.Primal) > 1e-8 {
				t.Errorf("%T bias %v: %s at %.12g, expected %.12g", l, bias, one.Status, one.Certificate.Primal, two.Certificate.Primal)
			}
		}
	}
}

var _ = flag.Bool("long", false, "solve all problems of the tests that draw hundreds, not the first of them alone")

// What a solver cannot take it refuses, and says why; so do parameters.
func TestRefusals(t *testing.T) {
	x, y := kerneltest.Toy(20)
	gram := kerneltest.GramOf(t, x, 1)
	machine := func(l loss.Loss, bias problem.Bias, weights []float64) problem.Problem {
		p, err := problem.NewKernel(gram, y, weights, l, 0.1, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	uneven := slices.Repeat([]float64{1, 2}, 10)
	for _, c := range []struct {
		spec   string
		p      problem.Problem
		reason string
	}{
		{"sdca", machine(loss.Hinge{}, problem.Free, nil), "free bias"},
		{"sdca", kerneltest.InBall(t, gram, y), "found a kernel machine with a radius, expected lambda or C, or the solver sgd"},
		{"pegasos", machine(loss.Hinge{}, problem.Free, nil), "free bias"},
		{"pegasos", machine(loss.Squared{}, problem.None, nil), "must be bounded"},
		{"sgd", machine(loss.Hinge{}, problem.None, nil), "expected a radius, or the solver auto"},
		{"sbp", machine(loss.Logistic{}, problem.None, nil), "expected the loss hinge"},
		{"sbp", machine(loss.Hinge{}, problem.None, uneven), "row weights"},
		{"sbp", kerneltest.InBall(t, gram, y), "expected a bound on the slack, lambda or C, or the solver sgd"},
		{"perceptron", machine(loss.Squared{}, problem.None, nil), "counts mistakes"},
		{"perceptron", machine(loss.Hinge{}, problem.Free, nil), "free bias"},
		{"rbp", machine(loss.Hinge{}, problem.Free, nil), "free bias"},
		{"forgetron", machine(loss.Absolute{}, problem.None, nil), "counts mistakes"},
		{"ramp", machine(loss.Hinge{}, problem.None, nil), "expected the loss ramp"},
		{"sdca", machine(loss.Truncated{Z: -1}, problem.None, nil), "expected another, or the solver ramp"},
		{"smo", machine(loss.Truncated{Z: -1}, problem.None, nil), "expected another, or the solver ramp"},
		{"perceptron", machine(loss.Truncated{Z: -1}, problem.None, nil), "expected another, or the solver ramp"},
		{"sbp", machine(loss.Truncated{Z: -1}, problem.None, nil), "expected the loss hinge"},
		{"ramp", machine(loss.Truncated{Z: -1}, problem.Free, nil), "free bias"},
	} {
		s, err := New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := conform.Refusal(s, c.p, c.reason); err != nil {
			t.Errorf("%s: %v", c.spec, err)
		}
	}
	for spec, reason := range map[string]string{
		"sbp:batch=0": "batch=0", "sbp:output=best": "output=best", "ramp:z=-1": "unknown parameter", "rbp:budget=0": "budget=0",
		"perceptron:passes=2,output=validated": "one pass", "pegasos:form=counts": "unknown parameter",
	} {
		if _, err := New(spec); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: found %v, expected an error with %q", spec, err, reason)
		}
	}
}

// Row weights are rows that count more often: with them the optimum is the same
// for the solvers that take them.
func TestRowWeights(t *testing.T) {
	x, y := kerneltest.Toy(40)
	weights := make([]float64, 40)
	for i := range weights {
		weights[i] = 1 + float64(i%3)
	}
	p, err := problem.NewKernel(kerneltest.GramOf(t, x, 1), y, weights, loss.Logistic{}, 0.05, problem.Feature)
	if err != nil {
		t.Fatal(err)
	}
	best := kerneltest.Optimum(t, p)
	sol, err := solver.Run(context.Background(), engine.Pegasos{}, p, solver.Options{Gap: 1e-6, Epochs: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if above := sol.Certificate.Primal - best.Certificate.Primal; above > 1e-3 {
		t.Errorf("pegasos is %g above the optimum", above)
	}
}

// TestFacts: each solver says how fast it is, with how much memory, and who found it.
func TestFacts(t *testing.T) {
	for _, e := range Entries() {
		if f := e.Facts; f.Rate == "" || f.Memory == "" || f.Source == "" {
			t.Errorf("%s: found the facts %+v, expected all of them", e.Name, f)
		}
	}
}
