package problem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// kernelised states q with the linear kernel: the same problem, as its penalty
// is l2.
func (q small) kernelised(k kernel.Kernel, threads int) *problem.Kernel {
	gram := must(gram.NewGram(k, q.problem(false).X, gram.Options{Threads: threads}))
	return must(problem.NewKernel(gram, q.y, q.s, q.loss, q.lambda, q.bias))
}

// TestKernelCertificate examines the certificates of kernel machines with the
// linear kernel, whose optimum is the linear predictor's, at the points that
// belong to the duals that sdca proves there, and at points far from any.
func TestKernelCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 11))
	each(t, func(l loss.Loss, p string, bias problem.Bias) {
		if p != "l2" {
			return
		}
		for _, shape := range [][2]int{{1, 1}, {4, 1}, {7, 3}} {
			q := random(r, l, p, bias, shape[0], shape[1])
			sol := must(solver.Run(context.Background(), dual.SDCA{}, q.problem(false), solver.Options{Gap: 1e-9, Epochs: 20000, Seed: 1}))
			if sol.Certificate.Relative() > 1e-7 {
				continue // an optimum of about zero
			}
			k := q.kernelised(kernel.Linear{}, 1)
			if err := conform.Certificate(k, sol.Certificate.Primal, pointOf(k, sol.Point)); err != nil {
				t.Errorf("%v:\n%v", q, err)
			}
			for _, off := range []float64{0, 1e-9, 1e-3, 1} {
				near(t, k, pointOf(k, sol.Point), sol.Certificate.Primal, off, r)
			}
		}
	})
}

// near certifies a point with responses that are off by as much as is said, each up or down: the
// objective is as near as the certificate says, and the lower bound below the optimum.
func near(t *testing.T, k *problem.Kernel, pt problem.Point, optimum, off float64, r *rand.Rand) {
	t.Helper()
	exact := k.Certify(pt)
	for _, up := range []float64{0, 0.5, 1} {
		value, own := k.Respond(pt.W[:k.Len()])
		for i := range value {
			if r.Float64() < up {
				value[i] += off
			} else {
				value[i] -= off
			}
		}
		c := k.CertifyNear(pt, value, off+2*own)
		if distance := math.Abs(c.Primal - exact.Primal); !(distance <= c.Rounding+exact.Rounding) {
			t.Errorf("%v, off by %g: objective %g, expected %g within %g", k.Loss, off, c.Primal, exact.Primal, c.Rounding)
		}
		if c.Dual > min(exact.Primal, optimum+exact.Rounding) || off == 0 && !(c.Dual >= exact.Dual-2*c.Rounding) {
			t.Errorf("%v, off by %g: lower bound %g, expected at most %g, near %g", k.Loss, off, c.Dual, optimum, exact.Dual)
		}
	}
	other := problem.Point{W: append([]float64(nil), pt.W...), A: pt.A}
	other.W[0]++
	value, own := k.Respond(other.W[:k.Len()])
	if c := k.CertifyNear(other, value, own); !math.IsInf(c.Dual, -1) {
		t.Errorf("%v: found the lower bound %g for coefficients that are not those of the dual variables, expected none", k.Loss, c.Dual)
	}
}

// pointOf returns the point of a kernel machine that has the dual variables and
// the bias of a linear predictor's.
func pointOf(k *problem.Kernel, pt problem.Point) problem.Point {
	w := make([]float64, k.Len()+1)
	w[k.Len()] = pt.W[len(pt.W)-1]
	k.Weights(w, pt.A)
	return problem.Point{W: w, A: pt.A}
}

// TestKernelPrimal compares the objective with its formula, at coefficients that
// belong to no dual variables, and its error with the bound.
func TestKernelPrimal(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 12))
	each(t, func(l loss.Loss, p string, bias problem.Bias) {
		q := random(r, l, "l2", bias, 9, 2)
		k := q.kernelised(kernel.RBF{Gamma: 0.5}, 1)
		w := make([]float64, 10)
		for j := range w {
			w[j] = r.NormFloat64()
		}
		if bias == problem.None {
			w[9] = 0
		}
		a := make([]float64, 9)
		c := k.Certify(problem.Point{W: w, A: a})
		if want := objective(k, w); !(math.Abs(c.Primal-want) <= 1e-12*want) {
			t.Errorf("%T bias %v: P = %v, by the formula %v", l, bias, c.Primal, want)
		}
		for _, threads := range []int{1, 2} {
			if twin := q.kernelised(kernel.RBF{Gamma: 0.5}, threads).Certify(problem.Point{W: w, A: a}); twin.Primal != c.Primal || twin.Dual != c.Dual {
				t.Errorf("%d threads: %v, expected %v", threads, twin, c)
			}
		}
	})
}

