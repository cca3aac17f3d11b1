package engine

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/problem"
)

// cast draws rows from the p of a water.Filling by rejection: rows of all are
// proposed, and the first that is covered is taken. That is as good as drawing
// from those that are covered, but what will be proposed is known ahead, and
// little of it ceases to be covered before its turn: so it tells which rows of
// the kernel will be needed.
type cast struct {
	random  *rand.Rand
	class   []int      // of each row: its basin
	rows    [2][]int   // of each basin
	queue   [2][]int   // proposed for each basin, not yet looked at
	part    []float64  // of each row, how much of it is covered
	covered [2]float64 // sums of that
	under   [2][]int   // the rows of which it is not zero
}

// newCast has two basins for a free bias, else one.
func newCast(p *problem.Risk, random *rand.Rand) cast {
	c := cast{random: random, class: make([]int, len(p.Y)), part: make([]float64, len(p.Y))}
	for i, y := range p.Y {
		if p.Bias == problem.Free && y < 0 {
			c.class[i] = 1
		}
		c.rows[c.class[i]] = append(c.rows[c.class[i]], i)
	}
	return c
}

// cover notes which rows are covered now.
func (c *cast) cover(w *water.Filling) {
	for k, under := range c.under {
		for _, i := range under {
			c.part[i] = 0
		}
		c.under[k], c.covered[k] = under[:0], 0
	}
	w.Covered(func(i int, part float64) {
		k := c.class[i]
		c.part[i] = part
		c.covered[k] += part
		c.under[k] = append(c.under[k], i)
	})
}

// trim makes rows that are covered up to their margin be so in part only. With
// margins c and the level l, that of the highest rows or the mean of those of both
// classes, the parts that count make the sum of part_i c_i what it must be, a/l
// (see water.Filling.Scale).
func (c *cast) trim(margins []float64, a float64) {
	sum, level, classes := 0.0, 0.0, 0.0
	var high, mass [2]float64
	for k, under := range c.under {
		if len(under) == 0 {
			continue
		}
		high[k] = math.Inf(-1)
		for _, i := range under {
			sum += float64(c.part[i] * margins[i])
			high[k] = max(high[k], margins[i])
		}
		for _, i := range under {
			if margins[i] == high[k] {
				mass[k] += c.part[i]
			}
		}
		level += high[k]
		classes++
	}
	level /= classes
	if !(level > 0 && float64(level*sum) > a) {
		return // all are short of their margins
	}
	over := (sum - a/level) / (classes * level) // rows, of each class
	for k, under := range c.under {
		keep := max(0, 1-over/mass[k])
		for _, i := range under {
			if margins[i] == high[k] {
				c.covered[k] -= float64((1 - keep) * c.part[i])
				c.part[i] *= keep
			}
		}
	}
}

// draw draws a row. Where few are covered it does so directly.
func (c *cast) draw() int {
	k := 0
	if c.rows[1] != nil {
		k = c.random.IntN(2)
	}
	if 16*c.covered[k] < float64(len(c.rows[k])) {
		goal := c.random.Float64() * c.covered[k]
		for _, i := range c.under[k] {
			if goal -= c.part[i]; goal < 0 {
				return i
			}
		}
		return c.under[k][len(c.under[k])-1]
	}
	for {
		i := c.propose(k)
		if part := c.part[i]; part == 1 || part > 0 && c.random.Float64() < part {
			return i
		}
	}
}

// propose takes the next proposal for a basin.
func (c *cast) propose(k int) int {
	if len(c.queue[k]) < 256 {
		c.queue[k] = slices.Clone(c.queue[k])
		for len(c.queue[k]) < 1024 {
			c.queue[k] = append(c.queue[k], c.rows[k][c.random.IntN(len(c.rows[k]))])
		}
	}
	i := c.queue[k][0]
	c.queue[k] = c.queue[k][1:]
	return i
}

// soon yields the rows that are proposed next and covered now, of both basins in
// turn.
func (c *cast) soon(yield func(i int) bool) {
	for at := range 128 {
		for _, queue := range c.queue {
			if at < len(queue) && c.part[queue[at]] > 0 && !yield(queue[at]) {
				return
			}
		}
	}
}
