package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The acceptance tests of reference kernel_qp, section 12, that no other file has, by their rows.

// K1: P - D is sum_i alpha_i max(r_i, 0) + (C - alpha_i) max(-r_i, 0), r_i = y_i f(x_i) - 1, at random
// alpha; every term is positive; at the optimum the gap is at most 1e-6.
func TestK1GapFormula(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := kerneltest.Machine(t, 40, 1.0/40, bias)
		d, c := defined(p), 1/(p.Lambda*p.N)
		random := rand.New(rand.NewPCG(11, uint64(bias)))
		for range 200 {
			alpha := feasible(random, p)
			responses, _ := d.responses(alpha)
			b := 0.0
			if bias == problem.Free {
				b = random.NormFloat64()
			}
			pt := problem.Point{W: make([]float64, 41), A: make([]float64, 40)}
			want := 0.0
			for i, a := range alpha {
				r := responses[i] + p.Y[i]*b - 1
				want += a*max(r, 0) + (c-a)*max(-r, 0)
				pt.A[i] = -p.Y[i] * a / c
			}
			p.Weights(pt.W, pt.A)
			if bias == problem.Free {
				pt.W[40] = b
			}
			got := p.Certify(pt)
			if gap := got.Gap() / p.Lambda; !(math.Abs(gap-want) <= 1e-9*(1+want)) || want < 0 {
				t.Fatalf("%s: gap %.12g, by the formula %.12g", bias, gap, want)
			}
		}
		if best := kerneltest.Run(t, dual.Working{}, p, solver.Options{Gap: 1e-9}); best.Certificate.Gap()/p.Lambda > 1e-6 {
			t.Errorf("%s: gap %g at the optimum", bias, best.Certificate.Gap()/p.Lambda)
		}
	}
}

// K2: the three treatments of the bias are three problems: each has the value that an interior-point
// method with no code of theirs finds, and the constant feature another bias than the free one.
func TestK2BiasTreatments(t *testing.T) {
	x, y := kerneltest.Toy(60)
	var found []float64
	for _, bias := range []problem.Bias{problem.Feature, problem.Free, problem.None} {
		p := kerneltest.Regularised(bias)(t, kerneltest.GramOf(t, x, 1), y).(*problem.Kernel)
		best := kerneltest.Run(t, dual.Working{}, p, solver.Options{Gap: 1e-9})
		_, value := kerneltest.QuadraticOf(p).Solve()
		if got := -best.Certificate.Dual / p.Lambda; math.Abs(got-value) > 1e-6*math.Abs(value) {
			t.Errorf("%s: dual value %.10g, by the quadratic program %.10g", bias, got, value)
		}
		found = append(found, best.Point.W[60])
	}
	if math.Abs(found[0]-found[1]) < 1e-3 || found[2] != 0 {
		t.Errorf("biases %v of feature, free and none, expected the first two to differ and the last to be 0", found)
	}
}

// K3: where all alpha are 0 or C, every bias of the interval between the conditions of both is optimal,
// and the one returned is inside; the two points of the reference, x = -1 and 1 with C = 0.4, have
// w = 0.8 and the interval [-0.2, 0.2], of which every bias gives them the same classes.
func TestK3BiasWithoutFreeVectors(t *testing.T) {
	x, err := matrix.NewDense(2, 1, []float32{-1, 1})
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, []float64{-1, 1}, nil, loss.Hinge{}, 1/(2*0.4), problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []solver.Solver{dual.SMO{Selection: "second"}, dual.Working{}, dual.ActiveSet{}, dual.Decomposition{Q: 2}} {
		best := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-10})
		if w := best.Point.W; math.Abs(w[0]+0.4) > 1e-9 || math.Abs(w[1]-0.4) > 1e-9 || math.Abs(w[2]) > 0.2+1e-9 {
			t.Errorf("%T: coefficients and bias %v, expected -0.4, 0.4 and one in [-0.2, 0.2]", s, w)
		}
		for _, b := range []float64{-0.2, -0.1, 0, 0.2} {
			c := p.Certify(problem.Point{W: []float64{-0.4, 0.4, b}, A: best.Point.A})
			if c.Gap() > 1e-9 || -0.8+b >= 0 || 0.8+b <= 0 {
				t.Errorf("%T: bias %g has the gap %g, expected 0 and the classes of the rows", s, b, c.Gap())
			}
		}
		if c := p.Certify(problem.Point{W: []float64{-0.4, 0.4, 0.21}, A: best.Point.A}); c.Gap() < 1e-3 {
			t.Errorf("%T: a bias outside of the interval has the gap %g", s, c.Gap())
		}
	}
}

// K23: the dual of the lecture, boxes [0, c] and the kernel k, that of Ulbrich, boxes [0, 1/N] and
// k/gamma with gamma = 1/(c N), and Pegasos's lambda = gamma are one problem: alpha = lambda/gamma, the
// objectives are multiples, and predictions agree to 1e-8.
func TestK23DualityConversions(t *testing.T) {
	const n = 40
	for _, c := range []float64{0.3, 2, 20} {
		gamma := 1 / (c * n)
		p := kerneltest.Machine(t, n, gamma, problem.Free) // lambda of this program, and of Pegasos
		best := kerneltest.Run(t, dual.Working{}, p, solver.Options{Gap: 1e-13})
		lecture := kerneltest.QuadraticOf(p)
		ulbrich := *lecture
		ulbrich.K, ulbrich.Lo, ulbrich.Hi = make([][]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			if math.Abs(lecture.Hi[i]-lecture.Lo[i]-c) > 1e-12*c {
				t.Fatalf("a box of the width %g, expected c = %g", lecture.Hi[i]-lecture.Lo[i], c)
			}
			ulbrich.Lo[i], ulbrich.Hi[i] = lecture.Lo[i]*gamma, lecture.Hi[i]*gamma
			if width := ulbrich.Hi[i] - ulbrich.Lo[i]; math.Abs(width*n-1) > 1e-12 {
				t.Fatalf("a box of the width %g, expected 1/N", width)
			}
			for j := range n {
				ulbrich.K[i] = append(ulbrich.K[i], lecture.K[i][j]/gamma)
			}
		}
		first, value := lecture.Solve()
		second, scaled := ulbrich.Solve()
		if math.Abs(value*gamma/scaled-1) > 1e-8 || math.Abs(-best.Certificate.Dual/scaled-1) > 1e-8 {
			t.Errorf("c=%g: values %.10g of the lecture, %.10g of Ulbrich, %.10g here", c, value*gamma, scaled, -best.Certificate.Dual)
		}
		for i := range n {
			var a, b, here float64
			for j := range n {
				a += lecture.K[i][j] * first[j]
				b += lecture.K[i][j] * second[j] / gamma
				here += lecture.K[i][j] * best.Point.W[j]
			}
			if math.Abs(a-b) > 1e-8*(1+math.Abs(a)) || math.Abs(a-here) > 1e-8*(1+math.Abs(a)) {
				t.Errorf("c=%g, row %d: %.12g by the lecture, %.12g by Ulbrich, %.12g here", c, i, a, b, here)
			}
		}
	}
}
