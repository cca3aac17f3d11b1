package engine

import (
	"flag"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Runs are alike (see runsAlike), and responses and norm stay those of the coefficients (F3).
func TestSolvers(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		t.Run(c.spec, func(t *testing.T) {
			s, err := support.Solvers.New(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			e := engineOf(kerneltest.RunsAlike(t, s, c.problem))
			tracked := e.squared
			if drift := e.refresh(); drift > 1e-8 || math.Abs(tracked-e.squared) > 1e-8 {
				t.Errorf("after ten epochs the responses are off by %g, the norm %v is %v", drift, tracked, e.squared)
			}
		})
	}
}

func TestNothingToLearn(t *testing.T) {
	for _, c := range cases {
		s, err := support.Solvers.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		kerneltest.LearnsNothing(t, s, c.problem)
	}
}

// cases are the solvers, each with a problem that it takes.
var cases = []struct {
	spec    string
	problem func(*testing.T, *gram.Gram, []float64) problem.Problem
}{
	{"sdca", kerneltest.Regularised(problem.None)},
	{"sdca", kerneltest.Regularised(problem.Feature)},
	{"sgd", kerneltest.InBall},
	{"sgd:output=weighted", kerneltest.InBall},
	{"sgd:output=last", kerneltest.InBall},
	{"pegasos", kerneltest.Regularised(problem.None)},
	{"pegasos:output=average", kerneltest.Regularised(problem.Feature)},
	{"pgs", kerneltest.Regularised(problem.None)},
	{"pgs:output=last", kerneltest.Regularised(problem.Feature)},
	{"perceptron", kerneltest.Regularised(problem.None)},
	{"perceptron:output=average", kerneltest.Regularised(problem.Feature)},
	{"perceptron:output=sampled", kerneltest.Regularised(problem.None)},
	{"perceptron:output=validated", kerneltest.Regularised(problem.None)},
	{"sbp", kerneltest.WithSlack(problem.None)},
	{"sbp:batch=5", kerneltest.WithSlack(problem.Free)},
	{"sbp:output=weighted", kerneltest.WithSlack(problem.Feature)},
	{"sbp", kerneltest.Regularised(problem.None)},
	{"sbp:batch=5,output=last", kerneltest.Regularised(problem.Free)},
	{"ramp", kerneltest.Ramped(-1, problem.None)},
	{"ramp", kerneltest.Ramped(-0.5, problem.Feature)},
	{"rbp:budget=20", kerneltest.Regularised(problem.None)},
	{"forgetron:budget=20", kerneltest.Regularised(problem.Feature)},
}

// engineOf returns the engine of a state.
func engineOf(s solver.State) *engine {
	switch s := s.(type) {
	case *sdca:
		return s.e
	case *descent:
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

var _ = flag.Bool("long", false, "solve all problems of the tests that draw hundreds, not the first of them alone")
