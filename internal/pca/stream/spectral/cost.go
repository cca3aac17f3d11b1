package spectral

import "github.com/fenchel-ml/fenchel/internal/pca/method"

// A Cost is what a state has cost so far (thesis 6.4, reference 2.11).
type Cost struct {
	Steps        int     // rows learned
	SquaredRanks float64 // sum over steps of k'^2, the rank after the step: the thesis's estimated run time
	Rank         int     // k' after the last step
	Entered      int     // rows that brought a new direction, for however short a time
	MostRank     int     // the largest so far: memory is MostRank times d numbers
	Flops        float64 // operations on numbers of rows and directions; the eigensystem of a step counts as 40 k'^2
}

// A Spectrum is a State whose directions have eigenvalues: of the second moment
// for the incremental algorithm, beliefs in [0, 1] that sum to k for MSG and its
// relatives and for Warmuth and Kuzmin's algorithm (as M = I - (d-k) W).
type Spectrum interface {
	method.State
	// Eigenvalues returns those of the k' directions that differ from all others,
	// descending.
	Eigenvalues() []float64
	// Cost returns what it has cost so far.
	Cost() Cost
}

// count adds a step that ended at the given rank, of a row that brought a new
// direction or not.
func (c *Cost) count(rank int, entered bool) {
	c.Steps++
	if entered {
		c.Entered++
	}
	c.SquaredRanks += float64(rank * rank)
	c.Rank = rank
	c.MostRank = max(c.MostRank, rank)
}

// With returns the cost with so many operations.
func (c Cost) With(flops float64) Cost {
	c.Flops = flops
	return c
}

func (c *Cost) keep(k *method.Kept) {
	k.Count("rows", &c.Steps)
	k.Number("squared-ranks", &c.SquaredRanks)
	k.Count("rank", &c.Rank)
	k.Count("entered-rows", &c.Entered)
	k.Count("most-rank", &c.MostRank)
}

// outside returns the sum of all but the first k values.
func outside(value []float64, k int) (sum float64) {
	for _, a := range value[min(k, len(value)):] {
		sum += a
	}
	return sum
}
