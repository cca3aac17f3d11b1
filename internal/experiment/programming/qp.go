// Package programming has the experiments on quadratic programs: what kernel machines cost, and
// how exact they are.
package programming

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/gram"
	solverkernel "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// What the experiments on quadratic programs share: the chequered square, and a run that is
// measured.

// chequered draws points of a 4 x 4 board, classes by the colour of their field, one in twenty
// wrong.
func chequered(n int, seed uint64) (matrix.Matrix, []float64) {
	r := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	m, y := &matrix.Dense{Rows: n, Cols: 2, Value: make([]float32, 0, 2*n)}, make([]float64, n)
	for i := range y {
		a, b := 4*r.Float64(), 4*r.Float64()
		m.Value = append(m.Value, float32(a), float32(b))
		y[i] = float64(1 - 2*((int(a)+int(b))%2))
		if r.Float64() < 0.05 {
			y[i] = -y[i]
		}
	}
	return m, y
}

// A measured run has what it took to come to a gap.
type measured struct {
	*solver.Solution
	seconds float64 // without certificates
	values  float64 // of the kernel that were asked for
	reached bool
}

// runTo runs a solver by name to a gap, on a matrix of which no row is kept.
func runTo(ctx context.Context, spec string, p *problem.Kernel, gap float64, limit time.Duration, seed uint64) (measured, error) {
	s, err := solverkernel.New(spec)
	if err != nil {
		return measured{}, err
	}
	fresh := *p
	if fresh.Gram, err = gram.NewGram(p.Gram.Kernel, p.X, gram.Options{Threads: p.Threads()}); err != nil {
		return measured{}, err
	}
	if err := s.Accepts(&fresh); err != nil {
		return measured{}, err
	}
	solution, err := experiment.Solve(ctx, s, &fresh, solver.Options{Gap: gap, Time: limit, Seed: seed})
	if err != nil {
		return measured{}, err
	}
	return measured{solution, solution.Train.Seconds(), float64(fresh.Counts().Requested), solution.Status == solver.Converged}, nil
}

// registered are those of the solvers that this program has.
func registered(names ...string) (known []string) {
	for _, name := range names {
		if _, err := solverkernel.New(name); err == nil {
			known = append(known, name)
		}
	}
	return known
}

// apart is the largest difference of some values, relative to their size.
func apart(values []float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return (hi - lo) / max(math.Abs(lo), math.Abs(hi))
}

// quantity formats a number for a claim.
func quantity(v float64) string { return fmt.Sprintf("%.3g", v) }
