package thesis

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Figures 2.8 and 2.9 of Cotter's thesis: the error on new rows against the kernel values that
// training has asked for, without a bias. An epoch is n^2 values. The stochastic batch
// perceptron (SBP) has the nu of the optimum with lambda, the other methods lambda itself.
// At most `rows` rows are learned from and judged on, so that the matrix fits into memory.
type fig28 struct {
	name   string
	set    string
	rows   int
	epochs float64
	passes float64 // of the perceptron, in figure 2.9; 0: as in the thesis
}

func init() {
	const params = "a panel for each set; set=all|reuters|adult|mnist|ijcnn1|web|covtype|other, rows=8000 at most, epochs=10"
	experiment.Register("thesis-fig2.8", "Cotter's thesis, figure 2.8", "error against kernel values: SBP, Pegasos, SDCA and SMO; "+params,
		func(p *registry.Params) (experiment.Experiment, error) {
			return fig28{"thesis-fig2.8", p.Choice("set", experiment.SetNames...), p.Int("rows", 8000, 100, 1<<30), float64(p.Int("epochs", 10, 1, 1000)), 0}, p.Err()
		})
	experiment.Register("thesis-fig2.9", "Cotter's thesis, figure 2.9", "error against kernel values: SBP and the perceptron, which fits too closely; "+params+", passes=10 of the perceptron, of adult 100",
		func(p *registry.Params) (experiment.Experiment, error) {
			return fig28{"thesis-fig2.9", p.Choice("set", experiment.SetNames...), p.Int("rows", 8000, 100, 1<<30), float64(p.Int("epochs", 10, 1, 1000)), float64(p.Int("passes", 0, 0, 10000))}, p.Err()
		})
}

// A kernelRacer is a method of the figures.
type kernelRacer struct {
	name   string
	solver solver.Solver
	p      problem.Problem
	runs   int
	epochs float64
	goal   float64 // estimate of the relative gap at which a run ends
}

// Run implements Experiment.
func (e fig28) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	if opt.Quick {
		e.rows = min(e.rows, 600)
	}
	return r, opt.OnMachines(ctx, r, e.set, []string{"reuters", "adult", "mnist"}, func(set experiment.MachineSet, opt experiment.Options) error {
		if err := e.panel(ctx, r, set, opt); err != nil {
			return fmt.Errorf("%s, %s: %w", e.name, set.Name, err)
		}
		return nil
	})
}

// panel adds the curves of a set.
func (e fig28) panel(ctx context.Context, r *experiment.Result, set experiment.MachineSet, opt experiment.Options) error {
	c, err := set.Course(opt, set.Plain, problem.None, e.rows)
	if err != nil {
		return err
	}
	best, machine, slack, nu, err := c.SlackAt(ctx, 1e-5)
	if err != nil {
		return err
	}
	reference := c.ErrorOf(best.Point.W)
	r.Note("%s: %d rows learned from, %d judged on; the optimum has nu %.4g and an error of %.3f %%", set.Name, c.Learn(), len(c.Y)-c.Learn(), nu, reference)
	c.CheckDense(r, set.Name, reference)
	runs := opt.RunsOr(10, 3)
	racers := []kernelRacer{{"SBP", engine.SBP{}, slack, runs, e.epochs, 0}}
	perceptron := e.name == "thesis-fig2.9"
	if e.passes == 0 {
		e.passes = 10
		if set.Name == "adult" {
			e.passes = 100
		}
	}
	if perceptron {
		racers = append(racers, kernelRacer{"perceptron", engine.Perceptron{Rounds: int(e.passes)}, machine, runs, e.passes, 0})
	} else {
		racers = append(racers, kernelRacer{"Pegasos", engine.Pegasos{Output: "average"}, machine, runs, e.epochs, 0},
			kernelRacer{"SDCA", engine.SDCA{}, machine, runs, e.epochs, 0}, kernelRacer{"SMO", dual.SMO{}, machine, 1, e.epochs, 1e-3})
	}
	curves := map[string]experiment.WatchedRun{}
	progress := &experiment.Tally{Opt: opt, What: "runs", Of: runs*(len(racers)-1) + racers[len(racers)-1].runs}
	for _, racer := range racers {
		curve, err := averageRun(ctx, c, racer, opt.Seed, progress)
		if err != nil {
			return err
		}
		curves[racer.name] = curve
		addRun(r, set.Name, racer.name, curve, float64(c.Learn())*float64(c.Learn()))
	}
	if perceptron {
		judgePerceptron(r, set.Name, curves)
	} else {
		judgeFig28(r, set.Name, c, curves, reference)
	}
	return nil
}

