package problem

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

// NewJointNumbers is NewJoint of several targets that are numbers, with one loss of each prediction: the sum of these
// over the targets, and a penalty of all weights together, which alone makes it one problem.
func NewJointNumbers(rows *Rows, y [][]float64, weights []float64, l loss.Loss, p penalty.Penalty, lambda float64, bias Bias) (*Joint, error) {
	n, threads := rows.size()
	if len(y) < 2 {
		return nil, dataError("found %d targets, expected at least two", len(y))
	}
	risk := JointRisk{Y: make([]uint32, n), Classes: len(y), Lambda: lambda, Bias: bias, threads: threads}
	for c, targets := range y {
		one, err := newConvexRisk(n, targets, weights, l, lambda, bias, threads)
		if err != nil {
			return nil, fmt.Errorf("target %d: %w", c+1, err)
		}
		risk.Numbers, risk.S, risk.N = append(risk.Numbers, one), one.S, one.N
		risk.zero += one.zero
	}
	if err := rows.checkFinite(); err != nil {
		return nil, err
	}
	return newJointOf(rows, risk, p)
}

// Smoothness is that of the loss.
func (p *JointRisk) Smoothness() float64 {
	if p.Numbers != nil {
		return p.Numbers[0].Loss.Smoothness()
	}
	return p.Loss.Smoothness()
}

// ValueSlope returns the loss of row i at predictions, and sets dst, which may be these, to its derivative.
func (p *JointRisk) ValueSlope(dst, predictions []float64, i int) (value float64) {
	if p.Numbers == nil {
		return joint.ValueSlope(p.Loss, dst, predictions, int(p.Y[i]))
	}
	for c, one := range p.Numbers {
		x, y := predictions[c], one.Y[i]
		value += one.Loss.Value(x, y)
		dst[c] = one.Loss.Derivative(x, y)
	}
	return value
}

// column copies a column of n x K numbers.
func (p *JointRisk) column(dst, all []float64, c int) []float64 {
	for i := range dst {
		dst[i] = all[i*p.Classes+c]
	}
	return dst
}

// feasibleNumbers is feasible target by target.
func (p *JointRisk) feasibleNumbers(v, a []float64) {
	parallel.Each(p.Classes, p.threads, func(_, c int) {
		own, from := make([]float64, len(p.Y)), p.column(make([]float64, len(p.Y)), a, c)
		p.Numbers[c].feasible(own, from)
		for i, x := range own {
			v[i*p.Classes+c] = x
		}
	})
}

// conjugateNumbers is conjugates, the sum over the targets.
func (p *JointRisk) conjugateNumbers(v []float64, scale float64) (value, bound float64) {
	own := make([]float64, len(p.Y))
	for c, one := range p.Numbers {
		x, err := one.conjugates(p.column(own, v, c), scale)
		value += x
		bound += err + float64(float64(2*p.Classes)*unit*math.Abs(x))
	}
	return value, bound
}

// lossesOfNumbers is lossesOf, the sum over the targets.
func (p *JointRisk) lossesOfNumbers(predictions, reach []float64, lo, hi int) (sum, bound float64) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for c, one := range p.Numbers {
		p.column(s[0][:hi-lo], predictions, c)
		copy(s[3][:], reach[:hi-lo])
		x, err := one.lossesOf(s, lo, hi)
		sum += x
		bound += err + float64(float64(2*p.Classes)*unit*x)
	}
	return sum, bound
}

// bestNumbers is BestBiases target by target.
func (p *JointRisk) bestNumbers(b, m []float64) {
	parallel.Each(p.Classes, p.threads, func(_, c int) {
		var own []float64
		if m != nil {
			own = p.column(make([]float64, len(p.Y)), m, c)
		}
		b[c] = p.Numbers[c].BestBias(own, b[c], 1e-12)
	})
}