// objective is P(beta,b) by its formula.
func objective(k *problem.Kernel, w []float64) float64 {
	n := k.Len()
	value := func(i int) float64 {
		sum := 0.0
		for j := range n {
			sum += w[j] * k.Kernel.Eval(k.X.Row(i), k.X.Row(j))
		}
		return sum
	}
	sum, squared := 0.0, k.Constant()*w[n]*w[n]
	for i := range n {
		sum += k.S[i] * k.Loss.Value(value(i)+w[n], k.Y[i])
		squared += w[i] * value(i)
	}
	return sum/k.N + k.Lambda/2*squared
}

// TestKernelWeakDuality: no dual of any point is above the primal of any other,
// on unscaled rows where squared distances cancel, with a bound on rounding that
// is not worthless.
func TestKernelWeakDuality(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 13))
	for trial := range 40 {
		q := random(r, loss.Hinge{}, "l2", problem.Bias(trial%3), 8, 2)
		for _, x := range q.x {
			x[0] += 1e4
		}
		k := q.kernelised(kernel.RBF{Gamma: 0.3}, 1)
		best := problem.Certificate{Primal: math.Inf(1), Dual: math.Inf(-1)}
		for range 300 {
			a := make([]float64, 8)
			for i := range a {
				a[i] = -q.y[i] * r.Float64()
			}
			pt := pointOf(k, problem.Point{W: []float64{r.NormFloat64()}, A: a})
			if k.Bias == problem.None {
				pt.W[8] = 0
			}
			c := k.Certify(pt)
			best.Primal, best.Dual = min(best.Primal, c.Primal), max(best.Dual, c.Dual)
		}
		if !(best.Dual <= best.Primal) || math.IsInf(best.Dual, 0) {
			t.Errorf("the best dual is %v, the best primal %v: %v", best.Dual, best.Primal, q)
		}
	}
}

// indefinite is a kernel that admits to be none.
type indefinite struct{ kernel.Linear }

func (indefinite) Indefinite() bool { return true }

// TestIndefiniteProvesNothing: without duality there is no lower bound.
func TestIndefiniteProvesNothing(t *testing.T) {
	q := random(rand.New(rand.NewPCG(1, 1)), loss.Hinge{}, "l2", problem.None, 5, 2)
	k := q.kernelised(indefinite{}, 1)
	c := k.Certify(problem.Point{W: make([]float64, 6), A: make([]float64, 5)})
	if !math.IsInf(c.Dual, -1) || c.Primal != k.Zero() {
		t.Errorf("found %v, expected a primal of %v and no dual", c, k.Zero())
	}
}

// TestIndefiniteByParameters: of kernels that are inner products for some of
// their parameters every kind of problem has a dual exactly for those.
func TestIndefiniteByParameters(t *testing.T) {
	q := random(rand.New(rand.NewPCG(1, 2)), loss.Hinge{}, "l2", problem.None, 5, 2)
	copy(q.y, []float64{1, -1, 1, -1, 1})
	a := make([]float64, 5)
	for i, y := range q.y {
		a[i] = -y / 2
	}
	for _, coef0 := range []float64{0, -1} {
		poly := kernel.Poly{Degree: 2, Gamma: 1, Coef0: coef0}
		for _, k := range []kernel.Kernel{poly, must(kernel.Sum(poly, kernel.Linear{}))} {
			gram := must(gram.NewGram(k, q.problem(false).X, gram.Options{Threads: 1}))
			for _, p := range []problem.Problem{
				must(problem.NewKernel(gram, q.y, nil, q.loss, 1, problem.None)),
				must(problem.NewNormConstrained(gram, q.y, nil, q.loss, 1, problem.None)),
				must(problem.NewSlack(gram, q.y, 0.5, problem.None)),
				must(problem.NewOneClass(gram, nil, 0.5)),
			} {
				c := p.Certify(problem.Point{W: make([]float64, 6), A: a})
				if math.IsInf(c.Dual, -1) != (coef0 < 0) {
					t.Errorf("%T, %+v: found the dual %v", p, k, c.Dual)
				}
			}
		}
	}
}

// TestUnprovedMatrixProvesNothing: a matrix from a file is an inner product only where
// that is proved. [1 2; 2 1] has the eigenvalue -1: its primal has no minimum. [1 1; 1 1]
// has the eigenvalue 0, which roundings cannot tell from a negative one without a shift.
func TestUnprovedMatrixProvesNothing(t *testing.T) {
	for _, c := range []struct {
		off   float32
		auto  bool
		sound bool
	}{{2, false, false}, {2, true, false}, {0.5, false, true}, {1, false, false}, {1, true, true}, {1.0000001, true, true}} {
		x := must(matrix.NewDense(2, 2, []float32{1, c.off, c.off, 1}))
		gram := must(gram.NewGram(kernel.Precomputed{Auto: c.auto}, x, gram.Options{}))
		k := must(problem.NewKernel(gram, []float64{1, -1}, nil, loss.Hinge{}, 0.5, problem.None))
		if gram.Definite() != c.sound {
			t.Errorf("off the diagonal %g: definite %v, expected %v", c.off, gram.Definite(), c.sound)
		}
		if dual := k.Certify(pointOf(k, problem.Point{W: []float64{0}, A: []float64{-0.5, 0.5}})).Dual; math.IsInf(dual, -1) == c.sound {
			t.Errorf("off the diagonal %g: dual %g", c.off, dual)
		}
	}
}

