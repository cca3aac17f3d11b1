package programming

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/ridge"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Ridge regression in the primal, an equation of d unknowns, and in the dual, one of n: the
// smaller is faster, and both are one solution (Y8). A kernel of polynomials of degree 5 in 50
// features stands for 3.5 million of them (Y9).
func init() {
	experiment.Plain("qp-ridge", "CPSC 540 slides, kernel ridge regression", "ridge regression in the primal and in the dual: which is faster where; polynomials of degree 5 as a kernel", qpRidge)
}

func qpRidge(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	n, widths := 1000, []int{125, 250, 500, 1000, 2000, 4000}
	if opt.Quick {
		n, widths = 300, []int{40, 300, 2400}
	}
	r := &experiment.Result{}
	var x, primal, dual []float64
	worst := 0.0
	progress := &experiment.Tally{Opt: opt, What: "widths", Of: len(widths)}
	for _, d := range widths {
		progress.Step()
		first, second, apart, err := bothForms(ctx, n, d, opt)
		if err != nil {
			return nil, err
		}
		x, primal, dual = append(x, float64(d)/float64(n)), append(primal, first), append(dual, second)
		worst = max(worst, apart)
	}
	r.Curves(experiment.Point{Row: "ridge", XAxis: "features a row" + experiment.LogAxis, YAxis: "seconds" + experiment.LogAxis}, x, experiment.Named{Name: "primal (newton)", Y: primal}, experiment.Named{Name: "dual (cholesky)", Y: dual})
	last := len(x) - 1
	r.Check("Y8", "both forms are one solution", "objectives to 1e-6 of their size", worst <= 1e-6, "%s", quantity(worst))
	r.Check("Y8", "few features: the primal is faster; many: the dual", "at the ends", primal[0] < dual[0] && dual[last] < primal[last], "%.3g s against %.3g s with d/n = %.3g, %.3g against %.3g with %.3g", primal[0], dual[0], x[0], primal[last], dual[last], x[last])
	return r, polynomial(ctx, r, opt)
}

// gaussianRows draws n rows of d features, and targets of a linear model with noise.
func gaussianRows(n, d int, seed uint64) (matrix.Matrix, []float64) {
	random := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	m, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
	truth := make([]float64, d)
	for j := range truth {
		truth[j] = random.NormFloat64() / math.Sqrt(float64(d))
	}
	for i := range y {
		for j := range truth {
			m.Value[i*d+j] = float32(random.NormFloat64())
		}
		y[i] = m.Row(i).Dot(truth) + 0.1*random.NormFloat64()
	}
	return m, y
}

// bothForms returns the seconds of both, and how far the objectives are apart.
func bothForms(ctx context.Context, n, d int, opt experiment.Options) (primal, dual, far float64, err error) {
	x, y := gaussianRows(n, d, opt.Seed)
	lambda := 1e-2
	p, err := problem.NewLinear(problem.NewRows(x, opt.Threads), y, nil, loss.Squared{}, penalty.L2{}, lambda, problem.None)
	if err != nil {
		return 0, 0, 0, err
	}
	first, err := experiment.Solve(ctx, newton.Newton{}, p, solver.Options{Gap: 1e-7})
	if err != nil {
		return 0, 0, 0, err
	}
	k, err := experiment.KernelMachine(kernel.Linear{}, x, y, loss.Squared{}, lambda, problem.None, opt.Threads)
	if err != nil {
		return 0, 0, 0, err
	}
	second, err := experiment.Solve(ctx, ridge.Cholesky{}, k, solver.Options{Gap: 1e-7})
	if err != nil {
		return 0, 0, 0, err
	}
	return first.Train.Seconds(), second.Train.Seconds(), apart([]float64{first.Certificate.Primal, second.Certificate.Primal}), ctx.Err()
}

// polynomial fits a machine of 500 rows to targets that are a polynomial.
func polynomial(ctx context.Context, r *experiment.Result, opt experiment.Options) error {
	const n, d, degree = 500, 50, 5
	x, y := gaussianRows(n, d, opt.Seed)
	p, err := experiment.KernelMachine(kernel.Poly{Gamma: 1. / d, Coef0: 1, Degree: degree}, x, y, loss.Squared{}, 1e-3, problem.Free, opt.Threads)
	if err != nil {
		return err
	}
	s, err := experiment.Solve(ctx, ridge.Cholesky{}, p, solver.Options{Gap: 1e-8})
	if err != nil {
		return err
	}
	features := 1.0
	for k := 1; k <= degree; k++ {
		features *= float64(d+k) / float64(k)
	}
	r.Check("Y9", fmt.Sprintf("polynomials of degree %d in %d features, %.0f of them, on %d rows", degree, d, features, n), "within 1 s", s.Train.Seconds() < 1 && s.Status == solver.Converged, "%.3g s, %s", s.Train.Seconds(), s.Status)
	return ctx.Err()
}
