package survey

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A Sample is some rows, with classes -1 and +1.
type Sample struct {
	X matrix.Matrix
	Y []float64
}

// Deal draws so many rows each, in the order of the seed, none twice; the last sample may be shorter.
func Deal(x matrix.Matrix, y []float64, seed uint64, sizes ...int) []Sample {
	order := rand.New(rand.NewPCG(seed, 0x9105)).Perm(len(y))
	dealt := make([]Sample, len(sizes))
	for k, size := range sizes {
		rows := order[:min(size, len(order))]
		order = order[len(rows):]
		dealt[k].X, dealt[k].Y = matrix.Subset(x, rows), make([]float64, len(rows))
		for i, row := range rows {
			dealt[k].Y[i] = y[row]
		}
	}
	return dealt
}

// first returns the first rows.
func (s Sample) first(m int) Sample {
	rows := make([]int, m)
	for i := range rows {
		rows[i] = i
	}
	return Sample{matrix.Subset(s.X, rows), s.Y[:m]}
}

// Accuracy is the share of rows whose class is the sign of their score, by weights of which the last is the bias.
func (s Sample) Accuracy(w []float64) float64 {
	scores, right := make([]float64, len(s.Y)), 0
	matrix.Dots(scores, s.X, 0, w[:len(w)-1])
	for i, v := range scores {
		if (v+w[len(w)-1])*s.Y[i] > 0 {
			right++
		}
	}
	return float64(right) / float64(len(s.Y))
}

// A Pilot measures, for several sizes of the training set, how many steps of the primal gradient solver, one row a
// step, reach an accuracy on new rows: the protocol of the paper's second experiment. For each size the weight of the
// penalty is the one of Sigmas that reaches the goals in the fewest steps on rows (Choose) that are used neither for
// training nor for the result.
type Pilot struct {
	Learn, Choose, Judge Sample
	Loss                 loss.Loss
	Penalty              penalty.Penalty
	Bias                 problem.Bias
	Sizes                []int // numbers of rows, the first of Learn
	Sigmas               []float64
	Goals                []float64 // accuracies, ascending
	Runs                 int       // seeds for each number of rows
	Every, Most          int       // steps between two checks, at first, and at most
	Seed                 uint64
	Threads              int
}

// A Piloted number of rows.
type Piloted struct {
	Rows    int
	Sigma   float64
	Problem *problem.Linear
	Steps   [][]float64 // by goal and run; +Inf: not reached
}

// Run measures all sizes. It calls tell, which may be nil, after each.
func (p *Pilot) Run(ctx context.Context, tell func()) ([]Piloted, error) {
	out := make([]Piloted, len(p.Sizes))
	for k, m := range p.Sizes {
		rows := p.Learn.first(m)
		shared := problem.NewRows(rows.X, p.Threads)
		problems, chosen := make([]*problem.Linear, len(p.Sigmas)), make([][]float64, len(p.Sigmas))
		for s, sigma := range p.Sigmas {
			var err error
			if problems[s], err = problem.NewLinear(shared, rows.Y, nil, p.Loss, p.Penalty, sigma, p.Bias); err != nil {
				return nil, err
			}
		}
		err := parallel.Try(ctx, len(p.Sigmas), p.Threads, func(s int) (err error) {
			chosen[s], err = p.crossings(ctx, problems[s], p.Choose, p.Seed)
			return err
		})
		if err != nil {
			return nil, err
		}
		best := 0
		for s := range chosen {
			if sooner(chosen[s], chosen[best]) {
				best = s
			}
		}
		out[k] = Piloted{Rows: m, Sigma: p.Sigmas[best], Problem: problems[best], Steps: make([][]float64, len(p.Goals))}
		runs := make([][]float64, p.Runs)
		err = parallel.Try(ctx, p.Runs, p.Threads, func(run int) (err error) {
			runs[run], err = p.crossings(ctx, problems[best], p.Judge, p.Seed+1+uint64(run))
			return err
		})
		if err != nil {
			return nil, err
		}
		for g := range p.Goals {
			for _, steps := range runs {
				out[k].Steps[g] = append(out[k].Steps[g], steps[g])
			}
		}
		if tell != nil {
			tell()
		}
	}
	return out, nil
}

// sooner reports whether a reaches more goals than b, or as many, the highest of them in fewer steps.
func sooner(a, b []float64) bool {
	for g := len(a) - 1; g >= 0; g-- {
		if a[g] != b[g] {
			return a[g] < b[g]
		}
	}
	return false
}

// crossings returns the number of steps after which the last iterate first reaches each accuracy.
func (p *Pilot) crossings(ctx context.Context, q *problem.Linear, on Sample, seed uint64) ([]float64, error) {
	s, err := linear.New("pgs")
	if err != nil {
		return nil, err
	}
	if err := s.Accepts(q); err != nil {
		return nil, err
	}
	state := s.Start(q, solver.Start{Seed: seed}).(stochastic.Walker)
	_, d := q.Dims()
	w, steps, next := make([]float64, d+1), make([]float64, len(p.Goals)), 0
	for t := 0; t < p.Most && next < len(steps); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		walk := max(p.Every, t/25) // judging takes longer than steps: later checks are further apart
		state.Steps(walk)
		t += walk
		state.Weights(w)
		for found := on.Accuracy(w); next < len(steps) && found >= p.Goals[next]; next++ {
			steps[next] = float64(t)
		}
	}
	for ; next < len(steps); next++ {
		steps[next] = math.Inf(1)
	}
	return steps, nil
}

