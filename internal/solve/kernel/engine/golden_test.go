package engine

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// One point x = 1 of class 1 with lambda = 1/2: w = alpha = 1, P = 1/4 = lambda D
// with D = 1/2, and no loss, so that nu is 0 (section 7 of the reference, item 1).
func TestOnePoint(t *testing.T) {
	for _, s := range []solver.Solver{SDCA{}, dual.SMO{Selection: "gain"}, dual.SMO{Selection: "second"}, dual.Working{}, Pegasos{}, SBP{}} {
		p := kerneltest.OnePoint()
		sol := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-6})
		norm, mean := p.Criteria(sol.Point.W)
		alpha := -sol.Point.A[0] / (p.Lambda * p.N)
		for what, c := range map[string][2]float64{
			"w": {sol.Point.W[0], 1}, "alpha": {alpha, 1}, "|w|": {norm, 1}, "nu": {mean / norm, 0},
			"P": {sol.Certificate.Primal, 0.25}, "D": {sol.Certificate.Dual / p.Lambda, 0.5},
		} {
			if math.Abs(c[0]-c[1]) > 2e-3 || what == "P" && math.Abs(c[0]-c[1]) > 1e-6 {
				t.Errorf("%T: %s is %v, expected %v", s, what, c[0], c[1])
			}
		}
	}
}

