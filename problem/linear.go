package problem

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Linear is the problem of a linear predictor; see the package comment.
type Linear struct {
	*Rows
	Risk
	Penalty penalty.Penalty
	Shared  *Shared // with problems of other targets; nil: there are none
}

var (
	_ Problem = (*Linear)(nil)
	_ Bounded = (*Linear)(nil)
)

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
	if _, ok := p.(penalty.Nonnegative); ok && bias == Feature {
		return nil, errors.New("problem: the penalty keeps all weights at 0 or above, that of a constant feature too: expected the bias free or none")
	}
	if s, ok := p.(penalty.Shaped); ok {
		_, d := rows.X.Dims()
		if err := s.Fits(d); err != nil {
			return nil, err
		}
	}
	return &Linear{Rows: rows, Risk: *risk, Penalty: p}, nil
}

// Dims returns the number of rows and of features; the bias is not a feature.
func (p *Linear) Dims() (rows, cols int) { return p.X.Dims() }

// Penalised returns how many of the d+1 numbers of a point the penalty sees.
func (p *Linear) Penalised() int {
	_, d := p.Dims()
	return p.penalised(d)
}

// penalised is Penalised of points with d weights.
func (p *Risk) penalised(d int) int {
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

// Primal returns the objective at w (d+1 numbers) and a bound on the error of
// that computation.
func (p *Linear) Primal(w []float64) (value, bound float64) {
	if p.Bias == None && w[len(w)-1] != 0 {
		return math.Inf(1), 0
	}
	losses, bound := p.meanLoss(w)
	cost, costError := p.cost(w)
	return losses + cost, bound + float64(8*unit*losses) + costError
}

// meanLoss returns the average loss at w and the errors of the losses.
func (p *Linear) meanLoss(w []float64) (value, bound float64) {
	n, d := p.Dims()
	size := norm(w[:d])
	errs := make([]float64, blocksOf(n))
	value = sumBlocks(n, p.Threads, func(b, lo, hi int) (sum float64) {
		sum, errs[b] = p.losses(w, size, lo, hi)
		return sum
	}) / p.N
	return value, sumBound(errs) / p.N
}

// cost returns lambda Omega(w) and a bound on its error.
func (p *Linear) cost(w []float64) (value, bound float64) {
	d := len(w) - 1
	value = float64(p.Lambda * p.Penalty.Value(w[:p.penalised(d)]))
	bound = float64(penalty.Units(p.Penalty, d) * unit * value)
	if norm(w[:d]) > 0 || p.Constant()*w[d] != 0 { // nothing is lost of 0
		bound += float64(float64(d+8)*tiny*p.Lambda) + 8*tiny
	}
	return value, bound
}

// losses returns the sum of the weighted losses of the rows of a block, and of
// their errors. size is the norm of the weights.
func (p *Linear) losses(w []float64, size float64, lo, hi int) (sum, bound float64) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	prediction, reach := s[0][:hi-lo], s[3][:hi-lo]
	_, d := p.Dims()
	bias := w[d]
	matrix.Dots(prediction, p.X, lo, w[:d])
	p.lengths(reach, lo)
	for k := range prediction {
		prediction[k] += bias
		chain := reach[k] + 4
		reach[k] = float64(chain * unit * (float64(size*p.norm(lo+k, 0)) + math.Abs(bias)))
		if size > 0 {
			reach[k] += underflowOf(chain)
		}
		if size == 0 && bias == p.Y[lo+k] {
			reach[k] = 0 // the bias is the prediction
		}
	}
	return p.lossesOf(s, lo, hi)
}

// sumBlocks calls sum for all rows, in blocks, and adds up what it returns in
// the order of the blocks.
func sumBlocks(rows, threads int, sum func(block, lo, hi int) float64) float64 {
	sums := make([]float64, blocksOf(rows))
	parallel.Blocks(rows, blockRows, threads, func(block, lo, hi int) {
		sums[block] = sum(block, lo, hi)
	})
	var total vec.Sum
	for _, s := range sums {
		total.Add(s)
	}
	return total.Value()
}

// sumBound returns a bound on the sum of bounds of blocks, each of which is a
// plain sum of at most blockRows numbers >= 0.
func sumBound(bounds []float64) float64 {
	var total vec.Sum
	for _, b := range bounds {
		total.Add(b)
	}
	return float64(total.Value() * (1 + 4*blockRows*unit))
}
