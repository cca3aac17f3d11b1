package conform

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/loss"
)

// Loss examines the laws of loss.Loss on predictions and targets around zero,
// at the loss's corners, and at the ends of the floating-point range; and every capability
// that the loss declares.
func Loss(l loss.Loss) error {
	f := &findings{}
	targets := []float64{-1, 1}
	if _, ok := l.(loss.Margin); !ok {
		targets = append(targets, 0, 0.3, -7.5, 1e4)
	}
	r := source()
	least, most := loss.Targets(l)
	targets = slices.DeleteFunc(targets, func(y float64) bool { return y < least || y > most })
	for _, y := range targets {
		points := []float64{y, 0, y + 1, y - 1, y + 0.125, y - 0.125, y + 0.5, 1 - y}
		for range 60 {
			points = append(points, y+3*r.NormFloat64(), y+30*r.NormFloat64())
		}
		points = slices.DeleteFunc(points, func(p float64) bool { return l.Value(p, y) > 1e12 }) // differences are lost there
		points = append(points, -1, 0, 2)
		lossDomain(f, l, y)
		lossConjugate(f, l, y, points)
		for _, p := range points {
			lossSlope(f, l, p, y)
			for _, q := range points {
				lossPair(f, l, p, q, y)
			}
			for _, step := range []float64{1e-6, 0.1, 1, 40, 1e6} {
				lossProx(f, l, p, step, y)
			}
		}
		lossExtremes(f, l, y)
		lossCapabilities(f, l, y, points)
	}
	return f.err()
}

// lossSlope compares Derivative with difference quotients from both sides, and
// Curvature with those of Derivative: convexity squeezes one between the other.
func lossSlope(f *findings, l loss.Loss, p, y float64) {
	const h = 1e-5
	g := l.Derivative(p, y)
	size := math.Abs(p) + math.Abs(y)
	left := (l.Value(p, y) - l.Value(p-h, y)) / h
	right := (l.Value(p+h, y) - l.Value(p, y)) / h
	slack := 1e-9 * (1 + l.Value(p, y)) * (1 + size)
	f.check(left <= g+slack && g <= right+slack, "derivative lies between the one-sided slopes",
		"p=%g y=%g: %g not in [%g, %g]", p, y, g, left, right)
	f.check(left-slack > 0 || right+slack < 0 || math.Abs(g) <= math.Min(math.Abs(left), math.Abs(right))+slack || !math.IsInf(l.Smoothness(), 1),
		"at a corner the derivative is the end nearer to zero", "p=%g y=%g: %g, ends %g and %g", p, y, g, left, right)
	if c, ok := l.(loss.Curved); ok {
		before, after := (g-l.Derivative(p-h, y))/h, (l.Derivative(p+h, y)-g)/h
		lo, hi := math.Min(before, after), math.Max(before, after)
		k := c.Curvature(p, y)
		f.check(k >= lo-1e-4*(1+size) && k <= hi+1e-4*(1+size), "curvature is the slope of the derivative",
			"p=%g y=%g: %g not in [%g, %g]", p, y, k, lo, hi)
	}
}

// lossPair checks the subgradient inequality, Fenchel and Young, and the
// smoothness bound for two predictions.
func lossPair(f *findings, l loss.Loss, p, q, y float64) {
	g, vp, vq := l.Derivative(p, y), l.Value(p, y), l.Value(q, y)
	size := math.Abs(vp) + math.Abs(vq) + math.Abs(g)*(math.Abs(p)+math.Abs(q)+math.Abs(y))
	f.check(below(vp+g*(q-p), vq, size), "subgradient inequality", "p=%g q=%g y=%g", p, q, y)
	conjugate := l.Conjugate(g, y)
	f.check(near(vp+conjugate, g*p, size), "Fenchel-Young equality at the derivative",
		"p=%g y=%g: %g + %g, expected %g", p, y, vp, conjugate, g*p)
	f.check(below(g*q, vq+conjugate, size), "Fenchel-Young inequality",
		"a=%g q=%g y=%g: %g > %g", g, q, y, g*q, vq+conjugate)
	if s := l.Smoothness(); !math.IsInf(s, 1) {
		f.check(below(math.Abs(g-l.Derivative(q, y)), s*math.Abs(p-q), s*size), "smoothness bound",
			"p=%g q=%g y=%g: %g > %g", p, q, y, math.Abs(g-l.Derivative(q, y)), s*math.Abs(p-q))
	}
}

