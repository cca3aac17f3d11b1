package thesis

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Figure 2.10 of Cotter's thesis: the error on new rows against inner products of rows. k pairs
// of random Fourier features cost k n of them, and the optimal linear predictor of the features
// nothing more; the stochastic batch perceptron (SBP) pays one for each value of the kernel.
type fig210 struct {
	set  string
	rows int
	most int
}

func init() {
	experiment.Register("thesis-fig2.10", "Cotter's thesis, figure 2.10", "error against inner products: SBP and random Fourier features; a panel for each set; set=all|reuters|adult|mnist|ijcnn1|web|covtype|other, rows=8000 at most, pairs=1024 at most",
		func(p *registry.Params) (experiment.Experiment, error) {
			return fig210{p.Choice("set", experiment.SetNames...), p.Int("rows", 8000, 100, 1<<30), p.Int("pairs", 1024, 1, 1<<16)}, p.Err()
		})
}

// Run implements Experiment.
func (e fig210) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	if opt.Quick {
		e.rows, e.most = min(e.rows, 600), min(e.most, 128)
	}
	return r, opt.OnMachines(ctx, r, e.set, []string{"reuters", "adult", "mnist"}, func(set experiment.MachineSet, opt experiment.Options) error {
		if err := e.panel(ctx, r, set, opt); err != nil {
			return fmt.Errorf("thesis-fig2.10, %s: %w", set.Name, err)
		}
		return nil
	})
}

// panel adds the curves of a set.
func (e fig210) panel(ctx context.Context, r *experiment.Result, set experiment.MachineSet, opt experiment.Options) error {
	c, err := set.Course(opt, set.Plain, problem.None, e.rows)
	if err != nil {
		return err
	}
	best, _, slack, _, err := c.SlackAt(ctx, 1e-5)
	if err != nil {
		return err
	}
	reference := c.ErrorOf(best.Point.W)
	r.Note("%s: %d rows learned from, %d judged on; the optimum has an error of %.3f %%", set.Name, c.Learn(), len(c.Y)-c.Learn(), reference)
	c.CheckDense(r, set.Name, reference)
	x, sbp, fourier, err := featureRace(ctx, c, opt, slack, e.most)
	if err != nil {
		return err
	}
	r.Curves(experiment.Point{Column: set.Name, XAxis: "inner products" + experiment.LogAxis, YAxis: "error on new rows (%)"}, x, experiment.Named{Name: "SBP", Y: sbp}, experiment.Named{Name: "random Fourier features", Y: fourier})
	if lower, of, worst := experiment.AtMost(sbp, fourier); set.Name == "reuters" || set.Name == "mnist" {
		r.Check("X6", set.Name+": SBP has at most the error of random features", "at every number", lower == of, "at %d of %d; at most %+.2f points", lower, of, worst)
	} else {
		r.Note("%s: SBP has at most the error of random features at %d of %d numbers; the source claims it of Reuters and MNIST alone", set.Name, lower, of)
	}
	first, last := fourier[0], fourier[len(fourier)-1]
	r.Check("X6", set.Name+": the error of random features falls towards that of the kernel", "nearer with the most pairs than with one", math.Abs(last-reference) < math.Abs(first-reference), "%.2f %% with 1 pair, %.2f %% with %d, %.2f %% of the kernel", first, last, 1<<(len(x)-1), reference)
	return nil
}

// featureRace returns the numbers of inner products of 1, 2, 4, ... pairs of features, and the errors
// with them of both methods, means over the runs.
func featureRace(ctx context.Context, c *experiment.MachineCourse, opt experiment.Options, slack *problem.Slack, most int) (x, sbp, fourier []float64, err error) {
	runs := opt.RunsOr(10, 2)
	for k := 1; k <= most; k *= 2 {
		x, sbp, fourier = append(x, float64(k)*float64(c.Learn())), append(sbp, 0), append(fourier, 0)
	}
	progress := &experiment.Tally{Opt: opt, What: "runs", Of: runs * (1 + len(x))}
	for run := range runs {
		one, err := c.Watch(ctx, engine.SBP{}, slack, opt.Seed+uint64(run), x, 0)
		if err != nil {
			return nil, nil, nil, err
		}
		progress.Step()
		for k := range x {
			wrong, err := fourierError(ctx, c, 1<<k, opt.Seed+uint64(run), opt.Threads)
			if err != nil {
				return nil, nil, nil, err
			}
			sbp[k] += one.Y[k] / float64(runs)
			fourier[k] += wrong / float64(runs)
			progress.Step()
		}
	}
	return x, sbp, fourier, nil
}

// fourierError is the error of the optimal linear predictor of so many pairs of random features.
func fourierError(ctx context.Context, c *experiment.MachineCourse, pairs int, seed uint64, threads int) (float64, error) {
	_, cols := c.All.X.Dims()
	m, err := featuremap.NewFourier(c.All.Kernel, cols, pairs, seed)
	if err != nil {
		return 0, err
	}
	images, err := featuremap.Images(ctx, m, c.All.X, threads)
	if err != nil {
		return 0, err
	}
	p, err := problem.NewLinear(problem.NewRows(matrix.Subset(images, experiment.Below(c.Learn())), threads), c.Y[:c.Learn()], nil, loss.Hinge{}, penalty.L2{}, c.Lambda, problem.None)
	if err != nil {
		return 0, err
	}
	s, err := experiment.Solve(ctx, dual.SDCA{}, p, solver.Options{Gap: 1e-3, Seed: seed})
	if err != nil {
		return 0, err
	}
	response := make([]float64, len(c.Y))
	for i := c.Learn(); i < len(response); i++ {
		response[i] = images.Row(i).Dot(s.Point.W[:2*pairs])
	}
	return c.Wrong(response), ctx.Err()
}
