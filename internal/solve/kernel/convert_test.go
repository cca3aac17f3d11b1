package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The optimum for a lambda is the optimum for its R and for its nu, whose gaps
// close there; and both give lambda back (F6). No random point is certified below
// the truth (T17).
func TestConversions(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		p := kerneltest.Machine(t, 20, 1.0/20, bias)
		sol := kerneltest.Optimum(t, p)
		w, a := sol.Point.W, sol.Point.A
		norm, lossThere := p.Criteria(w)
		ball, err := problem.NewNormConstrained(p.Gram, p.Y, nil, loss.Hinge{}, norm, bias)
		if err != nil {
			t.Fatal(err)
		}
		slack, err := problem.NewSlack(p.Gram, p.Y, lossThere/norm, bias)
		if err != nil {
			t.Fatal(err)
		}
		c := ball.Certify(sol.Point)
		if c.Gap() > 1e-8 || math.Abs(c.Primal-lossThere) > 1e-9 {
			t.Errorf("%s, radius: primal %v, dual %v, expected the loss %v", bias, c.Primal, c.Dual, lossThere)
		}
		ballOptimum := c
		if lambda := ball.ImpliedLambda(sol.Point); math.Abs(lambda/p.Lambda-1) > 1e-6 {
			t.Errorf("%s, radius: lambda %v, expected %v", bias, lambda, p.Lambda)
		}
		c = slack.Certify(sol.Point) // outside of the ball: the direction counts
		if c.Gap() > 1e-8 || math.Abs(-c.Primal-1/norm) > 1e-9 {
			t.Errorf("%s, slack: f %v, G %v, expected 1/|w| = %v", bias, -c.Primal, -c.Dual, 1/norm)
		}
		if lambda := slack.ImpliedLambda(sol.Point); math.Abs(lambda/p.Lambda-1) > 1e-6 {
			t.Errorf("%s, slack: lambda %v, expected %v", bias, lambda, p.Lambda)
		}
		if n, l := slack.Criteria(w); math.Abs(n-norm) > 1e-8 || math.Abs(l-lossThere) > 1e-8 {
			t.Errorf("%s: the classifier of the direction has norm %v and loss %v, expected %v and %v", bias, n, l, norm, lossThere)
		}
		if nu := slack.Certify(problem.Point{W: make([]float64, len(w))}); math.Abs(nu.Primal+slack.Nu) > 1e-15 || nu.Primal != nu.Zero {
			t.Errorf("%s: f(0) = %v, expected nu = %v", bias, -nu.Primal, slack.Nu)
		}

		if err := conform.Certificate(ball, ballOptimum.Primal, sol.Point); err != nil {
			t.Errorf("%s, radius: %v", bias, err)
		}
		if err := conform.Certificate(slack, -1/norm, sol.Point); err != nil {
			t.Errorf("%s, slack: %v", bias, err)
		}
		random := rand.New(rand.NewPCG(6, 6))
		for range 300 {
			x := problem.Point{W: make([]float64, len(w)), A: make([]float64, len(a))}
			near, size := float64(random.IntN(2)), math.Pow(10, -4*random.Float64())
			for i := range x.W {
				x.W[i] = near*w[i] + size*random.NormFloat64()
			}
			if bias == problem.None {
				x.W[len(a)] = 0
			} else { // the weight of a constant is the sum of its coefficients only at the optimum
				x.W[len(a)] = w[len(a)] * random.Float64()
			}
			for i := range x.A {
				x.A[i] = near*a[i] + size*random.NormFloat64()
			}
			if c := ball.Certify(x); c.Dual > ballOptimum.Primal || c.Primal < ballOptimum.Dual {
				t.Fatalf("%s, radius: primal %v, dual %v, optimum %v", bias, c.Primal, c.Dual, ballOptimum.Primal)
			}
			if c := slack.Certify(x); c.Dual > -1/norm+1e-9 || c.Primal < -1/norm-1e-9 {
				t.Fatalf("%s, slack: f %v, G %v, optimum %v", bias, -c.Primal, -c.Dual, 1/norm)
			}
		}
	}
}

