package generate

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
)

// Random orders are those of Fisher and Yates with numbers from PCG, one stream
// for each use: the same on every machine.

// Order returns the numbers from 0 to n-1 in a random order that depends on n,
// seed and epoch alone: the order of the rows in one of several epochs.
func Order(n int, seed, epoch uint64) []int {
	var r Random
	r.Start(seed, ForOrder, int(epoch))
	return r.Permutation(n)
}

// Split deals n rows out at random, in parts as large as their shares of the
// whole, rounded: 0.4, 0.2, 0.4 and 40, 20, 40 mean the same. It depends on its
// arguments alone. The rows of a part are in random order, so that one pass over
// them is a random sample; [Set.Subset] makes a set of them.
func Split(n int, seed uint64, shares ...float64) ([][]int, error) {
	whole := 0.0
	for i, share := range shares {
		if !(share > 0 && decimal.Finite(share)) {
			return nil, fmt.Errorf("split: found %g as share %d, expected a number above 0", share, i+1)
		}
		whole += share
	}
	if n < len(shares) || len(shares) == 0 || !decimal.Finite(whole) {
		return nil, fmt.Errorf("split: found %s for %s, expected at least one row a part", fault.Plural(max(n, 0), "row", "rows"), fault.Plural(len(shares), "part", "parts"))
	}
	var r Random
	r.Start(seed, ForSplit, 0)
	order := r.Permutation(n)
	parts, upTo, lo := make([][]int, len(shares)), 0.0, 0
	for i, share := range shares {
		upTo += share
		hi := int(math.Round(float64(n) * min(upTo/whole, 1)))
		hi = min(max(hi, lo+1), n-(len(shares)-1-i)) // at least one row each
		if i == len(shares)-1 {
			hi = n
		}
		parts[i] = order[lo:hi:hi]
		lo = hi
	}
	return parts, nil
}
