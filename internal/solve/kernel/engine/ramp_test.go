package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/solver"
)

// support counts the coefficients that are not zero.
func vectors(w []float64) (n int) {
	for _, x := range w {
		if x != 0 {
			n++
		}
	}
	return n
}

// The objective with the ramp never rises from one round to the next, ends below
// that of the support vector machine, and takes no more support vectors (T18).
func TestRamp(t *testing.T) {
	rounds := 0
	for seed := range uint64(5) {
		p := randomMachine(t, seed, 100, 0.15)
		p.Lambda = 1.0 / 300
		svm := kerneltest.Optimum(t, p).Point.W
		value := func(w []float64) float64 {
			e := newEngine(p.Gram, 0, w, false)
			sum := p.Lambda / 2 * e.squared
			for i, y := range p.Y {
				sum += loss.Truncated{Z: -1}.Value(e.response(i), y) / p.N
			}
			return sum
		}
		p.Loss = loss.Truncated{Z: -1}
		s := Ramp{}.Start(p, solver.Start{Seed: seed}).(*ramp)
		last, found := math.Inf(1), 0.0
		for epoch := 0; epoch < 3000 && !s.done; epoch++ {
			before := s.round
			s.Epoch()
			for i, b := range s.b {
				if b < -s.far[i] || b > 1-s.far[i] {
					t.Fatalf("seed %d: dual variable %d is %g, expected one from %g to %g", seed, i, b, -s.far[i], 1-s.far[i])
				}
			}
			if s.round != before || s.done {
				if found = value(s.Point().W); found > last {
					t.Errorf("seed %d, round %d: the objective rose to %v from %v", seed, s.round, found, last)
				}
				last = found
			}
		}
		rounds += s.round
		if end := p.Tangent(s.Point().W); !(end <= 1e-3) || !(p.Tangent(svm) > 1e-2) || s.Report().Warnings != nil {
			t.Errorf("seed %d: the convex problem is solved to %v at the end and to %v at the hinge's optimum, expected 1e-3 and more than 1e-2", seed, end, p.Tangent(svm))
		}
		w := s.Point().W
		if !s.done || found > value(svm) || vectors(w) > vectors(svm) {
			t.Errorf("seed %d: done: %v, objective %v, that of the hinge's optimum %v, %d support vectors instead of %d",
				seed, s.done, found, value(svm), vectors(w), vectors(svm))
		}
	}
	if rounds == 0 {
		t.Error("no row was ever given up: nothing was tested")
	}
}

// A run that is cut short before its first round has ended says so.
func TestRampUnfinished(t *testing.T) {
	p := randomMachine(t, 1, 100, 0.15)
	p.Loss = loss.Truncated{Z: -1}
	for epochs, want := range map[int]int{1: 1, 1000: 0} {
		sol, err := solver.Run(context.Background(), Ramp{}, p, solver.Options{Epochs: epochs})
		if err != nil || len(sol.Certificate.Warnings) != want || !math.IsInf(sol.Certificate.Dual, -1) {
			t.Errorf("%d epochs: %+v, %v, expected %d warnings and no bound", epochs, sol, err, want)
		}
	}
}

// The support never exceeds the budget, and without a budget the perceptron is
// found (T19).
func TestBudget(t *testing.T) {
	p := randomMachine(t, 5, 200, 0.2)
	plain := Perceptron{}.Start(p, solver.Start{Seed: 9})
	plain.Epoch()
	plain.Epoch()
	all := plain.Point().W
	for name, start := range map[string]func(budget int) *budgeted{
		"rbp":       func(b int) *budgeted { return RBP{Budget: b}.Start(p, solver.Start{Seed: 9}).(*budgeted) },
		"forgetron": func(b int) *budgeted { return Forgetron{Budget: b}.Start(p, solver.Start{Seed: 9}).(*budgeted) },
	} {
		free := start(math.MaxInt32)
		free.Epoch()
		free.Epoch()
		for i, x := range free.Point().W {
			if x != all[i] {
				t.Fatalf("%s without a budget: coefficient %d is %v, expected %v", name, i, x, all[i])
			}
		}
		for _, budget := range []int{1, 7, 30} {
			s := start(budget)
			wrong := 0
			for range 3 * p.Len() {
				i := s.choice.IntN(p.Len())
				if p.Y[i]*s.e.response(i) <= 0 {
					s.learn(i)
					wrong++
				}
				if n := vectors(s.e.coefficients); n > budget || n != len(s.support) {
					t.Fatalf("%s: %d support vectors, listed %d, budget %d", name, n, len(s.support), budget)
				}
				if allowed := 15.0 / 32 * float64(s.mistakes); s.cost > allowed*(1+1e-12) {
					t.Fatalf("%s: damage %v, allowed %v", name, s.cost, allowed)
				}
			}
			if d := s.e.refresh(); d > 1e-9 || wrong <= budget {
				t.Errorf("%s: drift %g, %d mistakes", name, d, wrong)
			}
		}
	}
}

// A perceptron of a random budget forgets any of its support vectors, the forgetron the oldest.
func TestWhichIsForgotten(t *testing.T) {
	p := randomMachine(t, 5, 200, 0.2)
	const budget, drops = 5, 2000
	for name, s := range map[string]*budgeted{
		"rbp":       RBP{Budget: budget}.Start(p, solver.Start{Seed: 9}).(*budgeted),
		"forgetron": Forgetron{Budget: budget}.Start(p, solver.Start{Seed: 9}).(*budgeted),
	} {
		var at [budget + 1]int
		for i, n := 0, 0; n < drops; i = (i + 1) % p.Len() {
			if slices.Contains(s.support, i) {
				continue
			}
			before := slices.Clone(s.support)
			s.learn(i)
			if len(before) < budget {
				continue
			}
			n++
			for k, j := range before {
				if !slices.Contains(s.support, j) {
					at[k]++
				}
			}
		}
		for k, n := range at[:budget] {
			if name == "rbp" && math.Abs(float64(n)-drops/budget) > 100 || name == "forgetron" && n != map[bool]int{true: drops}[k == 0] {
				t.Errorf("%s: %d times the one at place %d of %d, found %v", name, n, k, drops, at)
			}
		}
	}
}

// The shrinkage is the largest in (0,1] that the allowance permits, found by a
// scan.
func TestShrinkage(t *testing.T) {
	for _, weight := range []float64{1e-3, 0.3, 1, 5} {
		for _, margin := range []float64{-3, -0.2, 0, 0.5, 1, 7} {
			for _, allowance := range []float64{0.01, 15.0 / 32, 3, 100} {
				phi, best := shrinkage(weight, margin, allowance), 0.0
				for k := 1; k <= 100000; k++ {
					if x := float64(k) / 100000; damage(weight, margin, x) <= allowance {
						best = x
					}
				}
				if math.Abs(phi-best) > 2e-5 {
					t.Errorf("weight %g, margin %g, allowance %g: %v, expected %v", weight, margin, allowance, phi, best)
				}
			}
		}
	}
}
