package problem

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Linear is the problem of a linear predictor; see the package comment.
type Linear struct {
	*Rows
	Risk
	Penalty penalty.Penalty
}

var _ Problem = (*Linear)(nil)

// NewLinear checks shapes and parameters. weights == nil means that every row
// counts once; a weight of 2 is the same as the row twice.
func NewLinear(rows *Rows, targets, weights []float64, l loss.Loss, p penalty.Penalty, lambda float64, bias Bias) (*Linear, error) {
	n, threads := rows.size()
	risk, err := newConvexRisk(n, targets, weights, l, lambda, bias, threads)
	if err != nil {
		return nil, err
	}
	if err := rows.checkFinite(); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, errors.New("problem: found no penalty, expected one, such as penalty.L2{}")
	}
	return &Linear{Rows: rows, Risk: *risk, Penalty: p}, nil
}

// Dims returns the number of rows and of features; the bias is not a feature.
func (p *Linear) Dims() (rows, cols int) { return p.X.Dims() }

// Penalised returns how many of the d+1 numbers of a point the penalty sees.
func (p *Linear) Penalised() int {
	_, d := p.Dims()
	if p.Bias == Feature {
		return d + 1
	}
	return d
}

// Certify judges the point as the package comment says: the dual variables are
// clipped to the domain of the conjugates, balanced if the bias is free, and
// scaled into the domain of the penalty's conjugate; then both values are
// computed, and a bound on all rounding errors is taken off the dual.
//
// Where the penalty is a ball, a point outside of it stands for itself scaled into it.
//
// Where the problem has no bias, a point that has one is outside of it: its
// primal is infinite, and a warning says why.
func (p *Linear) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	pt.W = p.Inside(pt.W)
	primal, primalError := p.Primal(pt.W)
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero(), Rounding: primalError}
	c.without(p.Bias, pt.W[len(pt.W)-1])
	if pt.A == nil {
		return c
	}
	c.below(p.Dual(pt.A))
	return c
}
