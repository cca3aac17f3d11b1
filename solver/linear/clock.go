package linear

import (
	"time"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Clock tells what a run of [SDCA] would take with a core for every partition,
// on a machine that has fewer: the partitions are run one after another, timed
// apart, and the slowest of each round counts.
type Clock struct {
	Work, Slowest time.Duration // of all partitions, and of the slowest ones
	Merge         time.Duration // of all merges, which split into blocks of weights
	Rounds        int
}

// side runs the partitions of a round side by side; with a clock, in turn.
func (c *Clock) side(parts, threads int, do func(p, _, _ int)) {
	if c == nil {
		matrix.Blocks(parts, 1, threads, do)
		return
	}
	var slowest time.Duration
	for p := range parts {
		begin := time.Now()
		do(p, 0, 0)
		took := time.Since(begin)
		c.Work += took
		slowest = max(slowest, took)
	}
	c.Slowest += slowest
	c.Rounds++
}

// merge runs and, with a clock, times a merge.
func (c *Clock) merge(do func()) {
	if c == nil {
		do()
		return
	}
	begin := time.Now()
	do()
	c.Merge += time.Since(begin)
}
