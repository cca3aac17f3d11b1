package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/loss"
)

// BestBias returns a b that minimises (1/N) sum_i s_i l_i(m_i + b) for given
// predictions m without bias (nil: all zero), beginning the search at start.
// The slope of that convex function is monotone: a bracket is grown from start
// and then halved until it is narrower than tolerance, relative to 1 and b.
func (p *Risk) BestBias(m []float64, start, tolerance float64) float64 {
	slope := func(b float64) float64 { return p.slope(m, b) }
	lo, hi := start, start
	step := math.Max(1e-3, math.Abs(start)*1e-3)
	if first := slope(start); first == 0 {
		return start
	} else if first > 0 {
		for lo -= step; slope(lo) > 0 && !math.IsInf(lo, 0); lo -= step {
			hi, step = lo, 4*step
		}
	} else {
		for hi += step; slope(hi) < 0 && !math.IsInf(hi, 0); hi += step {
			lo, step = hi, 4*step
		}
	}
	for range 200 {
		middle := lo + (hi-lo)/2
		if hi-lo <= tolerance*math.Max(1, math.Max(math.Abs(lo), math.Abs(hi))) || middle <= lo || middle >= hi {
			break
		}
		if s := slope(middle); s == 0 {
			return middle
		} else if s > 0 {
			hi = middle
		} else {
			lo = middle
		}
	}
	if b := lo + (hi-lo)/2; !math.IsInf(b, 0) && !math.IsNaN(b) {
		return b
	}
	return start
}

// slope returns sum_i s_i l_i'(m_i + b).
func (p *Risk) slope(m []float64, b float64) float64 {
	return sumBlocks(len(p.Y), p.threads, func(_, lo, hi int) float64 {
		var sum vec.Sum
		for i := lo; i < hi; i++ {
			prediction := b
			if m != nil {
				prediction += m[i]
			}
			sum.Add(p.S[i] * p.Loss.Derivative(prediction, p.Y[i]))
		}
		return sum.Value()
	})
}

// BestBiases sets b to biases that minimise the mean loss for predictions m without them, n x K
// (nil: all zero), by Newton's method from where they are: the loss has to have a derivative. Steps are halved
// where the objective would rise.
func (p *JointRisk) BestBiases(b, m []float64) {
	if p.Numbers != nil {
		p.bestNumbers(b, m)
		return
	}
	value, g, h := p.atBiases(b, m)
	for range 50 {
		d := p.biasStep(g, h)
		if farthest := largestOf(d); farthest <= 1e-9 { // nothing is left but its square
			vec.Axpy64(b, 1, d)
			return
		}
		slope := vec.Dot64(d, g)
		if !(slope < -1e-28*max(1, math.Abs(value))) {
			return
		}
		before, t := append([]float64(nil), b...), 1.0
		for ; t > 1e-8; t /= 2 {
			for c := range b {
				b[c] = before[c] + float64(t*d[c])
			}
			next, gNext, hNext := p.atBiases(b, m)
			if next <= value+float64(1e-4*t*slope) || t == 1 && vec.SquaredNorm64(gNext) < 0.25*vec.SquaredNorm64(g) && next <= value+float64(1e-12*math.Abs(value)) {
				value, g, h = next, gNext, hNext
				break
			}
		}
		if t <= 1e-8 {
			copy(b, before)
			return
		}
	}
}

// atBiases returns the mean loss, its gradient, and the matrix sum_i s_i (diag(q_i) - q_i q_i^T)/N
// with q_i = a_i + e_y, which is the Hessian of the loss softmax.
func (p *JointRisk) atBiases(b, m []float64) (value float64, g, h []float64) {
	k := p.Classes
	y, weight := p.Y, p.S
	if m == nil { // rows of a class are alike
		y, weight = make([]uint32, k), make([]float64, k)
		for c := range y {
			y[c] = uint32(c)
		}
		for i, c := range p.Y {
			weight[c] += p.S[i]
		}
	}
	parts := make([][]float64, blocksOf(len(y)))
	value = sumBlocks(len(y), p.threads, func(block, lo, hi int) float64 {
		sums, at := make([]float64, k+k*k), make([]float64, (hi-lo)*k)
		for i := lo; i < hi; i++ {
			row := at[(i-lo)*k : (i-lo+1)*k]
			copy(row, b)
			if m != nil {
				for c, x := range m[i*k : (i+1)*k] {
					row[c] += x
				}
			}
		}
		var values [blockRows]float64
		joint.ValueSlopes(p.Loss, values[:], at, at, y[lo:hi])
		var total vec.Sum
		for i := lo; i < hi; i++ {
			total.Add(weight[i] * values[i-lo])
			addCurvature(sums, at[(i-lo)*k:(i-lo+1)*k], int(y[i]), weight[i])
		}
		parts[block] = sums
		return total.Value()
	}) / p.N
	all := make([]float64, k+k*k)
	for _, s := range parts {
		vec.Axpy64(all, 1/p.N, s)
	}
	return value, all[:k], all[k:]
}

