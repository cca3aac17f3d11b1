package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
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
