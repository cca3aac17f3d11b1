package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
)

// Risk is the part of a problem that sees predictions only: the average loss
// over the rows, and its conjugate. It knows nothing of what predicts.
type Risk struct {
	Y      []float64 // n targets
	S      []float64 // n row weights
	N      float64   // their sum
	Loss   loss.Loss
	Lambda float64 // weight of the penalty
	Bias   Bias

	threads int
	zero    float64 // the objective of the zero point
	one     float64 // 1, or 0 where errors of conjugates are relative to these and the targets alone
}

// newRisk checks the numbers. weights == nil means that every row counts once.
func newRisk(n int, targets, weights []float64, l loss.Loss, lambda float64, bias Bias, threads int) (*Risk, error) {
	if n == 0 {
		return nil, errors.New("problem: found no rows, expected at least one")
	}
	if l == nil {
		return nil, errors.New("problem: found no loss, expected one, such as loss.Hinge{}")
	}
	if len(targets) != n {
		return nil, fmt.Errorf("problem: found %s, expected one for each of %s", registry.Count(len(targets), "target"), registry.Count(n, "row"))
	}
	if weights == nil {
		weights = make([]float64, n)
		for i := range weights {
			weights[i] = 1
		}
	}
	if len(weights) != n {
		return nil, fmt.Errorf("problem: found %s, expected one for each of %s", registry.Count(len(weights), "row weight"), registry.Count(n, "row"))
	}
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		return nil, fmt.Errorf("problem: lambda=%g: expected a number > 0", lambda)
	}
	total, err := checkRows(targets, weights, l, threads)
	if err != nil {
		return nil, err
	}
	if product := lambda * total; !(min(lambda, product) >= leastLambda && max(lambda, product) <= mostLambda) {
		return nil, fmt.Errorf("problem: lambda=%g, times the sum of the row weights %g: expected both from %g to %g", lambda, product, leastLambda, mostLambda)
	}
	r := &Risk{Y: targets, S: weights, N: total, Loss: l, Lambda: lambda, Bias: bias, threads: threads, one: 1}
	if largestOf(targets) < small && homogeneous(l) {
		r.one = 0
	}
	r.zero = r.atZero()
	return r, r.checkZero()
}

// small is the size of targets below which the 1 in bounds on rounding would show.
const small = 1e-6

// homogeneous reports whether the loss is straight lines and parabolas around the target. Its conjugate
// at a is then ay + d|a| + ka^2/2 with d, k >= 0: no part of it is larger than itself and |ay| together.
func homogeneous(l loss.Loss) bool {
	_, margin := l.(loss.Margin)
	i, ok := l.(loss.Invertible)
	return ok && i.Straight() && !margin
}

// newConvexRisk is newRisk for problems that need a convex loss.
func newConvexRisk(n int, targets, weights []float64, l loss.Loss, lambda float64, bias Bias, threads int) (*Risk, error) {
	if !loss.IsConvex(l) {
		return nil, fmt.Errorf("problem: found the loss %s, which is not convex: expected a convex one, or a kernel machine with lambda or C", loss.Name(l))
	}
	return newRisk(n, targets, weights, l, lambda, bias, threads)
}

// LeastSquares reports whether the loss of every row is (p-y)^2/2, up to what does not depend on p.
func (p *Risk) LeastSquares() bool {
	l, ok := p.Loss.(loss.SelfConcordant)
	if !ok || !loss.IsQuadratic(l) {
		return false
	}
	for _, y := range p.Y {
		if l.Curvature(0, y) != 1 || l.Derivative(0, y) != -y {
			return false
		}
	}
	return true
}

// Constant is the squared value of the constant column that the penalty sees.
func (p *Risk) Constant() float64 {
	if p.Bias == Feature {
		return 1
	}
	return 0
}

// Zero returns the objective of the zero point.
func (p *Risk) Zero() float64 { return p.zero }