// Three points x = 1 of the line, one of which is of the other class: w = 1 for
// lambda <= 1/3, and else 1/(3 lambda). Its R is 1 and its nu 2/3, where the
// margins 1, 1 and -1 and a volume of 2 make the level 1 (section 7 of the
// reference, item 2).
func TestThreePoints(t *testing.T) {
	x, y := &matrix.Dense{Rows: 3, Cols: 1, Value: []float32{1, 1, 1}}, []float64{1, 1, -1}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	weight := func(beta []float64) float64 { return beta[0] + beta[1] + beta[2] }
	for _, c := range []struct{ lambda, w, mean float64 }{
		{0.1, 1, 2.0 / 3}, {1.0 / 3, 1, 2.0 / 3}, {0.5, 2.0 / 3, 7.0 / 9}, {1, 1.0 / 3, 8.0 / 9},
	} {
		p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, c.lambda, problem.None)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []solver.Solver{SDCA{}, dual.SMO{Selection: "gain"}, dual.Working{}} {
			sol := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-10})
			norm, mean := p.Criteria(sol.Point.W)
			w, value := weight(sol.Point.W), c.lambda/2*c.w*c.w+c.mean
			if math.Abs(w-c.w) > 1e-8 || math.Abs(norm-c.w) > 1e-8 || math.Abs(mean-c.mean) > 1e-8 || math.Abs(sol.Certificate.Primal-value) > 1e-10 {
				t.Errorf("lambda %g, %T: w %v, loss %v, P %v, expected %v, %v and %v", c.lambda, s, w, mean, sol.Certificate.Primal, c.w, c.mean, value)
			}
		}
	}
	var filling water.Filling
	slack, err := problem.NewSlack(gram, y, 2.0/3, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	if level, _ := slack.Level(&filling, []float64{1, 1, -1}); math.Abs(level-1) > 1e-15 {
		t.Errorf("the level is %v, expected 1", level)
	}
	ball, err := problem.NewNormConstrained(gram, y, nil, loss.Hinge{}, 1, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	sol := kerneltest.Run(t, SBP{}, slack, solver.Options{Gap: 1e-3})
	if w := weight(sol.Point.W); sol.Status != solver.Converged || math.Abs(w-1) > 1e-3 || math.Abs(sol.Certificate.Primal+1) > 1e-3 {
		t.Errorf("nu = 2/3: %s, w %v, f %v, expected 1 and 1", sol.Status, w, -sol.Certificate.Primal)
	}
	sol = kerneltest.Run(t, SGD{}, ball, solver.Options{Gap: 1e-2})
	if w := weight(sol.Point.W); sol.Status != solver.Converged || math.Abs(w-1) > 0.03 || math.Abs(sol.Certificate.Primal-2.0/3) > 1e-2 {
		t.Errorf("R = 1: %s, w %v, loss %v, expected 1 and 2/3", sol.Status, w, sol.Certificate.Primal)
	}
}

// The corners of a square: by symmetry all alpha are the same a, c_i = a (1-s)^2
// and b = 0. Without a bound a = 1/(1-s)^2, where |w|^2 = 4a and the margin is
// (1-s)/2; the bound on alpha is 1/(4 lambda) (section 7 of the reference, item 3).
func TestCorners(t *testing.T) {
	for _, s := range []float64{0.5, 0.25, 0.8} {
		free := 1 / ((1 - s) * (1 - s))
		for _, lambda := range []float64{1.0 / 32, 1.0 / 16, 0.25, 1} {
			a := min(free, 1/(4*lambda))
			c := a / free
			value := lambda/2*4*a*c + 1 - c
			for _, bias := range []problem.Bias{problem.None, problem.Free} {
				p, err := problem.NewKernel(xor(t, s), xorTargets, nil, loss.Hinge{}, lambda, bias)
				if err != nil {
					t.Fatal(err)
				}
				for _, solve := range []solver.Solver{SDCA{}, dual.SMO{Selection: "second"}, dual.SMO{Selection: "gain"}, dual.Working{}, dual.Decomposition{Q: 10}} {
					if solve.Accepts(p) != nil {
						continue
					}
					sol := kerneltest.Run(t, solve, p, solver.Options{Gap: 1e-11})
					e := newEngine(p.Gram, 0, sol.Point.W, false)
					for i, y := range xorTargets {
						if math.Abs(y*sol.Point.W[i]-a) > 1e-5*a || math.Abs(y*e.response(i)-c) > 1e-5 {
							t.Errorf("s %g, lambda %g, %T: alpha %v, c %v, expected %v and %v", s, lambda, solve, y*sol.Point.W[i], y*e.response(i), a, c)
						}
					}
					// At the bound every bias in [c-1, 1-c] is optimal.
					if b := sol.Point.W[4]; math.Abs(sol.Certificate.Primal-value) > 1e-9 || math.Abs(e.squared-4*a*c) > 1e-5*a || math.Abs(b) > max(1e-6, 1-c+1e-6) {
						t.Errorf("s %g, lambda %g, %T: P %v, |w|^2 %v, b %v, expected %v, %v and 0", s, lambda, solve, sol.Certificate.Primal, e.squared, b, value, 4*a*c)
					}
				}
			}
		}
	}
}

// At the first step f is nu, and with a free bias n nu/(2 min(n+,n-)) (section 7
// of the reference, item 6).
func TestFirstLevel(t *testing.T) {
	x, y := kerneltest.Toy(50)
	for i := range y {
		y[i] = 1
	}
	for i := range 7 {
		y[5*i] = -1
	}
	for _, c := range []struct {
		bias  problem.Bias
		level float64
	}{{problem.None, 0.3}, {problem.Feature, 0.3}, {problem.Free, 50 * 0.3 / 14}} {
		p, err := problem.NewSlack(kerneltest.GramOf(t, x, 1), y, 0.3, c.bias)
		if err != nil {
			t.Fatal(err)
		}
		s := SBP{}.Start(p, solver.Start{Seed: 1}).(*sbp)
		if level, _ := s.level(s.e.last().responses, 1); math.Abs(level-c.level) > 1e-15 {
			t.Errorf("%v: level %v, expected %v", c.bias, level, c.level)
		}
	}
}

// The first row is a mistake of every perceptron, as a margin of zero counts as
// one (section 7 of the reference, item 7; for Pegasos see TestPegasos).
func TestFirstMistake(t *testing.T) {
	p := randomMachine(t, 3, 30, 0)
	for _, spec := range []string{"perceptron", "rbp:budget=3", "forgetron:budget=3"} {
		s, err := support.Solvers.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		before := p.Counts().Requested
		state := s.Start(p, solver.Start{Seed: 1})
		e := engineOf(state)
		for i, y := range p.Y {
			if y*e.response(i) > 0 {
				t.Fatalf("%s: row %d has a margin before the first step", spec, i)
			}
		}
		state.Epoch()
		if p.Counts().Requested-before < 30 {
			t.Errorf("%s: no mistake", spec)
		}
	}
	first := map[string]func(i int) bool{
		"perceptron": Perceptron{}.Start(p, solver.Start{Seed: 1}).(*perceptron).wrong,
		"rbp":        RBP{Budget: 3}.Start(p, solver.Start{Seed: 1}).(*budgeted).wrong,
		"forgetron":  Forgetron{Budget: 3}.Start(p, solver.Start{Seed: 1}).(*budgeted).wrong,
	}
	for name, wrong := range first {
		for i := range p.Y {
			if !wrong(i) {
				t.Errorf("%s: row %d would be no mistake as the first", name, i)
			}
		}
	}
}
