package kernel

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Runs are alike (see runsAlike), and responses and norm stay those of the coefficients (F3).
func TestSolvers(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		t.Run(c.spec, func(t *testing.T) {
			s, err := solvers.New(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			e := engineOf(runsAlike(t, s, c.problem))
			tracked := e.squared
			if drift := e.refresh(); drift > 1e-8 || math.Abs(tracked-e.squared) > 1e-8 {
				t.Errorf("after ten epochs the responses are off by %g, the norm %v is %v", drift, tracked, e.squared)
			}
		})
	}
}

func TestNothingToLearn(t *testing.T) {
	for _, c := range cases {
		s, err := solvers.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		learnsNothing(t, s, c.problem)
	}
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
	{"ramp", ramped(-1, problem.None)},
	{"ramp", ramped(-0.5, problem.Feature)},
	{"rbp:budget=20", regularised(problem.None)},
	{"forgetron:budget=20", regularised(problem.Feature)},
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
