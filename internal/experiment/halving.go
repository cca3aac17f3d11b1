package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
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

// Halve chooses step sizes as choose does, where that would take hours: on the first
// course by successive halving, then on the first few among the best and its
// neighbours in the grid.
func Halve(ctx context.Context, courses []*Course, field []Contender, grid []float64, opt Options, what string) ([]*Pick, error) {
	picks := make([]*Pick, len(field))
	for who, f := range field {
		picks[who] = &Pick{Contender: f, C: grid[0]}
		if !f.Grid {
			continue
		}
		at, err := climb(ctx, courses[0], f, grid, opt, what+", "+f.Name+", step sizes")
		if err != nil {
			return nil, err
		}
		picks[who].C = grid[at]
	}
	var candidates []*Pick
	for _, p := range picks {
		candidates = append(candidates, p)
		for _, factor := range []float64{0.5, 2} {
			if p.Grid && slices.Contains(grid, p.C*factor) {
				candidates = append(candidates, &Pick{Contender: p.Contender, C: p.C * factor})
			}
		}
	}
	first := courses[:min(choosers, len(courses))]
	progress := &Tally{Opt: opt, What: what, Of: len(first)*len(candidates) + (len(courses)-len(first))*len(picks)}
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
func bestOf(picks, candidates []*Pick) ([]*Pick, error) {
	for i, p := range picks {
		best := math.Inf(1)
		for _, c := range candidates {
			gaveUp := slices.ContainsFunc(c.Traces, func(t *Trace) bool { return t.gaveUp })
			if c.Name == p.Name && !gaveUp && c.Average(0) < best {
				best, picks[i] = c.Average(0), c
			}
		}
		if math.IsInf(best, 1) {
			return nil, fmt.Errorf("%s: found more than %d directions at every step size near %g", p.Name, MostDirections, p.C)
		}
	}
	return picks, nil
}

// climb returns the number of the best of the grid on one course.
func climb(ctx context.Context, c *Course, who Contender, grid []float64, opt Options, what string) (int, error) {
	alive := Below(len(grid))
	for _, stage := range append(slices.Clone(rungs), rung{1, 1}) {
		if len(alive) <= stage.stay {
			continue
		}
		part := c.upTo(stage.share)
		average := make([]float64, len(grid))
		progress := &Tally{Opt: opt, What: what, Of: len(alive)}
		err := parallel.Try(ctx, len(alive), opt.Threads, func(i int) error {
			t, err := part.Run(ctx, who.At(grid[alive[i]]))
			if err != nil {
				return err
			}
			if average[alive[i]] = math.Inf(1); !t.gaveUp {
				average[alive[i]] = t.Average(0)
			}
			progress.Step()
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
func (c *Course) upTo(share float64) *Course {
	part := *c
	end := int(math.Ceil(share * float64(c.At[len(c.At)-1])))
	for i, at := range c.At {
		if at >= end {
			part.At = c.At[:i+1]
			break
		}
	}
	return &part
}

// MostDirections is the rank above which a step size is too small to be worth its
// time.
const MostDirections = 100
