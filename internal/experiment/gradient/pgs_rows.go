package gradient

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/processor"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/internal/survey"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Figures 5 to 8 and table II of the paper on the primal gradient solver (PGS): the steps and the time to six
// accuracies on new rows against the number of rows to learn from, of PGS and of L-BFGS, for three
// pairs of a penalty and a loss. The paper has RCV1, its parts exchanged; without --data there are generated
// documents. Steps are medians over seeds that are fixed beforehand, failures among them as infinite; time is
// steps times the time of one, or that of the processor, without what is judged.
type pgsRows struct{ rows, most int }

func init() {
	experiment.Register("pgs-fig5-8", "Primal Gradient Solver paper, figures 5 to 8 and table II",
		"steps and time to six accuracies against the number of rows, primal gradient solver and L-BFGS; rows=800000 to learn from, most=200000 steps",
		func(p *registry.Params) (experiment.Experiment, error) {
			return pgsRows{p.Int("rows", 800000, 1000, 1<<28), p.Int("most", 200000, 1000, 1<<30)}, p.Err()
		})
}

// The pairs, with the sigmas that are chosen among.
var pgsPairs = []struct {
	name    string
	loss    loss.Loss
	penalty string
	sigmas  []float64
}{
	{"l2, logistic (figure 6)", loss.Logistic{}, "l2", []float64{1e-6, 1e-5, 1e-4, 1e-3}},
	{"l2, least squares (figure 7)", loss.Squared{}, "l2", []float64{1e-5, 1e-4, 1e-3, 1e-2}},
	{"l1.8, logistic (figure 8)", loss.Logistic{}, "lp:p=1.8", []float64{4e-7, 4e-6, 4e-5, 4e-4}},
}

// Run implements Experiment.
func (e pgsRows) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	if opt.Quick {
		e.rows, e.most = min(e.rows, 6000), min(e.most, 8000)
	}
	const held = 30000 // to choose and to judge by
	standIn := fmt.Sprintf("@text:n=%d", e.rows+min(held, e.rows))
	return r, opt.On(ctx, r, "all", []string{"rcv1"}, standIn, func(_ string, opt experiment.Options) error {
		r.Unjudged = "" // what is claimed is claimed of documents
		if len(opt.Classes) < 200 {
			return errors.New("pgs-fig5-8: found no two classes with 200 rows, expected --data with them, such as RCV1")
		}
		n := len(opt.Classes)
		dealt := survey.Deal(opt.Data, opt.Classes, opt.Seed, min(n/4, held*2/3), min(n/8, held/3), e.rows)
		for _, pair := range pgsPairs {
			if err := e.pair(ctx, r, opt, dealt, pair.name, pair.loss, pair.penalty, pair.sigmas); err != nil {
				return fmt.Errorf("pgs-fig5-8, %s: %w", pair.name, err)
			}
		}
		return epochs(ctx, r, opt, dealt[2])
	})
}

// pair adds the panels of a pair.
func (e pgsRows) pair(ctx context.Context, r *experiment.Result, opt experiment.Options, dealt []survey.Sample, name string, l loss.Loss, spec string, sigmas []float64) error {
	pen, err := penalty.New(spec)
	if err != nil {
		return err
	}
	pilot := survey.Pilot{Judge: dealt[0], Choose: dealt[1], Learn: dealt[2], Loss: l, Penalty: pen, Bias: problem.None, Sigmas: sigmas,
		Runs: opt.RunsOr(21, 5), Every: 500, Most: e.most, Seed: opt.Seed, Threads: opt.Threads}
	n, sizes := len(dealt[2].Y), 7
	if opt.Quick {
		pilot.Every, sizes = 200, 4
	}
	for k := range sizes {
		pilot.Sizes = append(pilot.Sizes, n>>(sizes-1-k))
	}
	// The accuracies are those on the way to what L-BFGS reaches with all rows.
	top, err := bestOf(ctx, dealt, l, pen, sigmas, opt)
	if err != nil {
		return err
	}
	for _, below := range []float64{0.03, 0.025, 0.02, 0.015, 0.01, 0.005} {
		pilot.Goals = append(pilot.Goals, top-below)
	}
	progress := &experiment.Tally{Opt: opt, What: name, Of: sizes}
	measured, err := pilot.Run(ctx, progress.Step)
	if err != nil {
		return err
	}
	return addPair(ctx, r, opt, name, &pilot, measured, top)
}

