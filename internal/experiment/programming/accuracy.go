package programming

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/registry"
	solverkernel "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The table of the lectures on how accurate each method is (Y3): the relative gap against seconds
// on one problem.
type qpAccuracy struct{ limit time.Duration }

func init() {
	experiment.Register("qp-accuracy", "SVM lecture 15, which method when", "the gap of each kernel method against seconds; seconds=20",
		func(p *registry.Params) (experiment.Experiment, error) {
			seconds := p.Float("seconds", 20, "a number above 0", func(v float64) bool { return v > 0 && v <= 1e6 })
			return qpAccuracy{time.Duration(seconds * float64(time.Second))}, p.Err()
		})
}

// A grade is how accurate the table calls a method, and the relative gap that stands for it here.
type grade struct {
	spec, word string
	gap        float64
}

var grades = []grade{
	{"interior-point", "very accurate", 1e-9}, {"active-set", "very accurate", 1e-9},
	{"smo", "reasonable", 1e-4}, {"decomposition", "reasonable", 1e-4}, {"working", "reasonable", 1e-4}, {"sdca", "reasonable", 1e-4},
	{"cutting-plane", "not high", 1e-2}, {"pegasos", "not high", 1e-2}, {"accelerated", "not high", 1e-2},
}

// Run implements Experiment.
func (e qpAccuracy) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	n, limit := 2000, e.limit
	if opt.Quick {
		n, limit = 150, min(limit, 2*time.Second)
	}
	r := &experiment.Result{}
	x, y := chequered(n, opt.Seed)
	progress := &experiment.Tally{Opt: opt, What: "methods", Of: len(grades)}
	for _, g := range grades {
		p, err := experiment.HingeMachine(kernel.RBF{Gamma: 0.5}, x, y, 1, problem.None, opt.Threads)
		if err != nil {
			return nil, err
		}
		s, err := solverkernel.New(g.spec)
		if err != nil {
			return nil, err
		}
		if err := traceGap(ctx, r, s, p, g, limit, opt.Seed); err != nil {
			return nil, err
		}
		progress.Step()
	}
	return r, nil
}

// traceGap runs a method as far as it comes within a limit, and draws the least gap so far.
func traceGap(ctx context.Context, r *experiment.Result, s solver.Solver, p *problem.Kernel, g grade, limit time.Duration, seed uint64) error {
	var seconds, gaps []float64
	least := math.Inf(1)
	solution, err := experiment.Solve(ctx, s, p, solver.Options{Gap: 1e-12, Time: limit, Seed: seed, Trace: func(at solver.Progress) {
		least = min(least, at.Certificate.Relative())
		seconds, gaps = append(seconds, max(at.Train.Seconds(), 1e-6)), append(gaps, max(least, 1e-16))
	}})
	if err != nil {
		return err
	}
	r.Curve(experiment.Point{Row: "accuracy", Curve: g.spec, XAxis: "seconds" + experiment.LogAxis, YAxis: "relative gap" + experiment.LogAxis}, seconds, gaps)
	r.Check("Y3", fmt.Sprintf("%s is %q", g.spec, g.word), fmt.Sprintf("a relative gap of %.0e within %v", g.gap, limit), least <= g.gap, "%s after %.3g s, %d epochs, %s", quantity(least), solution.Train.Seconds(), solution.Epochs, solution.Status)
	return ctx.Err()
}
