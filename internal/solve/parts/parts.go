// Package parts holds what several algorithms for linear predictors share: the problem they
// take, dual variables of a warm start, permutations, the limits of a run; sums over rows in a
// fixed order, estimates of the gap, corners of penalties; and which mechanisms a test leaves out.
// It knows no algorithm. It imports package problem and rooms above it.
package parts

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
)

// Linear returns p as the one kind of problem that algorithms for linear predictors solve.
func Linear(p problem.Problem) (*problem.Linear, error) {
	l, ok := p.(*problem.Linear)
	if _, slack := p.(*problem.LinearSlack); slack {
		return nil, errors.New("found a problem with slack, expected one with lambda or C, or the solver simba")
	}
	if !ok {
		return nil, fmt.Errorf("found %s, expected a linear model", problem.Name(p))
	}
	return l, nil
}

// DualWeights moves dual variables from into their domain, as a, and returns
// what belongs to them: u = -X^T(s.a)/(lambda N), d numbers, and sum_i s_i a_i.
func DualWeights(p *problem.Linear, a, from []float64) (u []float64, sum float64) {
	v := make([]float64, len(a))
	for i, x := range from {
		lo, hi := p.Loss.Domain(p.Y[i])
		a[i] = min(max(x, lo), hi)
		v[i] = p.S[i] * a[i]
	}
	u, _ = p.Combine(v)
	last := len(u) - 1
	u, sum = u[:last], u[last]
	factor := 1 / (p.Lambda * p.N)
	for j := range u {
		u[j] *= -factor
	}
	return u, sum
}

// Shuffle puts order into a permutation that depends on random alone (Fisher and Yates).
func Shuffle(order []uint32, random *rand.PCG) {
	for i := len(order) - 1; i > 0; i-- {
		j := Below(random, uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
}

// Below returns a random number in [0, n), with a bias below n/2^64.
func Below(random *rand.PCG, n uint64) uint64 {
	high, _ := bits.Mul64(random.Uint64(), n)
	return high
}

// Steep reports whether the slope of the loss of some row has no bound.
func Steep(p *problem.Linear) bool {
	return slices.ContainsFunc(p.Y, func(y float64) bool {
		lo, hi := p.Loss.Domain(y)
		return math.IsInf(hi-lo, 1)
	})
}

// Resized returns a slice of n numbers, of the old memory if that suffices.
func Resized(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// Shortness returns the mean of L |x_i|^2/(lambda N), where the loss is curved by L at
// most, 1 for kinks: 3 means that one step moves a dual variable by a quarter of the way
// at most.
func Shortness(p *problem.Linear) float64 {
	curved := p.Loss.Smoothness()
	if math.IsInf(curved, 1) {
		curved = 1
	}
	return curved * p.MeanSquaredNorm() / (p.Lambda * p.N)
}
