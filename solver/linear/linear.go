// Package linear holds the algorithms for linear predictors, one per file.
//
// Each takes a *problem.Linear, moves a point, and leaves loop, clock and
// judgement to package solver. Adding one is a new file, which registers its
// name, and a row in the table of linear_test.go. Further files of one algorithm
// begin with its name: sdca_rounds.go. face and proximal are methods of their own that SDCA
// goes over to (sdca_escape.go). Choose is the rule of "auto".
package linear

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

var solvers = registry.New[solver.Solver]("solver")

// New makes the solver that spec describes: a name, or "name:key=value".
func New(spec string) (solver.Solver, error) { return solvers.New(spec) }

// Entries lists the solvers by name.
func Entries() []registry.Entry[solver.Solver] { return solvers.Entries() }

// linearProblem returns p as the one kind of problem this package solves.
func linearProblem(p problem.Problem) (*problem.Linear, error) {
	l, ok := p.(*problem.Linear)
	if _, slack := p.(*problem.LinearSlack); slack {
		return nil, errors.New("found a problem with slack, expected one with lambda or C, or the solver simba")
	}
	if !ok {
		return nil, fmt.Errorf("found a problem of type %T, expected a linear predictor", p)
	}
	return l, nil
}

// dualWeights moves dual variables from into their domain, as a, and returns
// what belongs to them: u = -X^T(s.a)/(lambda N), d numbers, and sum_i s_i a_i.
func dualWeights(p *problem.Linear, a, from []float64) (u []float64, sum float64) {
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

// shuffle puts order into a permutation that depends on random alone (Fisher and Yates).
func shuffle(order []uint32, random *rand.PCG) {
	for i := len(order) - 1; i > 0; i-- {
		j := below(random, uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
}

// below returns a random number in [0, n), with a bias below n/2^64.
func below(random *rand.PCG, n uint64) uint64 {
	high, _ := bits.Mul64(random.Uint64(), n)
	return high
}

// resized returns a slice of n numbers, of the old memory if that suffices.
func resized(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
