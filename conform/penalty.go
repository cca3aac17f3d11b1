package conform

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/penalty"
)

// Penalty examines the laws of penalty.Penalty on random vectors of several
// lengths and sizes, and every capability that the penalty declares.
func Penalty(p penalty.Penalty) error {
	f := &findings{}
	r := source()
	vector := func(n int, size float64) []float64 {
		v := make([]float64, n)
		for j := range v {
			v[j] = size * r.NormFloat64()
		}
		return v
	}
	f.check(p.Value(make([]float64, 3)) == 0 && p.Value(nil) == 0, "the penalty of 0 is 0", "")
	for _, n := range []int{1, 2, 7} {
		for _, size := range []float64{1e-3, 1, 30} {
			for range 30 {
				penaltyDual(f, p, vector(n, size), vector(n, 1))
				penaltyProx(f, p, vector(n, size), vector(n, size))
				penaltyConvex(f, p, vector(n, size), vector(n, size))
				penaltyMagnitudes(f, p, vector(n, size), r.IntN(n))
				penaltyCapabilities(f, p, vector(n, size), r.IntN(n))
			}
		}
	}
	return f.err()
}

// looseness is by what share a scale may be below the largest.
func looseness(p penalty.Penalty) float64 {
	if a, ok := p.(penalty.Approximate); ok {
		return a.Accuracy()
	}
	return 0
}

// penaltyDual checks the conjugate at u, against the weights w.
func penaltyDual(f *findings, p penalty.Penalty, w, u []float64) {
	u = slices.Clone(u)
	for j := range u {
		u[j] *= 2
	}
	scale, value := p.Conjugate(u)
	loose := looseness(p)
	f.check(scale > 0 && scale <= 1, "0 < scale <= 1", "u=%v: %g", u, scale)
	feasible := scaled(u, scale)
	again, same := p.Conjugate(feasible)
	f.check(again >= 1-loose && near(same, value, 1), "scale*u is feasible and has the value returned", "u=%v: scale %g, value %g, then %g and %g", u, scale, value, again, same)
	if scale < 1 {
		further, _ := p.Conjugate(scaled(u, scale*(1+max(1e-9, 2*loose))))
		f.check(further < 1, "scale is the largest possible", "u=%v: %g", u, scale)
	}
	f.check(below(inner(feasible, w), p.Value(w)+value, p.Value(w)), "Fenchel-Young inequality", "u=%v w=%v", feasible, w)

	// Moreau: v = prox(v) + (v - prox(v)), and the rest is a subgradient.
	x := make([]float64, len(w))
	p.Prox(x, w, 1)
	g := make([]float64, len(w))
	for j := range g {
		g[j] = w[j] - x[j]
	}
	gScale, gValue := p.Conjugate(g)
	f.check(gScale > 1-max(1e-9, 2*loose) && math.Abs(p.Value(x)+gValue-inner(g, x)) <= max(1e-9, loose)*math.Max(1, p.Value(w)), "Moreau: v - prox(v) is a subgradient at prox(v)", "v=%v: %v", w, x)
	if s, ok := p.(penalty.Strong); ok {
		f.check(p.StrongConvexity() > 0, "a strong penalty is strongly convex", "%g", p.StrongConvexity())
		s.Weights(x, feasible)
		f.check(near(p.Value(x)+value, inner(feasible, x), value), "Weights attains the conjugate", "u=%v: %v", feasible, x)
	}
}

func penaltyProx(f *findings, p penalty.Penalty, v, other []float64) {
	for _, step := range []float64{1e-3, 0.5, 20} {
		x := make([]float64, len(v))
		p.Prox(x, v, step)
		objective := func(x []float64) float64 {
			d := 0.0
			for j := range x {
				d += (x[j] - v[j]) * (x[j] - v[j])
			}
			return p.Value(x) + d/(2*step)
		}
		best := objective(x)
		for _, t := range []float64{1e-3, 0.1, 1} {
			moved := slices.Clone(x)
			for j := range moved {
				moved[j] += t * other[j]
			}
			f.check(below(best, objective(moved), best), "prox minimises", "v=%v step=%g", v, step)
		}
		inPlace := slices.Clone(v)
		p.Prox(inPlace, inPlace, step)
		f.check(slices.Equal(inPlace, x), "prox works in place", "v=%v", v)
	}
}

