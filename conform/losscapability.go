package conform

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
)

// lossCapabilities examines what l declares of itself for a target: see capability.go of
// package loss for the laws.
func lossCapabilities(f *findings, l loss.Loss, y float64, points []float64) {
	if m, ok := l.(loss.Margin); ok {
		for _, p := range points {
			f.check(m.Value(p, 1) == m.Value(-p, -1), "a loss of margins is one of yp", "p=%g", p)
		}
	}
	if c, ok := l.(loss.Cornered); ok {
		lossRamps(f, c, y, points)
	}
	if c, ok := l.(loss.SelfConcordant); ok {
		lossConcordance(f, c, y, points)
	}
	if i, ok := l.(loss.Invertible); ok {
		lossInverse(f, i, y)
	}
	if t, ok := l.(loss.Tube); ok {
		for _, p := range points {
			within := math.Abs(p-y) <= t.Tube()
			f.check((l.Value(p, y) == 0) == within, "the loss is 0 inside its tube, and nowhere else", "p=%g y=%g: %g", p, y, l.Value(p, y))
		}
	}
	if n, ok := l.(loss.Numeric); ok {
		c := n.UsualC(math.Abs(y)+1, math.Abs(y)/2+0.5)
		f.check(c > 0 && !math.IsInf(c, 1), "the usual C is a number > 0", "%g", c)
	}
	if s, ok := l.(loss.Linked); ok {
		for _, p := range points {
			mean := s.Mean(p)
			f.check(near(l.Derivative(p, mean), 0, max(1, mean)), "the derivative is 0 where the target is the mean", "p=%g, mean %g: %g", p, mean, l.Derivative(p, mean))
		}
	}
	if s, ok := l.(loss.LogLinked); ok {
		for _, p := range points {
			f.check(near(s.Mean(p), math.Exp(p), math.Exp(p)), "predictions are logarithms of means", "p=%g: %g", p, s.Mean(p))
		}
	}
	if s, ok := l.(loss.Probabilistic); ok {
		lossOdds(f, s, points)
	}
	if s, ok := l.(loss.Flowing); ok {
		lossFlow(f, s, y, points)
	}
	lossSteps(f, l, y, points)
	lossBatches(f, l, y, points)
}

// lossFlow checks that two steps along the gradient flow are one of their sum, that the first of them has the slope of the
// loss, and that none leads to a larger value.
func lossFlow(f *findings, l loss.Flowing, y float64, points []float64) {
	const small = 1e-6
	for _, p := range points {
		for _, h := range []float64{0, 1e-3, 0.3, 2, 50} {
			first := l.Flow(p, y, h)
			f.check(l.Value(p+first, y) <= l.Value(p, y)+1e-12*(1+l.Value(p, y)), "the flow leads to no larger value", "p=%g y=%g h=%g: %g", p, y, h, first)
			for _, more := range []float64{1e-3, 1} {
				both := l.Flow(p, y, h+more)
				f.check(near(first+l.Flow(p+first, y, more), both, math.Abs(p)+math.Abs(both)), "two steps of the flow are one", "p=%g y=%g h=%g and %g: %g", p, y, h, more, both)
			}
		}
		slope := l.Flow(p, y, small) / small
		near := slope // the derivative may jump or bend within the step
		if g, end := -l.Derivative(p, y), -l.Derivative(p+l.Flow(p, y, small), y); near < min(g, end) || near > max(g, end) {
			near = g
		}
		f.check(math.Abs(near-slope) <= 1e-5*(1+math.Abs(slope)), "the flow has the slope of the loss", "p=%g y=%g: %g, expected %g", p, y, slope, near)
	}
}

