package dual

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
)

// clusters is how a run goes where most coefficients end up free, as with a kernel so
// narrow that only near rows have to do with each other, or a smooth loss: each is
// balanced against those around it. The rows that violate the optimality condition
// most then lie all over the place; to move them without their neighbours is to move
// them too far. And what a sample says is wrong: where rows are fewer, each does more.
//
// So each working set is a cluster, of rows that are near each other, solved on its own
// as the clusters of DC-SVM are (Hsieh, Si, Dhillon 2014), but time and again. A
// sweep goes through the rows that may move at all, at first every row, and ends
// with a set of the worst violators, for what clusters owe each other. Every sweep draws
// the borders elsewhere. Cost: that of a round for each cluster; to find them takes
// three products of every row with another, log2(rows/Q) times.
//
// On 93000 rows of covtype with gamma = 10, C = 10 five sweeps, of values of K worth
// 81000 rows, reach a gap of 0.01. Sets of the worst violators, begun on samples, reach
// 0.4 with values worth 400000 rows. On 12000 rows of a9a, with gamma = 0.05, squared hinge
// and squared loss take a sixth and a fifth of the time, the logistic loss three fifths.
type clusters struct {
	on     bool
	random *rand.Rand
	queue  [][]int // of this sweep, what is still to come
}

const (
	// manyFree is the share of free coefficients on the smallest sample that asks for
	// clusters. With the hinge loss it is 59 % on covtype, and 9 to 15 % on a9a, w8a and
	// ijcnn1, where samples do as well or better.
	manyFree = 0.25
	// sweepEpochs is how many epochs a sweep of all rows has.
	sweepEpochs = 8
)

// asksForClusters is what a run on a sample says: more than manyFree, or than so many, are free.
// Clusters need rows that are vectors.
func (s *working) asksForClusters(most int) bool {
	_, vectors := s.p.Kernel.(kernel.Inner)
	return !ablated.has(withoutClusters) && vectors && float64(s.interior()) > min(manyFree*float64(len(s.R)), float64(most))
}

// exceeds is asksForClusters of a run on all rows: where a set does not hold all that are free, what
// it finds is soon undone by the next as well. On a9a (rbf, gamma 0.005) with C = 1000, of which 2100
// are free, clusters after sampleTurns rounds take a sixth of the values of K.
func (s *working) exceeds() bool {
	return s.clusters.random != nil && len(s.R) > 2*s.q && s.asksForClusters(s.q)
}

// sweep makes rounds on the next clusters, and after the last of a sweep on the worst
// violators.
func (s *working) sweep() {
	c := &s.clusters
	if len(c.queue) == 0 {
		c.queue = newDivision(s.p, c.random, s.Limit).divide(nil, s.movable(), s.q)
	}
	for rows := 0; len(c.queue) > 0 && rows*sweepEpochs < len(s.R) && !s.Limit.Reached(); c.queue = c.queue[1:] {
		s.set = append(s.set[:0], c.queue[0]...)
		rows += len(s.set)
		s.round()
	}
	if len(c.queue) > 0 || s.Limit.Reached() {
		return
	}
	if s.choose(); len(s.set) > 0 {
		s.round()
	}
	s.judge()
}

// movable returns the rows that are not at rest at a bound.
func (s *working) movable() (rows []int) {
	bias := s.bias()
	for i := range s.R {
		if !s.rests(i, bias) {
			rows = append(rows, i)
		}
	}
	return rows
}

// rests reports whether a row is at rest at a bound.
func (s *working) rests(i int, bias float64) bool {
	return !(s.Up[i]-s.R[i] > bias || s.Low[i]-s.R[i] < bias)
}

// A division halves sets of rows x along the line through two that are far apart:
// a row far from a random one, and the row farthest from that.
type division struct {
	p      *problem.Kernel
	random *rand.Rand
	limit  support.Limit // beyond it nothing more is halved
	w      []float64     // a direction
	at     []float64     // of each row of p, where it is along the direction
}

func newDivision(p *problem.Kernel, random *rand.Rand, over support.Limit) division {
	_, cols := p.X.Dims()
	return division{p, random, over, make([]float64, cols), make([]float64, p.Len())}
}

// divide appends clusters of at most so many rows, and of about the same size. It
// reorders the rows.
func (d division) divide(dst [][]int, rows []int, most int) [][]int {
	count := (len(rows) + most - 1) / most
	if count <= 1 || d.limit.Reached() {
		return append(dst, rows)
	}
	first := d.farthest(rows, rows[d.random.IntN(len(rows))])
	last := d.farthest(rows, first)
	d.point(first, last)
	d.each(rows, func(i int) float64 { return d.p.X.Row(i).Dot(d.w) })
	slices.SortFunc(rows, func(i, j int) int { return cmp.Or(cmp.Compare(d.at[i], d.at[j]), i-j) })
	half := len(rows) * (count / 2) / count
	return d.divide(d.divide(dst, rows[:half], most), rows[half:], most)
}

// farthest returns the row of the largest distance |x|^2 - 2<x,y> + |y|^2 from row y.
func (d division) farthest(rows []int, y int) int {
	d.point(y)
	d.each(rows, func(i int) float64 { return d.p.SquaredNorm[i] - 2*d.p.X.Row(i).Dot(d.w) })
	return slices.MaxFunc(rows, func(i, j int) int { return cmp.Compare(d.at[i], d.at[j]) })
}

// point makes the direction that of a row, less the others.
func (d division) point(row int, others ...int) {
	clear(d.w)
	d.p.X.Row(row).AddTo(d.w, 1)
	for _, i := range others {
		d.p.X.Row(i).AddTo(d.w, -1)
	}
}

// each sets where rows are.
func (d division) each(rows []int, at func(i int) float64) {
	parallel.Blocks(len(rows), blockRows, d.p.Threads(), func(_, lo, hi int) {
		for _, i := range rows[lo:hi] {
			d.at[i] = at(i)
		}
	})
}