// addCurvature adds weight times the slope a, and then the lower triangle of the matrix made of it, which changes a.
func addCurvature(sums, a []float64, y int, weight float64) {
	k := len(a)
	vec.Axpy64(sums[:k], weight, a)
	a[y]++
	for c, q := range a {
		sums[k+c*k+c] += float64(weight * q)
		row, factor := sums[k+c*k:][:c+1], -weight*q
		for j, x := range a[:c+1] {
			row[j] += float64(factor * x)
		}
	}
}

// biasStep returns Newton's direction. The Hessian does not see a change of all biases alike:
// a matrix of ones is added.
func (p *JointRisk) biasStep(g, h []float64) []float64 {
	k := p.Classes
	mean := 0.0
	for c := range k {
		mean += h[c*k+c] / float64(k)
	}
	for c := range k {
		for j := range k {
			h[c*k+j] += mean / float64(k)
		}
		h[c*k+c] += float64(1e-12 * mean)
	}
	var factor lapack.Cholesky
	factor.Decompose(h, k, 1)
	d := make([]float64, k)
	factor.Solve(d, g)
	for c := range d {
		d[c] = -d[c]
	}
	return d
}

// BiasFixed is a problem with a free bias that can be fixed, to bound where those of optima are.
type BiasFixed interface {
	Problem
	// FixBias returns the problem with the constant bias b: its points have the bias 0.
	FixBias(b float64) Problem
}

var _, _ BiasFixed = (*Linear)(nil), (*Kernel)(nil)

// FixBias is that of [BiasFixed].
func (p *Linear) FixBias(b float64) Problem {
	return &Linear{Rows: p.Rows, Risk: p.fixBias(b), Penalty: p.Penalty}
}

// FixBias is that of [BiasFixed].
func (p *Kernel) FixBias(b float64) Problem { return &Kernel{Gram: p.Gram, Risk: p.fixBias(b)} }

func (p *Risk) fixBias(b float64) Risk {
	fixed := *p
	fixed.Loss, fixed.Bias, fixed.one = loss.Shifted(p.Loss, b), None, 1
	fixed.zero = fixed.rowsAtZero()
	return fixed
}

// BiasBound bounds the bias of every optimum of a problem with a free bias, by dual variables a of the problem with the bias
// fixed at b, of which dual is the bound on the objective; primal is the objective of any point. The least objective V(c) of
// predictors with the bias c has, by weak duality with these a,
//
//	V(c) >= dual + (c - b) slope,  slope = (1/N) sum_i s_i a_i,
//
// and is at most primal where c is the bias of an optimum: with a slope > 0 these are at most b + (primal - dual)/slope.
func (p *Risk) BiasBound(b float64, a []float64, dual, primal float64) (low, high float64) {
	fixed := *p
	fixed.Bias = None
	v := make([]float64, len(a))
	fixed.clip(v, a)
	var sum vec.Sum
	size := 0.0
	for _, x := range v {
		sum.Add(x)
		size += math.Abs(x)
	}
	size *= (1 + float64(len(v))*unit) / p.N
	slope, off := sum.Value()/p.N, float64(8*unit*size)
	short := primal - dual + float64(8*unit*(math.Abs(primal)+math.Abs(dual)+float64(math.Abs(b)*size))) // of the products of a and b in the conjugates, too
	low, high = math.Inf(-1), math.Inf(1)
	steep := math.Abs(slope) - off
	if short < 0 {
		steep = math.Abs(slope) + off
	}
	if !(math.Abs(slope) > off) {
		return low, high
	}
	reach := short / steep
	reach += float64(8 * unit * (math.Abs(reach) + math.Abs(b)))
	if slope > 0 {
		return low, b + reach
	}
	return b - reach, high
}
