package learner

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Learner gives the rows of a stream to a state, each once. It scales them,
// centres them at the mean so far, cuts them into blocks of one size, whatever the
// pieces that they come in, and keeps some apart to judge the answer by. All of it
// can be kept and taken up again.
//
// Centring is exact for states that add up squares: with a block of b rows after n
// others, the sum of squares about the mean grows by that of the block about its
// own mean, and by one row more,
//
//	sqrt(n b / (n + b)) (mean so far - mean of the block)
//
// (Chan, Golub and LeVeque 1983; Ross et al. 2008 use it for components). What
// step sizes need is measured on the first block. Scaling follows the moments of all
// rows learned so far, and states that add up squares are scaled along ([Rescaled]).
type Learner struct {
	method  method.Streaming
	problem method.Problem
	center  bool
	scale   string // a kind of scaling

	state   method.State
	size    int  // rows of a block
	least   int  // rows that must follow it for it not to be the last
	taken   int  // rows of the stream
	learned int  // of these, those that the state has seen
	extra   int  // rows besides that it was given to centre
	all     bool // rows are kept as a sample, and learned nonetheless
	factor  []float64
	moments *scaling.Moments // of the learned rows; nil: not scaled
	mean    []float64        // of the learned rows
	squares float64          // sum of their squared norms, about the mean if center
	pending rowStore
	held    reservoir
}

// learnerBlock is on how many rows, the first, sizes are measured.
const learnerBlock = 1024

// NewLearner begins a stream of rows of p.Cols features. scale is a kind of scaling
// as dataset has it.
func NewLearner(m method.Streaming, p method.Problem, center bool, scale string) *Learner {
	return &Learner{method: m, problem: p, center: center, scale: scale, held: newReservoir(UsualHoldOut)}
}

// HoldOut sets the share of the rows that is kept apart, 0 for none, before the first.
func (l *Learner) HoldOut(share float64) {
	if l.all = share == 0; l.all {
		share = UsualHoldOut
	}
	l.held = newReservoir(share)
}

// Taken returns the number of rows taken from the stream.
func (l *Learner) Taken() int { return l.taken }

