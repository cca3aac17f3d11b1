package spectral

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Rounding: from a relaxed iterate back to a subspace (thesis 4.1.2 and 5.1).
//
// Given are inclusion probabilities 0 <= p_i <= 1 with sum m. For the k maximal
// directions they are the eigenvalues of M, m = k; for the d-k minimal ones those
// of W times d-k, m = d-k. Each method returns m of the indices, rising:
//
//   - [TopK] takes the largest. With p_(k+1) the largest left out, its loss is at
//     most loss(M)/(1-p_(k+1)); this is what the experiments use.
//   - [Systematic] draws: index i is in with probability exactly p_i, so the
//     expected objective is that of M. One pass.
//   - [SystematicPieces] and [Decompose] write p as a mean of such choices; by
//     [Best] at least one is as good as M, whatever the objective.

// A Piece is one choice of indices and the probability it has.
type Piece struct {
	Probability float64
	Index       []int // rising
}

// TopK returns the indices of the k largest values; of equal ones the earlier.
func TopK(values []float64, k int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	order = order[:min(max(k, 0), len(order))]
	slices.Sort(order)
	return order
}

// Systematic returns every i for which some j = 0, 1, ..., m-1 has C_(i-1) < j+u <=
// C_i, with the cumulative sums C of p. A u drawn uniformly from (0, 1] gives
// index i probability p_i. The error says what is wrong with p or u.
func Systematic(p []float64, m int, u float64) ([]int, error) {
	if err := checkInclusion(p, m); err != nil {
		return nil, err
	}
	if !(u > 0 && u <= 1) {
		return nil, fmt.Errorf("systematic sampling: u is %v, expected a number in (0, 1]", u)
	}
	return systematic(cumulative(p, m), m, u), nil
}

// systematic is Systematic on cumulative sums. Rounding never costs an index: each
// of the m steps takes one, behind the one before, and leaves enough for the rest.
func systematic(sums []float64, m int, u float64) []int {
	index := make([]int, 0, m)
	i := 0
	for j := range m {
		for i < len(sums)-(m-j) && sums[i] < float64(j)+u {
			i++
		}
		index = append(index, i)
		i++
	}
	return index
}

// cumulative returns the sums of the first values of p, m from the last positive
// one on.
func cumulative(p []float64, m int) []float64 {
	sums := make([]float64, len(p))
	sum, last := 0.0, 0
	for i, v := range p {
		sum += v
		sums[i] = min(sum, float64(m))
		if v > 0 {
			last = i
		}
	}
	for i := last; i < len(sums); i++ {
		sums[i] = float64(m)
	}
	return sums
}

// SystematicPieces returns what [Systematic] gives for each u: the choice changes
// at the fractional parts of the cumulative sums only, so there are at most
// len(p)+1 pieces, whose mean is p.
func SystematicPieces(p []float64, m int) ([]Piece, error) {
	if err := checkInclusion(p, m); err != nil {
		return nil, err
	}
	sums := cumulative(p, m)
	ends := []float64{0, 1}
	for _, c := range sums {
		ends = append(ends, c-math.Floor(c))
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	var pieces []Piece
	for q, end := range ends[1:] {
		length := end - ends[q]
		pieces = append(pieces, Piece{length, systematic(sums, m, ends[q]+float64(length/2))})
	}
	return pieces, nil
}

// Decompose writes p as a mean of at most len(p) pieces of m indices (thesis,
// Algorithm 5.1, corrected). With t the probability not yet given away, every
// rest p_i is at most t and their sum is m t. The m largest are a piece, of
// probability
//
//	min( smallest of them, t - largest of the others )
//
// without the second term, which the thesis lacks, one of the others would exceed
// the new t and never be used up. Each piece makes a rest 0 or equal to t, and
// those stay so.
func Decompose(p []float64, m int) ([]Piece, error) {
	if err := checkInclusion(p, m); err != nil {
		return nil, err
	}
	const tiny = 1e-14
	rest, t := slices.Clone(p), 1.0
	var pieces []Piece
	for range p {
		for i, v := range rest { // what rounding left beside 0 or t
			if v <= tiny {
				rest[i] = 0
			} else if v >= t-tiny {
				rest[i] = t
			}
		}
		index := TopK(rest, m)
		probability := min(t, extent(rest, index, t))
		if probability <= 0 {
			break
		}
		pieces = append(pieces, Piece{probability, index})
		for _, i := range index {
			rest[i] -= probability
		}
		t -= probability
	}
	return pieces, nil
}

// extent returns the smaller of the smallest rest inside of index, and t less the
// largest outside.
func extent(rest []float64, index []int, t float64) float64 {
	inside, outside := t, 0.0
	for i, v := range rest {
		if _, in := slices.BinarySearch(index, i); in {
			inside = min(inside, v)
		} else {
			outside = max(outside, v)
		}
	}
	return min(inside, t-outside)
}

// Best returns the choice of the largest value among the m largest p and the
// pieces of [SystematicPieces]. If value is a sum over the chosen indices, or
// anything else whose mean over the pieces is the value of p, it is at least that.
func Best(p []float64, m int, value func(index []int) float64) ([]int, error) {
	pieces, err := SystematicPieces(p, m)
	if err != nil {
		return nil, err
	}
	best := TopK(p, m)
	bestValue := value(best)
	for _, piece := range pieces {
		if v := value(piece.Index); v > bestValue || bestValue != bestValue {
			best, bestValue = piece.Index, v
		}
	}
	return best, nil
}

// checkInclusion refuses what are no inclusion probabilities of m among len(p).
func checkInclusion(p []float64, m int) error {
	const slack = 1e-9
	if m < 1 || m > len(p) {
		return fmt.Errorf("rounding: %d directions of %d asked for, expected from 1 to %d", m, len(p), len(p))
	}
	sum := 0.0
	for i, v := range p {
		if !(v >= -slack && v <= 1+slack) {
			return fmt.Errorf("rounding: eigenvalue %d is %v, expected a number in [0, 1]", i, v)
		}
		sum += v
	}
	if !(math.Abs(sum-float64(m)) <= slack*float64(len(p))) {
		return fmt.Errorf("rounding: the eigenvalues sum to %v, expected %d", sum, m)
	}
	return nil
}
