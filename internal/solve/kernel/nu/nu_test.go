package nu

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// shares are the three problems of rows of the plane, some of them twice.
func shares(t *testing.T, n int, nu float64, weighted bool, opt gram.Options) map[string]*problem.Nu {
	t.Helper()
	return kernelShares(t, kernel.RBF{Gamma: 0.7}, n, nu, weighted, opt)
}

func kernelShares(t *testing.T, k kernel.Kernel, n int, nu float64, weighted bool, opt gram.Options) map[string]*problem.Nu {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 5))
	values, classes, targets := make([]float32, 2*n), make([]float64, n), make([]float64, n)
	var weights []float64
	for i := range n {
		a, b := random.NormFloat64(), random.NormFloat64()
		values[2*i], values[2*i+1] = float32(a), float32(b)
		if i%5 == 4 {
			copy(values[2*i:], values[2*i-2:2*i])
		}
		classes[i] = float64(1 - 2*(i%2))
		values[2*i] += 2 * float32(classes[i])
		targets[i] = 3 + math.Sin(2*float64(values[2*i])) + 0.3*b*random.NormFloat64()
		if weighted {
			weights = append(weights, 0.5+random.Float64())
		}
	}
	x, err := matrix.NewDense(n, 2, values)
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(k, x, opt)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*problem.Nu)
	for name, build := range map[string]func() (*problem.Nu, error){
		"one class":      func() (*problem.Nu, error) { return problem.NewOneClass(gram, weights, nu) },
		"classification": func() (*problem.Nu, error) { return problem.NewNuClassification(gram, classes, weights, nu) },
		"regression":     func() (*problem.Nu, error) { return problem.NewNuRegression(gram, targets, weights, nu, 0.01) },
	} {
		if all[name], err = build(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestNu: the gap is proved, by working sets of any size, and the share of rows
// beyond the level is at most nu, that of rows with a coefficient at least nu.
func TestNu(t *testing.T) {
	for _, share := range []float64{0.1, 0.3, 0.72} {
		for _, weighted := range []bool{false, true} {
			for name, p := range shares(t, 90, share, weighted, gram.Options{Threads: 1}) {
				var value float64
				for _, s := range []Nu{{}, {Q: 32}, {Q: 8}} {
					gap := 1e-8
					if s.Q > 0 {
						gap = 1e-4
					}
					sol := kerneltest.Run(t, s, p, solver.Options{Gap: gap})
					c := sol.Certificate
					if value == 0 {
						value = c.Primal
					}
					if sol.Status != solver.Converged || math.Abs(c.Primal-value) > 2*gap*math.Abs(value) {
						t.Errorf("%s, nu %v, weights %v, %+v: %s after %d epochs at %v with gap %.3g, expected %v", name, share, weighted, s, sol.Status, sol.Epochs, c.Primal, c.Relative(), value)
					}
					beyond, support := sharesOf(p, sol.Point)
					if s.Q == 0 && !(beyond <= share+1e-9) || !(support >= share-1e-9) {
						t.Errorf("%s, nu %v, weights %v: %v beyond, %v with a coefficient", name, share, weighted, beyond, support)
					}
				}
			}
		}
	}
}

// sharesOf returns the share of the rows' weight that lies beyond the level, and of
// the rows that have coefficients.
func sharesOf(p *problem.Nu, pt problem.Point) (beyond, support float64) {
	n := p.Len()
	f := make([]float64, n)
	p.Combine(f, pt.W[:n])
	level := p.Level(f, pt.W[n])
	for i, f := range f {
		short := 0.0
		for side, s := range p.Sides {
			if sign := float64(1 - 2*side); s.Cap[i] > 0 {
				short = max(short, level+sign*(p.Targets[i]-f-pt.W[n]))
			}
		}
		if short > 1e-6 {
			beyond += p.S[i] / p.N
		}
		if pt.W[i] != 0 {
			support += p.S[i] / p.N
		}
	}
	return beyond, support
}

// TestOneClassOracle: an interior-point method finds the same optimum; with nu = 1
// the answer is the mean of the images.
func TestOneClassOracle(t *testing.T) {
	for _, share := range []float64{0.1, 0.5, 1} {
		p := shares(t, 40, min(share, 0.9), true, gram.Options{Threads: 1})["one class"]
		p, err := problem.NewOneClass(p.Gram, p.S, share)
		if err != nil {
			t.Fatal(err)
		}
		sol := kerneltest.Run(t, Nu{}, p, solver.Options{Gap: 1e-9})
		// The dual in terms of the difference from the mean, which sums to zero.
		n := p.Len()
		q := &kerneltest.Boxed{Balanced: true, Y: make([]float64, n)}
		mean, value := make([]float64, n), 0.0
		for i := range n {
			mean[i] = p.S[i] / p.N
		}
		p.Combine(q.Y, mean)
		for i := range n {
			value += mean[i] * q.Y[i] / 2
			q.Y[i] = -q.Y[i]
			row := make([]float64, n)
			for j := range row {
				row[j] = p.Kernel.Eval(p.X.Row(i), p.X.Row(j))
			}
			q.K = append(q.K, row)
			q.Lo, q.Hi = append(q.Lo, -mean[i]), append(q.Hi, p.Sides[0].Cap[i]-mean[i])
		}
		if share < 1 {
			_, change := q.Solve()
			value += change
		}
		if got := -sol.Certificate.Primal; sol.Status != solver.Converged || math.Abs(got-value) > 1e-8*value {
			t.Errorf("nu %v: %s at %v, expected %v", share, sol.Status, got, value)
		}
	}
}

// TestNuIsC: a nu-classifier divided by its level rho is the hinge machine with
// lambda = rho, and a nu-regression the epsilon-insensitive one for its epsilon, with
// the same dual variables.
func TestNuIsC(t *testing.T) {
	for name, p := range shares(t, 60, 0.4, true, gram.Options{Threads: 1}) {
		if p.OneClass() {
			continue
		}
		sol := kerneltest.Run(t, Nu{}, p, solver.Options{Gap: 1e-10})
		n := p.Len()
		f := make([]float64, n)
		p.Combine(f, sol.Point.W[:n])
		level := p.Level(f, sol.Point.W[n])
		y, lambda, scale, l := p.Targets, p.Lambda, 1.0, loss.Loss(loss.EpsilonInsensitive{Epsilon: -level})
		if !p.Tube() {
			y, lambda, scale, l = make([]float64, n), level, 1/level, loss.Hinge{}
			for i := range y {
				y[i] = 1
				if p.Sides[1].Cap[i] > 0 {
					y[i] = -1
				}
			}
		}
		q, err := problem.NewKernel(p.Gram, y, p.S, l, lambda, problem.Free)
		if err != nil {
			t.Fatal(err)
		}
		w := slices.Clone(sol.Point.W)
		for i := range w {
			w[i] *= scale
		}
		if c := q.Certify(problem.Point{W: w, A: sol.Point.A}); !(c.Relative() <= 1e-6) {
			t.Errorf("%s: level %v, gap %v of %v", name, level, c.Relative(), c.Primal)
		}
	}
}

// TestNuSameBits: neither threads nor the size of the cache change a bit.
func TestNuSameBits(t *testing.T) {
	for _, name := range []string{"one class", "classification", "regression"} {
		var first *solver.Solution
		for _, opt := range []gram.Options{{Threads: 1}, {Threads: 2}, {Threads: 2, Cache: 2 * 8 * 704}} {
			sol := kerneltest.Run(t, Nu{Q: 64}, shares(t, 600, 0.5, true, opt)[name], solver.Options{Gap: 1e-4})
			if first == nil {
				first = sol
			}
			if !slices.Equal(sol.Point.W, first.Point.W) || !slices.Equal(sol.Point.A, first.Point.A) || sol.Status != solver.Converged {
				t.Errorf("%s, %+v: other bits, or %s", name, opt, sol.Status)
			}
		}
	}
}

// TestNuSparse: the answer has coefficients where its dual variables need them, and
// not everywhere because some sum was rounded.
func TestNuSparse(t *testing.T) {
	for name, p := range shares(t, 200, 0.3, true, gram.Options{Threads: 1}) {
		sol := kerneltest.Run(t, Nu{}, p, solver.Options{Gap: 1e-6})
		if _, support := sharesOf(p, sol.Point); support > 0.5 {
			t.Errorf("%s: a share of %v of the rows has coefficients, expected little more than 0.3", name, support)
		}
	}
}

// TestNuWarmStart: a run that begins at the optimum needs no epoch, and one that
// begins at its dual variables alone no step.
func TestNuWarmStart(t *testing.T) {
	for name, p := range shares(t, 90, 0.3, true, gram.Options{Threads: 1}) {
		first := kerneltest.Run(t, Nu{}, p, solver.Options{Gap: 1e-6})
		for _, from := range []*problem.Point{&first.Point, {A: first.Point.A}} {
			if again := kerneltest.Run(t, Nu{}, p, solver.Options{Gap: 1e-6, From: from}); again.Status != solver.Converged || again.Epochs != 0 {
				t.Errorf("%s: %s after %d epochs", name, again.Status, again.Epochs)
			}
		}
	}
}

// TestNuCutShort: a run that ends while only some rows are in play returns their
// predictor, which is better than none.
func TestNuCutShort(t *testing.T) {
	for name, p := range shares(t, 400, 0.3, true, gram.Options{Threads: 1}) {
		n := p.Len()
		w := make([]float64, n+1)
		w[n] = p.Bias(make([]float64, n))
		none := p.Certify(problem.Point{W: w}).Primal
		for _, epochs := range []int{1, 2, 5, 12, 20} {
			sol := kerneltest.Run(t, Nu{Q: 16}, p, solver.Options{Epochs: epochs, Gap: 1e-9})
			c := sol.Certificate
			better := c.Primal < none || name == "classification" && c.Primal == none // a small margin: see NewNuClassification
			if sol.Status != solver.EpochLimit || !better || math.IsInf(c.Dual, 0) {
				t.Errorf("%s: %s after %d epochs with %+v, without rows %g", name, sol.Status, sol.Epochs, c, none)
			}
		}
	}
}

// TestNuUnproved: with a kernel that is no inner product a run ends as LIBSVM's does, at
// a violation of 1e-3 in its units, where it then stands: the zero point, whose objective
// may be lower, is no answer. Working sets and samples of any size do.
func TestNuUnproved(t *testing.T) {
	for _, k := range []kernel.Kernel{kernel.Sigmoid{Gamma: 0.05}, kernel.Sigmoid{Gamma: 1, Coef0: -0.5}} {
		for name, p := range kernelShares(t, k, 300, 0.3, true, gram.Options{Threads: 1}) {
			var units float64 // a cap of a row of weight 1 is 1/N, with one class 1/(nu N), and C in a regression
			switch name {
			case "one class":
				units = 0.3 * p.N
			case "classification":
				units = p.N
			case "regression":
				units = 1
			}
			for _, s := range []Nu{{}, {Q: 64}, {Q: 16}} {
				sol := kerneltest.Run(t, s, p, solver.Options{})
				text := ""
				for _, w := range sol.Certificate.Warnings {
					text += w.Error()
				}
				if sol.Status != solver.Stalled || sol.Epochs > 1000 || !strings.Contains(text, "stopped where the optimality condition is met up to 0.001") {
					t.Errorf("%s, %+v, %+v: %s after %d epochs, %q", name, k, s, sol.Status, sol.Epochs, text)
				}
				state := s.Start(p, solver.Start{}).(*nu)
				for range sol.Epochs {
					state.Epoch()
				}
				if v := units * state.violation(); !(v <= 1e-3*(1+1e-9)) {
					t.Errorf("%s, %+v, %+v: the violation is %g, expected at most 1e-3", name, k, s, v)
				}
				if last := state.Point().W; !slices.Equal(sol.Point.W, last) {
					t.Errorf("%s, %+v, %+v: found another point than that where the run ended", name, k, s)
				}
			}
		}
	}
}