// TestNegativeCurvatureFarFromAnySample: of the identity of order 1000 with one pair of
// elements 5 no bound may be claimed: along the negative curvature of that pair the
// objective has no minimum.
func TestNegativeCurvatureFarFromAnySample(t *testing.T) {
	const n = 1000
	x := &matrix.Dense{Rows: n, Cols: n, Value: make([]float32, n*n)}
	y, a := make([]float64, n), make([]float64, n)
	for i := range n {
		x.Value[i*n+i] = 1
		y[i] = float64(1 - 2*(i%2))
		a[i] = -y[i] / 2
	}
	x.Value[1*n+3], x.Value[3*n+1] = 5, 5
	for _, auto := range []bool{false, true} {
		gram := must(gram.NewGram(kernel.Precomputed{Auto: auto}, x, gram.Options{}))
		k := must(problem.NewKernel(gram, y, nil, loss.Hinge{}, 1./n, problem.None))
		w := make([]float64, n+1)
		w[1], w[3] = 100, -100
		low := k.Certify(problem.Point{W: w, A: a}) // w^T K w is -80,000
		if !(low.Primal < -38) || !math.IsInf(low.Dual, -1) {
			t.Errorf("automatic shift %v: objective %g, bound %g; expected about -39 and no bound", auto, low.Primal, low.Dual)
		}
		p := must(problem.NewNormConstrained(gram, y, nil, loss.Hinge{}, 1, problem.None))
		s := must(problem.NewSlack(gram, y, 0.5, problem.None))
		o := must(problem.NewOneClass(gram, nil, 0.5))
		for _, p := range []problem.Problem{p, s, o} {
			if c := p.Certify(problem.Point{W: w, A: a}); !math.IsInf(c.Dual, -1) {
				t.Errorf("%T: bound %g", p, c.Dual)
			}
		}
	}
}

// TestFarRows: a set far from 0 has the distances of the same set at 0, up to the
// rounding of squared norms 2^40 times as large. Its certificate at the same point is off
// by no more than it says, and that is little, as only near rows have values that are
// off: where every value counted as off, the bound would be worth nothing.
func TestFarRows(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 17))
	const n = 200
	here := &matrix.Dense{Rows: n, Cols: 2, Value: make([]float32, 2*n)}
	there := &matrix.Dense{Rows: n, Cols: 2, Value: make([]float32, 2*n)}
	y, a := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range 2 {
			v := float32(math.Round(16*64*(r.Float64()-0.5))) / 16 // exact beside 2^16
			here.Value[2*i+j], there.Value[2*i+j] = v, v+(1<<16)
		}
		y[i] = float64(1 - 2*(i%2))
		a[i] = -y[i] * r.Float64()
	}
	for _, k := range []kernel.Kernel{kernel.RBF{Gamma: 1}, kernel.Laplacian{Gamma: 100}} {
		var certificates []problem.Certificate
		for _, x := range []*matrix.Dense{here, there} {
			p := must(problem.NewKernel(must(gram.NewGram(k, x, gram.Options{})), y, nil, loss.Hinge{}, 1e-4/n, problem.None))
			certificates = append(certificates, p.Certify(pointOf(p, problem.Point{W: []float64{0}, A: a})))
		}
		exact, far := certificates[0], certificates[1]
		off := far.Rounding + exact.Rounding
		if math.Abs(far.Primal-exact.Primal) > off || far.Dual > exact.Dual+off || far.Dual < exact.Dual-2*off {
			t.Errorf("%T: found %v and at 0 %v, off by more than %g", k, far, exact, off)
		}
		if off > 1e-2*exact.Primal {
			t.Errorf("%T: the bound on the rounding is %g for an objective of %g", k, off, exact.Primal)
		}
	}
}

// TestNormAndLosses: x = -1, 1 with targets -1, 1 and the linear kernel: w = 1 has the norm 1 and
// no losses, w = 1/2 losses of 1/2 each.
func TestNormAndLosses(t *testing.T) {
	x := must(matrix.NewDense(2, 1, []float32{-1, 1}))
	p := must(problem.NewKernel(must(gram.NewGram(kernel.Linear{}, x, gram.Options{})), []float64{-1, 1}, nil, loss.Hinge{}, 1, problem.Free))
	for _, w := range []float64{1, 0.5} {
		f := p.Certify(problem.Point{W: []float64{-w / 2, w / 2, 0}}).Facts
		if f.Norm != w || math.Abs(f.Losses-2*(1-w)) > 1e-15 {
			t.Errorf("w = %g: norm %g, losses %g", w, f.Norm, f.Losses)
		}
	}
}
