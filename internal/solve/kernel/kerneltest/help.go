// Package kerneltest is for tests: small kernel machines, checks of runs, and a method for
// quadratic programs with no code of the solvers.
package kerneltest

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Toy is n points of the plane, which a line does not separate.
func Toy(n int) (*matrix.Dense, []float64) {
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

func Regularised(bias problem.Bias) func(*testing.T, *gram.Gram, []float64) problem.Problem {
	return func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
		p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, 0.02, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func Ramped(z float64, bias problem.Bias) func(*testing.T, *gram.Gram, []float64) problem.Problem {
	return func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
		p, err := problem.NewKernel(gram, y, nil, loss.Truncated{Z: z}, 0.02, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func InBall(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
	p, err := problem.NewNormConstrained(gram, y, nil, loss.Hinge{}, 2, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func WithSlack(bias problem.Bias) func(*testing.T, *gram.Gram, []float64) problem.Problem {
	return func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
		p, err := problem.NewSlack(gram, y, 0.2, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// Thorough returns how much of something is tested: less without -long.
func Thorough(all, short int) int {
	if testing.Short() || !long() {
		return short
	}
	return all
}

// Nightly returns how much of something is tested: all with -long.
func Nightly(all, daily int) int {
	if long() {
		return all
	}
	return daily
}

// GramOf is the matrix of a Gaussian on points, in double precision.
func GramOf(t testing.TB, x matrix.Matrix, threads int) *gram.Gram {
	t.Helper()
	gram, err := gram.NewGram(kernel.RBF{Gamma: 0.5}, x, gram.Options{Double: true, Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	return gram
}

// Machine is a support vector machine on n points of the toy.
func Machine(t testing.TB, n int, lambda float64, bias problem.Bias) *problem.Kernel {
	t.Helper()
	x, y := Toy(n)
	p, err := problem.NewKernel(GramOf(t, x, 1), y, nil, loss.Hinge{}, lambda, bias)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Optimum is the solution of p to a gap of 1e-10.
func Optimum(t testing.TB, p *problem.Kernel) *solver.Solution {
	t.Helper()
	sdca, err := support.Solvers.New("sdca")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := solver.Run(context.Background(), sdca, p, solver.Options{Gap: 1e-10, Epochs: 20000})
	if err != nil {
		t.Fatal(err)
	}
	if sol.Certificate.Relative() > 1e-9 { // its own rounding may be more than 1e-10
		t.Fatalf("reference: %s at gap %g", sol.Status, sol.Certificate.Relative())
	}
	return sol
}

func Run(t *testing.T, s solver.Solver, p problem.Problem, opt solver.Options) *solver.Solution {
	t.Helper()
	sol, err := solver.Run(context.Background(), s, p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// Chequered is a problem on a chequered square, with a tenth of the labels wrong.
func Chequered(t *testing.T, n int, l loss.Loss, bias problem.Bias, c float64, opt gram.Options) *problem.Kernel {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 3))
	values, y := make([]float32, 2*n), make([]float64, n)
	for i := range n {
		a, b := 4*random.Float64(), 4*random.Float64()
		values[2*i], values[2*i+1] = float32(a), float32(b)
		y[i] = 1 - 2*float64((int(a)+int(b))%2)
		if random.Float64() < 0.1 {
			y[i] = -y[i]
		}
		if least, _ := loss.Targets(l); least == 0 {
			y[i]++
		}
	}
	x, err := matrix.NewDense(n, 2, values)
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(kernel.RBF{Gamma: 1}, x, opt)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, y, nil, l, 1/(c*float64(n)), bias)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// SlackOf is the slack-constrained problem that has the optimum of p, and the
// maximum of its f.
func SlackOf(t testing.TB, p *problem.Kernel, w []float64) (slack *problem.Slack, most float64) {
	t.Helper()
	norm, l := p.Criteria(w)
	slack, err := problem.NewSlack(p.Gram, p.Y, l/norm, p.Bias)
	if err != nil {
		t.Fatal(err)
	}
	return slack, 1 / norm
}

// OnePoint is the data set x = 1, y = 1 with the linear kernel and lambda = 1/2.
func OnePoint() *problem.Kernel {
	x, err := matrix.NewDense(1, 1, []float32{1})
	if err != nil {
		panic(err)
	}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Double: true})
	if err != nil {
		panic(err)
	}
	p, err := problem.NewKernel(gram, []float64{1}, nil, loss.Hinge{}, 0.5, problem.None)
	if err != nil {
		panic(err)
	}
	return p
}

// long reports whether the flag -long of a test asks for all.
func long() bool {
	f := flag.Lookup("long")
	return f != nil && f.Value.String() == "true"
}

// ofProblem makes a problem of a matrix and targets.
type ofProblem func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem

// RunsAlike checks that a seed gives the same bits and the same evaluations again, on one thread,
// two or eight, whatever is kept of the rows, and while another run is under way; and that all
// rows are asked for whole (F2). It returns a state after ten epochs.
func RunsAlike(t *testing.T, s solver.Solver, of ofProblem) solver.State {
	t.Helper()
	const n = 600 // more than a block of rows
	x, y := Toy(n)
	small, err := matrix.NewDense(100, 2, x.Value[:200])
	if err != nil {
		t.Fatal(err)
	}
	run := func(opt gram.Options, x *matrix.Dense, epochs int) (problem.Point, int64, solver.State) {
		gram, err := gram.NewGram(kernel.RBF{Gamma: 0.5}, x, opt)
		if err != nil {
			t.Fatal(err)
		}
		p := of(t, gram, y[:x.Rows])
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
	for _, opt := range []gram.Options{{Threads: 2}, {Threads: 8}, {Threads: 1}}[:Thorough(3, 1)] {
		two, again, _ := run(opt, x, 1)
		if !sameBits(one.W, two.W) || !sameBits(one.A, two.A) || count != again {
			t.Errorf("%+v: other bits, or %d evaluations instead of %d", opt, again, count)
		}
	}
	if count == 0 || count%n != 0 {
		t.Errorf("%d evaluations, expected a multiple of %d", count, n)
	}
	_, _, state := run(gram.Options{Double: true}, small, 10)
	return state
}

// LearnsNothing checks that rows that are all zero teach nothing, and break nothing.
func LearnsNothing(t *testing.T, s solver.Solver, of ofProblem) {
	t.Helper()
	_, y := Toy(20)
	gram, err := gram.NewGram(kernel.Linear{}, &matrix.Dense{Rows: 20, Cols: 2, Value: make([]float32, 40)}, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sol, err := solver.Run(context.Background(), s, of(t, gram, y), solver.Options{Epochs: 5})
	if err != nil || math.IsNaN(sol.Certificate.Primal) || sol.Status == solver.Diverged {
		t.Errorf("%T: %+v, %v", s, sol, err)
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