func penaltyConvex(f *findings, p penalty.Penalty, v, w []float64) {
	middle, half := make([]float64, len(v)), 0.0
	for j := range v {
		middle[j] = (v[j] + w[j]) / 2
		half += (v[j] - w[j]) * (v[j] - w[j]) / 4
	}
	curve := p.StrongConvexity() / 2 * half
	size := p.Value(v) + p.Value(w)
	f.check(below(p.Value(middle)+curve, size/2, size), "strong convexity", "v=%v w=%v", v, w)
	f.check(p.Value(v) >= 0 && !math.IsNaN(p.Value(v)), "the penalty is not negative", "v=%v", v)
}

// penaltyMagnitudes checks that signs do not matter, and that no magnitude is better larger:
// the certificate relies on it.
func penaltyMagnitudes(f *findings, p penalty.Penalty, w []float64, j int) {
	const law = "the penalty depends on magnitudes, and does not fall with one"
	f.check(p.StrongConvexity() == 0 || scaleOf(p.Conjugate(w)) == 1, "the conjugate of a strongly convex penalty is finite", "u=%v", w)
	if c, ok := p.(penalty.Coupled); ok {
		penaltyCoupled(f, c, w, j)
		return
	}
	if c, ok := p.(penalty.Nonnegative); ok {
		penaltyNonnegative(f, c, w)
		return
	}
	other, far := slices.Clone(w), slices.Clone(w)
	other[j] *= -1
	far[j] *= 1.5
	f.check(near(p.Value(other), p.Value(w), p.Value(w)), law, "w=%v: with the sign of %d changed %g, not %g", w, j, p.Value(other), p.Value(w))
	f.check(below(p.Value(w), p.Value(far), p.Value(w)), law, "w=%v: %g, with %g there %g", w, p.Value(w), far[j], p.Value(far))
}

// penaltyNonnegative checks the form of a penalty of weights that are at least 0, and what a certificate relies on.
func penaltyNonnegative(f *findings, p penalty.Nonnegative, w []float64) {
	l1, l2 := p.OnNonnegative()
	positive, sum, squares, least := slices.Clone(w), 0.0, 0.0, 0.0
	for j, x := range w {
		positive[j], least = max(0, x), min(least, x)
		sum += positive[j]
		squares += float64(positive[j] * positive[j])
	}
	want := float64(l1*sum) + float64(l2/2*squares)
	f.check(l1 >= 0 && l2 >= 0 && near(p.Value(positive), want, want), "a penalty of nonnegative weights has its form", "w=%v: %g, by the coefficients %g", positive, p.Value(positive), want)
	f.check(p.StrongConvexity() == l2, "the strong convexity of a penalty of nonnegative weights is that of its form", "%g, coefficient %g", p.StrongConvexity(), l2)
	f.check(least == 0 || math.IsInf(p.Value(w), 1), "a weight below 0 has an infinite penalty", "w=%v: %g", w, p.Value(w))
	scale, value := p.Conjugate(w)
	same, again := p.Conjugate(positive)
	f.check(scale == same && value == again, "the conjugate is that of the positive numbers", "u=%v: %g and %g, of the positive ones %g and %g", w, scale, value, same, again)
	more := slices.Clone(positive)
	for j := range more {
		more[j] *= 1.5
	}
	larger, most := p.Conjugate(more)
	f.check(larger <= scale && most >= value, "the conjugate of positive numbers grows with each", "u=%v: %g and %g, of larger ones %g and %g", positive, scale, value, larger, most)
}

// penaltyCoupled checks what a certificate relies on where signs matter: the scale of all vectors
// near u takes those into the domain whose numbers are as far away as may be, of any signs.
func penaltyCoupled(f *findings, p penalty.Coupled, u []float64, seed int) {
	minus, reach := scaled(u, -1), make([]float64, len(u))
	f.check(p.Value(minus) == p.Value(u), "a coupled penalty is even", "w=%v: %g, with signs changed %g", u, p.Value(u), p.Value(minus))
	for j, x := range u {
		reach[j] = math.Abs(x) / float64(2+j)
	}
	scale := p.Within(u, reach)
	f.check(scale > 0 && scale <= 1, "0 < scale <= 1", "u=%v: %g", u, scale)
	for signs := range 1 << len(u) {
		v := slices.Clone(u)
		for j := range v {
			v[j] += math.Copysign(reach[j], float64((signs^seed)>>j&1)-0.5)
		}
		f.check(scaleOf(p.Conjugate(scaled(v, scale))) >= 1-looseness(p), "the scale of all vectors near u takes each into the domain", "u=%v v=%v: %g", u, v, scale)
	}
}

