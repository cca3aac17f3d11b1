package hessian

import (
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// MostColumns bounds the matrices that are formed: 128 MB each.
const MostColumns = 4096

// Dense reports whether rows are added as if they used every column: from
// a share of 0.3 of the columns on, more where there are few. Both ways were found
// to cost the same at a share of 0.8 with 20 columns, 0.6 with 54, 0.45 with 120,
// 0.32 with 300 and 0.3 with 784 (AVX-512).
func Dense(p *problem.Linear) bool {
	n, d := p.Dims()
	return 10*p.Nonzeros >= int64(n)*int64(3*d+100)
}

// Narrow reports whether rows are dense and so short that a matrix takes no more than two products with it.
func Narrow(p *problem.Linear) bool {
	_, d := p.Dims()
	return d <= 64 && Dense(p)
}

// Serves reports whether one matrix serves several problems that differ in their targets alone: its
// curvatures are the weights of the rows, as of a parabola, and it costs each of them a few passes over the data.
func Serves(p *problem.Linear) bool {
	_, d := p.Dims()
	return p.Shared != nil && loss.IsQuadratic(p.Loss) && penalty.IsRidge(p.Penalty) && d <= MostColumns && Time(p) <= 4*float64(p.Shared.Count)
}

// Shared returns the factor that serves all of them, made once.
func Shared(p *problem.Linear, curved loss.Curved) *Matrix {
	return p.Shared.Make(func() any {
		c := make([]float64, len(p.Y))
		for i, weight := range p.S {
			c[i] = curved.Curvature(0, p.Y[i]) * (weight / p.N)
		}
		m := New(p, nil)
		m.Form(p, c)
		m.Decompose(p)
		m.parts = nil
		return m
	}).(*Matrix)
}

// Time is about how many passes over the data a matrix takes as long as: where
// products of matrices do the work, which is the factor and with dense rows all of it, a
// number takes a quarter to a sixteenth of the time that it takes elsewhere.
func Time(p *problem.Linear) float64 {
	n, d := p.Dims()
	form, factor := work(n, d, p.Nonzeros)
	if Dense(p) {
		return (form + factor) / 16
	}
	return form + factor/4
}

// Passes is about how many passes over the data forming and factoring
// Newton's matrix cost, number by number.
func Passes(n, d int, nonzeros int64) float64 {
	form, factor := work(n, d, nonzeros)
	return form + factor
}

// work returns the two parts of Passes.
func work(n, d int, nonzeros int64) (form, factor float64) {
	size := max(float64(nonzeros), 1)
	return size / (2 * float64(n)), float64(d) * float64(d) * float64(d) / (6 * size)
}
