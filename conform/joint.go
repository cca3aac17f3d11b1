package conform

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/joint"
)

// Joint examines a loss of the predictions of several classes.
func Joint(l joint.Loss) error {
	f := &findings{}
	r := source()
	for _, classes := range []int{2, 3, 7} {
		var points [][]float64
		for _, spread := range []float64{0, 0.1, 1, 3, 30} {
			for range 6 {
				points = append(points, drawn(r, classes, spread))
			}
		}
		for y := range classes {
			for _, p := range points {
				jointSlope(f, l, p, y)
				for _, q := range points {
					jointPair(f, l, p, q, y)
				}
				for _, step := range []float64{1e-6, 0.1, 1, 40, 1e4} {
					jointProx(f, l, p, step, y)
				}
			}
			jointConjugate(f, l, r, classes, y, points)
			jointExtremes(f, l, classes, y)
		}
	}
	jointTwo(f, l, r)
	return f.err()
}

// drawn returns normal numbers.
func drawn(r *rand.Rand, n int, spread float64) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = spread * r.NormFloat64()
	}
	return v
}

func largest(v []float64) (most float64) {
	for _, x := range v {
		most = math.Max(most, math.Abs(x))
	}
	return most
}

// inSimplex checks that a is in the domain of y.
func inSimplex(f *findings, a []float64, y int, what string) {
	sum, other := 0.0, 0.0
	for k, x := range a {
		sum += x
		if k != y {
			other += x
			f.check(x >= 0, "subgradients lie in the simplex less the class", "%s, y=%d: %v", what, y, a)
		}
	}
	f.check(math.Abs(sum) <= 1e-15*float64(len(a)) && other <= 1+1e-15*float64(len(a)), "subgradients lie in the simplex less the class", "%s, y=%d: %v", what, y, a)
}

// jointSlope compares Derivative with difference quotients along each prediction.
func jointSlope(f *findings, l joint.Loss, p []float64, y int) {
	g := make([]float64, len(p))
	l.Derivative(g, p, y)
	inSimplex(f, g, y, "derivative")
	const h = 1e-5
	at := append([]float64(nil), p...)
	for k := range p {
		at[k] = p[k] - h
		left := (l.Value(p, y) - l.Value(at, y)) / h
		at[k] = p[k] + h
		right := (l.Value(at, y) - l.Value(p, y)) / h
		at[k] = p[k]
		slack := 1e-9 * (1 + l.Value(p, y)) * (1 + largest(p))
		f.check(left <= g[k]+slack && g[k] <= right+slack, "derivative lies between the one-sided slopes", "p=%v y=%d k=%d: %g not in [%g, %g]", p, y, k, g[k], left, right)
	}
	if q, ok := l.(joint.Quick); ok {
		both := append([]float64(nil), p...)
		both = append(both, both...) // two rows
		var value [2]float64
		q.ValueSlopes(value[:], both, both, []uint32{uint32(y), uint32(y)})
		f.check(math.Abs(value[1]-l.Value(p, y)) <= 1e-13*(1+largest(p)), "value and slope together are those of each", "p=%v y=%d: value %g", p, y, value[1])
		both = both[len(p):]
		q.Values(value[:], append(append([]float64(nil), p...), p...), []uint32{uint32(y), uint32(y)})
		f.check(value[0] == l.Value(p, y) && value[1] == value[0], "values of many rows are those of each", "p=%v y=%d: value %g", p, y, value[1])
		q.Conjugates(value[:], append(append([]float64(nil), g...), g...), []uint32{uint32(y), uint32(y)})
		f.check(value[0] == l.Conjugate(g, y) && value[1] == value[0], "values of many rows are those of each", "a=%v y=%d: conjugate %g", g, y, value[1])
		for k := range g {
			f.check(both[k] == g[k], "value and slope together are those of each", "p=%v y=%d: slope %v", p, y, both)
		}
	}
	same := append([]float64(nil), p...)
	l.Derivative(same, same, y)
	for k := range g {
		f.check(same[k] == g[k], "the derivative may take the place of the predictions", "p=%v y=%d", p, y)
	}
}

