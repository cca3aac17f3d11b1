package batch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// steps makes rows of which the target is a sum with three levels of weights, or its sign.
func steps(n, d int, l loss.Loss, spec string, lambda float64) *problem.Linear {
	r := rand.New(rand.NewPCG(24, 3))
	values, y := make([]float32, n*d), make([]float64, n)
	for i := range y {
		for j := range d {
			v := r.NormFloat64()
			values[i*d+j] = float32(v)
			y[i] += v * float64(3*j/d)
		}
		y[i] += r.NormFloat64()
		if _, margin := l.(loss.Margin); margin {
			y[i] = math.Copysign(1, y[i])
		}
	}
	rows := problem.NewRows(must(matrix.NewDense(n, d, values)), 1)
	return must(problem.NewLinear(rows, y, nil, l, must(penalty.New(spec)), lambda, problem.Free))
}

// TestFused: multipliers and proximal gradients prove the same optimum of a fused penalty to 1e-6 (the
// hinge: 2e-2), with weights of few levels; solvers of separable or smooth penalties refuse it.
func TestFused(t *testing.T) {
	for _, c := range []struct {
		l      loss.Loss
		names  []string
		lambda float64
		gap    float64
		levels int
	}{
		{loss.Squared{}, []string{"accelerated", "admm", "auto"}, 0.5, 1e-6, 8},
		{loss.Logistic{}, []string{"accelerated", "admm"}, 0.02, 1e-6, 12},
		{loss.Hinge{}, []string{"auto"}, 0.02, 2e-2, 30}, // a linear program, for which multipliers are slow
	} {
		p := steps(300, 30, c.l, "fused", c.lambda)
		var first float64
		for k, name := range c.names {
			if name == "auto" {
				name, _ = linear.Choose(p, c.gap)
			}
			sol := solve(name, p, c.gap, 2000)
			value, levels := sol.Certificate.Primal, map[float64]bool{}
			for _, w := range sol.Point.W[:30] {
				levels[w] = true
			}
			t.Logf("%T by %s: %s after %d epochs, %v, %d levels", c.l, name, sol.Status, sol.Epochs, value, len(levels))
			if sol.Status != solver.Converged || len(levels) > c.levels {
				t.Errorf("%T by %s: %s, gap %g, %d levels", c.l, name, sol.Status, sol.Certificate.Relative(), len(levels))
			}
			if k == 0 {
				first = value
			} else if math.Abs(value-first) > 2e-6*first {
				t.Errorf("%T by %s: %v, before %v", c.l, name, value, first)
			}
		}
		for _, name := range []string{"sdca", "newton", "cd", "lbfgs", "cutting-plane", "sgd", "saga", "pgs", "pegasos"} {
			if must(linear.New(name)).Accepts(p) == nil {
				t.Errorf("%s takes the fused penalty", name)
			}
		}
	}
}
