package thesis

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/processor"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The timing table of section 2.6 of Cotter's thesis: sequential minimal optimization with a free
// bias, and the stochastic batch perceptron (SBP) stopped after a quarter of its time. The
// thesis takes LIBSVM without shrinking and its own rule; here the solver smo of this program
// takes its place, which does not shrink either, at a relative gap of 1e-3.
type thesisTiming struct {
	set  string
	rows int
}

func init() {
	experiment.Register("thesis-timing", "Cotter's thesis, section 2.6, timing against LIBSVM", "error of SBP after a quarter of the time of SMO, free bias; set=all|adult|mnist|other, rows=12000 at most",
		func(p *registry.Params) (experiment.Experiment, error) {
			return thesisTiming{p.Choice("set", "all", "adult", "mnist", "other"), p.Int("rows", 12000, 100, 1<<30)}, p.Err()
		})
}

// timingRow has the errors that the thesis prints, and how many points SBP may lose.
var timingRows = map[string]struct{ smo, sbp, near, lose float64 }{
	"adult": {14.9, 15.0, 0.3, 0.2}, "mnist": {0.44, 0.46, 0.1, 0.05}, "other": {math.NaN(), math.NaN(), 0, 0.2},
}

// Run implements Experiment.
func (e thesisTiming) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	if opt.Quick {
		e.rows = min(e.rows, 1000)
	}
	return r, opt.OnMachines(ctx, r, e.set, []string{"adult", "mnist"}, func(set experiment.MachineSet, opt experiment.Options) error {
		if err := e.panel(ctx, r, set, opt); err != nil {
			return fmt.Errorf("thesis-timing, %s: %w", set.Name, err)
		}
		return nil
	})
}

// panel adds what was found of a set.
func (e thesisTiming) panel(ctx context.Context, r *experiment.Result, set experiment.MachineSet, opt experiment.Options) error {
	c, err := set.Course(opt, set.Biased, problem.Free, e.rows)
	if err != nil {
		return err
	}
	p, err := c.Machine()
	if err != nil {
		return err
	}
	smo, err := experiment.Solve(ctx, dual.SMO{}, p, solver.Options{Gap: 1e-3})
	if err != nil {
		return err
	}
	asked, nu := c.Gram.Counts().Requested, set.Biased.Nu
	if mean, norm := c.Shape(smo.Point.W); !(nu == nu) || c.Learn() != set.Train {
		nu = mean / norm // the rows are not those of the table
	}
	slack, err := c.Slack(nu)
	if err != nil {
		return err
	}
	if slack.Gram, err = c.Fresh(opt); err != nil { // SBP does not profit from the rows that SMO had computed
		return err
	}
	quarter, began := smo.Train/4, processor.Time()
	sbp, err := stoppedRun(ctx, engine.SBP{Batch: 8}, slack, opt.Seed, func() bool { return processor.Time()-began >= quarter })
	if err != nil {
		return err
	}
	byTime := slack.Gram.Counts().Requested
	counted, err := stoppedRun(ctx, engine.SBP{}, slack, opt.Seed, func() bool { return slack.Gram.Counts().Requested-byTime >= asked/4 })
	if err != nil {
		return err
	}
	row := timingRows[set.Name]
	smoError, sbpError, countedError := c.ErrorOf(smo.Point.W), c.ErrorOf(sbp.W), c.ErrorOf(counted.W)
	r.Note("%s: %d rows learned from, %d judged on; SMO %.3g s of the processor, SBP %.3g s with nu %.3g", set.Name, c.Learn(), len(c.Y)-c.Learn(), smo.Train.Seconds(), quarter.Seconds(), nu)
	r.Note("kernel values asked for: SMO %.3g, SBP %.3g; SMO here keeps up to 3 GB of them and takes seconds where the LIBSVM of the source took minutes, so that a quarter of its time is fewer steps of SBP than there", float64(asked), float64(byTime))
	for k, y := range []float64{smoError, sbpError} {
		r.Points = append(r.Points, experiment.Point{Column: set.Name, Curve: []string{"SMO", "SBP"}[k], XAxis: "seconds of the processor" + experiment.LogAxis, X: []float64{smo.Train.Seconds(), quarter.Seconds()}[k], YAxis: "error on new rows (%)", Y: y})
	}
	r.Check("X4", set.Name+": SBP after a quarter of the time of the processor", fmt.Sprintf("at most %.2g points above the error of SMO", row.lose), sbpError <= smoError+row.lose, "%.2f %% against %.2f %%", sbpError, smoError)
	r.Check("X4", set.Name+": SBP after a quarter of the kernel values", fmt.Sprintf("at most %.2g points above the error of SMO", row.lose), countedError <= smoError+row.lose, "%.2f %% against %.2f %%", countedError, smoError)
	if c.Learn() == set.Train {
		r.Check("X4", set.Name+": errors of the table", fmt.Sprintf("%.3g %% and %.3g %%, within %.2g points", row.smo, row.sbp, row.near), math.Abs(smoError-row.smo) <= row.near && math.Abs(sbpError-row.sbp) <= row.near, "%.2f %% and %.2f %%", smoError, sbpError)
	}
	return nil
}

// stoppedRun runs a solver until stop says so.
func stoppedRun(ctx context.Context, s solver.Solver, p problem.Problem, seed uint64, stop func() bool) (problem.Point, error) {
	if err := s.Accepts(p); err != nil {
		return problem.Point{}, err
	}
	over := func() bool { return stop() || ctx.Err() != nil }
	state := s.Start(p, solver.Start{Seed: seed, Over: over})
	for !over() {
		state.Epoch()
	}
	return state.Point(), ctx.Err()
}
