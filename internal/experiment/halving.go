package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// A rung of successive halving: after this share of the rows so many candidates
// stay.
type rung struct {
	share float64
	stay  int
}

// rungs leave, of 27 candidates, four that go to the end. Early checks favour larger
// steps than the whole run does, so that not only the first is taken along.
var rungs = []rung{{1. / 32, 12}, {1. / 8, 7}, {1. / 3, 4}}

// halve chooses step sizes as choose does, where that would take hours: on the first
// course by successive halving, then on the first few among the best and its
// neighbours in the grid.
func halve(ctx context.Context, courses []*course, field []contender, grid []float64, opt Options, what string) ([]*pick, error) {
	picks := make([]*pick, len(field))
	for who, f := range field {
		picks[who] = &pick{contender: f, c: grid[0]}
		if !f.grid {
			continue
		}
		at, err := climb(ctx, courses[0], f, grid, opt, what+", "+f.name+", step sizes")
		if err != nil {
			return nil, err
		}
		picks[who].c = grid[at]
	}
	var candidates []*pick
	for _, p := range picks {
		candidates = append(candidates, p)
		for _, factor := range []float64{0.5, 2} {
			if p.grid && slices.Contains(grid, p.c*factor) {
				candidates = append(candidates, &pick{contender: p.contender, c: p.c * factor})
			}
		}
	}
	first := courses[:min(choosers, len(courses))]
	progress := &tally{opt: opt, what: what, of: len(first)*len(candidates) + (len(courses)-len(first))*len(picks)}
	if err := follow(ctx, first, candidates, opt, progress); err != nil {
		return nil, err
	}
	picks, err := bestOf(picks, candidates)
	if err != nil {
		return nil, err
	}
	return picks, follow(ctx, courses[len(first):], picks, opt, progress)
}

// bestOf returns of the candidates of each name the best.
func bestOf(picks, candidates []*pick) ([]*pick, error) {
	for i, p := range picks {
		best := math.Inf(1)
		for _, c := range candidates {
			gaveUp := slices.ContainsFunc(c.traces, func(t *trace) bool { return t.gaveUp })
			if c.name == p.name && !gaveUp && c.average(0) < best {
				best, picks[i] = c.average(0), c
			}
		}
		if math.IsInf(best, 1) {
			return nil, fmt.Errorf("%s: found more than %d directions at every step size near %g", p.name, mostDirections, p.c)
		}
	}
	return picks, nil
}

// climb returns the number of the best of the grid on one course.
func climb(ctx context.Context, c *course, who contender, grid []float64, opt Options, what string) (int, error) {
	alive := below(len(grid))
	for _, stage := range append(slices.Clone(rungs), rung{1, 1}) {
		if len(alive) <= stage.stay {
			continue
		}
		part := c.upTo(stage.share)
		average := make([]float64, len(grid))
		progress := &tally{opt: opt, what: what, of: len(alive)}
		err := side(ctx, len(alive), opt.Threads, func(i int) error {
			t, err := part.run(ctx, who.at(grid[alive[i]]))
			if err != nil {
				return err
			}
			if average[alive[i]] = math.Inf(1); !t.gaveUp {
				average[alive[i]] = t.average(0)
			}
			progress.step()
			return nil
		})
		if err != nil {
			return 0, err
		}
		slices.SortStableFunc(alive, func(a, b int) int { return cmp.Compare(average[a], average[b]) })
		alive = alive[:stage.stay]
	}
	return alive[0], nil
}

// upTo returns the course as far as this share of its rows.
func (c *course) upTo(share float64) *course {
	part := *c
	end := int(math.Ceil(share * float64(c.at[len(c.at)-1])))
	for i, at := range c.at {
		if at >= end {
			part.at = c.at[:i+1]
			break
		}
	}
	return &part
}

// mostDirections is the rank above which a step size is too small to be worth its
// time.
const mostDirections = 100