// Timings are the steps to a goal as theory takes them.
func Timings(of []Piloted, goal int) (all []theory.Timing) {
	for _, m := range of {
		for _, steps := range m.Steps[goal] {
			all = append(all, theory.Timing{M: float64(m.Rows), T: steps})
		}
	}
	return all
}

// Median is that of the steps to a goal; infinite where half of the runs do not reach it.
func (p Piloted) Median(goal int) float64 {
	sorted := slices.Sorted(slices.Values(p.Steps[goal]))
	return sorted[len(sorted)/2]
}

// A Plan says how many rows pay, by Theorem 2 of the paper on the primal gradient solver: the steps to an
// accuracy are A/(1 - M0/m) with m rows.
type Plan struct {
	Accuracy   float64     `json:"accuracy"`
	Pilots     []PlanPilot `json:"pilots"`
	Least      *float64    `json:"steps_least"` // A: with more rows than one has; null: nothing fits
	Threshold  *float64    `json:"rows_needed"` // M0: with fewer the accuracy is not reached
	Enough     *float64    `json:"rows_enough"` // 11 M0: a tenth more steps than the least
	SlopeBelow *bool       `json:"falls"`       // the slope of 1/T in 1/m is below 0 with 95 % confidence
}

// A PlanPilot is what was measured with a number of rows.
type PlanPilot struct {
	Rows    int      `json:"n"`
	Sigma   float64  `json:"lambda"`
	Steps   *float64 `json:"steps_median"` // null: half of the runs do not reach the accuracy
	Reached int      `json:"runs_reached"`
	Runs    int      `json:"runs"`
}

// MakePlan poses the problem of a spec, of two classes, and plans for an accuracy on new rows.
func MakePlan(ctx context.Context, set *data.Set, spec fenchel.Spec, accuracy float64) (*Plan, error) {
	of, err := spec.Pose(ctx, set)
	if err != nil {
		return nil, err
	}
	p, linear := of.First.Problem.(*problem.Linear)
	if !linear || len(of.Labels.Classes) != 2 {
		return nil, pose.DataError{Reason: "found no linear problem of two classes, of which alone a plan is made"}
	}
	if slices.Min(p.S) != slices.Max(p.S) {
		return nil, pose.DataError{Reason: "found weights of rows or classes, which a plan by numbers of rows does not count"}
	}
	return newPlan(ctx, Sample{p.X, p.Y}, p.Loss, p.Penalty, accuracy, spec.Seed, spec.Threads)
}

// newPlan runs pilots on growing samples of the rows; a quarter and an eighth of all, at most 20,000 and 10,000, are kept
// out of them, to judge and to choose lambda by. The bias is a constant feature, as pgs wants it.
func newPlan(ctx context.Context, all Sample, l loss.Loss, pen penalty.Penalty, accuracy float64, seed uint64, threads int) (*Plan, error) {
	n := len(all.Y)
	if n < 800 {
		return nil, pose.DataError{Reason: fmt.Sprintf("found %d rows, expected at least 800 to plan by", n)}
	}
	dealt := Deal(all.X, all.Y, seed, min(n/4, 20000), min(n/8, 10000), n)
	p := Pilot{Learn: dealt[2], Choose: dealt[1], Judge: dealt[0], Loss: l, Penalty: pen, Bias: problem.Feature, Sigmas: []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2},
		Goals: []float64{accuracy}, Runs: 9, Every: 100, Most: 5 * n, Seed: seed, Threads: threads}
	learn := len(dealt[2].Y)
	for _, part := range []int{16, 8, 4, 2, 1} {
		if m := learn / part; m >= 100 {
			p.Sizes = append(p.Sizes, m)
		}
	}
	measured, err := p.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Accuracy: accuracy}
	for _, m := range measured {
		pilot := PlanPilot{Rows: m.Rows, Sigma: m.Sigma, Runs: p.Runs}
		for _, steps := range m.Steps[0] {
			if !math.IsInf(steps, 1) {
				pilot.Reached++
			}
		}
		if steps := m.Median(0); !math.IsInf(steps, 1) {
			pilot.Steps = &steps
		}
		plan.Pilots = append(plan.Pilots, pilot)
	}
	timings := Timings(measured, 0)
	if fit := theory.FitScaling(timings); fit.A > 0 && !math.IsInf(fit.A, 1) {
		_, _, slope := theory.Bootstrap(timings, 0.95, 1000, seed)
		threshold, falls := max(0, fit.M0), slope.Hi < 0
		enough := 11 * threshold
		plan.Least, plan.Threshold, plan.Enough, plan.SlopeBelow = &fit.A, &threshold, &enough, &falls
	}
	return plan, nil
}
