package engine

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	_ "github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// xor is the corners of the unit square, of which opposite ones are of one
// class, and the Gaussian that is s for neighbours.
func xor(t testing.TB, s float64) *gram.Gram {
	t.Helper()
	x, err := matrix.NewDense(4, 2, []float32{0, 0, 1, 1, 0, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(kernel.RBF{Gamma: -math.Log(s)}, x, gram.Options{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	return gram
}

var xorTargets = []float64{1, 1, -1, -1}

// Without slack the margin is the largest there is: (1-s)/2 on the corners of a
// square (T14; section 7 of the reference, item 3).
func TestSeparableBatchPerceptron(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Free} {
		p, err := problem.NewSlack(xor(t, 0.5), xorTargets, 0, bias)
		if err != nil {
			t.Fatal(err)
		}
		sol, err := solver.Run(context.Background(), SBP{}, p, solver.Options{Gap: 5e-3, Epochs: 20000})
		if err != nil {
			t.Fatal(err)
		}
		if f := -sol.Certificate.Primal; sol.Status != solver.Converged || math.Abs(f-0.25) > 2e-3 || math.Abs(sol.Point.W[4]) > 0.1 {
			t.Errorf("%s: %s, margin %v, bias %v, expected 0.25 and 0", bias, sol.Status, f, sol.Point.W[4])
		}
	}
}

// On average over runs f is 3/sqrt(T) below its maximum at most; w stays in the
// ball; the hinge loss of w/gamma is nu/gamma; every step takes n evaluations
// (T15, T17, F2).
func TestSBP(t *testing.T) {
	t.Parallel()
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		p := kerneltest.Machine(t, 100, 1.0/100, bias)
		slack, most := kerneltest.SlackOf(t, p, kerneltest.Optimum(t, p).Point.W)
		runs := kerneltest.Thorough(5, 2)
		var lack [3]float64
		for seed := range uint64(runs) {
			s := SBP{}.Start(slack, solver.Start{Seed: seed}).(*sbp)
			before := p.Counts().Requested
			for k := range 10000 {
				s.step()
				if s.e.squared > 1+1e-12 {
					t.Fatalf("%s: |w|^2 is %v", bias, s.e.squared)
				}
				for check, T := range [...]int{100, 1000, 10000} {
					if k+1 == T {
						f, _ := s.level(s.e.average().responses, 1)
						lack[check] += (most - f) / float64(runs)
					}
				}
			}
			if n := p.Counts().Requested - before; n != 10000*100 {
				t.Fatalf("%s: %d evaluations, expected a row a step", bias, n)
			}
			it := s.e.average()
			f, _ := s.level(it.responses, 1)
			it.multiply(1 / f)
			if l := risk(&p.Risk, it.responses); math.Abs(l-slack.Nu/f) > 1e-9 {
				t.Errorf("%s: the loss of w/gamma is %v, expected nu/gamma = %v", bias, l, slack.Nu/f)
			}
			if c := slack.Certify(s.Point()); c.Gap() > 0.05*most || -c.Primal > most+1e-9 || -c.Dual < most-1e-9 {
				t.Errorf("%s: f %v, G %v, maximum %v", bias, -c.Primal, -c.Dual, most)
			}
		}
		for check, T := range [...]float64{100, 1000, 10000} {
			if lack[check] > 3/math.Sqrt(T) || lack[check] < 0 {
				t.Errorf("%s: %v below the maximum after %g steps", bias, lack[check], T)
			}
		}
	}
}

// With a free bias: the maximum and the bias are those of another solver, here
// a linear one; and equally many rows of each class are drawn, also at the
// first step and though one class is larger (T16).
func TestSBPFreeBias(t *testing.T) {
	x, y := kerneltest.Toy(100)
	for i := range y {
		y[i] = math.Copysign(1, float64(x.Value[2*i])+0.7+0.5*y[i])
	}
	q, err := problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Hinge{}, penalty.L2{}, 0.02, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := solver.Linear.New("sdca")
	ref, err := solver.Run(context.Background(), s, q, solver.Options{Gap: 1e-9})
	if err != nil || ref.Status != solver.Converged {
		t.Fatal(ref, err)
	}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	w := ref.Point.W
	norm := math.Hypot(w[0], w[1])
	nu := (ref.Certificate.Primal - 0.01*norm*norm) / norm
	p, err := problem.NewSlack(gram, y, nu, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	c := make([]float64, 100)
	for i := range c {
		c[i] = y[i] * x.Row(i).Dot(w[:2]) / norm
	}
	var filling water.Filling
	if f, b := p.Level(&filling, c); math.Abs(f-1/norm) > 1e-7 || math.Abs(b*norm-w[2]) > 1e-3 {
		t.Errorf("f(w*/|w*|) = %v at b %v, expected 1/|w*| = %v at %v", f, b*norm, 1/norm, w[2])
	}

	state := SBP{}.Start(p, solver.Start{Seed: 1}).(*sbp)
	positive := 0
	for range 20000 {
		state.step()
		if y[state.drawn[0]] > 0 {
			positive++
		}
	}
	if d := math.Abs(float64(positive) - 10000); d > 4*math.Sqrt(5000) {
		t.Errorf("%d of 20000 draws were positive, expected half of them", positive)
	}
	cert := p.Certify(state.Point())
	classifier, ok := p.Classifier(state.Point().W)
	if -cert.Primal > 1/norm+1e-7 || -cert.Dual < 1/norm-1e-7 || cert.Gap() > 0.03/norm || !ok || math.Abs(classifier[100]-w[2]) > 0.05 {
		t.Errorf("f %v, G %v, expected %v; bias %v, expected %v", -cert.Primal, -cert.Dual, 1/norm, classifier[100], w[2])
	}
}

// With a Gaussian kernel too, f is 1/|w*| there, at the bias of SMO, and the bias of
// the classifier comes to that of SMO. Of the first draws of 500 runs, when all
// rows are level, and of 20000 draws of one run half are of each class, though one
// has a tenth of the rows (T16).
func TestSBPFreeBiasOfSMO(t *testing.T) {
	t.Parallel()
	p := kerneltest.Machine(t, 150, 1.0/150, problem.Free)
	for i := range p.Y { // the class of a tenth is on one side
		v := p.X.Row(i).Value
		p.Y[i] = math.Copysign(1, float64(v[0])+0.5*float64(v[1])-1.4+0.4*p.Y[i])
	}
	ref := kerneltest.Run(t, dual.SMO{Selection: "second"}, p, solver.Options{Gap: 1e-10})
	w := ref.Point.W
	slack, most := kerneltest.SlackOf(t, p, w)
	e := newEngine(p.Gram, 0, w, false)
	c := make([]float64, 150)
	positive := 0
	for i, y := range p.Y {
		c[i] = y * e.response(i) * most
		positive += int(y+1) / 2
	}
	if positive < 5 || positive > 30 {
		t.Fatalf("%d rows are positive, expected about 15", positive)
	}
	var filling water.Filling
	if f, b := slack.Level(&filling, c); math.Abs(f-most) > 1e-7*most || math.Abs(b/f-w[150]) > 1e-4 {
		t.Errorf("f(w*/|w*|) = %v at b %v, expected 1/|w*| = %v at %v", f, b/f, most, w[150])
	}
	first := 0
	for seed := range uint64(kerneltest.Thorough(500, 100)) {
		s := SBP{}.Start(slack, solver.Start{Seed: seed}).(*sbp)
		s.step()
		first += int(p.Y[s.drawn[0]]+1) / 2
	}
	if d := math.Abs(float64(first) - float64(kerneltest.Thorough(250, 50))); d > 3*math.Sqrt(float64(kerneltest.Thorough(125, 25))) {
		t.Errorf("%d of %d first draws were positive, expected half of them", first, kerneltest.Thorough(500, 100))
	}
	s, later := SBP{}.Start(slack, solver.Start{Seed: 1}).(*sbp), 0
	for range 20000 {
		s.step()
		later += int(p.Y[s.drawn[0]]+1) / 2
	}
	if d := math.Abs(float64(later) - 10000); d > 3*math.Sqrt(5000) {
		t.Errorf("%d of 20000 draws were positive, expected half of them", later)
	}
	if testing.Short() {
		return
	}
	for range 50000 {
		s.step()
	}
	classifier, ok := slack.Classifier(s.Point().W)
	if cert := slack.Certify(s.Point()); cert.Gap() > 0.01*most || !ok || math.Abs(classifier[150]-w[150]) > 1e-2 {
		t.Errorf("gap %v of %v, bias %v, expected %v", cert.Gap(), most, classifier[150], w[150])
	}
}

// With a kernel s^2 k and s nu in the place of nu the same rows are drawn,
// c is s times as large, and alpha is divided by s (2.8.3).
func TestSBPScales(t *testing.T) {
	x, y := kerneltest.Toy(50)
	const scale = 4
	var states [2]*sbp
	for k, size := range []float32{1, scale} {
		z := &matrix.Dense{Rows: 50, Cols: 2, Value: make([]float32, 100)}
		for i, v := range x.Value {
			z.Value[i] = size * v
		}
		gram, err := gram.NewGram(kernel.Linear{}, z, gram.Options{Double: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.NewSlack(gram, y, 0.3*float64(size), problem.None)
		if err != nil {
			t.Fatal(err)
		}
		states[k] = SBP{Batch: 3}.Start(p, solver.Start{Seed: 9}).(*sbp)
		for range 200 {
			states[k].step()
		}
	}
	one, two := states[0].e.average(), states[1].e.average()
	for i := range 50 {
		if one.w[i] != scale*two.w[i] || scale*one.responses[i] != two.responses[i] {
			t.Fatalf("row %d: coefficients %v and %v, responses %v and %v", i, one.w[i], two.w[i], one.responses[i], two.responses[i])
		}
	}
}

// With lambda instead of nu SBP closes the gap of the problem with a penalty,
// whatever the bias, and about as fast as 1/T: with ten times the steps it is a
// quarter at most, where steps of length 1/sqrt(t) would leave a third.
func TestSBPLambda(t *testing.T) {
	t.Parallel()
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, lambda := range []float64{1.0 / 80, 0.1} {
			for _, s := range []SBP{{Batch: 8}, {Output: "weighted"}, {Batch: 8, Output: "last"}} {
				p := kerneltest.Machine(t, 80, lambda, bias)
				sol, err := solver.Run(context.Background(), s, p, solver.Options{Gap: 0.03, Epochs: 300})
				if err != nil {
					t.Fatal(err)
				}
				if sol.Status != solver.Converged {
					t.Errorf("%s, lambda %g, %v: %s, gap %g", bias, lambda, s, sol.Status, sol.Certificate.Relative())
				}
			}
			if testing.Short() && bias != problem.Free {
				continue
			}
			p := kerneltest.Machine(t, 80, lambda, bias)
			var gaps [2]float64
			for seed := range uint64(3) {
				state := SBP{Batch: 8}.Start(p, solver.Start{Seed: seed})
				for k, epochs := range [...]int{60, 540} {
					for range epochs {
						state.Epoch()
					}
					gaps[k] += p.Certify(state.Point()).Relative() / 3
				}
			}
			if gaps[1] > gaps[0]/4 || gaps[1] > 0.006 {
				t.Errorf("%s, lambda %g: gap %g after 60 epochs, %g after 600", bias, lambda, gaps[0], gaps[1])
			}
		}
	}
}
