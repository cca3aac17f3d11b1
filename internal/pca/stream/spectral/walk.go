package spectral

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A walk is a [Spectral] that every row moves, with what most methods that do so need.
type walk struct {
	k, most  int // at most so many directions; d: any number
	a        *Spectral
	schedule schedule.Schedule
	unit     float64 // of the step sizes
	cost     Cost

	output   Output
	seed     uint64
	iterate  iterate
	jury     *jury            // nil: no rows are kept apart
	regret   *Regret          // nil: it is not asked for
	beliefs  func() []float64 // eigenvalues of M, where those of the state are others: of entropies
	distance float64          // what 1/eta is multiplied by in the bound on the regret; 0: as of MSG
	unproved bool             // that bound does not hold

	x []float64 // scratch
}

// newWalk begins without directions. Step sizes are for rows of mean |x|^4 = 1.
func newWalk(p method.Problem, background float64, s schedule.Schedule, o Output) walk {
	w := walk{k: p.K, most: mostRank(p), a: NewSpectral(p.Cols, background), schedule: s, unit: 1, output: o, seed: p.Seed, iterate: newIterate(o.Iterate, p.Seed), x: make([]float64, p.Cols)}
	if o.judges() {
		w.jury = &jury{seed: p.Seed, cols: p.Cols}
	}
	if o.Regret {
		w.regret = NewRegret(p.Cols, p.K)
	}
	if p.Fourth > 0 {
		w.unit = 1 / math.Sqrt(p.Fourth)
	}
	return w
}

// mostRank bounds memory where d is so large that nothing in the algorithm does:
// 2^25 numbers, a quarter of a gigabyte, of which there are two or three copies. Beyond
// it the smallest directions are dropped.
func mostRank(p method.Problem) int { return min(p.Cols, max(p.K+1, 1<<25/p.Cols)) }

// insert adds n random directions of one eigenvalue.
func (w *walk) insert(p method.Problem, n int, value float64) {
	w.a.Insert(algebra.RandomBasis(p.Seed, n, p.Cols), slices.Repeat([]float64{value}, n))
}

// mostStep is the most that one row may add to an eigenvalue. It is far more than
// the projection can tell from infinity, and keeps the eigenvalues below 1 exact to
// 1e-9, however large an outlier is.
const mostStep = 1e6

// eta returns the size of the step that row x is to make.
func (w *walk) eta(x []float64) float64 {
	eta := w.schedule.Step(w.cost.Steps+1) * w.unit
	if square := vec.SquaredNorm64(x); float64(eta*square) > mostStep {
		return mostStep / square
	}
	return eta
}

// rank returns how many directions there are of a larger eigenvalue, and at least least.
func (w *walk) rank(least int, value float64) int {
	r := min(w.a.Rank(), w.most)
	for r > least && w.a.Value[r-1] <= value {
		r--
	}
	return r
}

// copyTo writes the directions that the matrix is rounded to to dst.
func (w *walk) copyTo(dst []float64) []float64 { return append(dst[:0], w.rounded()...) }

// Basis returns the directions of the iterate that was chosen.
func (w *walk) Basis() method.Basis {
	component := w.answer()
	b := method.Basis{K: len(component) / w.a.cols, Cols: w.a.cols, Component: component}
	b.Orient()
	return b
}

// Eigenvalues returns those of the directions.
func (w *walk) Eigenvalues() []float64 { return slices.Clone(w.a.Value) }

// Cost returns what it has cost so far.
func (w *walk) Cost() Cost {
	c := w.cost
	c.Flops = w.a.Flops
	return c
}

// Keep visits everything.
func (w *walk) Keep(k *method.Kept) {
	w.a.Keep(k)
	w.cost.keep(k)
	w.iterate.Keep(k)
	n, d, most := len(w.iterate.chosen()), w.a.cols, w.k
	if w.output.Iterate == "average" {
		most = d
	}
	k.Require(n%d == 0 && n/d <= most, "state: found an iterate of %d numbers, expected at most %d times %d", n, most, d)
	if w.jury != nil {
		k.In("jury", w.jury)
		k.Require(len(w.jury.best)/d <= w.k, "state: found a best iterate of %d numbers, expected at most %d times %d", len(w.jury.best), w.k, d)
	}
	if w.regret != nil {
		k.In("regret", w.regret)
	}
}

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
