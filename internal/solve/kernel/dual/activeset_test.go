package dual

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// activeProblem makes one of the 400 problems of the reference: linear and Gaussian kernels, some
// rows twice, with equal and with opposite targets, any bias and C.
func activeProblem(t testing.TB, seed uint64) *problem.Kernel {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 6))
	n, d := 1+random.IntN(70), 1+random.IntN(4)
	values, y, weights := make([]float32, 0, n*d), make([]float64, n), make([]float64, n)
	for i := range n {
		if i > 0 && random.IntN(5) == 0 {
			j := random.IntN(i)
			values = append(values, values[j*d:(j+1)*d]...)
		} else {
			for range d {
				values = append(values, float32(random.NormFloat64()))
			}
		}
		y[i] = float64(2*random.IntN(2) - 1)
		if seed%10 == 9 {
			y[i] = 1
		}
		weights[i] = 1 + float64(random.IntN(2))
	}
	x, err := matrix.NewDense(n, d, values)
	if err != nil {
		t.Fatal(err)
	}
	var k kernel.Kernel = kernel.Linear{}
	if seed%2 == 1 {
		k = kernel.RBF{Gamma: 0.5}
	}
	gram, err := gram.NewGram(k, x, gram.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	l := []loss.Loss{loss.Hinge{}, loss.Hinge{}, loss.Hinge{}, loss.Absolute{}, loss.Quantile{Tau: 0.3}}[seed%5]
	c := math.Pow(10, -1+2*random.Float64())
	p, err := problem.NewKernel(gram, y, weights, l, 1/(c*float64(n)), []problem.Bias{problem.Free, problem.None, problem.Feature}[seed%3])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// K15: 400 random problems have the optimum that SMO finds, and are proved to 1e-10.
func TestActiveSet(t *testing.T) {
	for seed := range uint64(kerneltest.Nightly(400, 60)) {
		p := activeProblem(t, seed)
		want := kerneltest.Run(t, SMO{"second"}, p, solver.Options{Gap: 1e-8, Epochs: 100000})
		for _, s := range []ActiveSet{{}, {Candidates: 3}} {
			got := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-10, Epochs: 2000})
			if a, b := got.Certificate.Primal, want.Certificate.Primal; a > b+1e-6*max(b, 1e-3) || want.Status == solver.Converged && b > a+1e-6*max(b, 1e-3) {
				t.Errorf("seed %d: objective %.12g (%s), by SMO %.12g (%s)", seed, a, got.Status, b, want.Status)
			}
			if got.Certificate.Gap() > 1e-10*math.Abs(got.Certificate.Primal)+2*got.Certificate.Rounding+1e-10*got.Certificate.Zero {
				t.Errorf("seed %d: %s, gap %g of %g", seed, got.Status, got.Certificate.Gap(), got.Certificate.Primal)
			}
		}
	}
}

// K24: rows that are added cost less than a fifth of the values of the kernel that a fresh run asks
// for or computes, and few rows of the matrix beside the free ones.
func TestK24ActiveSetWarm(t *testing.T) {
	const n, more = 600, 10
	x, y := kerneltest.Toy(n + more)
	make := func(rows int) *problem.Kernel {
		part := make([]int, rows)
		for i := range part {
			part[i] = i
		}
		gram, err := gram.NewGram(kernel.RBF{Gamma: 1}, matrix.Subset(x, part), gram.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.NewKernel(gram, y[:rows], nil, loss.Hinge{}, 1/float64(rows), problem.Free)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	few, all := make(n), make(n+more)
	start := kerneltest.Run(t, ActiveSet{}, few, solver.Options{Gap: 1e-9})
	cold := kerneltest.Run(t, ActiveSet{}, all, solver.Options{Gap: 1e-9})
	fresh := all.Counts()
	from := problem.Point{W: append(append([]float64(nil), start.Point.W[:n]...), append(make0(more), start.Point.W[n])...), A: append(append([]float64(nil), start.Point.A...), make0(more)...)}
	warm, err := solver.Run(context.Background(), ActiveSet{}, all, solver.Options{Gap: 1e-9, From: &from})
	if err != nil {
		t.Fatal(err)
	}
	free := 0
	for i, a := range warm.Point.A {
		if a != 0 && a != -all.Y[i] {
			free++
		}
	}
	values := all.Counts()
	values.Requested, values.Computed = values.Requested-fresh.Requested, values.Computed-fresh.Computed
	if rows := values.Computed / (n + more); 5*values.Requested > fresh.Requested || 5*values.Computed > fresh.Computed || int(rows) > free+2*more {
		t.Errorf("%d values asked for, %d rows computed for %d free ones; fresh %d values, %d rows", values.Requested, rows, free, fresh.Requested, fresh.Computed/(n+more))
	}
	if math.Abs(warm.Certificate.Primal-cold.Certificate.Primal) > 1e-9 || warm.Epochs*2 > cold.Epochs+1 {
		t.Errorf("objective %g after %d epochs, cold %g after %d", warm.Certificate.Primal, warm.Epochs, cold.Certificate.Primal, cold.Epochs)
	}
}

func make0(n int) []float64 { return make([]float64, n) }

// K16: candidates that are priced between passes over all rows save more than half of the values of
// the kernel, at the same optimum.
func TestK16Candidates(t *testing.T) {
	x, y := kerneltest.Toy(kerneltest.Thorough(1500, 600))
	run := func(candidates int) (*solver.Solution, int64) {
		g, err := gram.NewGram(kernel.RBF{Gamma: 1}, x, gram.Options{Double: true, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.NewKernel(g, y, nil, loss.Hinge{}, 0.01/float64(len(y)), problem.Free)
		if err != nil {
			t.Fatal(err)
		}
		s := kerneltest.Run(t, ActiveSet{Candidates: candidates}, p, solver.Options{Gap: 1e-7})
		return s, p.Counts().Requested
	}
	few, values := run(0)
	all, without := run(1)
	if 2*values > without || few.Status != solver.Converged || math.Abs(few.Certificate.Primal-all.Certificate.Primal) > 1e-9*all.Certificate.Primal {
		t.Errorf("%d values, objective %.12g (%s); without candidates %d, %.12g", values, few.Certificate.Primal, few.Status, without, all.Certificate.Primal)
	}
}
