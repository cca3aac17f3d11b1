package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// Dual returns the dual objective at the feasible point made of a, and a bound on the error of
// that computation, as [Linear.Dual] does. a itself is not changed.
func (p *Joint) Dual(a []float64) (value, bound float64) {
	v, whole := make([]float64, len(a)), make([]float64, p.size())
	p.feasible(v, a)
	chain := p.CombineTo(whole, v) + p.Classes // what stands for the row's own class is rounded
	factor := -1 / (p.Lambda * p.N)
	u := whole[:p.Penalised()]
	for j := range u {
		u[j] *= factor
	}
	size := p.magnitude(v)
	rounding, underflow, uError := roundingsOf(chain, -factor, size, len(u))
	c := conjugation{penalty: p.Penalty, lambda: p.Lambda, u: u, uError: uError, widen: func(u []float64) { p.widen(u, v, rounding, underflow) }}
	scale := c.evaluate()
	conjugates, conjugateError := p.conjugates(v, scale)
	value = -conjugates - float64(p.Lambda*c.value)
	c.sharpen(value)
	bound = conjugateError + float64(p.Lambda*c.bound) + float64(4*unit*math.Abs(value))
	if size > 0 {
		bound += 8 * tiny
	}
	return value, bound
}

// size is how many weights a point has.
func (p *Joint) size() int {
	_, d := p.X.Dims()
	return (d + 1) * p.Classes
}

// WeightsTo sets u, (d+1) x K, to -X^T(s.A)/(lambda N) for dual variables as they are, and
// the sums of s.A, not divided, as its last K numbers: for solvers.
func (p *Joint) WeightsTo(u, a []float64) {
	k := p.Classes
	v := make([]float64, len(a))
	for i, s := range p.S {
		for c, x := range a[i*k : (i+1)*k] {
			v[i*k+c] = s * x
		}
	}
	p.CombineTo(u, v)
	factor := -1 / (p.Lambda * p.N)
	for j := range u[:len(u)-k] {
		u[j] *= factor
	}
}

// magnitude bounds the norm of sum_i |x_i| |v_i|^T.
func (p *Joint) magnitude(v []float64) float64 {
	constant, k := p.Constant(), p.Classes
	bounds := make([]float64, blocksOf(len(p.Y)))
	parallel.Blocks(len(p.Y), blockRows, p.Threads, func(b, lo, hi int) {
		sum := 0.0
		for i := lo; i < hi; i++ {
			sum += float64(norm(v[i*k:(i+1)*k]) * p.norm(i, constant))
		}
		bounds[b] = sum * (1 + float64(k+8)*unit)
	})
	return sumBound(bounds)
}

// widen is [Linear.widen] class by class.
func (p *Joint) widen(u, v []float64, rounding, underflow float64) {
	norms, k := p.ColumnNorms(), p.Classes
	size := make([]float64, k)
	for c := range size {
		column := make([]float64, len(p.Y))
		for i := range column {
			column[i] = v[i*k+c]
		}
		size[c] = float64(rounding * norm(column) * (1 + 1e-5))
	}
	for j, x := range u {
		u[j] = float64(math.Abs(x)*(1+8*unit)) + float64(size[j%k]*norms[j/k]) + underflow
	}
}
