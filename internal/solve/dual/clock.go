package dual

import (
	"time"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// Clock tells what a run of [SDCA] would take with a core for every partition,
// on a machine that has fewer: the partitions are run one after another, timed
// apart, and the slowest of each round counts.
type Clock struct {
	Work, Slowest time.Duration // of all partitions, and of the slowest ones
	Merge         time.Duration // of all merges, which split into blocks of weights
	Rounds        int
}

// team returns who works on the partitions: with a clock, one alone.
func (c *Clock) team(threads, parts int) *parallel.Team {
	if c != nil {
		threads = 1
	}
	return parallel.NewTeam(threads, parts)
}

// side runs a member's partitions of a round; with a clock these are all.
func (c *Clock) side(from, to int, do func(p int)) {
	var slowest time.Duration
	for p := from; p < to; p++ {
		if c == nil {
			do(p)
			continue
		}
		begin := time.Now()
		do(p)
		took := time.Since(begin)
		c.Work += took
		slowest = max(slowest, took)
	}
	if c != nil {
		c.Slowest += slowest
		c.Rounds++
	}
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
