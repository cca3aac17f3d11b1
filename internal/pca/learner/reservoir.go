package learner

import (
	"math/bits"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A reservoir keeps some rows of a stream apart: about one in twenty, say, but no more
// than fit into its memory. Which ones depends on their numbers alone: those with
// the smallest hash. When there are too many the larger half of the hashes is given
// back, to be learned late.
type reservoir struct {
	first   uint64 // limit before it was halved
	limit   uint64 // rows with a hash below are kept
	numbers []int
	rows    []matrix.Vector // copies
	size    int             // numbers in rows
}

// UsualHoldOut is the share of rows that is kept apart unless another one is asked for.
const UsualHoldOut = 1.0 / 20

const (
	mostHeldOut  = 2048    // rows: the standard error is then about 2 % of the spread of a row
	mostNumbers  = 4 << 20 // in all rows
	leastHeldOut = 64      // rows, however long
)

// newReservoir returns an empty one for a share of the rows, above 0 and at most 1/2.
func newReservoir(share float64) reservoir {
	limit := uint64(share * 0x1p64)
	return reservoir{first: limit, limit: limit}
}

// hash is the same for the same number of a row, in every run.
func hash(number int) uint64 { return structure.Mix(uint64(number) * 0x9e3779b97f4a7c15) }

// wants reports whether the row with that number, from 0, is to be kept.
func (r *reservoir) wants(number int) bool { return hash(number) < r.limit }

// add keeps a copy of a row.
func (r *reservoir) add(number int, v matrix.Vector) {
	r.numbers = append(r.numbers, number)
	r.rows = append(r.rows, matrix.Vector{Index: slices.Clone(v.Index), Value: slices.Clone(v.Value)})
	r.size += len(v.Value)
}

// full reports whether there are too many rows.
func (r *reservoir) full() bool {
	n := len(r.rows)
	return n > mostHeldOut || n > leastHeldOut && r.size > mostNumbers
}

// thin gives back the rows with the larger hashes, in order.
func (r *reservoir) thin() (late []matrix.Vector) {
	kept := reservoir{first: r.first, limit: r.limit / 2}
	for i, number := range r.numbers {
		if kept.wants(number) {
			kept.numbers, kept.rows = append(kept.numbers, number), append(kept.rows, r.rows[i])
			kept.size += len(r.rows[i].Value)
		} else {
			late = append(late, r.rows[i])
		}
	}
	*r = kept
	return late
}

// matrix returns the rows.
func (r *reservoir) matrix(cols int) matrix.Matrix {
	var s rowStore
	for _, v := range r.rows {
		s.add(v)
	}
	return s.matrix(cols)
}

// HoldsOut reports whether these, rising, are numbers of rows that a [Learner] keeps
// apart of n rows of d features, if it is to keep a share of them.
func HoldsOut(numbers []int, n, d int, share float64) bool {
	if share == 0 {
		return len(numbers) == 0
	}
	r := newReservoir(share)
	all := r.among(n)
	for len(all) > len(numbers) && (len(all) > mostHeldOut || len(all) > leastHeldOut && len(all) > mostNumbers/d) {
		r.limit /= 2
		all = r.among(n)
	}
	return slices.Equal(all, numbers) || len(all) == n && len(numbers) == 0 // all few rows were learned
}

// among returns the numbers below n that the reservoir wants.
func (r *reservoir) among(n int) (numbers []int) {
	for i := range n {
		if r.wants(i) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// keep visits everything; the rows have cols columns.
func (r *reservoir) keep(k *method.Kept, cols int) {
	exponent := bits.LeadingZeros64(r.limit) // the limit was halved so many times
	k.Count("heldout.halvings", &exponent)
	k.Require(exponent < 64, "state: found %d halvings of the rows held out, expected fewer than 64", exponent)
	var s rowStore
	for _, v := range r.rows {
		s.add(v)
	}
	numbers := make([]float64, len(r.numbers))
	for i, n := range r.numbers {
		numbers[i] = float64(n)
	}
	k.List("heldout.numbers", &numbers)
	s.keep(k, "heldout.rows", cols)
	k.Require(s.rows() == len(numbers), "state: found %d numbers of %d rows held out", len(numbers), s.rows())
	if !k.Restoring() {
		return
	}
	*r = reservoir{first: r.first, limit: r.first}
	r.limit >>= max(exponent-bits.LeadingZeros64(r.limit), 0)
	for i, n := range numbers {
		r.add(int(n), s.row(i))
	}
}
