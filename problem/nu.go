package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Nu is the problem of a kernel machine that is told by a share nu of rows where
// its margin or tube lies, and not by a distance (Schoelkopf et al. 2000, 2001).
// With f = K beta and |w|^2 = beta^T K beta, over beta, b and rho or epsilon >= 0:
//
//	one class       |w|^2/2 - rho + 1/(nu N) sum_i s_i max(0, rho - f_i),   rho = -b
//	classification  |w|^2/2 - nu rho + (1/N) sum_i s_i max(0, rho - y_i (f_i + b))
//	regression      lambda |w|^2/2 + nu epsilon + (1/N) sum_i s_i max(0, |y_i - f_i - b| - epsilon)
//
// At the optimum the rows beyond the margin, or outside of the tube, weigh at most
// nu N, and those not strictly on its good side at least nu N. The dual of all
// three has parts x+ and x- of the coefficients, up and down, with a sum for each,
//
//	D(x) = sum_i t_i (x+_i - x-_i) - lambda/2 beta^T K beta,   beta = (x+ - x-)/lambda,
//	0 <= x_i <= cap_i,   sum_i x_i = mass   on either side
//
// where t are the targets of a regression, and else 0. It belongs to one level for
// each side, rho+ = rho - b and rho- = rho + b with rho = -epsilon in a regression:
//
//	P = lambda |w|^2/2 + sum over sides of (-mass rho + sum_i cap_i max(0, rho +- (t_i - f_i))).
//
// Points have n coefficients and b as weights; what is best for them is chosen as
// rho or epsilon, see [Nu.Level]. Dual variables are as everywhere, beta = -s.a/(lambda
// N), so that x+ - x- = -s.a/N.
type Nu struct {
	*gram.Gram
	Targets []float64 // targets of a regression; else 0
	Sides   [2]side   // up and down
	S       []float64 // row weights
	N       float64   // their sum
	Nu      float64
	Lambda  float64

	tube bool // the sums may be less than the masses, if they are equal
	zero float64
}

// side is one part of the coefficients of [Nu].
type side struct {
	Cap  []float64 // upper bound of every dual variable; 0: the row does not take part
	Mass float64   // what the parts add up to
}

var (
	_ Problem       = (*Nu)(nil)
	_ Interruptible = (*Nu)(nil)
)

// NewNuClassification checks shapes and parameters: no class may have less than
// half of nu. Its targets are -1 and +1; weights nil: every row counts once.
//
// If nu is less than the share of rows that any classifier of this kernel leaves on
// the wrong side, the optimum is w = 0 with the value 0, and a relative gap is never
// reached; nearly so with kernels that can separate anything by a tiny margin.
func NewNuClassification(gram *gram.Gram, targets, weights []float64, nu float64) (*Nu, error) {
	p, err := newNu(gram, weights, nu, 1)
	if err != nil {
		return nil, err
	}
	if len(targets) != gram.Len() {
		return nil, fmt.Errorf("problem: found %s, expected one for each of %s", registry.Count(len(targets), "target"), registry.Count(gram.Len(), "row"))
	}
	var weight [2]vec.Sum
	for i, y := range targets {
		side := 0
		if y == -1 {
			side = 1
		} else if y != 1 {
			return nil, dataError("row %d: target %g, expected -1 or +1 for classification", i+1, y)
		}
		p.Sides[side].Cap[i] = p.S[i] / p.N
		weight[side].Add(p.S[i])
	}
	most := 2 * min(weight[0].Value(), weight[1].Value()) / p.N
	if nu > most {
		return nil, fmt.Errorf("problem: nu=%g: expected at most %g, as the smaller class has half of that share of the rows", nu, most)
	}
	p.Sides[0].Mass, p.Sides[1].Mass = nu/2, nu/2
	return p, p.scaled()
}

