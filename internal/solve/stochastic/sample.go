package stochastic

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/problem"
)

// A sampler draws rows. weight is 1/(n times the probability of row i), by which a
// gradient counts that the mean of all is estimated with.
type sampler interface {
	next() int
	weight(i int) float64
}

// uniformly draws each row with the same probability, with replacement.
type uniformly struct {
	random *rand.PCG
	n      uint64
}

func (u uniformly) next() int               { return int(parts.Below(u.random, u.n)) }
func (u uniformly) weight(int) float64      { return 1 }
func uniform(random *rand.PCG) float64      { return float64(random.Uint64()>>11) / (1 << 53) }
func (u *permuted) weight(int) float64      { return 1 }
func (b *byLipschitz) weight(i int) float64 { return 1 / b.share[i] }

// permuted takes the rows in an order that is drawn for every pass, or in that of the data.
type permuted struct {
	random *rand.PCG
	order  []uint32
	cyclic bool
	at     int
}

func (u *permuted) next() int {
	if u.at == len(u.order) {
		u.at = 0
		if !u.cyclic {
			parts.Shuffle(u.order, u.random)
		}
	}
	u.at++
	return int(u.order[u.at-1])
}

// distinct begins a new order where fewer than k rows of this one are left, so that no row is twice among the
// next k; in the order of the data none is.
func (u *permuted) distinct(k int) {
	if u.at+k > len(u.order) && !u.cyclic {
		u.at = len(u.order)
	}
}

// byLipschitz draws half of the rows uniformly, and half in proportion to their smoothness.
type byLipschitz struct {
	random *rand.PCG
	share  []float64 // n times the probability of a row
	sums   []float64
}

func (b *byLipschitz) next() int {
	n := len(b.sums)
	if b.random.Uint64()>>63 == 0 {
		return int(parts.Below(b.random, uint64(n)))
	}
	x := uniform(b.random) * b.sums[n-1]
	return min(n-1, sort.Search(n, func(i int) bool { return b.sums[i] > x }))
}

// rarity returns, for each column and the constant one, the number of rows over that of rows
// which have it, 1 where none has.
func rarity(p *problem.Linear) []float64 {
	n, d := p.Dims()
	count := make([]float64, d+1)
	for i := range n {
		x := p.X.Row(i)
		for k := range x.Value {
			count[x.Column(k)]++
		}
	}
	count[d] = float64(n)
	for j, c := range count {
		count[j] = float64(n) / math.Max(c, 1)
		if c == 0 {
			count[j] = 1
		}
	}
	return count
}
