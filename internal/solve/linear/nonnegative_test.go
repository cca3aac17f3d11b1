package linear

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestNonnegative: every solver that takes a penalty of nonnegative weights proves it, dense and sparse, and has the objective
// of the others; with the squared loss that is the least of all supports.
func TestNonnegative(t *testing.T) {
	for _, name := range []string{"squared", "logistic", "squared-hinge", "hinge", "absolute"} {
		for _, spec := range []string{"nonnegative", "nonnegative:ratio=0.6", "nonnegative-l1"} {
			for _, bias := range []problem.Bias{problem.Free, problem.None} {
				for _, sparse := range []bool{false, true} {
					l := must(loss.New(name))
					p := draw.Problem(l, "l2", bias, 40, 6, sparse)
					p.Penalty = must(penalty.New(spec))
					nonnegative(t, name+" "+spec, p)
				}
			}
		}
	}
}

// nonnegative runs all solvers on p.
func nonnegative(t *testing.T, what string, p *problem.Linear) {
	t.Helper()
	best, ran := math.NaN(), 0
	if loss.IsQuadratic(p.Loss) {
		best = leastOfSupports(p)
	}
	goal := 1e-8
	if math.IsInf(p.Loss.Smoothness(), 1) {
		goal = 1e-3 // dual steps and admm take thousands of epochs for more
	}
	chosen, _ := Choose(p, goal)
	for _, e := range solver.Linear.Entries() {
		s := must(New(e.Name))
		if s.Accepts(p) != nil {
			if e.Name == chosen {
				t.Errorf("%s: %s is chosen, and does not take it", what, chosen)
			}
			continue
		}
		ran++
		sol := must(solver.Run(context.Background(), s, p, solver.Options{Gap: goal, Epochs: 4000, Seed: 1}))
		c, end := sol.Certificate, sol.Point.W[:len(sol.Point.W)-1]
		for j, w := range end {
			if !(w >= 0) {
				t.Errorf("%s: %s: weight %d is %g", what, e.Name, j, w)
			}
		}
		slack := 1e-9 * p.Zero()
		if math.IsNaN(best) && sol.Status == solver.Converged {
			best = c.Primal
			slack = 0
		}
		if c.Dual > best+slack || c.Primal < best-goal*p.Zero()-slack {
			t.Errorf("%s: %s: the optimum is between %.12g and %.12g, expected %.12g", what, e.Name, c.Dual, c.Primal, best)
		}
		if sol.Status != solver.Converged && e.Name == chosen {
			t.Errorf("%s: %s, which is chosen: gap %g after %d epochs", what, chosen, c.Relative(), sol.Epochs)
		}
	}
	if ran == 0 {
		t.Errorf("%s: no solver takes it", what)
	}
}

// leastOfSupports returns the least objective of the squared loss (y-p)^2/2 by trying which weights are not 0.
func leastOfSupports(p *problem.Linear) float64 {
	n, d := p.Dims()
	l1, l2, _, _ := penalty.Corners(p.Penalty)
	least := math.Inf(1)
	for support := range 1 << d {
		var columns []int
		for j := range d {
			if support>>j&1 == 1 {
				columns = append(columns, j)
			}
		}
		if p.Bias == problem.Free {
			columns = append(columns, d)
		}
		k := len(columns)
		lower, right := make([]float64, k*k), make([]float64, k)
		for i := range n {
			row := make([]float64, d+1)
			p.X.Row(i).AddTo(row[:d], 1)
			row[d] = 1
			for a, j := range columns {
				right[a] += p.S[i] / p.N * row[j] * p.Y[i]
				for b, other := range columns[:a+1] {
					lower[a*k+b] += p.S[i] / p.N * row[j] * row[other]
				}
			}
		}
		for a, j := range columns {
			if j < d {
				lower[a*k+a] += p.Lambda * l2
				right[a] -= p.Lambda * l1
			}
			lower[a*k+a] += 1e-14
		}
		w := make([]float64, d+1)
		if k > 0 {
			var factor lapack.Cholesky
			factor.Decompose(lower, k, 1)
			factor.Solve(right, right)
			for a, j := range columns {
				w[j] = right[a]
			}
		}
		if value := p.Certify(problem.Point{W: w}).Primal; value < least {
			least = value
		}
	}
	return least
}