// With a free bias too lambda comes back from the nu of the optimum and from the p
// that proves it; f is 1/|w| there, and G no more (F6, T17).
func TestConversionsFreeBias(t *testing.T) {
	p := kerneltest.Machine(t, 60, 1.0/60, problem.Free)
	sol := kerneltest.Run(t, dual.Working{}, p, solver.Options{Gap: 1e-11})
	slack, most := kerneltest.SlackOf(t, p, sol.Point.W)
	if c := slack.Certify(sol.Point); c.Gap() > 1e-8 || math.Abs(-c.Primal-most) > 1e-9 {
		t.Errorf("f %v, G %v, expected 1/|w| = %v", -c.Primal, -c.Dual, most)
	}
	if lambda := slack.ImpliedLambda(sol.Point); math.Abs(lambda/p.Lambda-1) > 1e-6 {
		t.Errorf("lambda %v, expected %v", lambda, p.Lambda)
	}
	if err := conform.Certificate(slack, -most, sol.Point); err != nil {
		t.Error(err)
	}
}

// A free bias: found by the pairs of another solver it would be the same; here
// two points and two signs have b = 0 by symmetry, and w = (Phi(x) - Phi(z))/d^2.
func TestSlackFreeBias(t *testing.T) {
	x, err := matrix.NewDense(2, 1, []float32{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewSlack(gram, []float64{-1, 1}, 0, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Certify(problem.Point{W: []float64{0, 0.5, -1}, A: []float64{1, -7}}) // w = 1, b = -1, p = (1/2, 1/2)
	if math.Abs(c.Primal+1) > 1e-12 || math.Abs(c.Dual+1) > 1e-12 {
		t.Errorf("f %v, G %v, expected 1", -c.Primal, -c.Dual)
	}
	if _, err := problem.NewSlack(gram, []float64{1, 1}, 0.1, problem.Free); err == nil {
		t.Error("one class with a free bias: expected an error")
	}
	if _, err := problem.NewSlack(gram, []float64{-1, 1}, -1, problem.Free); err == nil {
		t.Error("nu < 0: expected an error")
	}
	if _, err := problem.NewNormConstrained(gram, []float64{-1, 1}, nil, loss.Hinge{}, 0, problem.None); err == nil {
		t.Error("radius 0: expected an error")
	}
}

// One point of the line, x = 1 with y = 1, and lambda = 1/2: the optimum is
// w = alpha = 1. At 1 - delta the dual, in the units of the thesis, where it is
// divided by lambda, lacks delta^2/2, but the primal delta^2/4 + delta/2: little
// left to gain in the one says little about the other (F7, thesis 1.5).
func Example_primalAndDual() {
	p := kerneltest.OnePoint()
	best := p.Certify(problem.Point{W: []float64{1, 0}, A: []float64{-0.5}})
	const delta = 0.1
	c := p.Certify(problem.Point{W: []float64{1 - delta, 0}, A: []float64{-(1 - delta) / 2}})
	fmt.Printf("dual %.4f, primal %.4f\n", (best.Dual-c.Dual)/p.Lambda, c.Primal-best.Primal)
	// Output: dual 0.0050, primal 0.0525
}

// K23: from lambda to the radius and the slack of its optimum, and back to a lambda: the machines that
// are trained with that predict the same to 1e-8.
func TestConversionsRoundTrip(t *testing.T) {
	const n = 40
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, lambda := range []float64{0.5 / n, 0.05 / n} {
			solve := func(lambda float64) (*problem.Kernel, problem.Point, []float64) {
				p := kerneltest.Machine(t, n, lambda, bias)
				pt := kerneltest.Run(t, dual.ActiveSet{}, p, solver.Options{Gap: 1e-13}).Point
				scores := make([]float64, n)
				respond(p.Gram, &p.Risk, scores, pt.W)
				for i := range scores {
					if bias == problem.Free {
						scores[i] += pt.W[n]
					}
				}
				return p, pt, scores
			}
			p, pt, want := solve(lambda)
			norm, mean := p.Criteria(pt.W)
			slack, err := problem.NewSlack(p.Gram, p.Y, mean/norm, bias)
			if err != nil {
				t.Fatal(err)
			}
			back := map[string]float64{"slack": slack.ImpliedLambda(pt)}
			if bias != problem.Free {
				ball, err := problem.NewNormConstrained(p.Gram, p.Y, nil, loss.Hinge{}, norm, bias)
				if err != nil {
					t.Fatal(err)
				}
				back["radius"] = ball.ImpliedLambda(pt)
			}
			for by, lambda := range back {
				_, _, got := solve(lambda)
				for i := range got {
					if math.Abs(got[i]-want[i]) > 1e-8*max(1, math.Abs(want[i])) {
						t.Errorf("%v, by %s, lambda %g again: row %d scores %.12g, expected %.12g", bias, by, lambda, i, got[i], want[i])
					}
				}
			}
		}
	}
}