// addPair adds what was measured of a pair, and the same of L-BFGS.
func addPair(ctx context.Context, r *experiment.Result, opt experiment.Options, name string, pilot *survey.Pilot, measured []survey.Piloted, top float64) error {
	cost, err := stepCost(ctx, measured[len(measured)-1].Problem, opt)
	if err != nil {
		return err
	}
	x := make([]float64, len(measured))
	steps, batch := table(len(pilot.Goals), len(x)), table(len(pilot.Goals), len(x))
	seconds := table(len(pilot.Goals), len(x))
	for k, m := range measured {
		x[k] = float64(m.Rows)
		curve, err := batchCurve(ctx, m.Problem, pilot.Judge)
		if err != nil {
			return err
		}
		for g, goal := range pilot.Goals {
			steps[g][k] = m.Median(g)
			batch[g][k], seconds[g][k] = curve.reach(goal)
		}
		r.Note("%s, %d rows: sigma %g; PGS reaches %s", name, m.Rows, m.Sigma, listGoals(m, pilot))
	}
	for g, goal := range pilot.Goals {
		at := experiment.Point{Row: name, Curve: fmt.Sprintf("%.2f %%", 100*goal), XAxis: "rows" + experiment.LogAxis}
		for _, panel := range []struct {
			column, axis string
			y            []float64
			scale        float64
		}{
			{"PGS, steps", "steps" + experiment.LogAxis, steps[g], 1}, {"PGS, time", "seconds of the processor" + experiment.LogAxis, steps[g], cost},
			{"L-BFGS, iterations", "iterations" + experiment.LogAxis, batch[g], 1}, {"L-BFGS, time", "seconds of the processor" + experiment.LogAxis, seconds[g], 1},
		} {
			at.Column, at.YAxis = panel.column, panel.axis
			for k := range x {
				if at.X, at.Y = x[k], panel.y[k]*panel.scale; !math.IsInf(at.Y, 1) {
					r.Points = append(r.Points, at)
				}
			}
		}
	}
	judgePair(r, name, pilot, measured, batch, seconds, cost)
	return tableII(ctx, r, opt, name, pilot, top)
}

// judged is the accuracy of the six by which claims are judged, chosen before anything was run: the second of
// the lower ones, which more numbers of rows reach.
const judged = 1

// judgePair checks the claims of the paper.
func judgePair(r *experiment.Result, name string, pilot *survey.Pilot, measured []survey.Piloted, batch, seconds [][]float64, cost float64) {
	timings := survey.Timings(measured, judged)
	fit := theory.FitScaling(timings)
	_, _, slope := theory.Bootstrap(timings, 0.95, 1000, 1)
	goal := 100 * pilot.Goals[judged]
	r.Check("L9", fmt.Sprintf("%s: the steps of PGS to %.2f %% fall with the rows", name, goal), "1/T against 1/m with a slope below 0 at 95 %", slope.Hi < 0, "slope %.3g, interval %.3g to %.3g", fit.Slope(), slope.Lo, slope.Hi)
	first, last := 0, len(measured)-1
	for first < last && math.IsInf(batch[judged][first], 1) {
		first++
	}
	r.Check("Figure 5", fmt.Sprintf("%s: L-BFGS needs no more iterations to %.2f %% with more rows, and more time", name, goal), "iterations fall or stay, time rises",
		batch[judged][last] <= batch[judged][first] && seconds[judged][last] > seconds[judged][first], "%g and %.3g s with %d rows, %g and %.3g s with %d", batch[judged][first], seconds[judged][first], measured[first].Rows, batch[judged][last], seconds[judged][last], measured[last].Rows)
	pgs := measured[last].Median(judged) * cost
	r.Check("Table II", fmt.Sprintf("%s: PGS is at %.2f %% at least 10 times sooner than L-BFGS, with all rows", name, goal), "a tenth of the time", pgs <= seconds[judged][last]/10, "%.3g s against %.3g s", pgs, seconds[judged][last])
}

// tableII compares what PGS reaches in some passes over all rows, the average of its iterates, with what L-BFGS does.
func tableII(ctx context.Context, r *experiment.Result, opt experiment.Options, name string, pilot *survey.Pilot, top float64) error {
	passes, runs := 10, opt.RunsOr(5, 1)
	shared := problem.NewRows(pilot.Learn.X, opt.Threads)
	reach := func(sigma float64, seed uint64, on survey.Sample) (accuracy, seconds float64, err error) {
		p, err := problem.NewLinear(shared, pilot.Learn.Y, nil, pilot.Loss, pilot.Penalty, sigma, problem.None)
		if err != nil {
			return 0, 0, err
		}
		s, err := linear.New("pgs")
		if err != nil {
			return 0, 0, err
		}
		state, began := s.Start(p, solver.Start{Seed: seed}).(stochastic.Walker), processor.Time()
		for range passes {
			if state.Steps(len(p.Y)); ctx.Err() != nil {
				return 0, 0, ctx.Err()
			}
		}
		seconds = (processor.Time() - began).Seconds()
		_, d := p.Dims()
		w := make([]float64, d+1)
		state.Average(w)
		return on.Accuracy(w), seconds, nil
	}
	best, sigma := -1.0, 0.0
	for _, s := range pilot.Sigmas {
		found, _, err := reach(s, opt.Seed, pilot.Choose)
		if err != nil {
			return err
		}
		if found > best {
			best, sigma = found, s
		}
	}
	var found []float64
	seconds := 0.0
	for run := range runs {
		accuracy, took, err := reach(sigma, opt.Seed+1+uint64(run), pilot.Judge)
		if err != nil {
			return err
		}
		found, seconds = append(found, accuracy), took
	}
	slices.Sort(found)
	median := found[len(found)/2]
	r.Check("Table II", name+": the average of PGS comes near the accuracy of L-BFGS", "within 0.2 points", median >= top-0.002,
		"%.3f %% (%.3f to %.3f) after %d passes with sigma %g, in %.3g s, against %.3f %%", 100*median, 100*found[0], 100*found[len(found)-1], passes, sigma, seconds, 100*top)
	return nil
}

