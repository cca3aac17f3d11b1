package conform

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
)

// Certificate examines the certificates of a problem whose optimal value is
// known to about ten digits, on points that no sane solver would hand over:
// whatever they are, the dual must not exceed the optimum. near are points with
// a proved gap, at which the certificate must not be worthless either.
func Certificate(p problem.Problem, optimum float64, near ...problem.Point) error {
	f := &findings{}
	n, d := p.Dims()
	zero := p.Certify(problem.Point{W: make([]float64, d+1), A: make([]float64, n)})
	e := &certifier{findings: f, p: p, optimum: optimum, slack: 1e-10 * math.Max(math.Abs(optimum), math.Abs(zero.Primal))}
	r := source()
	for _, a := range duals(r, n, near) {
		for _, w := range primals(r, d+1, near) {
			e.examine(problem.Point{W: w, A: a})
		}
	}
	e.climb(r, near)
	c := p.Certify(problem.Point{W: make([]float64, d+1)})
	f.check(math.IsInf(c.Dual, -1) && math.IsInf(c.Relative(), 1), "without a dual point nothing is proved", "dual %g, relative gap %g", c.Dual, c.Relative())
	for _, pt := range near {
		c := p.Certify(pt)
		f.check(c.Gap() <= 1e-5*math.Max(math.Abs(zero.Primal), math.Abs(optimum))+1e-12, "the gap closes at the optimum", "primal %g, dual %g, optimum %g", c.Primal, c.Dual, optimum)
	}
	return f.err()
}

// certifier examines one point after the other.
type certifier struct {
	*findings
	p              problem.Problem
	optimum, slack float64
}

func (e *certifier) examine(pt problem.Point) {
	before := problem.Point{W: slices.Clone(pt.W), A: slices.Clone(pt.A)}
	c := e.p.Certify(pt)
	detail := "w=%v a=%v: primal %v, dual %v, optimum %v"
	args := []any{pt.W, pt.A, c.Primal, c.Dual, e.optimum}
	e.check(c.Dual <= e.optimum+e.slack, "the dual never exceeds the optimum", detail, args...)
	e.check(same(pt.W, before.W) && same(pt.A, before.A), "Certify leaves the point alone", detail, args...)
	again := e.p.Certify(pt)
	e.check(bits(c) == bits(again), "the same point gives the same bits", detail, args...)

	if finite := !math.IsNaN(c.Gap()) && !math.IsInf(c.Gap(), 0); !finite {
		e.check(math.IsInf(c.Relative(), 1), "a gap that is no number proves nothing", detail, args...)
	}
	l := linearOf(e.p)
	if l == nil {
		return
	}
	if value := objective(l, pt.W); !math.IsNaN(value) && value < 1e200 {
		size := math.Max(math.Abs(value), 1e-10*l.Zero())
		e.check(math.Abs(c.Primal-value) <= 1e-9*size, "the primal is the objective", "w=%v: %v, expected %v", pt.W, c.Primal, value)
		e.check(c.Gap() >= value-e.optimum-e.slack-1e-12*size, "the gap is at least the suboptimality", detail, args...)
	}
	for _, threads := range []int{1, 2} {
		twin := *l
		twin.Rows = problem.NewRows(l.X, threads)
		if l == e.p {
			e.check(bits(c) == bits(twin.Certify(pt)), "the number of threads changes no bit", detail, args...)
		}
	}
}

// climb looks for a dual point that is praised too highly: it walks uphill from
// the near points, one variable or all at a time, and examines where it gets.
func (e *certifier) climb(r *rand.Rand, near []problem.Point) {
	for _, pt := range near {
		best, w := e.p.Certify(pt).Dual, pt.W
		a := slices.Clone(pt.A)
		for step := range 200 {
			moved, size := slices.Clone(a), math.Pow(10, -float64(step%5))
			if step%2 == 0 {
				moved[r.IntN(len(a))] += size * r.NormFloat64()
			} else {
				for i, x := range normal(r, len(a), size) {
					moved[i] += x
				}
			}
			if dual := e.p.Certify(problem.Point{W: w, A: slices.Clone(moved)}).Dual; dual > best {
				best, a = dual, moved
			}
		}
		e.examine(problem.Point{W: w, A: a})
	}
}

// wrapped is a broken certificate of the zoo around a sound problem.
type wrapped interface{ linear() *problem.Linear }

// linearOf returns the linear problem that p is, or is made of.
func linearOf(p problem.Problem) *problem.Linear {
	switch p := p.(type) {
	case *problem.Linear:
		return p
	case wrapped:
		return p.linear()
	}
	return nil
}

// objective computes P(w,b) as plainly as possible.
func objective(p *problem.Linear, w []float64) float64 {
	n, d := p.Dims()
	if p.Bias == problem.None && w[d] != 0 {
		return math.Inf(1) // there is no such point
	}
	sum, weights := 0.0, 0.0
	for i := range n {
		prediction := w[d]
		x := p.X.Row(i)
		for k, v := range x.Value {
			prediction += w[x.Column(k)] * float64(v)
		}
		sum += p.S[i] * p.Loss.Value(prediction, p.Y[i])
		weights += p.S[i]
	}
	penalised := w[:d]
	if p.Bias == problem.Feature {
		penalised = w
	}
	return sum/weights + p.Lambda*p.Penalty.Value(penalised)
}

// duals are dual points: random of many sizes, most far outside every domain,
// spoiled ones, and the near ones, exact and perturbed.
func duals(r *rand.Rand, n int, near []problem.Point) [][]float64 {
	points := vectors(r, n)
	for _, pt := range near {
		points = append(points, neighbours(r, pt.A)...)
	}
	return points
}

// primals are the same for weights; the last number is the bias.
func primals(r *rand.Rand, n int, near []problem.Point) [][]float64 {
	points := vectors(r, n)
	for _, pt := range near {
		points = append(points, neighbours(r, pt.W)...)
	}
	for _, w := range slices.Clone(points) { // for problems without a bias
		w = slices.Clone(w)
		w[n-1] = 0
		points = append(points, w)
	}
	return points
}

func vectors(r *rand.Rand, n int) [][]float64 {
	points := [][]float64{make([]float64, n)}
	for _, size := range []float64{1e-3, 0.3, 1, 1, 20, 1e6} {
		points = append(points, normal(r, n, size))
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, -1} {
		all, one := make([]float64, n), normal(r, n, 1)
		for i := range all {
			all[i] = x
		}
		one[r.IntN(n)] = x
		points = append(points, all, one)
	}
	return points
}

func neighbours(r *rand.Rand, v []float64) [][]float64 {
	points := [][]float64{v}
	for _, size := range []float64{1e-12, 1e-6, 1e-2} {
		moved := normal(r, len(v), size)
		for i := range moved {
			moved[i] += v[i]
		}
		points = append(points, moved)
	}
	return points
}

func normal(r *rand.Rand, n int, size float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = size * r.NormFloat64()
	}
	return v
}

// bits are the numbers of a certificate, comparable also when they are NaN.
func bits(c problem.Certificate) [4]uint64 {
	return [4]uint64{math.Float64bits(c.Primal), math.Float64bits(c.Dual), math.Float64bits(c.Zero), math.Float64bits(c.Rounding)}
}

// same says that a and b have the same bits.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}