// lossRamps compares a loss with the ramps that it says it consists of.
func lossRamps(f *findings, l loss.Cornered, y float64, points []float64) {
	const law = "the loss is a line and its ramps"
	slope, ramps := l.Ramps(y)
	at := func(p float64) float64 {
		value := float64(slope * p)
		for _, r := range ramps {
			if p > r.At && r.Jump > 0 {
				a := r.Jump
				if p < r.At+float64(r.Width*r.Jump) {
					a = (p - r.At) / r.Width
				}
				value += float64(a*(p-r.At)) - float64(r.Width*a*a)/2
			}
		}
		return value
	}
	for _, p := range points {
		got, want := at(p)-at(y), l.Value(p, y)-l.Value(y, y)
		f.check(near(got, want, math.Abs(p)+math.Abs(y)), law, "p=%g y=%g: rises by %g from the target, by the ramps by %g", p, y, want, got)
	}
	lo, hi := l.Domain(y)
	f.check(near(slope, lo, 1) && near(slope+ramps[0].Jump+ramps[1].Jump, hi, 1), law, "y=%g: slopes from %g by %v, domain [%g, %g]", y, slope, ramps, lo, hi)
	_, other := l.Ramps(-1)
	for k, r := range ramps {
		same := r.Jump == other[k].Jump && r.Width == other[k].Width
		f.check(same && (r.Jump == 0 || near(r.At-ramps[0].At, other[k].At-other[0].At, math.Abs(y))), "ramps of all targets differ by their place alone", "%v for y=%g, %v for y=-1", ramps, y, other)
	}
}

// lossConcordance compares curvatures at pairs of predictions.
func lossConcordance(f *findings, l loss.SelfConcordant, y float64, points []float64) {
	m := l.SelfConcordance()
	f.check(m >= 0, "self-concordance bounds how curvatures change", "%g", m)
	for _, p := range points {
		for _, q := range points {
			a, b := l.Curvature(p, y), l.Curvature(q, y)
			most := b * math.Exp(m*math.Abs(p-q))
			f.check(m*math.Abs(p-q) > 600 || a <= most*(1+1e-9), "self-concordance bounds how curvatures change", "p=%g q=%g y=%g: %g and %g", p, q, y, a, b)
		}
	}
}

// lossInverse looks at the ends of the interval that belongs to a slope, and next to them.
func lossInverse(f *findings, l loss.Invertible, y float64) {
	const law = "the inverse is where the derivative has that slope"
	first, last := l.Domain(y)
	h := 1e-7 * max(1, math.Abs(y))
	for _, a := range []float64{-3, -1, -0.75, -0.5, -0.25, -0.1, 0, 0.1, 0.25, 0.5, 0.75, 1, 3} {
		if a < first || a > last {
			continue
		}
		lo, hi := l.Inverse(a, y)
		f.check(lo <= hi, law, "a=%g y=%g: [%g, %g]", a, y, lo, hi)
		for _, end := range []float64{lo, hi} {
			f.check(math.IsInf(end, 0) || l.Derivative(end-h, y) <= a+1e-12 && l.Derivative(end+h, y) >= a-1e-12, law, "a=%g y=%g: not a slope at %g", a, y, end)
		}
		f.check(math.IsInf(lo, 0) || l.Derivative(lo-h, y) < a, law, "a=%g y=%g: the interval is longer than [%g, %g]", a, y, lo, hi)
		f.check(math.IsInf(hi, 0) || l.Derivative(hi+h, y) > a, law, "a=%g y=%g: the interval is longer than [%g, %g]", a, y, lo, hi)
		f.check(lo == hi || a == 0 || a == first || a == last, "the conjugate has a corner at 0 only", "a=%g y=%g: [%g, %g]", a, y, lo, hi)
		next := a + 0.125
		if next > last || a*next < 0 {
			continue
		}
		after, _ := l.Inverse(next, y)
		rise, want, slack := after-hi, 0.125/l.Smoothness(), 1e-12*max(1, math.Abs(y))
		f.check(math.IsInf(hi, 0) || math.IsInf(after, 0) || rise >= want-slack && (!l.Straight() || rise <= want+slack), "the inverse rises as the smoothness says",
			"a=%g y=%g: by %g, expected %g", a, y, rise, want)
	}
}

// lossOdds compares probabilities with the odds, and with where the loss is least.
func lossOdds(f *findings, l loss.Probabilistic, points []float64) {
	for _, p := range points {
		q := l.Probability(p)
		f.check(q >= 0 && q <= 1 && near(q+l.Probability(-p), 1, 1), "a probability and that of the other class add up to 1", "p=%g: %g", p, q)
		f.check(near(q*l.Derivative(p, 1)+(1-q)*l.Derivative(p, -1), 0, 1), "the loss is least on average at the probability", "p=%g: %g", p, q)
		if q > 1e-6 && q < 1-1e-6 {
			f.check(near(math.Log(q/(1-q)), p, 1+math.Abs(p)), "predictions are log-odds", "p=%g: %g", p, q)
		}
	}
}