// penaltyCapabilities examines what p declares of itself: see capability.go of package
// penalty for the laws.
func penaltyCapabilities(f *findings, p penalty.Penalty, w []float64, j int) {
	if l1, l2, ok := penalty.Coefficients(p); ok {
		sum, squares := 0.0, 0.0
		for _, x := range w {
			sum += math.Abs(x)
			squares += float64(x * x)
		}
		want := float64(l1*sum) + float64(l2/2*squares)
		f.check(l1 >= 0 && l2 >= 0 && near(p.Value(w), want, want), "an elastic penalty has its form", "w=%v: %g, by the coefficients %g", w, p.Value(w), want)
		f.check(p.StrongConvexity() == l2, "the strong convexity of an elastic penalty is that of its form", "%g, coefficient %g", p.StrongConvexity(), l2)
	}
	if s, ok := p.(penalty.Differentiable); ok {
		g := slices.Clone(w)
		s.Gradient(g, g)
		_, value := p.Conjugate(g)
		f.check(near(p.Value(w)+value, inner(g, w), p.Value(w)), "the gradient attains Fenchel and Young", "w=%v: %v", w, g)
	}
	if s, ok := p.(penalty.PNorm); ok {
		exponent, powers := s.P(), 0.0
		for _, x := range w {
			powers += math.Pow(math.Abs(x), exponent)
		}
		want := math.Pow(powers, 2/exponent) / (2 * (exponent - 1))
		f.check(near(p.Value(w), want, want), "a p-norm has its form", "w=%v: %g, by the exponent %g %g", w, p.Value(w), exponent, want)
	}
	if c, ok := p.(penalty.Confined); ok {
		penaltyConfined(f, c, w)
	}
	if s, ok := p.(penalty.Rounded); ok {
		f.check(s.Rounding(len(w)) >= 1, "a value is rounded at least once", "%d numbers: %g units", len(w), s.Rounding(len(w)))
	}
	s, ok := p.(penalty.Separable)
	if !ok {
		return
	}
	const law = "single weights are those among others"
	whole, some := make([]float64, len(w)), make([]float64, j+1)
	s.Weights(whole, w)
	s.WeightsAt(some, w[:j+1], nil)
	f.check(slices.Equal(some, whole[:j+1]), law, "u=%v: the first %v, of %v", w, some, whole)
	one := []float64{w[j]}
	s.WeightsAt(one, one, []uint32{uint32(j)})
	f.check(one[0] == whole[j], law, "u=%v: %g in place %d of %v", w, one[0], j, whole)
}

// penaltyConfined checks that a ball has its norm and radius: what is a little shorter is inside, what is
// longer is not, and Shorten keeps the direction.
func penaltyConfined(f *findings, p penalty.Confined, w []float64) {
	const law = "a ball is that of its norm and radius"
	norm, radius := p.Bound()
	size := 0.0
	for _, x := range w {
		size += math.Pow(math.Abs(x), float64(norm))
	}
	size = math.Pow(size, 1/float64(norm))
	f.check(norm == 1 || norm == 2, law, "norm %d", norm)
	f.check(p.Value(scaled(w, radius/size*(1-1e-9))) == 0 && p.Value(scaled(w, radius/size*(1+1e-9))) == math.Inf(1), law, "w=%v: norm %d, radius %g", w, norm, radius)
	short := slices.Clone(w)
	p.Shorten(short)
	factor := min(1, radius/size)
	same := p.Value(short) == 0
	for j, x := range short {
		same = same && near(x, factor*w[j], math.Abs(w[j]))
	}
	f.check(same, "Shorten brings inside, along the line", "w=%v: %v", w, short)
}

// scaleOf returns the scale of a conjugate.
func scaleOf(scale, _ float64) float64 { return scale }

func scaled(v []float64, s float64) []float64 {
	out := make([]float64, len(v))
	for j, x := range v {
		out[j] = s * x
	}
	return out
}

func inner(a, b []float64) float64 {
	s := 0.0
	for j := range a {
		s += a[j] * b[j]
	}
	return s
}