// NewNuRegression checks shapes and parameters.
func NewNuRegression(gram *gram.Gram, targets, weights []float64, nu, lambda float64) (*Nu, error) {
	if !(lambda >= leastLambda && lambda <= mostLambda) {
		return nil, fmt.Errorf("problem: lambda=%g: expected a number from %g to %g", lambda, leastLambda, mostLambda)
	}
	p, err := newNu(gram, weights, nu, lambda)
	if err != nil {
		return nil, err
	}
	if len(targets) != gram.Len() {
		return nil, fmt.Errorf("problem: found %s, expected one for each of %s", registry.Count(len(targets), "target"), registry.Count(gram.Len(), "row"))
	}
	for i, y := range targets {
		if y-y != 0 {
			return nil, dataError("row %d: target %g, expected a finite number", i+1, y)
		}
		p.Sides[0].Cap[i] = p.S[i] / p.N
	}
	p.Targets, p.tube = targets, true
	p.Sides[1].Cap = p.Sides[0].Cap
	p.Sides[0].Mass, p.Sides[1].Mass = nu/2, nu/2
	return p, p.scaled()
}

// newNu checks what all three have in common.
func newNu(gram *gram.Gram, weights []float64, nu, lambda float64) (*Nu, error) {
	n := gram.Len()
	if n == 0 {
		return nil, errors.New("problem: found no rows, expected at least one")
	}
	if !(nu >= least && nu <= 1) {
		return nil, fmt.Errorf("problem: nu=%g: expected a number > 0 and at most 1, not below %g", nu, least)
	}
	if weights == nil {
		weights = slices.Repeat([]float64{1}, n)
	}
	if len(weights) != n {
		return nil, fmt.Errorf("problem: found %s, expected one for each of %s", registry.Count(len(weights), "row weight"), registry.Count(n, "row"))
	}
	p := &Nu{Gram: gram, S: weights, Nu: nu, Lambda: lambda, Targets: make([]float64, n)}
	for side := range p.Sides {
		p.Sides[side].Cap = make([]float64, n)
	}
	var sum vec.Sum
	for i, s := range weights {
		if !(s >= least && s <= most) {
			return nil, dataError("row %d: weight %g, expected a number from %g to %g", i+1, s, least, most)
		}
		sum.Add(s)
	}
	p.N = sum.Value()
	return p, nil
}

// scaled sets what the size of the objective is measured by: its value for the
// zero point, or where that is 0 the least that the optimal value could be. It refuses
// a size that cannot be computed with.
func (p *Nu) scaled() error {
	n := p.Len()
	if p.zero, _ = p.primal(response{value: make([]float64, n), error: make([]float64, n)}, 0); p.zero == 0 {
		p.zero = -p.Lambda / 2 * p.norm() * p.norm()
	}
	if size := math.Abs(p.zero); size != 0 && size < leastObjective || size > math.MaxFloat64 {
		return dataError("the objective is of the size %g: expected a number from %g to %g, as others underflow or overflow: multiply the targets or features by another number", size, leastObjective, math.MaxFloat64)
	}
	return nil
}

// norm is a bound on |w| at the optimum, where no part exceeds its mass.
func (p *Nu) norm() float64 {
	return (p.Sides[0].Mass + p.Sides[1].Mass) / p.Lambda * math.Sqrt(p.largest()) * (1 + 8*unit)
}

// largest is a bound on k(x,x) for all rows.
func (p *Nu) largest() float64 {
	diagonal, squared := 0.0, 0.0
	for i, k := range p.Diagonal {
		diagonal, squared = max(diagonal, math.Abs(k)), max(squared, p.SquaredNorm[i])
	}
	return diagonal + p.Kernel.Error(p.Terms, squared, squared)
}

// Dims returns the number of rows twice: each gives the predictor a coefficient.
func (p *Nu) Dims() (rows, cols int) { return p.Len(), p.Len() }

// OneClass reports whether there are no targets at all.
func (p *Nu) OneClass() bool { return p.Sides[1].Mass == 0 }

// Tube reports whether this is a regression.
func (p *Nu) Tube() bool { return p.tube }

// Zero returns what sets the scale of the objective.
func (p *Nu) Zero() float64 { return p.zero }

