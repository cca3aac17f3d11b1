package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
)

// chooseSizes sets what is a fixed function of the problem: the rows of a
// block (see blockSize) and the weight of the constant column.
func (s *sdca) chooseSizes() {
	n, _ := s.p.Dims()
	s.mu = s.penalty.StrongConvexity()
	s.over = overRelaxed
	s.block, s.group = blockSize(n, s.p.Nonzeros)
	switch s.p.Bias {
	case problem.Feature:
		s.beta = 1
	case problem.Free:
		// Much weaker than an average row, or the rows would have to work
		// against each other through it (at equal weight the epochs triple),
		// but some thirty times stronger than lambda, so that each centring
		// takes most of what is left of the constraint. Epochs to gap 1e-6 with
		// the share 0.1, 0.05, 0.01, 0.003 of the average row (without bias):
		// ijcnn1 logistic 8, 10, 27, 67 (7); a9a hinge -, 3597, 2447, 2930 (2398).
		share := 0.05
		if math.IsInf(s.p.Loss.Smoothness(), 1) {
			share = 0.01
		}
		total := 0.0
		for _, r := range s.p.SquaredNorm {
			total += r
		}
		s.beta = max(share*total/float64(n), 30*s.p.Lambda)
	}
}

// overRelaxed is how many times as far as the step that is best for its row alone a
// step goes (successive over-relaxation, Young 1954, with steps cut off at the ends
// of the domain); any factor below 2 ascends. Epochs, before faces begin, until the primal of the hinge
// with lambda = 1/(100n), in its best length, is 1e-3 above the optimum on imdb,
// 6e-5 on 20 newsgroups, with 1, 1.2, 1.3, 1.4: 89, 84, 78, 88 and 94, 71, 72, 96;
// logistic there to 1e-6 on imdb with 1, 1.15, 1.3: 25, 21, 20. The dual is then
// three times as near as with 1, but predictions scatter more about the corner.
// A shorter last step, or every fourth or eighth, does not help against that.
const overRelaxed = 1.25

// groupsAtATime is how many groups have their blocks mixed.
const groupsAtATime = 8

// blockSize returns how many consecutive rows are visited together: as many as
// make about 8 kB, up to 8, once the data outgrow the caches. Small sets gain
// nothing from blocks, and correlated neighbours cost them epochs: a9a needs
// 128 for hinge to gap 1e-3 with single rows, 366 with blocks of 8. Large sets
// take twice as many: rcv1's shape, hinge to 1e-3, mean of five seeds, needs 22.8
// epochs with blocks of 8 (23.4 with the rows sorted by class), 22.4 (22.6) with
// 16, 25.0 (22.2) with 32, 23.4 (29.0) with 128, 47 (46) with 512.
//
// And it returns how many rows make a group, a few of which are visited at a time,
// their blocks in random order. Groups of large sets are 8 blocks, some pages of
// memory, so that a block mostly begins where the processor has been or has looked
// ahead. A product with every row of rcv1's shape takes a core 98 ns without groups,
// 83 with groups of 4 blocks, 79 with 8, however many at a time. Epochs (four seeds;
// with the rows sorted by class) are 20 (19.8) without, 20 (19.8) with groups of 4
// one at a time, 20 (23.4) with 8 one at a time, 19.5 (20.2) with 8 of them. Half a
// gigabyte and more may lie in a mapped file: then a group is the megabyte that one
// read brings: 19 (21) epochs, 28 (52) with one at a time, (56) where it is a block.
func blockSize(n int, nonzeros int64) (block, group int) {
	most := int64(8)
	switch {
	case nonzeros < 1<<20:
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