// checkRows returns the sum of the weights, or the first row that no objective
// can be made of.
func checkRows(targets, weights []float64, l loss.Loss, threads int) (total float64, err error) {
	_, margin := l.(loss.Margin)
	lowest, highest := loss.Targets(l)
	errs := make([]error, blocksOf(len(targets)))
	total = sumBlocks(len(targets), threads, func(b, lo, hi int) float64 {
		var sum vec.Sum
		for i := lo; i < hi; i++ {
			y, s := targets[i], weights[i]
			switch {
			case margin && math.Abs(y) != 1: // one branch, whichever class
				errs[b] = dataError("row %d: target %g, expected -1 or +1 for this loss", i+1, y)
			case y-y != 0:
				errs[b] = dataError("row %d: target %g, expected a finite number", i+1, y)
			case !(y >= lowest && y <= highest):
				errs[b] = dataError("row %d: target %g, expected a number from %g to %g for this loss", i+1, y, lowest, highest)
			case !(s >= least && s <= most):
				errs[b] = dataError("row %d: weight %g, expected a number from %g to %g", i+1, s, least, most)
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
	return total, nil
}

// atZero returns the objective of the zero point.
func (p *Risk) atZero() float64 {
	if _, margin := p.Loss.(loss.Margin); margin {
		return p.marginsAtZero()
	}
	return p.rowsAtZero()
}

// rowsAtZero is atZero for any targets.
func (p *Risk) rowsAtZero() float64 {
	return sumBlocks(len(p.Y), p.threads, func(_, lo, hi int) float64 {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		y := p.Y[lo:hi]
		value, slope := s[0][:len(y)], s[1][:len(y)]
		clear(value)
		clear(slope)
		loss.ValueTo(p.Loss, value, slope, value, y, slope)
		var total vec.Sum
		for k, v := range value {
			total.Add(p.S[lo+k] * v)
		}
		return total.Value()
	}) / p.N
}

// checkZero refuses an objective that is not 0 but too small to be computed with, or
// too large: squares of targets underflow below 1e-162 and overflow above 1e154.
func (p *Risk) checkZero() error {
	if p.zero >= leastObjective && p.zero <= math.MaxFloat64 {
		return nil
	}
	largest := largestOf(p.Y)
	if p.zero > 1 || math.IsNaN(p.zero) {
		return dataError("the average loss of zero predictions overflows, with targets of up to %g: multiply the targets by a small number, or choose another parameter of the loss", largest)
	}
	for _, y := range p.Y {
		if p.Loss.Derivative(0, y) != 0 {
			return dataError("the average loss of zero predictions is %g, with targets of up to %g: expected at least %g, as smaller numbers underflow: multiply the targets by a large number, or choose another parameter of the loss", p.zero, largest, leastObjective)
		}
	}
	return nil
}

// marginsAtZero is atZero for targets 1 and -1: there are only two losses.
func (p *Risk) marginsAtZero() float64 {
	var value, slope, zero [2]float64
	loss.ValueTo(p.Loss, value[:], slope[:], zero[:], []float64{1, -1}, zero[:])
	return sumBlocks(len(p.Y), p.threads, func(_, lo, hi int) float64 {
		var total vec.Sum
		for i, y := range p.Y[lo:hi] {
			total.Add(p.S[lo+i] * value[math.Float64bits(y)>>63])
		}
		return total.Value()
	}) / p.N
}

// domains are those of the conjugates of the rows. Of the two that margins have, one is
// looked up: which class comes next cannot be predicted.
type domains struct {
	loss   loss.Loss
	margin bool
	lo, hi [2]float64
}

func domainsOf(l loss.Loss) (d domains) {
	d.loss = l
	if _, d.margin = l.(loss.Margin); d.margin {
		d.lo[0], d.hi[0] = l.Domain(1)
		d.lo[1], d.hi[1] = l.Domain(-1)
	}
	return d
}

func (d *domains) of(y float64) (lo, hi float64) {
	if !d.margin {
		return d.loss.Domain(y)
	}
	class := math.Float64bits(y) >> 63
	return d.lo[class], d.hi[class]
}

// feasible sets v_i = s_i a_i for dual variables clipped to their domain
// and, if the bias is free, balanced: the sum of v is then exactly 0.
func (p *Risk) feasible(v, a []float64) {
	p.clip(v, a)
	if p.Bias == Free {
		balance(v, p.threads)
	}
}

// clip is feasible without a balance.
func (p *Risk) clip(v, a []float64) {
	domain := domainsOf(p.Loss)
	parallel.Blocks(len(a), blockRows, p.threads, func(_, first, last int) {
		for i := first; i < last; i++ {
			lo, hi := domain.of(p.Y[i])
			x := min(max(a[i], lo), hi)
			if math.IsNaN(x) {
				x = 0
			}
			v[i] = p.S[i] * x
			// True for 0 < |v_i| < negligible: bits of a float are ordered as its magnitude, and those of 0, less 1,
			// wrap around to the largest number, so that zeros, which are frequent, take no branch.
			if math.Float64bits(math.Abs(v[i]))-1 < negligibleBits-1 {
				v[i] = 0
			}
			// A balanced dual point is v itself, so it must not have been
			// rounded away from zero, out of the domain.
			if p.Bias != Free {
				continue
			}
			if off := math.FMA(p.S[i], x, -v[i]); off < 0 && v[i] > 0 || off > 0 && v[i] < 0 {
				v[i] = math.Nextafter(v[i], 0)
			}
		}
	})
}

// conjugates returns (1/N) sum_i s_i l_i*(scale v_i / s_i) and its error.
func (p *Risk) conjugates(v []float64, scale float64) (value, bound float64) {
	errs := make([]float64, blocksOf(len(v)))
	sum := sumBlocks(len(v), p.threads, func(b, lo, hi int) (sum float64) {
		sum, errs[b] = p.conjugatesOf(v[lo:hi], scale, lo)
		return sum
	})
	return sum / p.N, sumBound(errs) / p.N
}

// steepest bounds by how much the weighted conjugates at those a that underflowed are below
// those of the dual variables they stand for: each lies between two ends of an interval, on
// which the conjugate is convex.
func (p *Risk) steepest(v, a, conjugate []float64, first int) (bound float64) {
	for k, c := range conjugate {
		if a := a[k]; v[k] != 0 && math.Abs(a) < lost {
			y := p.Y[first+k]
			lo, hi := p.Loss.Domain(y)
			lo, hi = max(lo, a-4*tiny), min(hi, a+4*tiny)
			bound += float64(p.S[first+k] * (max(p.Loss.Conjugate(lo, y), p.Loss.Conjugate(hi, y), c) - c))
		}
	}
	return bound
}

// conjugatesOf returns the sum of the weighted conjugates of the rows of a
// block, which begins with row first, and of their errors.
func (p *Risk) conjugatesOf(v []float64, scale float64, first int) (sum, bound float64) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	y, weight := p.Y[first:first+len(v)], p.S[first:first+len(v)]
	a, conjugate := s[0][:len(v)], s[1][:len(v)]
	domain := domainsOf(p.Loss)
	for k, v := range v {
		lo, hi := domain.of(y[k])
		a[k] = min(max(scale*(v/weight[k]), lo), hi)
	}
	loss.ConjugateTo(p.Loss, conjugate, a, y)
	var total vec.Sum
	mass, smallest := 0.0, uint64(math.MaxUint64) // the bits of the smallest |v| that is not 0, less 1
	for k, c := range conjugate {
		total.Add(weight[k] * c)
		size := math.Abs(a[k])
		bound += float64(weight[k] * 64 * unit * (math.Abs(c) + float64(size*(p.one+float64(p.one*size)+math.Abs(y[k])))))
		mass += weight[k]
		smallest = min(smallest, math.Float64bits(math.Abs(v[k]))-1) // of 0 the largest number
	}
	if smallest == math.MaxUint64 && total.Value() == 0 { // nothing is lost of 0
		return 0, bound
	}
	bound += float64(mass*lost) + float64(4*blockRows*tiny)
	if smallest != math.MaxUint64 && float64(scale*(math.Float64frombits(smallest+1)/p.N)) < lost {
		bound += p.steepest(v, a, conjugate, first)
	}
	return total.Value(), bound
}

// lossesOf returns the sum of the weighted losses of the rows from lo to hi at
// the predictions s[0], each of which is off by s[3] at most, and of the errors
// of the losses.
//
// The prediction is off by e at most, the loss then by e times its slope near
// there; its own evaluation is good to 16 roundings, and to lost. It rounds p-y too, perhaps
// onto the flat side of a kink, so the slope is looked for as far as that
// rounding reaches, where it is steepest. Where a prediction without any error is the target, p-y is exact.
func (p *Risk) lossesOf(s *scratch, lo, hi int) (sum, bound float64) {
	y, weight := p.Y[lo:hi], p.S[lo:hi]
	prediction, value, slope, reach := s[0][:len(y)], s[1][:len(y)], s[2][:len(y)], s[3][:len(y)]
	for k, y := range y {
		if reach[k] > 0 || prediction[k] != y {
			reach[k] += float64(4 * unit * math.Abs(y))
		}
	}
	loss.ValueTo(p.Loss, value, slope, prediction, y, reach)
	var total vec.Sum
	mass := 0.0
	for k, v := range value {
		g := slope[k]
		total.Add(weight[k] * v)
		bound += float64(weight[k] * (float64(g*reach[k]) + float64(16*unit*(v+float64(g*(math.Abs(prediction[k])+math.Abs(y[k])))))))
		mass += weight[k]
	}
	if bound > 0 || total.Value() != 0 || slices.Max(slope) > 0 { // nothing is lost of 0
		bound += float64(mass*lost) + float64(4*blockRows*tiny)
	}
	return total.Value(), bound
}

// Shared is what several problems have in common that differ in their targets alone: rows, weights,
// loss, penalty, lambda and bias are the same.
type Shared struct {
	Count int // of these problems

	once sync.Once
	made any
}

// Make returns what the first call makes.
func (s *Shared) Make(what func() any) any {
	s.once.Do(func() { s.made = what() })
	return s.made
}
