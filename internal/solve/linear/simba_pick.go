package linear

import (
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// share is a distribution, up to a factor.
type share struct {
	q, sums []float64 // sums: of blocks of q
	total   float64
}

// weigh sums q. Before it leaves the range of numbers it is brought back; what is
// then nothing beside the rest stays above zero, as it could grow again.
func (s *share) weigh() {
	if s.sum(); s.total > 1e-100 && s.total < 1e100 {
		return
	}
	by := float64(len(s.q)) / s.total
	for k, q := range s.q {
		s.q[k] = max(q*by, 1e-150)
	}
	s.sum()
}

func (s *share) sum() {
	s.total = 0
	for b := range s.sums {
		block := s.q[b*pickSize : min(len(s.q), (b+1)*pickSize)]
		s.sums[b] = vec.Dot64(block, ones[:len(block)])
		s.total += s.sums[b]
	}
}

func (s *share) draw(random *rand.Rand) int {
	return pick(random.Float64()*s.total, s.sums, len(s.q), func(k int) float64 { return s.q[k] })
}

// pickSize is how many numbers are summed at once on the way to the one that is
// drawn.
const pickSize = 256

var ones = func() (v [pickSize]float64) {
	for k := range v {
		v[k] = 1
	}
	return v
}()

func pickBlocks(n int) int { return (n + pickSize - 1) / pickSize }

// pick returns the first of n numbers >= 0 with which their sum exceeds goal, given
// the sums of blocks; by rounding it may be one too far, but none that is zero.
func pick(goal float64, sums []float64, n int, number func(k int) float64) int {
	b := 0
	for ; b < len(sums)-1 && goal >= sums[b]; b++ {
		goal -= sums[b]
	}
	for k := b * pickSize; k < n; k++ {
		if goal -= number(k); goal < 0 {
			return k
		}
	}
	last := n - 1
	for last > 0 && number(last) == 0 {
		last--
	}
	return last
}
