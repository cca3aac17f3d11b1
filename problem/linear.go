package problem

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
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
	total, err := checkRows(targets, weights, l)
	if err != nil {
		return nil, err
	}
	zero := vec.Sum{}
	for i, y := range targets {
		zero.Add(weights[i] * l.Value(0, y))
	}
	return &Linear{Rows: rows, Y: targets, S: weights, N: total, Loss: l, Penalty: p, Lambda: lambda, Bias: bias,
		zero: zero.Value() / total}, nil
}

// checkRows returns the sum of the weights, or the first row that no objective
// can be made of.
func checkRows(targets, weights []float64, l loss.Loss) (total float64, err error) {
	_, margin := l.(loss.Margin)
	var sum vec.Sum
	for i, y := range targets {
		if margin && y != 1 && y != -1 {
			return 0, fmt.Errorf("problem: row %d: target %g, expected -1 or +1 for this loss", i+1, y)
		}
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return 0, fmt.Errorf("problem: row %d: target %g, expected a finite number", i+1, y)
		}
		// The bounds on rounding errors are relative: nothing may underflow.
		if s := weights[i]; !(s >= 1e-150) || math.IsInf(s, 1) {
			return 0, fmt.Errorf("problem: row %d: weight %g, expected a number > 0", i+1, s)
		}
		sum.Add(weights[i])
	}
	return sum.Value(), nil
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

// Primal returns the objective at w (d+1 numbers) and a bound on the error of
// that computation.
func (p *Linear) Primal(w []float64) (value, bound float64) {
	n, d := p.Dims()
	if p.Bias == None && w[d] != 0 {
		return math.Inf(1), 0
	}
	size := math.Sqrt(vec.SquaredNorm64(w[:d]))
	sums, errs := make([]vec.Sum, blocksOf(n)), make([]vec.Sum, blocksOf(n))
	matrix.Blocks(n, blockRows, p.Threads, func(b, lo, hi int) {
		for i := lo; i < hi; i++ {
			x := p.X.Row(i)
			y, prediction := p.Y[i], x.Dot(w[:d])+w[d]
			v := p.Loss.Value(prediction, y)
			sums[b].Add(p.S[i] * v)

			// The prediction is off by e at most, the loss then by e times its
			// slope near there; its own evaluation is good to 16 roundings. It
			// rounds p-y too, perhaps onto the flat side of a kink, so the slope
			// is looked for as far as that rounding reaches, where it is steepest.
			e := float64(float64(x.Nonzeros()+4) * unit * (float64(size*p.norm(i, 0)) + math.Abs(w[d])))
			reach := e + float64(4*unit*math.Abs(y))
			g := max(math.Abs(p.Loss.Derivative(prediction-reach, y)), math.Abs(p.Loss.Derivative(prediction+reach, y)))
			errs[b].Add(p.S[i] * (float64(g*e) + float64(16*unit*(v+float64(g*(math.Abs(prediction)+math.Abs(y)))))))
		}
	})
	losses, lossError := total(sums)/p.N, total(errs)/p.N
	cost := float64(p.Lambda * p.Penalty.Value(w[:p.Penalised()]))
	return losses + cost, lossError + float64(8*unit*losses) + float64(float64(d+8)*unit*cost)
}

// Dual returns the dual objective at the feasible point made of a, and a bound
// on the error of that computation. a itself is not changed.
func (p *Linear) Dual(a []float64) (value, bound float64) {
	v := p.feasible(a)
	u, chain := p.Combine(v)
	n, _ := p.Dims()

	var magnitude vec.Sum // bounds the norm of sum_i |v_i||x_i|
	for i := range n {
		if v[i] != 0 {
			magnitude.Add(math.Abs(v[i]) * p.norm(i, p.Constant()))
		}
	}
	factor := -1 / (p.Lambda * p.N)
	u = u[:p.Penalised()]
	for j := range u {
		u[j] *= factor
	}
	uError := float64(float64(chain+8) * unit * magnitude.Value() * -factor) // in norm, so in every place

	scale, conjugate := p.Penalty.Conjugate(u)
	strong := p.Penalty.StrongConvexity()
	penaltyError := float64(float64(len(u)+8) * unit * conjugate)
	if strong > 0 {
		uSize := math.Sqrt(vec.SquaredNorm64(u))
		uError += float64(4 * unit * uSize)
		penaltyError += float64((uSize + uError) * uError / strong)
	} else {
		// The conjugate is finite on a box only: leave room for the error of u.
		scale /= (1 + float64(scale*uError)) * (1 + 8*unit)
	}
	conjugates, conjugateError := p.conjugates(v, scale)
	value = -conjugates - float64(p.Lambda*conjugate)
	return value, conjugateError + float64(p.Lambda*penaltyError) + float64(4*unit*math.Abs(value))
}

// feasible returns v_i = s_i a_i for dual variables clipped to their domain
// and, if the bias is free, balanced: the sum of v is then exactly 0.
func (p *Linear) feasible(a []float64) []float64 {
	v := make([]float64, len(a))
	for i, x := range a {
		lo, hi := p.Loss.Domain(p.Y[i])
		if x = min(max(x, lo), hi); !math.IsNaN(x) {
			v[i] = p.S[i] * x
			// A balanced dual point is v itself, so it must not have been
			// rounded away from zero, out of the domain.
			if p.Bias == Free && math.FMA(p.S[i], x, -v[i])*v[i] < 0 {
				v[i] = math.Nextafter(v[i], 0)
			}
		}
	}
	if p.Bias == Free {
		balance(v)
	}
	return v
}

// conjugates returns (1/N) sum_i s_i l_i*(scale v_i / s_i) and its error.
func (p *Linear) conjugates(v []float64, scale float64) (value, bound float64) {
	n := len(v)
	sums, errs := make([]vec.Sum, blocksOf(n)), make([]vec.Sum, blocksOf(n))
	matrix.Blocks(n, blockRows, p.Threads, func(b, lo, hi int) {
		for i := lo; i < hi; i++ {
			y := p.Y[i]
			from, to := p.Loss.Domain(y)
			a := min(max(scale*(v[i]/p.S[i]), from), to)
			c := p.Loss.Conjugate(a, y)
			sums[b].Add(p.S[i] * c)
			errs[b].Add(p.S[i] * 64 * unit * (math.Abs(c) + float64(math.Abs(a)*(1+math.Abs(a)+math.Abs(y)))))
		}
	})
	return total(sums) / p.N, total(errs) / p.N
}

func blocksOf(n int) int { return (n + blockRows - 1) / blockRows }

// total adds the sums in their order.
func total(sums []vec.Sum) float64 {
	var t vec.Sum
	for i := range sums {
		t.Add(sums[i].Value())
	}
	return t.Value()
}
