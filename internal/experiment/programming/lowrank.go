package programming

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Kernel machines of an incomplete Cholesky factor of rank k in place of K (Y15): what is left
// of the trace, the objective and the errors against k; and active sets, which end after
// finitely many steps (Y11).
func init() {
	experiment.Plain("qp-low-rank", "SVM lecture 15, kernels of low rank and active sets", "objective and errors against the rank of the kernel's factor; finite ends of active sets", qpLowRank)
}

func qpLowRank(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	const n = 200
	r := &experiment.Result{}
	x, y := chequered(n, opt.Seed)
	gaussian := kernel.RBF{Gamma: 0.5}
	p, err := experiment.HingeMachine(gaussian, x, y, 1, problem.Free, opt.Threads)
	if err != nil {
		return nil, err
	}
	best, err := experiment.Solve(ctx, dual.Working{}, p, solver.Options{Gap: 1e-8})
	if err != nil {
		return nil, err
	}
	ranks := []int{5, 10, 20, 40, 60, 100}
	var k, left, far []float64
	progress := &experiment.Tally{Opt: opt, What: "ranks", Of: len(ranks)}
	for _, rank := range ranks {
		progress.Step()
		images, residual, err := kernelFactor(ctx, gaussian, x, rank, opt.Threads)
		if err != nil {
			return nil, err
		}
		q, err := problem.NewLinear(problem.NewRows(images, opt.Threads), y, nil, loss.Hinge{}, penalty.L2{}, p.Lambda, problem.Free)
		if err != nil {
			return nil, err
		}
		s, err := experiment.Solve(ctx, newton.Newton{}, q, solver.Options{Gap: 1e-7})
		if err != nil {
			return nil, err
		}
		k, left, far = append(k, float64(rank)), append(left, residual), append(far, math.Abs(s.Certificate.Primal-best.Certificate.Primal))
		r.Note("rank %d: %.3g of the trace %d left, objective %.8g of %.8g", rank, residual, n, s.Certificate.Primal, best.Certificate.Primal)
	}
	r.Curves(experiment.Point{XAxis: "rank", YAxis: "left" + experiment.LogAxis}, k, experiment.Named{Name: "of the trace", Y: left}, experiment.Named{Name: "of the objective", Y: far})
	falls, near := true, true
	for i := range k {
		falls = falls && (i == 0 || far[i] <= far[i-1])
		if want, ok := map[int]float64{20: 3.8, 40: 6.4e-2, 60: 1.6e-3}[ranks[i]]; ok {
			near = near && left[i] < 5*want && left[i] > want/5
		}
	}
	r.Check("Y15", "the error of the objective falls with the rank", "at every rank", falls, "%s", strings.Join(quantities(far), ", "))
	r.Check("Y15", "what is left of the trace at ranks 20, 40 and 60", "3.8, 0.064 and 0.0016 within a factor of 5", near, "%s", strings.Join(quantities(left[2:5]), ", "))
	return r, finiteEnds(ctx, r, opt)
}

func quantities(values []float64) (text []string) {
	for _, v := range values {
		text = append(text, quantity(v))
	}
	return text
}

// kernelFactor returns the images of the rows by an incomplete Cholesky factor, and what it leaves of the
// trace of K.
func kernelFactor(ctx context.Context, k kernel.Kernel, x matrix.Matrix, rank, threads int) (matrix.Matrix, float64, error) {
	m, residual, err := featuremap.NewCholesky(ctx, k, x, rank, 0, threads)
	if err != nil {
		return nil, 0, err
	}
	images, err := featuremap.Images(ctx, m, x, threads)
	return images, residual[len(residual)-1], err
}

// finiteEnds runs the active-set method on random problems.
func finiteEnds(ctx context.Context, r *experiment.Result, opt experiment.Options) error {
	runs := opt.RunsOr(100, 20)
	worst, passes := 0.0, 0.0
	var at string
	for run := range runs {
		n := 10 + run%61
		x, y := chequered(n, opt.Seed+uint64(run))
		k := kernel.Kernel(kernel.RBF{Gamma: 1})
		if run%2 == 1 {
			k = kernel.Linear{}
		}
		p, err := experiment.HingeMachine(k, x, y, math.Pow(10, float64(run%3-1)), problem.Free, opt.Threads)
		if err != nil {
			return err
		}
		s, err := experiment.Solve(ctx, dual.ActiveSet{}, p, solver.Options{Gap: 1e-9, Epochs: 100})
		if err != nil {
			return err
		}
		passes = max(passes, float64(s.Epochs))
		if gap := s.Certificate.Relative(); gap > worst {
			worst, at = gap, fmt.Sprintf("%d rows, run %d", n, run)
		}
	}
	r.Check("Y11", fmt.Sprintf("active sets end on %d random problems of 10 to 70 rows", runs), "a gap of 1e-9 on each", worst <= 1e-9, "largest %s (%s), at most %g epochs", quantity(worst), at, passes)
	return ctx.Err()
}
