// Package batch holds deterministic methods for linear predictors, whose every step sees all rows:
// L-BFGS, and proximal gradient with and without acceleration. It imports packages problem and
// penalty and what is above them.
//
// A stranger begins with objective.go, the smooth part of the objective, of which all of them take
// values and gradients; then one file is one method.
package batch

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// risk is the mean loss as a function of weights and biases, for methods that follow gradients.
type risk interface {
	// Value returns the mean loss at predictions m + t along, and its derivative by t; along may
	// be nil. It leaves the slopes of the rows behind, of which gradient makes that of the weights.
	Value(m []float64, t float64, along []float64) (value, derivative float64)
	gradient(dst []float64)
	dual(m []float64) []float64 // the slopes at predictions
	predict(dst, w []float64)
	smoothness() float64 // bounds that of the mean loss
	best(w, m []float64) (slopes []float64)
}

var _ risk = (*objective)(nil)

// An objective is the mean loss as a function of d+1 numbers, the last of which is the bias.
type objective struct {
	p *problem.Linear
	*parts.MeanLoss
}

func newObjective(p *problem.Linear) *objective {
	return &objective{p, parts.NewMeanLoss(&p.Risk, p.Threads)}
}

// predict sets dst to the predictions of weights.
func (o *objective) predict(dst, w []float64) { o.p.Predict(dst, w) }

// gradient writes that of the mean loss for the slopes that value left.
func (o *objective) gradient(dst []float64) {
	weighted := make([]float64, len(o.Slope))
	for i, g := range o.Slope {
		weighted[i] = o.p.S[i] * g / o.p.N
	}
	o.p.CombineTo(dst, weighted)
	if o.p.Bias == problem.None {
		dst[len(dst)-1] = 0
	}
}

// smoothness bounds that of the mean loss: the mean of the squared norms, with the bias.
func (o *objective) smoothness() float64 {
	return o.p.Loss.Smoothness() * meanNorm(o.p.SquaredNorm, o.p.S, o.p.N, o.p.Bias)
}

// meanNorm is the mean of the squared norms of rows of these weights, which add up to n.
func meanNorm(squares, weights []float64, n float64, bias problem.Bias) float64 {
	sum := 0.0
	for i, length := range squares {
		if bias != problem.None {
			length++
		}
		sum += float64(weights[i] * length)
	}
	return sum / n
}

// best moves a bias that is free to where it is best for the weights, and returns the slopes there, and the predictions
// in m.
func (o *objective) best(w, m []float64) (slopes []float64) {
	if d := len(w) - 1; o.p.Bias == problem.Free {
		b := w[d]
		w[d] = 0
		o.p.Predict(m, w)
		w[d] = o.p.BestBias(m, b, 1e-12)
	}
	o.p.Predict(m, w)
	return o.dual(m)
}

// dual returns the slopes at predictions m: the dual variables of a point.
func (o *objective) dual(m []float64) []float64 {
	o.Value(m, 0, nil)
	return append([]float64(nil), o.Slope...)
}

// begin returns the weights of a warm start, or zeros with the best bias.
func begin(p *problem.Linear, from *problem.Point) []float64 {
	_, d := p.Dims()
	w := make([]float64, d+1)
	switch {
	case from != nil && len(from.W) == d+1:
		copy(w, from.W)
	case p.Bias == problem.Free:
		w[d] = p.BestBias(nil, 0, 1e-6)
	}
	if p.Bias == problem.None {
		w[d] = 0
	}
	return w
}

// smooth refuses losses with corners, and those whose curvature has no bound.
func smooth(name string, l loss.Loss) error {
	if math.IsInf(l.Smoothness(), 1) {
		return fmt.Errorf("solver %s needs a smooth loss such as huber-hinge, squared-hinge, logistic or squared, which %s is not", name, loss.Name(l))
	}
	return nil
}
