package experiment

import (
	"context"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// A Pick is the trace of a contender at the step size that was chosen for it.
type Pick struct {
	Contender
	C      float64
	Traces []*Trace // one for each run
}

// choosers is how many runs step sizes are chosen on.
const choosers = 3

// Choose finds, for each contender, the c of the grid with the least suboptimality
// by judge 0, averaged over the first few courses, and returns the traces with it on
// all of them. All candidates see the same rows. A candidate that gives up on one
// course is out.
func Choose(ctx context.Context, courses []*Course, field []Contender, grid []float64, opt Options, what string) ([]*Pick, error) {
	type job struct{ who, c, run int }
	var jobs []job
	average := make([][][]float64, len(field))
	for who, f := range field {
		average[who] = make([][]float64, len(grid))
		for c := range grid {
			if !f.Grid {
				break
			}
			average[who][c] = make([]float64, choosers)
			for run := range min(choosers, len(courses)) {
				jobs = append(jobs, job{who, c, run})
			}
		}
	}
	progress := &Tally{Opt: opt, What: what, Of: len(jobs) + len(field)*len(courses)}
	err := parallel.Try(ctx, len(jobs), opt.Threads, func(i int) error {
		j := jobs[i]
		t, err := courses[j.run].Run(ctx, field[j.who].At(grid[j.c]))
		if err != nil {
			return err
		}
		average[j.who][j.c][j.run] = t.Average(0)
		if t.gaveUp {
			average[j.who][j.c][j.run] = math.Inf(1)
		}
		progress.Step()
		return nil
	})
	if err != nil {
		return nil, err
	}
	picks := make([]*Pick, len(field))
	for who, f := range field {
		picks[who] = &Pick{Contender: f, C: grid[least(average[who])]}
	}
	return picks, follow(ctx, courses, picks, opt, progress)
}

// least returns the number of the row of least mean; of rows that are not there
// none.
func least(rows [][]float64) int {
	best, at := math.Inf(1), 0
	for i, row := range rows {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if row != nil && sum < best {
			best, at = sum, i
		}
	}
	return at
}

// follow runs every pick on every course, after those that it has run on.
func follow(ctx context.Context, courses []*Course, picks []*Pick, opt Options, progress *Tally) error {
	n := len(courses)
	traces := make([]*Trace, n*len(picks))
	err := parallel.Try(ctx, len(traces), opt.Threads, func(i int) error {
		p := picks[i/n]
		t, err := courses[i%n].Run(ctx, p.Contender.At(p.C))
		traces[i] = t
		progress.Step()
		return err
	})
	for i, p := range picks {
		p.Traces = append(p.Traces, traces[i*n:(i+1)*n]...)
	}
	return err
}

// Over returns the mean over the traces.
func (p *Pick) Over(f func(*Trace) float64) float64 {
	sum := 0.0
	for _, t := range p.Traces {
		sum += f(t)
	}
	return sum / float64(len(p.Traces))
}

// curve returns the mean over the traces at each check.
func (p *Pick) curve(f func(t *Trace, i int) float64) []float64 {
	y := make([]float64, len(p.Traces[0].At))
	for i := range y {
		y[i] = p.Over(func(t *Trace) float64 { return f(t, i) })
	}
	return y
}

func (p *Pick) Average(judge int) float64 {
	return p.Over(func(t *Trace) float64 { return t.Average(judge) })
}
func (p *Pick) Last(judge int) float64 {
	return p.Over(func(t *Trace) float64 { return t.Last(judge) })
}

// Median is that of the runs at the end, where last is the mean.
func (p *Pick) Median(judge int) float64 {
	var ends []float64
	for _, t := range p.Traces {
		ends = append(ends, t.Last(judge))
	}
	slices.Sort(ends)
	return (ends[(len(ends)-1)/2] + ends[len(ends)/2]) / 2
}

func (p *Pick) MeanRank() float64 { return p.Over((*Trace).meanRank) }

// Epsilon is the mean suboptimality at each check.
func (p *Pick) Epsilon(judge int) []float64 {
	return p.curve(func(t *Trace, i int) float64 { return t.epsilon[judge][i] })
}

// Cost is the mean of the estimated run time at each check.
func (p *Pick) Cost() []float64 {
	return p.curve(func(t *Trace, i int) float64 { return t.Cost[i] })
}

// Rank is the mean of k' at each check.
func (p *Pick) Rank() []float64 {
	return p.curve(func(t *Trace, i int) float64 { return float64(t.Rank[i]) })
}

// Times is the number of rows at each check.
func (p *Pick) Times() []float64 {
	return p.curve(func(t *Trace, i int) float64 { return float64(t.At[i]) })
}

// PriceOf returns the estimated run time at which the mean suboptimality is at
// most goal for good; infinite if it never is.
func (p *Pick) PriceOf(goal float64, judge int) float64 {
	epsilon, cost := p.Epsilon(judge), p.Cost()
	price := math.Inf(1)
	for i := len(epsilon) - 1; i >= 0 && epsilon[i] <= goal; i-- {
		price = cost[i]
	}
	return price
}
