package experiment

import (
	"context"
	"math"
	"slices"
)

// A pick is the trace of a contender at the step size that was chosen for it.
type pick struct {
	contender
	c      float64
	traces []*trace // one for each run
}

// choosers is how many runs step sizes are chosen on.
const choosers = 3

// choose finds, for each contender, the c of the grid with the least suboptimality
// by judge 0, averaged over the first few courses, and returns the traces with it on
// all of them. All candidates see the same rows. A candidate that gives up on one
// course is out.
func choose(ctx context.Context, courses []*course, field []contender, grid []float64, opt Options, what string) ([]*pick, error) {
	type job struct{ who, c, run int }
	var jobs []job
	average := make([][][]float64, len(field))
	for who, f := range field {
		average[who] = make([][]float64, len(grid))
		for c := range grid {
			if !f.grid {
				break
			}
			average[who][c] = make([]float64, choosers)
			for run := range min(choosers, len(courses)) {
				jobs = append(jobs, job{who, c, run})
			}
		}
	}
	progress := &tally{opt: opt, what: what, of: len(jobs) + len(field)*len(courses)}
	err := side(ctx, len(jobs), opt.Threads, func(i int) error {
		j := jobs[i]
		t, err := courses[j.run].run(ctx, field[j.who].at(grid[j.c]))
		if err != nil {
			return err
		}
		average[j.who][j.c][j.run] = t.average(0)
		if t.gaveUp {
			average[j.who][j.c][j.run] = math.Inf(1)
		}
		progress.step()
		return nil
	})
	if err != nil {
		return nil, err
	}
	picks := make([]*pick, len(field))
	for who, f := range field {
		picks[who] = &pick{contender: f, c: grid[least(average[who])]}
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
func follow(ctx context.Context, courses []*course, picks []*pick, opt Options, progress *tally) error {
	n := len(courses)
	traces := make([]*trace, n*len(picks))
	err := side(ctx, len(traces), opt.Threads, func(i int) error {
		p := picks[i/n]
		t, err := courses[i%n].run(ctx, p.contender.at(p.c))
		traces[i] = t
		progress.step()
		return err
	})
	for i, p := range picks {
		p.traces = append(p.traces, traces[i*n:(i+1)*n]...)
	}
	return err
}

// over returns the mean over the traces.
func (p *pick) over(f func(*trace) float64) float64 {
	sum := 0.0
	for _, t := range p.traces {
		sum += f(t)
	}
	return sum / float64(len(p.traces))
}

// curve returns the mean over the traces at each check.
func (p *pick) curve(f func(t *trace, i int) float64) []float64 {
	y := make([]float64, len(p.traces[0].at))
	for i := range y {
		y[i] = p.over(func(t *trace) float64 { return f(t, i) })
	}
	return y
}

func (p *pick) average(judge int) float64 {
	return p.over(func(t *trace) float64 { return t.average(judge) })
}
func (p *pick) last(judge int) float64 {
	return p.over(func(t *trace) float64 { return t.last(judge) })
}

// median is that of the runs at the end, where last is the mean.
func (p *pick) median(judge int) float64 {
	var ends []float64
	for _, t := range p.traces {
		ends = append(ends, t.last(judge))
	}
	slices.Sort(ends)
	return (ends[(len(ends)-1)/2] + ends[len(ends)/2]) / 2
}

func (p *pick) meanRank() float64 { return p.over((*trace).meanRank) }

// epsilon is the mean suboptimality at each check.
func (p *pick) epsilon(judge int) []float64 {
	return p.curve(func(t *trace, i int) float64 { return t.epsilon[judge][i] })
}

// cost is the mean of the estimated run time at each check.
func (p *pick) cost() []float64 {
	return p.curve(func(t *trace, i int) float64 { return t.cost[i] })
}

// rank is the mean of k' at each check.
func (p *pick) rank() []float64 {
	return p.curve(func(t *trace, i int) float64 { return float64(t.rank[i]) })
}

// times is the number of rows at each check.
func (p *pick) times() []float64 {
	return p.curve(func(t *trace, i int) float64 { return float64(t.at[i]) })
}

// priceOf returns the estimated run time at which the mean suboptimality is at
// most goal for good; infinite if it never is.
func (p *pick) priceOf(goal float64, judge int) float64 {
	epsilon, cost := p.epsilon(judge), p.cost()
	price := math.Inf(1)
	for i := len(epsilon) - 1; i >= 0 && epsilon[i] <= goal; i-- {
		price = cost[i]
	}
	return price
}