// Weights sets dst, n+1 numbers, to the coefficients that belong to dual variables,
// after these are clipped and made to have the right sums as Certify does it. The
// last number, the bias, is left as it is.
func (p *Nu) Weights(dst, a []float64) {
	p.feasible(dst[:p.Len()], a)
	for i := range p.Len() {
		dst[i] /= p.Lambda
	}
}

// feasible sets v = x+ - x- for dual variables. Rows that have parts on both sides,
// those of a regression, use one of them. It returns by how much the sums of
// both sides are off, together.
func (p *Nu) feasible(v, a []float64) (off float64) {
	for i, a := range a {
		x := -p.S[i] * a / p.N
		if math.IsNaN(x) {
			x = 0
		}
		v[i] = min(max(x, -p.Sides[1].Cap[i]), p.Sides[0].Cap[i])
	}
	target := [2]float64{p.Sides[0].Mass, p.Sides[1].Mass}
	if p.tube {
		most := min(target[0], p.sum(v, 0), p.sum(v, 1))
		target = [2]float64{most, most}
	}
	for side, mass := range target {
		p.repair(v, side, mass)
		off += math.Abs(p.sum(v, side)-mass) + float64(16*unit*mass) + 4*tiny
	}
	return off
}

// sign is that of the coefficients of a side.
func sign(side int) float64 { return float64(1 - 2*side) }

// sum returns the sum of the parts of a side.
func (p *Nu) sum(v []float64, side int) float64 {
	var sum vec.Sum
	for _, x := range v {
		sum.Add(max(0, sign(side)*x))
	}
	return sum.Value()
}

// repair makes the parts of a side add up to mass, up to rounding: it shrinks them
// all, or lifts them all towards their caps, those that are 0 only if the others
// have not enough room, and more is missing than rounding takes: it gives no row a
// coefficient.
func (p *Nu) repair(v []float64, side int, mass float64) {
	sum := p.sum(v, side)
	missing := mass - sum
	if missing == 0 {
		return
	}
	least := math.SmallestNonzeroFloat64
	room := p.room(v, side, least)
	if room < missing {
		if missing <= 1e-13*mass { // all are at their caps: feasible counts what rounding took
			return
		}
		least = 0
		room = p.room(v, side, least)
	}
	lift := min(1, missing/room)
	for i, x := range v {
		x, c := x*sign(side), p.Sides[side].Cap[i]
		switch {
		case missing < 0 && x > 0:
			v[i] = sign(side) * (x * (mass / sum))
		case missing > 0 && c > 0 && x >= least:
			v[i] = sign(side) * min(c, x+float64(lift*(c-x)))
		}
	}
}

// room returns how far the parts of a side that are at least that large are below
// their caps, together.
func (p *Nu) room(v []float64, side int, least float64) float64 {
	var room vec.Sum
	for i, x := range v {
		if x *= sign(side); x >= least {
			room.Add(max(0, p.Sides[side].Cap[i]-x))
		}
	}
	return room.Value()
}

// NewOneClass makes the problem of finding the smallest half-space of the images
// of the rows that holds nearly all of them (Schoelkopf et al. 2001):
//
//	min  |w|^2/2 - rho + 1/(nu N) sum_i s_i max(0, rho - <w,Phi(x_i)>)
//	max  -alpha^T K alpha/2   where 0 <= alpha_i <= s_i/(nu N), sum_i alpha_i = 1
//
// A row is an outlier where the prediction sum_j beta_j k(x_j,x) + b is negative,
// with b = -rho and beta = alpha. Its primal value is that of the point's own b.
// weights nil: every row counts once.
func NewOneClass(gram *gram.Gram, weights []float64, nu float64) (*Nu, error) {
	p, err := newNu(gram, weights, nu, 1)
	if err != nil {
		return nil, err
	}
	for i, s := range p.S {
		p.Sides[0].Cap[i] = s / (nu * p.N)
	}
	p.Sides[0].Mass = 1
	return p, p.scaled()
}
