package dual

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// separated is a problem without slack on rows of some values.
func separated(t testing.TB, k kernel.Kernel, cols int, values []float32, y []float64, bias problem.Bias) *problem.Slack {
	t.Helper()
	x, err := matrix.NewDense(len(y), cols, values)
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(k, x, gram.Options{Threads: 1, Double: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewSlack(gram, y, 0, bias)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// K4: two rows have w = 2(x+ - x-)/|x+ - x-|^2, and the margin between them is |x+ - x-|.
func TestHardMarginOfTwoRows(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		values := make([]float32, 6)
		for i := range values {
			values[i] = float32(random.NormFloat64() * 10)
		}
		p := separated(t, kernel.Linear{}, 3, values, []float64{1, -1}, problem.Free)
		got := kerneltest.Run(t, HardMargin{}, p, solver.Options{Gap: 1e-9})
		distance := 0.0
		for j := range 3 {
			d := float64(values[j]) - float64(values[3+j])
			distance += d * d
		}
		w, ok := p.Classifier(got.Point.W)
		if want := 2 / distance; !ok || got.Status != solver.Converged || math.Abs(w[0]-want) > 1e-7*want || math.Abs(w[1]+want) > 1e-7*want {
			t.Fatalf("found the coefficients %v, %s, expected %g and %g", w[:2], got.Status, want, -want)
		}
		if width := -2 * got.Certificate.Primal; math.Abs(width*width-distance) > 1e-7*distance {
			t.Errorf("found a width of %g, expected %g", width, math.Sqrt(distance))
		}
	}
}

// T14: the corners of the unit square, of which neighbours have the value 1/2, are separated by a
// margin of (1-1/2)/2 = 0.25, with a free bias too.
func TestHardMarginOfXOR(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None} {
		p := separated(t, kernel.RBF{Gamma: math.Ln2}, 2, []float32{0, 0, 0, 1, 1, 1, 1, 0}, []float64{1, -1, 1, -1}, bias)
		got := kerneltest.Run(t, HardMargin{}, p, solver.Options{Gap: 1e-9})
		if c := got.Certificate; got.Status != solver.Converged || math.Abs(c.Primal+0.25) > 1e-8 || c.Dual > -0.25+1e-15 {
			t.Errorf("bias %v: found a margin in [%g, %g], %s, expected 0.25", bias, -c.Primal, -c.Dual, got.Status)
		}
	}
}

// The margin of random separable rows is that of the machine with a C that no coefficient
// reaches, by an interior-point method which shares no code; rows that touch have none.
func TestHardMargin(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 4))
	for trial := range kerneltest.Thorough(120, 30) {
		bias := []problem.Bias{problem.Free, problem.None, problem.Feature}[trial%3]
		n, d := 2+random.IntN(40), 1+random.IntN(4)
		values, y := make([]float32, n*d), make([]float64, n)
		for i := range n {
			y[i] = float64(1 - 2*(i%2))
			for j := range d {
				values[i*d+j] = float32(random.NormFloat64())
			}
			values[i*d] = float32(y[i] * (0.05 + math.Abs(float64(values[i*d]))))
		}
		var k kernel.Kernel = kernel.Linear{}
		if trial%2 == 0 {
			k = kernel.RBF{Gamma: 0.5}
		}
		p := separated(t, k, d, values, y, bias)
		got := kerneltest.Run(t, HardMargin{}, p, solver.Options{Gap: 1e-6})
		if got.Status != solver.Converged || !(got.Certificate.Primal < 0) {
			t.Errorf("trial %d, %T, %v: %s, margin %g, bound %g", trial, k, bias, got.Status, -got.Certificate.Primal, -got.Certificate.Dual)
			continue
		}
		f := -got.Certificate.Primal
		if f > 0.02 { // else C is too large for the oracle
			q := kerneltest.QuadraticOf(kerneltest.Regularised(bias)(t, p.Gram, y).(*problem.Kernel))
			for i := range q.Y {
				q.Lo[i], q.Hi[i] = q.Lo[i]*1e5, q.Hi[i]*1e5
			}
			if _, value := q.Solve(); math.Abs(math.Sqrt(-1/(2*value))-f) > 1e-4*f {
				t.Errorf("trial %d, %T, %v: margin %g, expected %g", trial, k, bias, f, math.Sqrt(-1/(2*value)))
			}
		}
	}
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} { // the same row in both classes
		p := separated(t, kernel.RBF{Gamma: 1}, 1, []float32{0, 1, 0, 3}, []float64{1, 1, -1, -1}, bias)
		got := kerneltest.Run(t, HardMargin{}, p, solver.Options{Gap: 1e-6})
		if c := got.Certificate; got.Status != solver.Stalled || c.Primal < 0 || -c.Dual > 1e-5 || len(c.Warnings) == 0 || !strings.Contains(c.Warnings[0].Error(), "not separable") {
			t.Errorf("%v: %s, margin %g, bound %g, %v", bias, got.Status, -c.Primal, -c.Dual, c.Warnings)
		}
	}
}