// lossSteps compares a loss's own step of dual ascent with the one by its proximal map.
func lossSteps(f *findings, l loss.Loss, y float64, points []float64) {
	if _, ok := l.(loss.Stepped); !ok {
		return
	}
	step, exact := loss.StepOf(l)
	lo, hi := l.Domain(y)
	from, to := max(lo, -10), min(hi, 10)
	for k, p := range points {
		for _, q := range []float64{1e-6, 0.01, 0.3, 1, 20, 1e6} {
			before := from + (to-from)*float64(k%9)/8
			after, gap, rise := step(before, p, q, y)
			f.check(after >= lo && after <= hi, "the step stays in the domain", "before=%g p=%g q=%g y=%g: %g", before, p, q, y, after)
			value := func(a float64) float64 { return -l.Conjugate(a, y) + p*(a-before) - q/2*(a-before)*(a-before) }
			gain, most := value(after)-value(before), value(loss.ProxStep(l, before, p, q, y))-value(before)
			size := 1 + math.Abs(p) + math.Abs(y)
			share := 0.75
			if exact {
				share = 1 - 1e-9
				part := l.Value(p, y) + l.Conjugate(before, y) - before*p
				f.check(near(gap, part, size) && near(rise, l.Conjugate(after, y)-l.Conjugate(before, y), size), "an exact step knows its gap and its rise", "before=%g p=%g q=%g y=%g: %g and %g", before, p, q, y, gap, rise)
			}
			f.check(gain >= share*most-1e-12*size, "the step gains as much as it says", "before=%g p=%g q=%g y=%g: %g of %g", before, p, q, y, gain, most)
		}
		for _, q := range []float64{0, 1e-300, 1e300} { // an empty row, and the ends of the range
			after, gap, rise := step(0, 1e300*math.Copysign(1, p), q, y)
			f.check(after >= lo && after <= hi && !math.IsNaN(gap) && !math.IsNaN(rise), "the step stays in the domain", "q=%g y=%g: %g, %g, %g", q, y, after, gap, rise)
		}
	}
}

// lossBatches compares whole slices with the methods for one row, in place too, and looks
// for steeper slopes within reach.
func lossBatches(f *findings, l loss.Loss, y float64, points []float64) {
	n := len(points)
	target, dual, reach := make([]float64, n), make([]float64, n), make([]float64, n)
	lo, hi := l.Domain(y)
	for k, p := range points {
		target[k] = y
		dual[k] = min(max(p, lo), hi)
		if reach[k] = 0; k%2 == 1 {
			reach[k] = math.Exp(-float64(k) / 4)
		}
	}
	copied := func(v []float64) []float64 { return append([]float64(nil), v...) }
	if b, ok := l.(loss.Batch); ok {
		value, slope, conjugate := copied(points), copied(reach), copied(dual)
		b.ValueTo(value, slope, value, target, slope)
		b.ConjugateTo(conjugate, conjugate, target)
		for k, p := range points {
			f.check(value[k] == l.Value(p, y) && conjugate[k] == l.Conjugate(dual[k], y), "many rows have the bits of one", "p=%g a=%g y=%g: %g and %g", p, dual[k], y, value[k], conjugate[k])
			for _, part := range []float64{-1, -0.5, 0, 0.3, 1} {
				f.check(math.Abs(l.Derivative(p+part*reach[k], y)) <= slope[k], "no slope within reach is steeper", "p=%g reach=%g y=%g: %g", p, reach[k], y, slope[k])
			}
		}
	}
	if b, ok := l.(loss.CurvedBatch); ok {
		slope, curvature := copied(points), make([]float64, n)
		b.DifferentiateTo(slope, curvature, slope, target)
		for k, p := range points {
			f.check(slope[k] == l.Derivative(p, y), "many rows have the bits of one", "derivative at p=%g y=%g: %g", p, y, slope[k])
			f.check(math.Abs(curvature[k]-b.Curvature(p, y)) <= 1e-15*l.Smoothness(), "curvatures of many rows are those of one", "p=%g y=%g: %g", p, y, curvature[k])
		}
	}
}
