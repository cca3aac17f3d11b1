package kernel

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	_ "github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// toy is n points of the plane, which a line does not separate.
func toy(n int) (*matrix.Dense, []float64) {
	random := rand.New(rand.NewPCG(1, 2))
	x, err := matrix.NewDense(n, 2, make([]float32, 2*n))
	if err != nil {
		panic(err)
	}
	y := make([]float64, n)
	for i := range n {
		a, b := random.NormFloat64(), random.NormFloat64()
		x.Value[2*i], x.Value[2*i+1] = float32(a), float32(b)
		y[i] = math.Copysign(1, a*b+0.3*random.NormFloat64())
	}
	return x, y
}

// With the linear kernel a kernel machine is the linear predictor with the
// penalty |w|^2/2.
func TestLinearKernelIsLinear(t *testing.T) {
	x, y := toy(60)
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
			one, err := solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-9})
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

// thorough returns how much of something is tested: less without -long.
func thorough(all, short int) int {
	if testing.Short() || !*long {
		return short
	}
	return all
}

var long = flag.Bool("long", false, "solve all problems of the tests that draw hundreds, not the first of them alone")

// nightly returns how much of something is tested: all with -long.
func nightly(all, daily int) int {
	if *long {
		return all
	}
	return daily
}

// cases are the solvers, each with a problem that it takes.
var cases = []struct {
	spec    string
	problem func(*testing.T, *gram.Gram, []float64) problem.Problem
}{
	{"sdca", regularised(problem.None)},
	{"sdca", regularised(problem.Feature)},
	{"sgd", inBall},
	{"sgd:output=weighted", inBall},
	{"sgd:output=last", inBall},
	{"pegasos", regularised(problem.None)},
	{"pegasos:output=average", regularised(problem.Feature)},
	{"pgs", regularised(problem.None)},
	{"pgs:output=last", regularised(problem.Feature)},
	{"perceptron", regularised(problem.None)},
	{"perceptron:output=average", regularised(problem.Feature)},
	{"perceptron:output=sampled", regularised(problem.None)},
	{"perceptron:output=validated", regularised(problem.None)},
	{"sbp", withSlack(problem.None)},
	{"sbp:batch=5", withSlack(problem.Free)},
	{"sbp:output=weighted", withSlack(problem.Feature)},
	{"sbp", regularised(problem.None)},
	{"sbp:batch=5,output=last", regularised(problem.Free)},
	{"root", inBall},
	{"root", withSlack(problem.Free)},
	{"ramp", ramped(-1, problem.None)},
	{"ramp", ramped(-0.5, problem.Feature)},
	{"rbp:budget=20", regularised(problem.None)},
	{"forgetron:budget=20", regularised(problem.Feature)},
}

