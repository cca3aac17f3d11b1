package reduce

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	solverkernel "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// checkers is a machine of n rows of a noisy chessboard, of which few are told apart by few rows.
func checkers(t *testing.T, n int, gamma float64, threads int) *Target {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	value, y := make([]float32, 2*n), make([]float64, n)
	for i := range n {
		a, b := 4*random.Float64(), 4*random.Float64()
		value[2*i], value[2*i+1] = float32(a), float32(b)
		if y[i] = 1; (int(a)+int(b))%2 == 1 != (random.IntN(20) == 0) {
			y[i] = -1
		}
	}
	x, err := matrix.NewDense(n, 2, value)
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(kernel.RBF{Gamma: gamma}, x, gram.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	risk := Risk{Y: y, Loss: loss.Hinge{}, Lambda: 0.1 / float64(n), Bias: problem.Free}
	p, err := problem.NewKernel(gram, y, nil, risk.Loss, risk.Lambda, risk.Bias)
	if err != nil {
		t.Fatal(err)
	}
	s, err := solverkernel.New("working")
	if err != nil {
		t.Fatal(err)
	}
	solution, err := solver.Run(context.Background(), s, p, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := solution.Point.W
	response := make([]float64, n)
	gram.Update(response, firsts(n), w[:n])
	for i := range response {
		response[i] += w[n]
	}
	return &Target{Gram: gram, Outputs: []Output{{Band: Classes(y, response, 1), Response: response, Bias: w[n]}}, Risks: []Risk{risk},
		Support: x, Coefficients: [][]float64{w[:n]}, Below: solution.Certificate.Dual}
}

// TestAuto checks that the refit objective of what is kept is no higher than that of any method
// tried, by these methods run alone, and that it says so; with the same bits on any number of threads.
func TestAuto(t *testing.T) {
	target := checkers(t, 700, 4, 1)
	for _, support := range []int{10, 60, 200} {
		opt := Options{Support: support, Seed: 1, Refit: 1e-3, Accuracy: DefaultAccuracy}
		c, err := Auto{}.Choose(context.Background(), target, opt)
		if err != nil {
			t.Fatal(err)
		}
		two, err := Auto{}.Choose(context.Background(), checkers(t, 700, 4, 2), opt)
		if err != nil || !slices.Equal(two.Rows, c.Rows) || !slices.Equal(two.Coefficients[0], c.Coefficients[0]) {
			t.Errorf("%d vectors: other bits on two threads: %v", support, err)
		}
		kept := 0
		for _, a := range c.Tried {
			if a.Kept {
				kept++
				if a.Vectors != c.Len() || a.Refit.Primal != Sum(c.Fitted).Primal || !(a.Refit.Relative() <= 1e-3) {
					t.Errorf("%d vectors: kept %+v, found %d vectors, %+v", support, a, c.Len(), c.Fitted)
				}
			}
		}
		if kept != 1 {
			t.Errorf("%d vectors: %d choices are kept of %+v", support, kept, c.Tried)
		}
		for _, m := range []Method{Random{}, Descent{Aggressive: true}} {
			other, err := m.Choose(context.Background(), target, opt)
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := other.Refit(context.Background(), target.Gram.Kernel, target.rows(), target.Risks, 1e-3, 1)
			if err != nil {
				t.Fatal(err)
			}
			if p := c.Fitted[0].Primal; p > fitted[0].Primal*(1+1e-3) || c.Fitted[0].Primal < target.Below {
				t.Errorf("%d vectors: objective %.6g, by %T %.6g, of any vectors at least %.6g", support, p, m, fitted[0].Primal, target.Below)
			}
		}
	}
}

// TestGivesUp checks that steps end where the accuracy that was asked for is met and no patience is
// left, and that this is said.
func TestGivesUp(t *testing.T) {
	target := checkers(t, 300, 0.3, 1)
	defer func(before [2]int) { patience = before }(patience)
	patience[1] = 0
	for _, d := range []Descent{{}, {Aggressive: true}, {Aggressive: true, Pool: 16}} {
		c, err := d.Choose(context.Background(), target, Options{Support: 200, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if c.GaveUp == "" || !c.Reached || c.Len() == 0 || c.Len() > 200 {
			t.Errorf("%+v: gave up %q with %d vectors, at a loss of %g", d, c.GaveUp, c.Len(), c.Loss)
		}
	}
}
