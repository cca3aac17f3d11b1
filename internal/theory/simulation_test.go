package theory

import (
	"math"
	"math/rand/v2"
	"testing"
)

// hinge is a support vector machine of one weight: sigma/2 w^2 + mean max(0, 1 - a_i w).
type hinge struct {
	sigma float64
	a     []float64
}

func newHinge(sigma float64) hinge {
	random := rand.New(rand.NewPCG(3, 3))
	h := hinge{sigma, make([]float64, 40)}
	for i := range h.a {
		h.a[i] = 0.5 + random.NormFloat64()
	}
	return h
}

func (h hinge) value(w float64) float64 {
	sum := 0.0
	for _, a := range h.a {
		sum += max(0, 1-a*w)
	}
	return h.sigma/2*w*w + sum/float64(len(h.a))
}

// slope is a subgradient of the loss of row i.
func (h hinge) slope(w float64, i int) float64 {
	if h.a[i]*w < 1 {
		return -h.a[i]
	}
	return 0
}

// longest is the largest |a_i|, the Lipschitz constant of the losses.
func (h hinge) longest() (most float64) {
	for _, a := range h.a {
		most = max(most, math.Abs(a))
	}
	return most
}

// least is where a convex function is least within +-radius, by ternary search.
func least(f func(float64) float64, radius float64) float64 {
	lo, hi := -radius, radius
	for range 200 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return (lo + hi) / 2
}

// below checks that a measured mean is below its bound, and that the bound is one.
func below(t *testing.T, what string, measured, bound float64) {
	t.Helper()
	if !(measured <= bound*(1+1e-12)) || !(bound > 0) || math.IsInf(bound, 1) {
		t.Errorf("%s: found the mean %g, expected at most %g", what, measured, bound)
	}
}

// TestPGS compares runs of the primal gradient solver with Lemma 1, each, and with the bound
// on the expectation, in the mean.
func TestPGS(t *testing.T) {
	const sigma, steps, seeds = 0.05, 300, 50
	h := newHinge(sigma)
	optimum := h.value(least(h.value, 1/sigma))
	mean := 0.0
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 1))
		w, dual, paid := 0.0, 0.0, 0.0
		var norms []float64
		var drawn []int
		for k := 1; k <= steps; k++ {
			i := random.IntN(len(h.a))
			g := h.slope(w, i)
			mean += (h.value(w) - optimum) / steps / seeds
			paid += sigma/2*w*w + max(0, 1-h.a[i]*w)
			norms, drawn = append(norms, math.Abs(g)), append(drawn, i)
			dual -= g
			w = dual / (float64(k+1) * sigma)
		}
		total := func(w float64) float64 {
			sum := steps * sigma / 2 * w * w
			for _, i := range drawn {
				sum += max(0, 1-h.a[i]*w)
			}
			return sum
		}
		below(t, "Lemma 1", paid-total(least(total, 1/sigma)), Regret(norms, sigma))
	}
	below(t, "expectation", mean, PGSMean(h.longest(), sigma, steps))
}

// TestSubgradient compares projected stochastic subgradients on the hinge, from the edge of
// |w| <= 1/sqrt sigma, with all bounds of section 8.2.
func TestSubgradient(t *testing.T) {
	const sigma, steps, seeds, share = 0.05, 400, 200, 0.25
	h := newHinge(sigma)
	radius := 1 / math.Sqrt(sigma)
	best := least(h.value, radius)
	optimum, m := h.value(best), math.Sqrt(sigma)+h.longest() // section 8.1
	run := func(seed uint64, step func(k int) float64) []float64 {
		random, w := rand.New(rand.NewPCG(seed, 2)), radius
		path := []float64{w}
		for k := 1; k < steps; k++ {
			w -= step(k) * (sigma*w + h.slope(w, random.IntN(len(h.a))))
			w = min(max(w, -radius), radius)
			path = append(path, w)
		}
		return path
	}
	average := func(path []float64) (sum float64) {
		for _, w := range path {
			sum += w / float64(len(path))
		}
		return sum
	}
	var last, distance, half, suffix, convex float64
	for seed := range uint64(seeds) {
		path := run(seed, func(k int) float64 { return 1 / (sigma * float64(k)) })
		w := path[steps-1]
		last += (h.value(w) - optimum) / seeds
		distance += (w - best) * (w - best) / seeds
		half += (h.value(average(path[steps-1-steps/2:])) - optimum) / seeds
		suffix += (h.value(average(path[steps-int(share*steps):])) - optimum) / seeds
		path = run(seed, func(k int) float64 { return 2 * radius / m / math.Sqrt(float64(k)) })
		convex += (h.value(path[steps-1]) - optimum) / seeds
	}
	below(t, "Theorem 4.3", last, LastIterate(m*m, sigma, steps))
	below(t, "Lemma 4.4", distance, SquaredDistance(m*m, sigma, steps))
	below(t, "(31)", half, HalfSuffix(m*m, sigma, steps))
	below(t, "suffix", suffix, Suffix(m*m, sigma, steps, share))
	below(t, "Theorem 4.5", convex, LastIterateConvex(m*m, 2*radius, 2*radius/m, steps))
}

// descend returns the mean over seeds of f(w_k) - f*, k = 1, 2, ..., for f = (mu w_0^2 + L w_1^2)/2
// from (1, 1), with Gaussian noise of the variance that n allows.
func descend(d Descent, n Noise, steps int) []float64 {
	const seeds = 2000
	mean := make([]float64, steps)
	for seed := range uint64(seeds) {
		random, u, v := rand.New(rand.NewPCG(seed, 4)), 1.0, 1.0
		for k := range steps {
			mean[k] += (d.Mu*u*u + d.Smoothness*v*v) / 2 / seeds
			deviation := math.Sqrt(n.M1 * math.Pow(n.Zeta, float64(k)) / 2)
			u -= d.Step * (d.Mu*u + deviation*random.NormFloat64())
			v -= d.Step * (d.Smoothness*v + deviation*random.NormFloat64())
		}
	}
	return mean
}

