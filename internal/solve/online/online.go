// Package online learns a linear predictor from rows that it sees once, in memory that does not grow with their number.
// It imports loss and matrix, and knows no model and no file. Begin with [Learner]; what a run goes on from is a [State].
package online

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Learner makes one step of adaptive, normalised and invariant gradient descent for each row, as Vowpal Wabbit does by
// default:
//
//	problem    few mistakes on rows to come, of p = <w,x> + b: there is no objective, and no bound
//	symbols    g = l'(p,y);  for each feature s_j, the sum of (g x_j)^2, and n_j, the largest |x_j| so far;
//	           N, the sum of x_j^2/n_j^2 over the features of all rows, and t, how many rows these are
//	update     where |x_j| > n_j:  w_j *= n_j/|x_j|,  n_j = |x_j|
//	           s_j += g^2 x_j^2,  r_j = 1/(sqrt(s_j) n_j),  m = sqrt(t/N),  q = m sum_j x_j^2 r_j
//	           w_j += Flow(p, y, rate q)/q m x_j r_j
//	returns    the last weights
//	cost       O(nonzeros) a row, 24 bytes a feature
//	sources    adaptive: Duchi, Hazan and Singer 2011; McMahan and Streeter 2010. Normalised: Ross, Mineiro and Langford
//	           2013, algorithm 2 (NAG). Invariant: Karampatziakis and Langford 2011, whose closed forms are Flow of [loss.Flowing]
//
// The bias is the weight of a constant feature. A row of no loss moves nothing and is not counted in t. Predictions are
// kept between the least and the largest target so far, 0 among them, or within 50 where they are log-odds. A factor of
// the loss changes neither predictions nor steps: s_j has it too.
type Learner struct {
	loss     loss.Flowing
	unit     float64   // of losses that are reported: of (p-y)^2, not half of it
	feature  []feature // the last is the constant
	sums     Sums
	odds     bool     // predictions are log-odds, within bounds of their own
	all      []uint32 // the columns of a dense row
	rates    []float64
	constant feature
}

// A feature is a weight and what its steps depend on.
type feature struct {
	weight, squares float64
	scale           float32
}

// Rate is the length of steps, Vowpal Wabbit's learning rate.
const Rate = 0.5

// MostTarget bounds targets, so that no square of a loss overflows.
const MostTarget = 1e60

// mostOdds is how far predictions that are log-odds go.
const mostOdds = 50

// negligible is below what a rate is taken from: its inverse would overflow.
const negligible = 0x1p-500

// NewLearner begins at weights 0, for rows of so many columns.
func NewLearner(l loss.Loss, cols int) (*Learner, error) {
	f, ok := l.(loss.Flowing)
	if !ok {
		return nil, errors.New("found a loss whose gradient flow is not known, expected squared, logistic, hinge, absolute or quantile")
	}
	if cols < 1 || int64(cols) >= math.MaxUint32 {
		return nil, fmt.Errorf("found %d features, expected 1 to 2^32-2", cols)
	}
	n := &Learner{loss: f, unit: 1, feature: make([]feature, cols)}
	if loss.IsQuadratic(l) {
		n.unit = 2
	}
	if _, n.odds = l.(loss.Probabilistic); n.odds {
		n.sums.Least, n.sums.Most = -mostOdds, mostOdds
	}
	return n, nil
}

// Cols returns the number of columns of rows.
func (n *Learner) Cols() int { return len(n.feature) }

// Sums returns what is known of the rows so far. It is valid until the next row.
func (n *Learner) Sums() *Sums { return &n.sums }

// Learn judges the prediction for a row, which it returns with its loss, and then learns from the row. Of classes y is -1 or +1.
func (n *Learner) Learn(x matrix.Vector, y float64) (p, value float64) {
	if !n.odds {
		n.sums.Least, n.sums.Most = min(n.sums.Least, y), max(n.sums.Most, y)
	}
	index := n.columns(x)
	p = n.predict(index, x.Value)
	value = float64(n.unit * n.loss.Value(p, y))
	n.sums.add(value)
	if g := n.loss.Derivative(p, y); value > 0 && g != 0 {
		n.step(index, x.Value, p, y, float64(g*g))
	}
	return p, value
}

// Judge returns the loss of the prediction for a row, and counts it among rows held out.
func (n *Learner) Judge(x matrix.Vector, y float64) float64 {
	value := float64(n.unit * n.loss.Value(n.predict(n.columns(x), x.Value), y))
	if n.sums.Held == nil {
		n.sums.Held = &Sum{}
	}
	n.sums.Held.add(value)
	return value
}

// columns returns the columns of the values of a row.
func (n *Learner) columns(x matrix.Vector) []uint32 {
	if x.Index != nil {
		return x.Index
	}
	for j := len(n.all); j < len(x.Value); j++ {
		n.all = append(n.all, uint32(j))
	}
	return n.all[:len(x.Value)]
}

func (n *Learner) predict(index []uint32, value []float32) float64 {
	p := 0.0
	for k, j := range index {
		p += float64(n.feature[j].weight * float64(value[k]))
	}
	return min(max(p+n.constant.weight, n.sums.Least), n.sums.Most)
}

// step moves the weights of the features of a row.
func (n *Learner) step(index []uint32, value []float32, p, y, squares float64) {
	if len(n.rates) < len(index) {
		n.rates = make([]float64, len(index)+len(index)/4)
	}
	rates, norm, pull := n.rates[:len(index)], 0.0, 0.0
	for k, j := range index {
		rates[k] = n.feature[j].see(value[k], squares, &norm, &pull)
	}
	last := n.constant.see(1, squares, &norm, &pull)
	n.sums.Steps++
	n.sums.Norm += norm
	m := math.Sqrt(float64(n.sums.Steps) / n.sums.Norm)
	q := float64(m * pull)
	if !(q > negligible) {
		return
	}
	move := float64(n.loss.Flow(p, y, Rate*q) / q * m)
	for k, j := range index {
		n.feature[j].weight += float64(move * float64(float64(value[k])*rates[k]))
	}
	n.constant.weight += float64(move * last)
}

// see takes a value of the feature into account, and returns its rate; it adds to the norm of the row, and to how far a step
// of 1 moves the prediction.
func (f *feature) see(v float32, squares float64, norm, pull *float64) (rate float64) {
	if v == 0 {
		return 0
	}
	if v < 0 {
		v = -v
	}
	if v > f.scale {
		if f.scale > 0 {
			f.weight *= float64(f.scale) / float64(v)
		}
		f.scale = v
	}
	x, scale := float64(v), float64(f.scale)
	share := x / scale
	*norm += float64(share * share)
	f.squares += float64(float64(squares*x) * x)
	if size := float64(math.Sqrt(f.squares) * scale); size > negligible {
		rate = 1 / size
	}
	*pull += float64(float64(x*rate) * x)
	return rate
}
