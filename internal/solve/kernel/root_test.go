package kernel

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestRoot: bounds on the norm and the slack are proved to 1e-8 on 200 rows in few epochs, whatever the
// loss, the bias and the weights; of least squares an exact norm, and the norm of the point is that.
func TestRoot(t *testing.T) {
	x, y := kerneltest.Toy(200)
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = float64(1 + i%3)
	}
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}, loss.Squared{}} {
			p, err := problem.NewNormConstrained(kerneltest.GramOf(t, x, 1), y, weights, l, 1.5, bias)
			if err != nil {
				t.Fatal(err)
			}
			got := kerneltest.Run(t, Root{}, p, solver.Options{Gap: 1e-8, Epochs: 400})
			norm, _ := p.Criteria(got.Point.W)
			if got.Status != solver.Converged || !(norm <= 1.5 && norm > 1.5*(1-1e-9)) || len(got.Certificate.Warnings) > 0 {
				t.Errorf("%s, bias %v: %s, gap %g, norm %.12g, %v", loss.Name(l), bias, got.Status, got.Certificate.Relative(), norm, got.Certificate.Warnings)
			}
		}
		p, err := problem.NewSlack(kerneltest.GramOf(t, x, 1), y, 0.05, bias)
		if err == nil {
			err = p.Weigh(weights)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := kerneltest.Run(t, Root{}, p, solver.Options{Gap: 1e-8, Epochs: 400}); got.Status != solver.Converged {
			t.Errorf("slack, bias %v: %s, gap %g", bias, got.Status, got.Certificate.Relative())
		}
	}
}

// TestRootOfNone: a radius beyond the least norm of a minimiser has no root: the point is inside, is
// proved, and that it is the answer of lambda 0 is said. So with a slack below that of every C.
func TestRootOfNone(t *testing.T) {
	x, y := kerneltest.Toy(60)
	for i := range y { // not separable by a line
		y[i] = math.Copysign(1, float64(x.Value[2*i])+0.9*math.Sin(float64(7*i)))
	}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ball, err := problem.NewNormConstrained(gram, y, nil, loss.Hinge{}, 10, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	slack, err := problem.NewSlack(gram, y, 0.05, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []problem.BiCriterion{ball, slack} {
		got := kerneltest.Run(t, Root{}, p, solver.Options{Gap: 1e-4, Epochs: 2000})
		if got.Status != solver.Converged || len(got.Certificate.Warnings) != 1 || !strings.Contains(got.Certificate.Warnings[0].Error(), "the answer is that of lambda 0") {
			t.Errorf("%s: %s, gap %g, %v", problem.Name(p), got.Status, got.Certificate.Relative(), got.Certificate.Warnings)
		}
		if norm, _ := p.Criteria(got.Point.W); p == problem.BiCriterion(ball) && !(norm < 50) {
			t.Errorf("norm %g", norm)
		}
	}
}

// TestRootRuns: runs for a bound are alike, and learn nothing where there is nothing to learn.
func TestRootRuns(t *testing.T) {
	t.Parallel()
	for _, of := range []func(*testing.T, *gram.Gram, []float64) problem.Problem{kerneltest.InBall, kerneltest.WithSlack(problem.Free)} {
		kerneltest.RunsAlike(t, Root{}, of)
		kerneltest.LearnsNothing(t, Root{}, of)
	}
}