// TestNoise compares constant steps with Theorem 4.8: geometric decay of the error where the
// noise decays, as of growing batches, and a floor where it does not.
func TestNoise(t *testing.T) {
	d := Descent{Mu: 0.2, Smoothness: 1, Step: 1, Start: 0.6}
	rho := 1 - d.Mu/(2*d.Smoothness)
	vanishing := Noise{Alpha: 1, Beta: 1, M1: 0.3, Zeta: rho}
	persistent := Noise{Alpha: 1, Beta: 1, M1: 0.3, Zeta: 1}
	decayed, floored := descend(d, vanishing, 60), descend(d, persistent, 60)
	for k := range decayed {
		below(t, "Theorem 4.8, decaying noise", decayed[k], d.Vanishing(vanishing, rho, float64(k+1)))
		below(t, "Theorem 4.8, constant noise", floored[k], d.Persistent(persistent, float64(k+1)))
	}
	if !(decayed[59] < 0.02*decayed[0] && floored[59] > 0.1) {
		t.Errorf("after 60 steps: found %g and %g, expected the one to vanish and the other not", decayed[59], floored[59])
	}
}

// TestSquaredGradients compares noisy descent on w^2/(1+w^2), which is not convex and 2-smooth,
// with (44).
func TestSquaredGradients(t *testing.T) {
	const steps, seeds = 200, 300
	n := Noise{Alpha: 1, Beta: 1, M1: 0.5, Zeta: 1}
	etas := make([]float64, steps)
	for k := range etas {
		etas[k] = 0.5 / math.Sqrt(float64(k+1))
	}
	mean := 0.0
	for seed := range uint64(seeds) {
		random, w := rand.New(rand.NewPCG(seed, 5)), 3.0
		for _, eta := range etas {
			slope := 2 * w / (1 + w*w) / (1 + w*w)
			mean += eta * slope * slope / seeds
			w -= eta * (slope + math.Sqrt(n.M1)*random.NormFloat64())
		}
	}
	below(t, "(44)", mean, n.SquaredGradients(2, 0.9, etas))
}

// parabolas are f_i = a_i (w - b_i)^2/2.
type parabolas struct {
	FiniteSum
	a, b []float64
	best float64
}

func newParabolas(n int) (p parabolas) {
	random := rand.New(rand.NewPCG(6, 6))
	p.N = float64(n)
	sum := 0.0
	for range n {
		a, b := 0.1+random.Float64(), random.NormFloat64()
		p.a, p.b = append(p.a, a), append(p.b, b)
		p.Mu += a / p.N
		sum += a * b / p.N
		p.Smoothness = max(p.Smoothness, a)
	}
	p.best = sum / p.Mu
	return p
}

// above is f(w) - f*.
func (p parabolas) above(w float64) float64 { return p.Mu / 2 * (w - p.best) * (w - p.best) }

func (p parabolas) slope(w float64, i int) float64 { return p.a[i] * (w - p.b[i]) }

// TestFiniteSums compares SAG, SAGA and a round of SVRG from 3 with their bounds.
func TestFiniteSums(t *testing.T) {
	const n, seeds, inner = 20, 400, 100
	p := newParabolas(n)
	noise, start := 0.0, 3.0
	for i := range n {
		noise += p.slope(p.best, i) * p.slope(p.best, i) / n
	}
	var sag, saga, svrg float64
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 7))
		sag += p.above(p.table(random, start, 1/(16*p.Smoothness), 20*n, false)) / seeds
		w := p.table(random, start, 1/(3*p.Smoothness), 20*n, true)
		saga += (w - p.best) * (w - p.best) / seeds
		x, kept := start, start
		for k := range inner {
			if random.IntN(k+1) == 0 { // a random one of the inner points
				kept = x
			}
			i := random.IntN(n)
			x -= 0.1 / p.Smoothness * (p.slope(x, i) - p.slope(start, i) + p.Mu*(start-p.best))
		}
		svrg += p.above(kept) / seeds
	}
	distance := (start - p.best) * (start - p.best)
	below(t, "SAG", sag, p.SAGBound(p.above(start), distance, noise, 20*n))
	below(t, "SAGA", saga, math.Pow(p.SAGA(), 20*n)*p.sagaConstant(start))
	below(t, "SVRG", svrg, p.SVRG(0.1/p.Smoothness, inner)*p.above(start))
}

// sagaConstant is what the factors of SAGA multiply (Defazio et al. 2014, Corollary 1), from a
// table of the gradients at the start: |x-x*|^2 + 2n/(3L) (f(x) - f* - <grad f(x*), x - x*>).
func (p parabolas) sagaConstant(x float64) float64 {
	return (x-p.best)*(x-p.best) + 2*p.N/(3*p.Smoothness)*p.above(x)
}

// table runs SAG, from a table of zeros, or SAGA, from one of the gradients at the start.
func (p parabolas) table(random *rand.Rand, w, eta float64, steps int, saga bool) float64 {
	y, sum := make([]float64, len(p.a)), 0.0
	for i := range y {
		if saga {
			y[i] = p.slope(w, i)
		}
		sum += y[i]
	}
	for range steps {
		i := random.IntN(len(y))
		g := p.slope(w, i)
		if saga {
			w -= eta * (g - y[i] + sum/p.N)
		}
		sum += g - y[i]
		if !saga {
			w -= eta * sum / p.N
		}
		y[i] = g
	}
	return w
}
