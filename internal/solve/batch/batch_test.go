package batch_test

import (
	"context"
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// random makes n Gaussian rows of d features and classes of a noisy linear rule.
func random(n, d int, l loss.Loss, p string, lambda float64, bias problem.Bias) *problem.Linear {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	values, y := make([]float32, n*d), make([]float64, n)
	for i := range y {
		score := 0.5 * r.NormFloat64()
		for j := range d {
			v := r.NormFloat64()
			values[i*d+j] = float32(v)
			score += v / float64(1+j)
		}
		y[i] = math.Copysign(1, score)
	}
	rows := problem.NewRows(must(matrix.NewDense(n, d, values)), 1)
	return must(problem.NewLinear(rows, y, nil, l, must(penalty.New(p)), lambda, bias))
}

func solve(name string, p *problem.Linear, gap float64, epochs int) *solver.Solution {
	return must(solver.Run(context.Background(), must(linear.New(name)), p, solver.Options{Gap: gap, Epochs: epochs}))
}

// gradient returns that of the mean loss at w.
func gradient(p *problem.Linear, w []float64) []float64 {
	slope := make([]float64, len(p.Y))
	p.Predict(slope, w)
	for i, m := range slope {
		slope[i] = p.S[i] * p.Loss.Derivative(m, p.Y[i]) / p.N
	}
	g, _ := p.Combine(slope)
	return g
}

// TestGradientVanishes: L-BFGS ends with a gradient of at most 1e-8, with the penalty l2 and with a
// squared 1.8-norm.
func TestGradientVanishes(t *testing.T) {
	for _, spec := range []string{"l2", "lp:p=1.8"} {
		p := random(500, 20, loss.Logistic{}, spec, 1e-3, problem.None)
		s := must(linear.New("lbfgs")).Start(p, solver.Start{})
		for range 300 {
			s.Epoch()
		}
		w := s.Point().W
		g, omega := gradient(p, w), make([]float64, 20)
		p.Penalty.(penalty.Differentiable).Gradient(omega, w[:20])
		sum := 0.0
		for j, v := range omega {
			sum += math.Pow(g[j]+p.Lambda*v, 2)
		}
		if size := math.Sqrt(sum); !(size <= 1e-8) {
			t.Errorf("%s: the gradient has the norm %g", spec, size)
		}
	}
}

// TestLeastSubgradient: at the lasso's optimum by OWL-QN the subgradient of least norm vanishes, and
// the objective is that of coordinate descent.
func TestLeastSubgradient(t *testing.T) {
	p := random(300, 30, loss.Squared{}, "l1", 0.05, problem.None)
	sol, other := solve("lbfgs", p, 1e-12, 2000), solve("cd", p, 1e-12, 2000)
	g, sum := gradient(p, sol.Point.W), 0.0
	for j, w := range sol.Point.W[:30] {
		switch v := g[j]; {
		case w != 0:
			sum += math.Pow(v+math.Copysign(p.Lambda, w), 2)
		case math.Abs(v) > p.Lambda:
			sum += math.Pow(math.Abs(v)-p.Lambda, 2)
		}
	}
	if math.Sqrt(sum) > 1e-6 || math.Abs(sol.Certificate.Primal-other.Certificate.Primal) > 1e-10 {
		t.Errorf("least subgradient %g, objective %v, by columns %v", math.Sqrt(sum), sol.Certificate.Primal, other.Certificate.Primal)
	}
}

// TestNonzerosFall: the larger lambda, the fewer weights, logistic loss and hinge.
func TestNonzerosFall(t *testing.T) {
	for _, c := range []struct {
		name string
		l    loss.Loss
	}{{"lbfgs", loss.Logistic{}}, {"newton", loss.Hinge{}}} {
		last := math.MaxInt
		for _, lambda := range []float64{1e-3, 1e-2, 3e-2, 1e-1} {
			sol := solve(c.name, random(400, 30, c.l, "l1", lambda, problem.Free), 1e-8, 3000)
			nonzeros := 0
			for _, w := range sol.Point.W[:30] {
				if math.Abs(w) > 1e-6 {
					nonzeros++
				}
			}
			if nonzeros > last || sol.Status != solver.Converged {
				t.Errorf("%s, lambda %g: %d weights after %d, %s", c.name, lambda, nonzeros, last, sol.Status)
			}
			last = nonzeros
		}
	}
}

// TestSmoothedHinge: the Huber hinge of width h is below the hinge by h/2 at most, so that
// accelerated gradients on it come within h of the hinge's optimum.
func TestSmoothedHinge(t *testing.T) {
	const h = 0.01
	exact := solve("newton", random(400, 10, loss.Hinge{}, "l2", 1e-2, problem.None), 1e-10, 200).Certificate.Primal
	p := random(400, 10, must(loss.New("huber-hinge:width=0.01")), "l2", 1e-2, problem.None)
	w := solve("accelerated", p, 1e-8, 20000).Point.W
	smooth, _ := p.Primal(w)
	hinge, _ := random(400, 10, loss.Hinge{}, "l2", 1e-2, problem.None).Primal(w)
	if !(smooth <= hinge && hinge <= smooth+h/2 && hinge-exact < h && hinge >= exact-1e-9) {
		t.Errorf("smoothed %v, hinge %v, optimum %v", smooth, hinge, exact)
	}
}

// TestBall: the penalty's optimum is that on the ball of its norm: multipliers, proximal gradients and
// the method of Frank and Wolfe on that ball, with each of its steps, agree to 1e-4.
func TestBall(t *testing.T) {
	p := random(300, 15, loss.Squared{}, "l1", 0.05, problem.None)
	a, b := solve("admm", p, 1e-7, 5000), solve("accelerated", p, 1e-9, 5000)
	if math.Abs(a.Certificate.Primal-b.Certificate.Primal) > 1e-6 {
		t.Errorf("%v by multipliers, %v by proximal gradients", a.Certificate.Primal, b.Certificate.Primal)
	}
	q := random(300, 15, loss.Squared{}, "l1", 0.05, problem.None)
	q.Penalty, q.Lambda = penalty.Ball{Norm: 1, Radius: penalty.L1{}.Value(b.Point.W[:15])}, 1
	for _, steps := range []string{"pairwise", "search", "open"} {
		sol := solve("frank-wolfe:steps="+steps, q, 1e-5, 300)
		value, _ := p.Primal(sol.Point.W)
		t.Logf("%s: %d epochs, %s", steps, sol.Epochs, sol.Status)
		if math.Abs(value-b.Certificate.Primal) > 1e-4 || sol.Status == solver.Diverged {
			t.Errorf("steps=%s: objective %v on the ball, %v by proximal gradients", steps, value, b.Certificate.Primal)
		}
	}
}

// TestHybrid: growing batches hand over to L-BFGS, which ends at the optimum in fewer epochs than
// growing batches alone, and is linear in the logarithm of the error.
func TestHybrid(t *testing.T) {
	for _, spec := range []string{"l2", "elastic-net"} {
		p := random(2000, 20, loss.Logistic{}, spec, 1e-3, problem.Free)
		want := solve("lbfgs", p, 1e-10, 1000).Certificate
		hybrid, growing := solve("hybrid", p, 1e-8, 300), solve("growing", p, 1e-8, 300)
		t.Logf("%s: hybrid %s after %d epochs, growing %s after %d", spec, hybrid.Status, hybrid.Epochs, growing.Status, growing.Epochs)
		if c := hybrid.Certificate; hybrid.Status != solver.Converged || c.Dual > want.Primal || c.Primal < want.Dual || hybrid.Epochs >= growing.Epochs {
			t.Errorf("%s: %s after %d epochs at %v, growing batches alone %d, optimum %v", spec, hybrid.Status, hybrid.Epochs, c.Primal, growing.Epochs, want.Primal)
		}
	}
	for spec, want := range map[string]string{
		"hybrid:passes=0":  `solver "hybrid": passes=0: expected a whole number from 1 to 1000000`,
		"hybrid:memory=-1": `solver "hybrid": memory=-1: expected a whole number from 1 to 1000`,
	} {
		if _, err := linear.New(spec); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
