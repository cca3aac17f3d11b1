package stochastic

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/problem"
)

// smoothness returns the largest of a row over its share of the draws, with the constant column; a
// loss with corners counts with a smoothness of 1.
func (s *state) smoothness() float64 {
	largest := 0.0
	for i := range s.p.Y {
		largest = max(largest, rowSmoothness(s.p, i)*s.sampler.weight(i))
	}
	if largest == 0 {
		return 1
	}
	return largest
}

// rowSmoothness returns that of r_i l_i(<w, x_i> + b) as a function of w and b.
func rowSmoothness(p *problem.Linear, i int) float64 {
	length, smooth := p.SquaredNorm[i], p.Loss.Smoothness()
	if p.Bias != problem.None {
		length++
	}
	if math.IsInf(smooth, 1) {
		smooth = 1
	}
	return p.S[i] * float64(len(p.Y)) / p.N * smooth * length
}

// batches is the smoothness that steps of several rows count with, of one row and of the mean of all.
type batches struct {
	row, mean float64
	apart     float64 // n/(n-1) where the rows of a batch are distinct, otherwise 1
}

// batches returns them, with the smoothness of a row and that of the penalty, which is added to both.
func (s *state) batches(row, penalised float64) *batches {
	b, n := &batches{row: row + penalised, mean: min(row, s.meanSmoothness()) + penalised, apart: 1}, float64(len(s.p.Y))
	if s.sampling != "uniform" && n > 1 {
		b.apart = n / (n - 1)
	}
	return b
}

// of returns the expected smoothness of a batch of size rows (Gower et al.: SGD, general analysis and improved
// rates, 2019), which is that of a row for one and that of the mean for all:
//
//	L_b = n(b-1)/(b(n-1)) L + (n-b)/(b(n-1)) L_max    rows without replacement
//	L_b = (b-1)/b L + L_max/b                         with replacement
func (b *batches) of(size float64) float64 {
	mean := min(1, b.apart*(size-1)/size)
	return float64(mean*b.mean) + float64((1-mean)*b.row)
}

// Of the power method.
const (
	products = 15   // of the matrix and a vector, at most
	near     = 1.05 // where the bound is so near to the quotient, it ends
	doubt    = 1e-3 // the probability that the bound does not hold, where values are negative
)

// meanSmoothness bounds from above that of the mean of r_i l_i(<w, x_i> + b), the largest eigenvalue of
// A = X^T diag(r) X/n times the curvature of the loss, by the least of
//
//	the trace         the mean of the rows
//	no value < 0      max_j (A v)_j/v_j for any v > 0 (Collatz, Wielandt)
//	otherwise         q/(1-e), q the last Rayleigh quotient of k products from a random start: above it by
//	                  probability 0.999, where 0.824 sqrt(d) (1-e)^(k-1/2) = 0.001 (Kuczynski, Wozniakowski 1992)
//
// The start is the same for all seeds.
func (s *state) meanSmoothness() float64 {
	n, d := s.p.Dims()
	trace, positive, constant := 0.0, true, 0.0
	if s.p.Bias != problem.None {
		constant = 1
	}
	curvature, random, v := make([]float64, n), rand.NewPCG(1, 1), make([]float64, d+1)
	for i := range curvature {
		row := rowSmoothness(s.p, i) / float64(n)
		trace += row
		if row > 0 {
			curvature[i] = row / (s.p.SquaredNorm[i] + constant)
		}
		for _, x := range s.p.X.Row(i).Value {
			positive = positive && x >= 0
		}
	}
	v = v[:d+int(constant)]
	for j := range v {
		if v[j] = 1; !positive { // by Box and Muller
			v[j] = math.Sqrt(-2*elementary.Log(1-uniform(random))) * elementary.Sin(2*math.Pi*uniform(random))
		}
	}
	unsure := elementary.Exp(elementary.Log(doubt/(0.824*math.Sqrt(float64(len(v))))) / (products - 0.5))
	return s.power(v, curvature, trace, unsure, positive)
}

// power is the power method of meanSmoothness from v, with the curvatures of the rows; unsure is 1-e.
func (s *state) power(v, curvature []float64, bound, unsure float64, positive bool) float64 {
	w, image, m := make([]float64, len(s.last)), make([]float64, len(s.last)), make([]float64, len(curvature))
	for k := 1; k <= products && !s.limit.Reached(); k++ {
		copy(w, v)
		s.p.Predict(m, w)
		for i, c := range curvature {
			m[i] *= c
		}
		s.p.CombineTo(image, m)
		most, size := 0.0, math.Sqrt(parts.Inner(image[:len(v)], image[:len(v)]))
		quotient := parts.Inner(v, image) / parts.Inner(v, v)
		for j, a := range image[:len(v)] {
			if a > 0 {
				most = max(most, a/v[j])
			}
			v[j] = a / size
		}
		switch {
		case !(size > 0):
			return bound
		case positive:
			bound = min(bound, most)
		case k == products:
			bound = min(bound, quotient/unsure)
		}
		if positive && bound <= near*quotient {
			break
		}
	}
	return bound
}

func newByLipschitz(s *state) *byLipschitz {
	n := len(s.p.Y)
	b := &byLipschitz{random: s.random, share: make([]float64, n), sums: make([]float64, n)}
	sum := 0.0
	for i := range b.sums {
		sum += rowSmoothness(s.p, i)
		b.sums[i] = sum
	}
	before := 0.0
	for i, now := range b.sums {
		b.share[i] = 1
		if sum > 0 {
			b.share[i] = 0.5 + float64(0.5*float64(n)*((now-before)/sum))
		}
		before = now
	}
	return b
}