// Learn takes rows, of which all values are finite. After an error, which is about
// the first block, there is nothing to be learned.
func (l *Learner) Learn(x matrix.Matrix) error {
	rows, _ := x.Dims()
	for i := range rows {
		if err := l.take(x.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

// take keeps one row apart, or lets it wait for a block to fill.
func (l *Learner) take(v matrix.Vector) error {
	number := l.taken
	l.taken++
	if !l.held.wants(number) {
		return l.wait(v)
	}
	l.held.add(number, v)
	if l.all {
		for l.held.full() {
			l.held.thin()
		}
		return l.wait(v)
	}
	for l.held.full() {
		for _, late := range l.held.thin() {
			if err := l.wait(late); err != nil {
				return err
			}
		}
	}
	return nil
}

// wait adds a row to those in wait, and learns the block that it fills.
func (l *Learner) wait(v matrix.Vector) error {
	l.pending.add(v)
	if l.state == nil && l.pending.rows() == learnerBlock {
		if err := l.start(); err != nil {
			return err
		}
	}
	if l.state != nil && l.pending.rows() >= l.size+l.least {
		l.learn(false)
	}
	return nil
}

// start measures the rows in wait and starts the state: the sizes that steps depend on
// are those of these rows.
func (l *Learner) start() error {
	x, err := view.Preprocess(l.pending.matrix(l.problem.Cols), l.scale, l.center, l.problem.Threads)
	if err != nil {
		return err
	}
	if l.factor = x.Factor; l.factor != nil {
		l.moments = scaling.NewMoments(&matrix.Dense{Cols: l.problem.Cols}, 1)
	}
	l.problem.Squared, l.problem.Fourth = x.Sizes(l.problem.Threads)
	if !(l.problem.Fourth <= math.MaxFloat64) {
		return fmt.Errorf("found rows of the length %.3g, too large to be squared twice", math.Sqrt(l.problem.Squared))
	}
	if l.center {
		l.mean = make([]float64, l.problem.Cols)
	}
	l.begin()
	return nil
}

// begin starts the state, of which everything is known.
func (l *Learner) begin() {
	l.state = l.method.Start(l.problem)
	l.size, l.least = method.BlockOf(l.state), 0
	if s, ok := l.state.(method.Batched); ok {
		l.least = s.LeastRows()
	}
}

// learn gives the rows in wait to the state, by blocks: all of them, or those that fill
// blocks.
func (l *Learner) learn(all bool) {
	x := l.pending.matrix(l.problem.Cols)
	n, _ := x.Dims()
	lo := 0
	for ; n-lo >= l.size+l.least; lo += l.size {
		l.learnBlock(matrix.Part(x, lo, lo+l.size))
	}
	if all && lo < n {
		l.learnBlock(matrix.Part(x, lo, n))
		lo = n
	}
	var rest rowStore
	for i := lo; i < n; i++ {
		rest.add(x.Row(i))
	}
	l.pending = rest
}

// learnBlock gives a block of rows to the state.
func (l *Learner) learnBlock(rows matrix.Matrix) {
	if l.moments != nil {
		l.moments.Merge(scaling.NewMoments(rows, l.problem.Threads))
		l.rescale(l.currentFactor())
	}
	x := view.Rows{X: rows, Factor: l.factor}
	b, _ := x.Dims()
	if l.center {
		x.Offset = view.ColumnMeans(x.X, l.problem.Threads)
	}
	squared, _ := x.Sizes(l.problem.Threads)
	l.squares += float64(squared * float64(b))
	if l.center { // first, so that a method can learn both at once
		l.move(x.Offset, b)
	}
	l.state.Learn(x)
	l.learned += b
}

// move takes the mean of b more rows into that of all, and gives the state the row
// that stands for the move.
func (l *Learner) move(mean []float64, b int) {
	n := float64(l.learned)
	share := float64(b) / (n + float64(b))
	if n > 0 {
		away, weight := make([]float64, len(mean)), math.Sqrt(n*share)
		for j := range away {
			away[j] = weight * (mean[j] - l.mean[j])
		}
		zero := &matrix.CSR{Cols: len(mean), Start: []int64{0, 0}, Index: []uint32{}, Value: []float32{}}
		x := view.Rows{X: zero, Offset: away, Factor: l.factor}
		squared, _ := x.Sizes(l.problem.Threads)
		l.squares += squared
		l.state.Learn(x)
		l.extra++
	}
	for j := range l.mean {
		l.mean[j] += float64(share * (mean[j] - l.mean[j]))
	}
}

// Keep visits everything.
func (l *Learner) Keep(k *method.Kept) {
	k.Count("stream.taken", &l.taken)
	k.Count("stream.learned", &l.learned)
	k.Count("stream.extra", &l.extra)
	k.List("stream.factor", &l.factor)
	k.List("stream.mean", &l.mean)
	k.Number("stream.squares", &l.squares)
	l.keepMoments(k)
	k.Number("stream.squared", &l.problem.Squared)
	k.Number("stream.fourth", &l.problem.Fourth)
	d := l.problem.Cols
	k.Require(len(l.factor) == 0 || len(l.factor) == d, "state: found %d factors, expected %d", len(l.factor), d)
	k.Require(len(l.mean) == 0 || len(l.mean) == d, "state: found a mean of %d numbers, expected %d", len(l.mean), d)
	l.pending.keep(k, "stream.pending", d)
	l.held.keep(k, d)
	started := 0
	if l.state != nil {
		started = 1
	}
	k.Count("stream.started", &started)
	if k.Restoring() {
		if len(l.factor) == 0 {
			l.factor = nil
		}
		if l.mean = l.mean[:len(l.mean):len(l.mean)]; len(l.mean) == 0 {
			l.mean = nil
		}
		k.Require((l.mean != nil) == (l.center && started == 1), "state: found a mean of %d numbers for a stream that says otherwise", len(l.mean))
		if started == 1 && k.Restoring() {
			l.begin()
		}
	}
	if l.state != nil {
		l.state.Keep(k)
	}
}
