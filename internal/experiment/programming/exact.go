package programming

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The lectures on quadratic programs: all methods for kernel machines come to one optimum (Y1),
// however the problem is stated (Y13), and the duality gap on the way is never below the true
// distance (Y14).
func init() {
	experiment.Plain("qp-exact", "SVM lecture 15 and Ulbrich's notes, dual problem and gap", "one optimum by every exact method and in every statement of the problem; the gap against the true distance", qpExact)
}

// exactSolvers are those that come to a small gap, in the order of the figure.
var exactSolvers = []string{"smo:selection=first", "smo", "smo:selection=hybrid", "working", "active-set", "interior-point", "decomposition"}

func qpExact(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	n, r := 400, &experiment.Result{}
	if opt.Quick {
		n = 150
	}
	x, y := chequered(n, opt.Seed)
	progress := &experiment.Tally{Opt: opt, What: "parts", Of: 4}
	for _, c := range []float64{1, 100} {
		p, err := experiment.HingeMachine(kernel.RBF{Gamma: 0.5}, x, y, c, problem.Free, opt.Threads)
		if err != nil {
			return nil, err
		}
		if err := oneOptimum(ctx, r, p, c, opt); err != nil {
			return nil, err
		}
		progress.Step()
		if err := boundOnTheWay(ctx, r, p, c); err != nil {
			return nil, err
		}
		progress.Step()
	}
	return r, conversions(ctx, r, opt, n)
}

// oneOptimum compares the objectives of all methods.
func oneOptimum(ctx context.Context, r *experiment.Result, p *problem.Kernel, c float64, opt experiment.Options) error {
	var values []float64
	names := registered(exactSolvers...)
	for _, name := range names {
		m, err := runTo(ctx, name, p, 1e-8, time.Minute, opt.Seed)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		values = append(values, m.Certificate.Primal)
		r.Note("C %g, %-22s objective %.10g, gap %.1e, %.3g kernel values, %.3g s", c, name, m.Certificate.Primal, m.Certificate.Relative(), m.values, m.seconds)
	}
	r.Check("Y1", fmt.Sprintf("C = %g: one optimum by %s", c, strings.Join(names, ", ")), "to 1e-7 of its size", apart(values) <= 1e-7, "%s", quantity(apart(values)))
	return nil
}

// boundOnTheWay follows the pairs of sequential minimal optimization: the gap of each point, and
// how far its objective is from the optimum.
func boundOnTheWay(ctx context.Context, r *experiment.Result, p *problem.Kernel, c float64) error {
	best, err := experiment.Solve(ctx, dual.Working{}, p, solver.Options{Gap: 1e-10})
	if err != nil {
		return err
	}
	state := dual.SMO{Selection: "first"}.Start(p, solver.Start{Gap: 1e-6})
	var epochs, gaps, far []float64
	below, least, most := 0, math.Inf(1), 0.0
	for epoch := 1; epoch <= 1000; epoch++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		state.Epoch()
		at := p.Certify(state.Point())
		gap, distance := at.Gap(), at.Primal-best.Certificate.Dual // which is at least the true one
		if gap < at.Primal-best.Certificate.Primal {
			below++
		}
		epochs, gaps, far = append(epochs, float64(epoch)), append(gaps, gap), append(far, distance)
		least, most = min(least, gap/distance), max(most, gap/distance)
		if at.Relative() <= 1e-6 {
			break
		}
	}
	r.Curves(experiment.Point{Column: fmt.Sprintf("C = %g", c), XAxis: "epoch", YAxis: "distance" + experiment.LogAxis}, epochs, experiment.Named{Name: "duality gap", Y: gaps}, experiment.Named{Name: "true distance", Y: far})
	r.Check("Y14", fmt.Sprintf("C = %g: the gap is never below the true distance", c), "at no certificate", below == 0, "at %d of %d; %.3g to %.3g times as large", below, len(gaps), least, most)
	return ctx.Err()
}

// conversions solves one problem with C, with lambda = 1/(C n), and with the slack nu of its
// optimum.
func conversions(ctx context.Context, r *experiment.Result, opt experiment.Options, n int) error {
	x, y := chequered(n, opt.Seed+1)
	p, err := experiment.HingeMachine(kernel.RBF{Gamma: 1}, x, y, 5, problem.Free, opt.Threads)
	if err != nil {
		return err
	}
	first, err := experiment.Solve(ctx, dual.Working{}, p, solver.Options{Gap: 1e-9})
	if err != nil {
		return err
	}
	norm, mean := p.Criteria(first.Point.W)
	// The classifier of the problem with nu = mean/norm has the same direction, and this one's
	// margin 1/norm is its optimum: a certificate of it proves that.
	slack, err := problem.NewSlack(p.Gram, y, mean/norm, problem.Free)
	if err != nil {
		return err
	}
	a := make([]float64, n) // the dual variables of both differ by a factor
	copy(a, first.Point.A)
	certificate := slack.Certify(problem.Point{W: first.Point.W, A: a})
	classifier, ok := slack.Classifier(first.Point.W)
	worst := math.Inf(1)
	if ok {
		worst = 0
		for i, w := range classifier {
			worst = max(worst, math.Abs(w-first.Point.W[i]))
		}
	}
	r.Check("Y13", "C, lambda and nu state one problem", "the optimum with C is that with nu, to 1e-6", certificate.Relative() <= 1e-6 && worst <= 1e-6*norm, "gap %s with nu, coefficients to %s", quantity(certificate.Relative()), quantity(worst))
	return nil
}
