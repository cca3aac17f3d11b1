package batch

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// ADMM is the alternating direction method of multipliers on the graph of the predictions (Boyd,
// Parikh, Chu, Peleato, Eckstein 2011; Parikh, Boyd 2014). It asks of loss and penalty no more than
// their proximal maps: losses with corners with the penalty l1, which is a linear program, and
// penalties that are not sums over weights.
//
//	Problem   minimise (1/N) sum_i s_i l_i(z_i) + lambda Omega(u) where z = Xw + b, u = w
//	Symbols   mu, nu multipliers over rho of z and u
//	Update    z_i <- prox of l_i at m_i + mu_i, step s_i/(N rho); u <- prox of Omega at w + nu
//	          mu <- mu + m - z, nu <- nu + w - u, where m = 1.6 (Xw + b) - 0.6 z, and w alike
//	          (w, b) <- argmin |Xw + b - z + mu|^2 + |w - u + nu|^2 by conjugate gradients
//	          rho doubles or halves while one of the residuals is ten times the other
//	Returned  u, with the best free bias; N rho mu_i/s_i, which is a slope of l_i at z_i, as dual
//	          variables, or the slopes at the predictions of u, whichever bound is better
//	Cost      two products with X for each step of conjugate gradients
//	Memory    five numbers a row, nine a feature
//	Rate      1/k; linear in the end for losses and penalties of straight pieces
type ADMM struct{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "admm",
		Facts:   registry.Facts{Rate: "1/k, linear in the end for straight pieces", Memory: "five numbers a row", Source: "Boyd, Parikh, Chu, Peleato, Eckstein 2011"},
		Summary: "alternating directions: any loss with any penalty, such as hinge with l1, the linear program",
		New:     func(*registry.Params) (solver.Solver, error) { return ADMM{}, nil }})
}

// Accepts takes every linear predictor.
func (ADMM) Accepts(p problem.Problem) error {
	_, err := parts.Linear(p)
	return err
}

// Start begins at 0, or at the weights and dual variables of the warm start.
func (ADMM) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	a := &admm{objective: newObjective(l), limit: start.Over, w: begin(l, start.From), u: make([]float64, d+1), nu: make([]float64, d+1),
		m: make([]float64, n), z: make([]float64, n), mu: make([]float64, n), rho: 1 / float64(n)}
	copy(a.u, a.w)
	l.Predict(a.m, a.w)
	copy(a.z, a.m)
	if from := start.From; from != nil && len(from.A) == n {
		a.multipliers(from.A)
	}
	return a
}

type admm struct {
	*objective
	limit    parts.Limit
	w, u, nu []float64 // d+1; the bias is not penalised unless a feature: there u is not used
	m, z, mu []float64
	rho      float64
	steps    int
}

// multipliers sets mu and nu to those of dual variables.
func (a *admm) multipliers(dual []float64) {
	weighted := make([]float64, len(dual))
	for i, v := range dual {
		a.mu[i] = a.p.S[i] * v / (a.p.N * a.rho)
		weighted[i] = -a.mu[i]
	}
	a.p.CombineTo(a.nu, weighted)
	clear(a.nu[a.p.Penalised():])
}

// Epoch takes ten steps, fewer where conjugate gradients need many.
func (a *admm) Epoch() {
	for products := 0; products < 20; {
		if a.limit.Reached() {
			return
		}
		products += a.step()
	}
}

func (a *admm) step() (products int) {
	const over = 1.6
	k := a.p.Penalised()
	var primal, dual float64
	for i, m := range a.m {
		z := a.z[i]
		m = float64(over*m) + float64((1-over)*z)
		now := a.p.Loss.Prox(m+a.mu[i], a.p.S[i]/(a.p.N*a.rho), a.p.Y[i])
		a.mu[i] += m - now
		a.z[i] = now
		primal += float64((a.m[i] - now) * (a.m[i] - now))
		dual += float64((now - z) * (now - z))
	}
	v, before := make([]float64, k), append([]float64(nil), a.u[:k]...)
	for j := range v {
		v[j] = float64(over*a.w[j]) + float64((1-over)*a.u[j])
		a.u[j] = v[j] + a.nu[j]
	}
	a.p.Penalty.Prox(a.u[:k], a.u[:k], a.p.Lambda/a.rho)
	for j, u := range a.u[:k] {
		a.nu[j] += v[j] - u
		primal += float64((a.w[j] - u) * (a.w[j] - u))
		dual += float64((u - before[j]) * (u - before[j]))
	}
	products = a.project()
	a.steps++
	a.balance(math.Sqrt(primal), math.Sqrt(dual))
	return products
}

// balance changes rho where one of the residuals is much larger, ever less often.
func (a *admm) balance(primal, dual float64) {
	if a.steps&(a.steps-1) != 0 && a.steps%50 != 0 || a.steps > 5000 {
		return
	}
	factor := 1.0
	switch {
	case primal > 10*dual:
		factor = 2
	case dual > 10*primal:
		factor = 0.5
	default:
		return
	}
	a.rho *= factor
	for i := range a.mu {
		a.mu[i] /= factor
	}
	for j := range a.nu {
		a.nu[j] /= factor
	}
}

// project moves (w, b) to the least squares point of z - mu and u - nu, from where it is, by
// conjugate gradients, and returns the products with X that this took.
func (a *admm) project() (products int) {
	k := a.p.Penalised()
	rest := make([]float64, len(a.m))
	for i, m := range a.m {
		rest[i] = a.z[i] - a.mu[i] - m
	}
	r := make([]float64, len(a.w))
	a.normal(r, rest)
	goal := 0.0
	for j := range k {
		t := a.u[j] - a.nu[j]
		r[j] += t - a.w[j]
		goal += float64(t * t)
	}
	d, along, q := append([]float64(nil), r...), make([]float64, len(a.m)), make([]float64, len(r))
	square := vec.SquaredNorm64(r)
	for range 50 {
		products++
		if square <= 1e-26*max(goal, 1e-30) || square == 0 {
			break
		}
		a.p.Predict(along, d)
		a.normal(q, along)
		vec.Axpy64(q[:k], 1, d[:k])
		step := square / vec.Dot64(d, q)
		if !(step > 0) || math.IsInf(step, 1) {
			break
		}
		vec.Axpy64(a.w, step, d)
		vec.Axpy64(a.m, step, along)
		vec.Axpy64(r, -step, q)
		next := vec.SquaredNorm64(r)
		for j, v := range r {
			d[j] = v + float64(next/square*d[j])
		}
		square = next
	}
	return products
}

// normal writes X^T v, and the sum where there is a bias.
func (a *admm) normal(dst, v []float64) {
	a.p.CombineTo(dst, v)
	if a.p.Bias == problem.None {
		dst[len(dst)-1] = 0
	}
}

// Point returns u, whose weights have the zeros of the penalty.
func (a *admm) Point() problem.Point {
	a.p.Predict(a.m, a.w) // against drift
	w := append([]float64(nil), a.u...)
	d := len(w) - 1
	m := make([]float64, len(a.m))
	if a.p.Bias == problem.Free {
		w[d] = 0
		a.p.Predict(m, w)
		w[d] = a.p.BestBias(m, a.w[d], 1e-12)
	}
	a.p.Predict(m, w)
	there, means := a.dual(m), make([]float64, len(m))
	for i, mu := range a.mu {
		means[i] = a.p.N * a.rho * mu / a.p.S[i]
	}
	d1, e1 := a.p.Dual(means)
	if d2, e2 := a.p.Dual(there); d2-e2 > d1-e1 {
		return problem.Point{W: w, A: there}
	}
	return problem.Point{W: w, A: means}
}