func regularised(bias problem.Bias) func(*testing.T, *gram.Gram, []float64) problem.Problem {
	return func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
		p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, 0.02, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func ramped(z float64, bias problem.Bias) func(*testing.T, *gram.Gram, []float64) problem.Problem {
	return func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
		p, err := problem.NewKernel(gram, y, nil, loss.Truncated{Z: z}, 0.02, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func inBall(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
	p, err := problem.NewNormConstrained(gram, y, nil, loss.Hinge{}, 2, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func withSlack(bias problem.Bias) func(*testing.T, *gram.Gram, []float64) problem.Problem {
	return func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
		p, err := problem.NewSlack(gram, y, 0.2, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// A seed gives the same bits and the same evaluations again, on one thread, two or
// eight, whatever is kept of the rows, and while another run is under way; all
// rows are asked for whole; and responses and norm stay those of the coefficients
// (F2, F3).
func TestSolvers(t *testing.T) {
	t.Parallel()
	const n = 600 // more than a block of rows
	x, y := toy(n)
	small, err := matrix.NewDense(100, 2, x.Value[:200])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.spec, func(t *testing.T) {
			s, err := New(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			run := func(opt gram.Options, x *matrix.Dense, epochs int) (problem.Point, int64, solver.State) {
				gram, err := gram.NewGram(kernel.RBF{Gamma: 0.5}, x, opt)
				if err != nil {
					t.Fatal(err)
				}
				p := c.problem(t, gram, y[:x.Rows])
				if err := s.Accepts(p); err != nil {
					t.Fatal(err)
				}
				state, other := s.Start(p, solver.Start{Seed: 3}), s.Start(p, solver.Start{Seed: 4})
				for range epochs {
					state.Epoch()
				}
				count := gram.Counts().Requested
				point := state.Point()
				if gram.Counts().Requested != count {
					t.Error("Point asked for rows")
				}
				other.Epoch()
				return state.Point(), count, afterwards(t, point, state)
			}
			one, count, _ := run(gram.Options{Threads: 1, Cache: 64 << 10}, x, 1)
			for _, opt := range []gram.Options{{Threads: 2}, {Threads: 8}, {Threads: 1}}[:thorough(3, 1)] {
				two, again, _ := run(opt, x, 1)
				if !sameBits(one.W, two.W) || !sameBits(one.A, two.A) || count != again {
					t.Errorf("%+v: other bits, or %d evaluations instead of %d", opt, again, count)
				}
			}
			if count == 0 || count%n != 0 {
				t.Errorf("%d evaluations, expected a multiple of %d", count, n)
			}
			if c.spec == "root" { // which runs others, and has no responses of its own
				return
			}
			_, _, state := run(gram.Options{Double: true}, small, 10)
			e := engineOf(state)
			tracked := e.squared
			if drift := e.refresh(); drift > 1e-8 || math.Abs(tracked-e.squared) > 1e-8 {
				t.Errorf("after ten epochs the responses are off by %g, the norm %v is %v", drift, tracked, e.squared)
			}
		})
	}
}

// Rows that are all zero teach nothing, and break nothing.
func TestNothingToLearn(t *testing.T) {
	x := &matrix.Dense{Rows: 20, Cols: 2, Value: make([]float32, 40)}
	_, y := toy(20)
	for _, c := range cases {
		gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		sol, err := solver.Run(context.Background(), s, c.problem(t, gram, y), solver.Options{Epochs: 5})
		if err != nil || math.IsNaN(sol.Certificate.Primal) || sol.Status == solver.Diverged {
			t.Errorf("%s: %+v, %v", c.spec, sol, err)
		}
	}
}

// afterwards checks that a second Point is the first.
func afterwards(t *testing.T, point problem.Point, state solver.State) solver.State {
	t.Helper()
	w, a := append([]float64(nil), point.W...), append([]float64(nil), point.A...)
	if again := state.Point(); !sameBits(w, again.W) || !sameBits(a, again.A) {
		t.Error("Point moved the state")
	}
	return state
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// engineOf returns the engine of a state.
func engineOf(s solver.State) *engine {
	switch s := s.(type) {
	case *sdca:
		return s.e
	case *sgd:
		return s.e
	case *pegasos:
		return s.e
	case *perceptron:
		return s.e
	case *sbp:
		return s.e
	case *ramp:
		return s.e
	case *budgeted:
		return s.e
	}
	panic("unknown state")
}

// What a solver cannot take it refuses, and says why; so do parameters.
func TestRefusals(t *testing.T) {
	x, y := toy(20)
	gram := gramOf(t, x, 1)
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
		{"sdca", inBall(t, gram, y), "found a kernel machine with a radius, expected lambda or C, or the solver sgd"},
		{"pegasos", machine(loss.Hinge{}, problem.Free, nil), "free bias"},
		{"pegasos", machine(loss.Squared{}, problem.None, nil), "must be bounded"},
		{"sgd", machine(loss.Hinge{}, problem.None, nil), "expected a radius, or the solver auto"},
		{"sbp", machine(loss.Logistic{}, problem.None, nil), "expected the loss hinge"},
		{"sbp", machine(loss.Hinge{}, problem.None, uneven), "row weights"},
		{"sbp", inBall(t, gram, y), "expected a bound on the slack, lambda or C, or the solver sgd"},
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
	x, y := toy(40)
	weights := make([]float64, 40)
	for i := range weights {
		weights[i] = 1 + float64(i%3)
	}
	p, err := problem.NewKernel(gramOf(t, x, 1), y, weights, loss.Logistic{}, 0.05, problem.Feature)
	if err != nil {
		t.Fatal(err)
	}
	best := optimum(t, p)
	sol, err := solver.Run(context.Background(), Pegasos{}, p, solver.Options{Gap: 1e-6, Epochs: 2000})
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