// listGoals says after how many steps which accuracies were there.
func listGoals(m survey.Piloted, pilot *survey.Pilot) string {
	text := ""
	for g, goal := range pilot.Goals {
		failed := 0
		for _, s := range m.Steps[g] {
			if math.IsInf(s, 1) {
				failed++
			}
		}
		if text += fmt.Sprintf(", %.2f %% after %g", 100*goal, m.Median(g)); failed > 0 {
			text += fmt.Sprintf(" (%d of %d runs never)", failed, len(m.Steps[g]))
		}
	}
	return text[2:]
}

// table is rows of zeros.
func table(rows, cols int) [][]float64 {
	t := make([][]float64, rows)
	for i := range t {
		t[i] = make([]float64, cols)
	}
	return t
}

// stepCost is the time of the processor of one step.
func stepCost(ctx context.Context, p *problem.Linear, opt experiment.Options) (float64, error) {
	s, err := linear.New("pgs")
	if err != nil {
		return 0, err
	}
	const steps = 20000
	state := s.Start(p, solver.Start{Seed: opt.Seed}).(stochastic.Walker)
	began := processor.Time()
	state.Steps(steps)
	return (processor.Time() - began).Seconds() / steps, ctx.Err()
}

// A batchRun is the accuracy after each iteration of L-BFGS.
type batchRun struct{ seconds, accuracy []float64 }

// reach returns the iterations and the time from which on it has an accuracy; infinite: never.
func (b batchRun) reach(goal float64) (iterations, seconds float64) {
	at := slices.IndexFunc(b.accuracy, func(a float64) bool { return a >= goal })
	if at < 0 {
		return math.Inf(1), math.Inf(1)
	}
	return float64(at + 1), b.seconds[at]
}

// batchCurve follows L-BFGS until the objective falls by less than 1e-6 of itself in an iteration.
func batchCurve(ctx context.Context, p *problem.Linear, on survey.Sample) (b batchRun, err error) {
	s, err := linear.New("lbfgs")
	if err != nil {
		return b, err
	}
	began := processor.Time()
	state := s.Start(p, solver.Start{})
	spent, last := processor.Time()-began, p.Zero()
	for range 200 {
		if err := ctx.Err(); err != nil {
			return b, err
		}
		began = processor.Time()
		state.Epoch()
		spent += processor.Time() - began
		w := state.Point().W
		b.seconds, b.accuracy = append(b.seconds, spent.Seconds()), append(b.accuracy, on.Accuracy(w))
		value, _ := p.Primal(w)
		if last-value < 1e-6*value {
			break
		}
		last = value
	}
	return b, nil
}

// bestOf is the accuracy of L-BFGS with all rows, and the sigma with which it is best on those that choose.
func bestOf(ctx context.Context, dealt []survey.Sample, l loss.Loss, pen penalty.Penalty, sigmas []float64, opt experiment.Options) (float64, error) {
	rows, best, top := problem.NewRows(dealt[2].X, opt.Threads), -1.0, 0.0
	for _, sigma := range sigmas {
		p, err := problem.NewLinear(rows, dealt[2].Y, nil, l, pen, sigma, problem.None)
		if err != nil {
			return 0, err
		}
		s, err := linear.New("lbfgs")
		if err != nil {
			return 0, err
		}
		solution, err := experiment.Solve(ctx, s, p, solver.Options{Gap: 1e-3, Epochs: 200})
		if err != nil {
			return 0, err
		}
		if found := dealt[1].Accuracy(solution.Point.W); found > best {
			best, top = found, dealt[0].Accuracy(solution.Point.W)
		}
	}
	return top, nil
}

// epochs compares the time of a step with p = 1.8 and p = 2, on rows of few nonzeros (X3).
func epochs(ctx context.Context, r *experiment.Result, opt experiment.Options, learn survey.Sample) error {
	rows, costs := problem.NewRows(learn.X, opt.Threads), [2]float64{}
	for k, spec := range []string{"l2", "lp:p=1.8"} {
		pen, err := penalty.New(spec)
		if err != nil {
			return err
		}
		p, err := problem.NewLinear(rows, learn.Y, nil, loss.Logistic{}, pen, 1e-5, problem.None)
		if err != nil {
			return err
		}
		costs[k] = math.Inf(1)
		for range 3 {
			cost, err := stepCost(ctx, p, opt)
			if err != nil {
				return err
			}
			costs[k] = min(costs[k], cost)
		}
	}
	r.Check("X3", "an epoch of p = 1.8 takes at most four times one of p = 2", "at most 4", costs[1] <= 4*costs[0], "%.2f (%.3g and %.3g microseconds a step)", costs[1]/costs[0], 1e6*costs[1], 1e6*costs[0])
	return nil
}