// jointPair checks the subgradient inequality, Fenchel and Young, and the smoothness.
func jointPair(f *findings, l joint.Loss, p, q []float64, y int) {
	g, other := make([]float64, len(p)), make([]float64, len(p))
	l.Derivative(g, p, y)
	l.Derivative(other, q, y)
	vp, vq := l.Value(p, y), l.Value(q, y)
	size := vp + vq + largest(p) + largest(q)
	f.check(below(vp+inner(g, q)-inner(g, p), vq, size), "subgradient inequality", "p=%v q=%v y=%d", p, q, y)
	conjugate := l.Conjugate(g, y)
	f.check(near(vp+conjugate, inner(g, p), size), "Fenchel-Young equality at the derivative", "p=%v y=%d: %g + %g, expected %g", p, y, vp, conjugate, inner(g, p))
	f.check(below(inner(g, q), vq+conjugate, size), "Fenchel-Young inequality", "a=%v q=%v y=%d", g, q, y)
	far, apart := 0.0, 0.0
	for k := range p {
		far += (g[k] - other[k]) * (g[k] - other[k])
		apart += (p[k] - q[k]) * (p[k] - q[k])
	}
	if s := l.Smoothness(); !math.IsInf(s, 1) {
		f.check(below(math.Sqrt(far), s*math.Sqrt(apart), size), "smoothness bound", "p=%v q=%v y=%d", p, q, y)
	}
}

// jointProx checks that the proximal map minimises: Fenchel-Young equality at its slope.
func jointProx(f *findings, l joint.Loss, v []float64, step float64, y int) {
	a, u := make([]float64, len(v)), make([]float64, len(v))
	l.Dual(a, v, step, y)
	inSimplex(f, a, y, "prox")
	for k, x := range a {
		u[k] = v[k] - step*x
	}
	size := l.Value(u, y) + largest(v) + step
	f.check(near(l.Value(u, y)+l.Conjugate(a, y), inner(a, u), size), "prox minimises", "v=%v step=%g y=%d: slope %v at %v", v, step, y, a, u)
}

// jointConjugate checks the inequality of Fenchel and Young all over the domain, that a_y is
// not read, and that numbers a little outside are taken as inside.
func jointConjugate(f *findings, l joint.Loss, r *rand.Rand, classes, y int, points [][]float64) {
	for trial := range 40 {
		a, sum := make([]float64, classes), 0.0
		for k := range a {
			if k != y && r.IntN(3) > 0 {
				a[k] = r.ExpFloat64()
				sum += a[k]
			}
		}
		share := [...]float64{0, 1e-300, 1e-9, 0.3, 1}[trial%5]
		for k := range a {
			if sum > 0 {
				a[k] *= share / sum
			}
		}
		conjugate := l.Conjugate(a, y)
		a[y] = 17
		f.check(l.Conjugate(a, y) == conjugate, "the conjugate reads the other classes alone", "a=%v y=%d", a, y)
		a[y] = 0
		for k, x := range a {
			if k != y {
				a[y] -= x
			}
		}
		for _, q := range points {
			f.check(below(inner(a, q), l.Value(q, y)+conjugate, largest(q)+1), "Fenchel-Young inequality", "a=%v q=%v y=%d", a, q, y)
		}
		for k := range a {
			a[k] *= 1 + 1e-15
		}
		c := l.Conjugate(a, y)
		f.check(near(c, conjugate, 1), "the conjugate is finite on its domain, rounding included", "a=%v y=%d: %g", a, y, c)
	}
}

// jointExtremes checks that huge arguments give no NaN.
func jointExtremes(f *findings, l joint.Loss, classes, y int) {
	p, a := make([]float64, classes), make([]float64, classes)
	for _, size := range []float64{800, 1e20, 1e300} {
		for k := range p {
			p[k] = size * float64(1-2*(k%2))
		}
		f.check(!math.IsNaN(l.Value(p, y)), "no NaN", "value at %v", p)
		l.Derivative(a, p, y)
		inSimplex(f, a, y, "derivative far out")
		f.check(!math.IsNaN(l.Conjugate(a, y)), "no NaN", "conjugate at %v", a)
		for _, step := range []float64{1e-300, 1, 1e6} {
			l.Dual(a, p, step, y)
			inSimplex(f, a, y, "prox far out")
		}
	}
}

// jointTwo compares with the loss of two classes, and probabilities with the derivative.
func jointTwo(f *findings, l joint.Loss, r *rand.Rand) {
	two := l.Two()
	for range 100 {
		p := drawn(r, 2, 5)
		for y, sign := range []float64{-1, 1} {
			f.check(near(l.Value(p, y), two.Value(p[1]-p[0], sign), 1), "with two classes it is the loss of their difference", "p=%v y=%d", p, y)
		}
	}
	s, ok := l.(joint.Probabilistic)
	if !ok {
		return
	}
	for range 100 {
		p := drawn(r, 4, 5)
		q, mean, g := make([]float64, 4), make([]float64, 4), make([]float64, 4)
		s.Probabilities(q, p)
		for y := range q {
			l.Derivative(g, p, y)
			for k := range mean {
				mean[k] += q[y] * g[k]
			}
		}
		f.check(largest(mean) <= 1e-12, "the loss is least on average at the probabilities", "p=%v: %v", p, q)
	}
}
