package dual

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestPenaltyCornerDerivatives: along a step the slope of F is that of its gradient, and the
// gradient changes as H says.
func TestPenaltyCornerDerivatives(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := sharp(loss.Hinge{}, penalty.ElasticNet{Ratio: 0.3}, bias, 1)
		s, m := goneOver(p)
		for range 8 {
			s.Epoch()
		}
		m.direct()
		m.p.Predict(m.along, m.d)
		k := m.p.Penalised()
		slope := m.slope(0) + m.corner.slope(m.w, m.d, 0, m.width) + float64(m.p.Lambda*parts.Inner(m.w[:k], m.d[:k]))
		if want := parts.Inner(m.g, m.d); math.Abs(slope-want) > 1e-9*math.Abs(want) {
			t.Errorf("%v: slope %g, want %g", bias, slope, want)
		}
		_, d := p.Dims()
		c, along, g := make([]float64, len(m.a)), make([]float64, d+1), append([]float64(nil), m.g...)
		for i, a := range m.a {
			if a != 0 && math.Abs(a) != 1 {
				c[i] = m.p.S[i] / (m.p.N * m.width)
			}
		}
		const h = 1e-9
		for j := range along {
			along[j] = float64(j%5) - 2
		}
		parts.Ground(along, p)
		cg := m.conjugate
		cg.Single = m.corner.single
		cg.Prepare(m.p, c)
		want := append([]float64(nil), cg.Product(m.p, c, along)...)
		for j := range along {
			m.w[j] += h * along[j]
		}
		m.p.Predict(m.prediction, m.w)
		m.look()
		for j, want := range want {
			if got := (m.g[j] - g[j]) / h; math.Abs(got-want) > 1e-4*(math.Abs(want)+cg.Diagonal[j]) {
				t.Fatalf("%v, column %d: the gradient changes by %g, H says %g", bias, j, got, want)
			}
		}
	}
}

// TestPenaltyCornerZeros: near the optimum weights that the dual variables keep on the corner
// are known, and may be zeros.
func TestPenaltyCornerZeros(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := sharp(loss.Hinge{}, penalty.ElasticNet{Ratio: 0.5}, bias, 1)
		p.Lambda *= 100
		s, m := goneOver(p)
		for range 300 {
			if s.Epoch(); s.proximal == nil || s.Report().Gap < 1e-7 {
				break
			}
		}
		point := s.Point()
		if gap := p.Certify(point).Relative(); gap > 1e-7 {
			t.Errorf("%v: gap %g", bias, gap)
		}
		point.W, point.A = m.corner.zeroed, m.a
		if gap := p.Certify(point).Relative(); gap > 1e-4 {
			t.Errorf("%v: gap %g with zeros", bias, gap)
		}
		_, d := p.Dims()
		u, _ := parts.DualWeights(p, make([]float64, len(point.A)), point.A)
		held := 0
		for j, u := range u {
			if math.Abs(u) < 0.5-1e-3 {
				held++
				if point.W[j] != 0 {
					t.Errorf("%v: weight %d is %g on the corner", bias, j, point.W[j])
				}
			}
		}
		if held < d/20 {
			t.Errorf("%v: %d weights of %d on the corner", bias, held, d)
		}
	}
}

// TestSpendOnZeros: what the gap leaves room for is spent on zeros, the least weights first,
// and no more.
func TestSpendOnZeros(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := sharp(loss.Hinge{}, penalty.ElasticNet{Ratio: 0.5}, bias, 1)
		s, m := goneOver(p)
		for range 300 {
			if s.Epoch(); m.estimate() < 1e-3 {
				break
			}
		}
		zeros := func() (n int) {
			for _, w := range m.best.W[:p.Penalised()] {
				if w == 0 {
					n++
				}
			}
			return n
		}
		dense := slices.Clone(m.best.W)
		all := -1
		u, _ := parts.DualWeights(p, make([]float64, len(m.best.A)), m.best.A)
		for _, goal := range []float64{m.estimate(), 2e-3, 1e-2, 1} {
			copy(m.best.W, dense)
			m.upper, _ = p.Primal(dense)
			m.goal = goal
			before := zeros()
			if gap := p.Certify(s.Point()).Relative(); gap > goal*(1+1e-9) {
				t.Errorf("%v: gap %g with zeros, want %g", bias, gap, goal)
			}
			if primal, _ := p.Primal(m.best.W); math.Abs(m.upper-primal) > 1e-12*primal {
				t.Errorf("%v: the primal is %g, it says %g", bias, primal, m.upper)
			}
			most, least := 0.0, math.Inf(1) // of weights on the corner: a zero, none
			for j, u := range u {
				if size := math.Abs(dense[j]); math.Abs(u) >= 0.5 {
				} else if m.best.W[j] == 0 {
					most = max(most, size)
				} else {
					least = min(least, size)
				}
			}
			if left := least < math.Inf(1); left && m.estimate() < 0.5*goal || most > least {
				t.Errorf("%v: zeros for weights up to %g, none for %g; gap %g, want %g", bias, most, least, m.estimate(), goal)
			}
			if n := zeros(); n < before || n < all {
				t.Errorf("%v, gap %g: %d zeros of %d, less than with a smaller gap", bias, goal, n, before)
			} else {
				all = n
			}
		}
		for j, u := range u {
			if (math.Abs(u) < 0.5) != (m.best.W[j] == 0) && dense[j] != 0 {
				t.Errorf("%v: weight %d is %g, and u %g", bias, j, m.best.W[j], u)
			}
		}
	}
}

// TestNewtonColumnsZeros: in the weights of interior points too those that the dual variables keep on
// the corner are zeros, as many as the gap has room for.
func TestNewtonColumnsZeros(t *testing.T) {
	p := sharp(loss.Hinge{}, penalty.ElasticNet{Ratio: 0.5}, problem.Free, 1)
	p.Lambda *= 1000
	for _, gap := range []float64{1e-2, 1e-4} {
		sol := must(solver.Run(context.Background(), newton.Newton{}, p, solver.Options{Gap: gap}))
		u, _ := parts.DualWeights(p, make([]float64, len(sol.Point.A)), sol.Point.A)
		held, zeros := 0, 0
		for j, u := range u {
			if math.Abs(u) < 0.5 {
				held++
			}
			if sol.Point.W[j] == 0 {
				zeros++
			}
		}
		if sol.Status != solver.Converged || held < len(u)/4 || zeros < held*9/10 || zeros > held {
			t.Errorf("gap %g: %s with %d zeros, %d of %d weights are on the corner", gap, sol.Status, zeros, held, len(u))
		}
	}
}
