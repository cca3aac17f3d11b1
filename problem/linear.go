package problem

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/vec"
)

// Linear is the problem of a linear predictor; see the package comment.
type Linear struct {
	*Rows
	Y       []float64 // n targets
	S       []float64 // n row weights
	N       float64   // their sum
	Loss    loss.Loss
	Penalty penalty.Penalty
	Lambda  float64
	Bias    Bias

	zero float64 // the objective of the zero point
}

var _ Problem = (*Linear)(nil)

// NewLinear checks shapes and parameters. weights == nil means that every row
// counts once; a weight of 2 is the same as the row twice.
func NewLinear(rows *Rows, targets, weights []float64, l loss.Loss, p penalty.Penalty, lambda float64, bias Bias) (*Linear, error) {
	n, _ := rows.X.Dims()
	if n == 0 {
		return nil, errors.New("problem: found no rows, expected at least one")
	}
	if len(targets) != n {
		return nil, fmt.Errorf("problem: found %d targets, expected one for each of %d rows", len(targets), n)
	}
	if weights == nil {
		weights = make([]float64, n)
		for i := range weights {
			weights[i] = 1
		}
	}
	if len(weights) != n {
		return nil, fmt.Errorf("problem: found %d row weights, expected one for each of %d rows", len(weights), n)
	}
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		return nil, fmt.Errorf("problem: lambda=%g: expected a number > 0", lambda)
	}
	total, err := checkRows(targets, weights, l, rows.Threads)
	if err != nil {
		return nil, err
	}
	linear := &Linear{Rows: rows, Y: targets, S: weights, N: total, Loss: l, Penalty: p, Lambda: lambda, Bias: bias}
	linear.zero = linear.atZero()
	return linear, nil
}

// checkRows returns the sum of the weights, or the first row that no objective
// can be made of.
func checkRows(targets, weights []float64, l loss.Loss, threads int) (total float64, err error) {
	_, margin := l.(loss.Margin)
	errs := make([]error, blocksOf(len(targets)))
	total = sumBlocks(len(targets), threads, func(b, lo, hi int) float64 {
		var sum vec.Sum
		for i := lo; i < hi; i++ {
			y, s := targets[i], weights[i]
			switch {
			case margin && y != 1 && y != -1:
				errs[b] = fmt.Errorf("problem: row %d: target %g, expected -1 or +1 for this loss", i+1, y)
			case y-y != 0:
				errs[b] = fmt.Errorf("problem: row %d: target %g, expected a finite number", i+1, y)
			// The bounds on rounding errors are relative: nothing may underflow.
			case !(s >= 1e-150 && s <= math.MaxFloat64):
				errs[b] = fmt.Errorf("problem: row %d: weight %g, expected a number > 0", i+1, s)
			default:
				sum.Add(s)
				continue
			}
			return 0
		}
		return sum.Value()
	})
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return 0, fmt.Errorf("problem: the row weights add up to %g, expected a finite number", total)
	}
	return total, nil
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

// Constant is the squared value of the constant column that the penalty sees.
func (p *Linear) Constant() float64 {
	if p.Bias == Feature {
		return 1
	}
	return 0
}

// unit is the largest relative error of one rounding.
const unit = 0x1p-53

// Certify judges the point as the package comment says: the dual variables are
// clipped to the domain of the conjugates, balanced if the bias is free, and
// scaled into the domain of the penalty's conjugate; then both values are
// computed, and a bound on all rounding errors is taken off the dual.
//
// Where the problem has no bias, a point that has one is outside of it: its
// primal is infinite, and a warning says why.
func (p *Linear) Certify(pt Point) Certificate {
	primal, primalError := p.Primal(pt.W)
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero()}
	if b := pt.W[len(pt.W)-1]; p.Bias == None && b != 0 {
		c.Warnings = append(c.Warnings, fmt.Errorf("the point has the bias %g, but the problem has none", b))
	}
	if pt.A == nil {
		return c
	}
	dual, dualError := p.Dual(pt.A)
	if d := dual - (dualError + primalError); !math.IsNaN(d) && !math.IsInf(d, 1) {
		c.Dual = d
	}
	return c
}

// Zero returns the objective of the zero point.
func (p *Linear) Zero() float64 { return p.zero }