// lossProx checks that Prox is a minimiser: with u = prox, (v-u)/step must be a
// subgradient at u, which Fenchel-Young equality tests without knowing it.
func lossProx(f *findings, l loss.Loss, v, step, y float64) {
	u := l.Prox(v, step, y)
	lo, hi := l.Domain(y)
	a := math.Min(math.Max((v-u)/step, lo), hi)
	f.check(math.Abs((v-u)/step-a)*step <= 1e-12*(1+math.Abs(v)+math.Abs(y)), "prox moves along a subgradient",
		"v=%g step=%g y=%g: slope %g outside [%g, %g]", v, step, y, (v-u)/step, lo, hi)
	objective := func(u float64) float64 { return l.Value(u, y) + (u-v)*(u-v)/(2*step) }
	size := objective(v) + math.Abs(v) + math.Abs(y)
	for _, d := range []float64{1e-4, 1e-2, 1, 10} {
		for _, other := range []float64{u + d, u - d, v, y} {
			f.check(below(objective(u), objective(other), size), "prox minimises",
				"v=%g step=%g y=%g: %g worse than %g", v, step, y, u, other)
		}
	}
}

// lossDomain checks that the conjugate is finite inside its domain and that
// the domain is neither too small nor too large.
func lossDomain(f *findings, l loss.Loss, y float64) {
	lo, hi := l.Domain(y)
	f.check(lo <= 0 && hi >= 0, "the domain contains 0", "y=%g: [%g, %g]", y, lo, hi)
	for _, end := range []float64{lo, hi} {
		if math.IsInf(end, 0) {
			continue
		}
		f.check(!math.IsNaN(l.Conjugate(end, y)) && !math.IsInf(l.Conjugate(end, y), 0), "the conjugate is finite on its domain", "a=%g y=%g", end, y)
		// Beyond a finite end the supremum is infinite: the slope of the loss
		// never passes it, and comes as near as one likes.
		far := l.Derivative(math.Copysign(1e9, end), y)
		if end == 0 {
			far = 0
			if hi == 0 {
				far = max(far, l.Derivative(1e9, y))
			}
			if lo == 0 {
				far = max(far, -l.Derivative(-1e9, y))
			}
		}
		f.check(near(far, end, 1), "the domain ends at the loss's steepest slopes", "y=%g: end %g, slope %g", y, end, far)
	}
}

// lossConjugate checks the inequality of Fenchel and Young for dual variables
// from all over the domain, also far out where it has no end: where the
// conjugate should be infinite, some prediction breaks it.
func lossConjugate(f *findings, l loss.Loss, y float64, points []float64) {
	lo, hi := l.Domain(y)
	for _, a := range []float64{lo, hi, -1e6, -7, -1.5, -1, -0.6, -0.5, -0.1, 0, 0.1, 0.5, 0.6, 1, 1.5, 7, 1e6} {
		if a < lo || a > hi || math.IsInf(a, 0) {
			continue
		}
		conjugate := l.Conjugate(a, y)
		for _, q := range append([]float64{1e3, -1e3, 1e9, -1e9}, points...) {
			v := l.Value(q, y)
			size := math.Abs(v) + math.Abs(a)*(math.Abs(q)+math.Abs(y)+math.Abs(a))
			f.check(below(a*q, v+conjugate, size), "Fenchel-Young inequality", "a=%g q=%g y=%g: %g > %g", a, q, y, a*q, v+conjugate)
		}
	}
}

// lossExtremes checks that huge arguments give no NaN.
func lossExtremes(f *findings, l loss.Loss, y float64) {
	for _, p := range []float64{1e300, -1e300, 1e20, -1e20, math.MaxFloat64, 800, -800} {
		for name, v := range map[string]float64{
			"value": l.Value(p, y), "derivative": l.Derivative(p, y), "prox": l.Prox(p, 1, y), "prox with a small step": l.Prox(p, 1e-300, y),
		} {
			f.check(!math.IsNaN(v), "no NaN", "%s at p=%g y=%g", name, p, y)
		}
		if s, ok := l.(loss.Flowing); ok {
			f.check(!math.IsNaN(s.Flow(p, y, 1)+s.Flow(p, y, 1e300)), "no NaN", "flow at p=%g y=%g", p, y)
		}
		lo, hi := l.Domain(y)
		a := math.Min(math.Max(p, lo), hi)
		f.check(!math.IsNaN(l.Conjugate(a, y)), "no NaN", "conjugate at a=%g y=%g", a, y)
	}
}
