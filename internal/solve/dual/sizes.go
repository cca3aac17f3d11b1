package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// chooseSizes sets what is a fixed function of the problem: the rows of a
// block (see blockSize) and the weight of the constant column.
func (s *sdca) chooseSizes() {
	n, _ := s.p.Dims()
	s.mu = s.penalty.StrongConvexity()
	s.block, s.group = blockSize(n, s.p.Nonzeros)
	// Where steps are short, a row that rests at an end of a flat conjugate's domain is
	// more likely to leave it again; and in large sets scattered rows cost as much as those
	// between them.
	s.calmVisits = 1
	if s.p.Nonzeros >= 1<<24 || flat(s.p.Loss) && parts.Shortness(s.p) > 3 {
		s.calmVisits = 2
	}
	switch s.p.Bias {
	case problem.Feature:
		s.beta = 1
	case problem.Free:
		s.beta = betaOfFree(s.p.Loss, s.p.MeanSquaredNorm(), s.p.Lambda)
	}
}

// betaOfFree returns the squared weight of the constant column of a free bias for rows of that mean squared norm: much
// weaker than an average row, or the rows would have to work
// against each other through it (at equal weight the epochs triple),
// but some thirty times stronger than lambda, so that each centring
// takes most of what is left of the constraint. Losses with corners do
// better with the smaller share, others with the larger one.
func betaOfFree(l loss.Loss, mean, lambda float64) float64 {
	share := 0.05
	if math.IsInf(l.Smoothness(), 1) {
		share = 0.01
	}
	return max(share*mean, 30*lambda)
}

// overRelaxed is how many times as far as the step that is best for its row alone a
// step goes (successive over-relaxation, Young 1954, with steps cut off at the ends
// of the domain); any factor below 2 ascends. The dual is then nearer after as many epochs,
// but predictions scatter more about the corner: from 1.4 on that costs what it brings.
const overRelaxed = 1.25

// groupsAtATime is how many groups have their blocks mixed.
const groupsAtATime = 8

// blockSize returns how many consecutive rows are visited together: as many as make
// about 8 kB, up to 8, once the data outgrow the caches. Small sets gain nothing from
// blocks, and correlated neighbours cost them epochs. Large sets take twice as many; far
// more cost epochs where rows are sorted by class.
//
// And it returns how many rows make a group, a few of which are visited at a time, their
// blocks in random order. Groups of large sets are 8 blocks, some pages of memory, so
// that a block mostly begins where the processor has been or has looked ahead. One group
// at a time would cost epochs where rows are sorted. Half a gigabyte and more may lie in a
// mapped file: then a group is the megabyte that one read brings.
func blockSize(n int, nonzeros int64) (block, group int) {
	most := int64(8)
	switch {
	case nonzeros < 1<<20 || parts.Ablated.Has(parts.WithoutBlocks):
		return 1, 1
	case nonzeros >= 1<<24:
		most = 16
	}
	block = int(max(1, min(most, 128*most*int64(n)/nonzeros)))
	switch {
	case nonzeros >= 1<<26:
		group = int((1<<17)*int64(n)/nonzeros) / block
	case nonzeros >= 1<<24:
		group = 8
	}
	return block, block * max(1, group)
}

// flat reports whether the conjugate is y a on its domain: the loss has one corner, at the target.
func flat(l loss.Loss) bool {
	c, ok := l.(loss.Cornered)
	if !ok {
		return false
	}
	_, ramps := c.Ramps(1)
	return ramps[0].At == 1 && ramps[0].Width == 0 && ramps[1].Jump == 0 && l.Value(1, 1) == 0
}

// Blocks of rows come from memory in random order, and what belongs to them from
// seven other arrays. All of that is asked for two windows of rows before the visit
// and read one window before; it tells where the nonzeros are, which are asked
// for a few rows before. Without either a visit of a short row is mostly waiting.
const (
	window = 64 // rows
	ahead  = 4  // rows before its visit that a row's nonzeros are asked for
)