// addRun adds a curve; that of the perceptron is dashed after its first pass.
func addRun(r *experiment.Result, set, name string, curve experiment.WatchedRun, pass float64) {
	at := experiment.Point{Column: set, Curve: name, XAxis: "kernel values" + experiment.LogAxis, YAxis: "error on new rows (%)"}
	first := len(curve.X)
	if name == "perceptron" {
		first = sort.Search(first, func(k int) bool { return curve.X[k] > pass })
	}
	r.Curve(at, curve.X[:first], curve.Y[:first])
	if first < len(curve.X) {
		at.Curve, at.Dashed = name+", later passes", true
		r.Curve(at, curve.X[max(0, first-1):], curve.Y[max(0, first-1):])
	}
}

// averageRun is the mean over runs of a method.
func averageRun(ctx context.Context, c *experiment.MachineCourse, racer kernelRacer, seed uint64, progress *experiment.Tally) (experiment.WatchedRun, error) {
	at := c.Grid(0.01, racer.epochs, 40)
	mean := experiment.WatchedRun{X: at, Y: make([]float64, len(at))}
	for run := range racer.runs {
		one, err := c.Watch(ctx, racer.solver, racer.p, seed+uint64(run), at, racer.goal)
		if err != nil {
			return mean, fmt.Errorf("%s: %w", racer.name, err)
		}
		for k, v := range one.Y {
			mean.Y[k] += v / float64(racer.runs)
		}
		mean.End += one.End / float64(racer.runs)
		progress.Step()
	}
	return mean, nil
}

// judgeFig28 checks the claims of the reference (4.2). That SMO is bad for long the source shows; that it
// is worse than SBP where it is nearly done, of Adult alone.
func judgeFig28(r *experiment.Result, set string, c *experiment.MachineCourse, curves map[string]experiment.WatchedRun, reference float64) {
	epoch := float64(c.Learn()) * float64(c.Learn())
	ours := curves["SBP"]
	for _, other := range []string{"Pegasos", "SDCA"} {
		below, of, worst := 0, 0, math.Inf(-1)
		for k, x := range ours.X {
			if x < 0.1*epoch || x > 5*epoch {
				continue
			}
			of++
			over := ours.Y[k] - curves[other].Y[k]
			worst = max(worst, over)
			if over <= 0.1 {
				below++
			}
		}
		r.Check("X3", set+": SBP has at most the error of "+other+" from a tenth of an epoch to five", "at 80 % of the numbers, to 0.1 points", 5*below >= 4*of, "at %d of %d; at most %+.2f points", below, of, worst)
	}
	worst := 0.0
	for _, curve := range curves {
		worst = max(worst, math.Abs(curve.Y[len(curve.Y)-1]-reference))
	}
	r.Check("X3", set+": all end near the error of the optimum", "within 0.5 points", worst <= 0.5, "%.2f points", worst)
	if set == "reuters" {
		return
	}
	// SMO is bad until it is nearly done.
	smo := curves["SMO"]
	early := 0
	for early < len(smo.X)-1 && smo.X[early] < 0.1*smo.End {
		early++
	}
	r.Check("X3", set+": SMO at a tenth of what it needs has more error than SBP there", "more", smo.Y[early] > ours.Y[early], "%.2f %% against %.2f %% at %.2g epochs", smo.Y[early], ours.Y[early], smo.X[early]/epoch)
}

// judgePerceptron checks the claims of the reference (4.4). That the perceptron fits too closely
// is claimed of Adult alone: of other sets it is told.
func judgePerceptron(r *experiment.Result, set string, curves map[string]experiment.WatchedRun) {
	perceptron, sbp := curves["perceptron"], curves["SBP"]
	least, last := math.Inf(1), perceptron.Y[len(perceptron.Y)-1]
	for _, v := range perceptron.Y {
		least = min(least, v)
	}
	if set == "adult" {
		r.Check("X5", set+": the perceptron fits too closely after many passes", "at least 0.5 points above its least error", last >= least+0.5, "%.2f %% in the end, %.2f %% at least", last, least)
	} else {
		r.Note("%s: the perceptron has an error of %.2f %% in the end, %.2f %% at least; that it fits too closely the source claims of Adult alone", set, last, least)
	}
	rise, low := 0.0, math.Inf(1)
	for _, v := range sbp.Y {
		rise, low = max(rise, v-low), min(low, v)
	}
	r.Check("X5", set+": the error of SBP does not rise", "at most 0.1 points", rise <= 0.1, "%.2f points", rise)
}
