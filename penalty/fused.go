package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Fused is sum_j |w_{j+1} - w_j| + L1 sum_j |w_j|, L1 > 0: weights that follow one another are
// equal but for a few jumps (Rudin, Osher, Fatemi 1992; Tibshirani et al. 2005). Without the second
// part equal weights would cost nothing, so that no bound could be proved; a small L1 comes close.
//
// Its conjugate is 0 on a domain and infinite outside. By the coarea formula a vector is a sum of
// multiples of intervals, vectors that are 1 from a to b-1 and 0 elsewhere, of which the penalties
// add up. So u is in the domain if and only if for each of them
//
//	|u_a + ... + u_{b-1}| <= L1 (b-a) + the number of ends of the interval that are not those of w
//
// and the largest share of left over right side, the gauge of u, is 1/scale.
type Fused struct{ L1 float64 }

var _ Coupled = Fused{}

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "fused", Summary: "sum of |w_{j+1} - w_j|, and l1=0.1 times |w|_1, l1 > 0: few jumps from one weight to the next",
		New: func(p *registry.Params) (Penalty, error) {
			return Fused{p.Float("l1", 0.1, "a number from 1e-9 to 1e9", func(v float64) bool { return v >= 1e-9 && v <= 1e9 })}, p.Err()
		}})
}

// Value returns the sum of both parts.
func (f Fused) Value(w []float64) float64 {
	var jumps, sizes vec.Sum
	for j, x := range w {
		sizes.Add(math.Abs(x))
		if j > 0 {
			jumps.Add(math.Abs(x - w[j-1]))
		}
	}
	return jumps.Value() + float64(f.L1*sizes.Value())
}

// Prox is that of the jumps, and then that of |w|_1 (Friedman et al. 2007).
func (f Fused) Prox(dst, v []float64, step float64) {
	denoise(dst, v, step)
	for j, x := range dst {
		dst[j] = vec.Shrink(x, step*f.L1)
	}
}

// Conjugate returns the largest scale that takes u into the domain, rounded down, and 0.
func (f Fused) Conjugate(u []float64) (scale, value float64) {
	return f.scale(f.gauge(u), len(u)), 0
}

// Within returns a scale that takes all vectors into the domain that are at most reach from u: the
// gauge of a sum is at most the sum of the gauges.
func (f Fused) Within(u, reach []float64) (scale float64) {
	return f.scale((f.gauge(u)+f.gauge(reach))*(1+4*unit), len(u))
}

// unit is the largest relative error of one rounding.
const unit = 0x1p-53

// scale returns that of a gauge of n numbers, with room for twice its rounding: scaled vectors are
// found inside again.
func (f Fused) scale(gauge float64, n int) float64 {
	room := f.rounding(n)
	if gauge <= 1-room {
		return 1
	}
	return (1 - 2*room) / gauge
}

// rounding bounds the relative error of the gauge of n numbers. Each sum of the first k of them, in
// twice the digits, is rounded once, and by the gauge at most L1 k + 1.
func (f Fused) rounding(n int) float64 {
	return min(0.25, 8*unit*(float64(n)+2/min(f.L1, 1)+8))
}

// gauge returns the largest share of an interval, by Dinkelbach's method: at a share t the interval
// of the largest sum - t (L1 length + ends) has a larger one, or t is the largest. A pass costs
// O(n), and few are needed.
func (f Fused) gauge(u []float64) float64 {
	sums := make([]float64, len(u)+1)
	var sum vec.Sum
	for j, x := range u {
		sum.Add(x)
		sums[j+1] = sum.Value()
	}
	t := 0.0
	for range 200 {
		a, b := f.steepest(sums, t)
		if share := math.Abs(sums[b]-sums[a]) / f.cost(a, b, len(u)); share > t {
			t = share
			continue
		}
		break
	}
	return t
}

// cost is the penalty of the interval from a to b-1 of n numbers.
func (f Fused) cost(a, b, n int) float64 {
	cost := float64(f.L1 * float64(b-a))
	if a > 0 {
		cost++
	}
	if b < n {
		cost++
	}
	return cost
}

// steepest returns the interval a < b with the largest |sums_b - sums_a| - t cost.
func (f Fused) steepest(sums []float64, t float64) (a, b int) {
	n := len(sums) - 1
	if n == 0 {
		return 0, 0
	}
	best := math.Inf(-1)
	for _, sign := range []float64{1, -1} {
		from, least := 0, math.Inf(1) // the best begin so far
		for end := 1; end <= n; end++ {
			begin := float64(sign*sums[end-1]) - float64(t*f.L1*float64(end-1))
			if end > 1 {
				begin += t
			}
			if begin < least {
				from, least = end-1, begin
			}
			value := float64(sign*sums[end]) - float64(t*f.L1*float64(end)) - least
			if end < n {
				value -= t
			}
			if value > best {
				a, b, best = from, end, value
			}
		}
	}
	return a, b
}

// StrongConvexity is 0.
func (Fused) StrongConvexity() float64 { return 0 }
