package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// adversaries are sequences of unit vectors: sorted, so that all that is learned is
// wrong when the direction changes; alternating; always what M or W thinks least
// of; and rare after frequent.
func adversaries(d, k, steps int) map[string]func(t int, m []float64) []float64 {
	axis := func(i int) []float64 {
		x := make([]float64, d)
		x[i%d] = 1
		return x
	}
	r := rand.New(rand.NewPCG(24, 1))
	return map[string]func(int, []float64) []float64{
		"sorted":      func(t int, _ []float64) []float64 { return axis(t * d / steps) },
		"alternating": func(t int, _ []float64) []float64 { return axis(t % (k + 1)) },
		"halves":      func(t int, _ []float64) []float64 { return axis(t%k + k*(2*t/steps)) },
		"sphere":      func(int, []float64) []float64 { return sphere(r, d) },
		"against": func(_ int, m []float64) []float64 {
			_, vectors := pcatest.Jacobi(m, d)
			return vectors[(d-1)*d:]
		},
	}
}

// Row 24 of the checklist: the regret of MSG is at most sqrt(2k/T) from any start,
// and sqrt(k(1-k/d)/T) from the centre, with the step that belongs to it.
func TestRegretMSG(t *testing.T) {
	const d, k, steps = 7, 2, 400
	for name, next := range adversaries(d, k, steps) {
		for _, centre := range []bool{false, true} {
			diameter, basis := 2.0*k, []float64(nil)
			if centre {
				diameter = k * (1 - float64(k)/d)
			} else {
				basis = pcatest.RandomRows(rand.New(rand.NewPCG(24, 2)).NormFloat64, k, d)
			}
			eta, bound := math.Sqrt(diameter/steps), math.Sqrt(diameter/steps)
			s, regret := newDenseMSG(d, k, basis), NewRegret(d, k)
			for step := range steps {
				x := next(step, s.m)
				regret.AddM(x, pcatest.Quadratic(s.m, x))
				s.step(eta, x)
			}
			t.Logf("%s, centre %v: regret %.4f, bound %.4f, L* %.4f", name, centre, regret.Mean(), bound, regret.Best())
			if regret.Mean() > bound {
				t.Errorf("%s, centre %v: regret %v, bound %v", name, centre, regret.Mean(), bound)
			}
		}
	}
}

// The same for Warmuth and Kuzmin from I/d: total loss at most T L* + sqrt(2 T L* D)
// + D, with the step for an L* that is not too small: 1, then what the first run
// had, unless the adversary answers the second with more.
func TestRegretEntropy(t *testing.T) {
	const d, k, steps = 7, 2, 400
	for name := range adversaries(d, k, steps) {
		assumed := 1.0
		for range 2 {
			next := adversaries(d, k, steps)[name]
			eta := stepEntropy(d, k, steps, assumed).Step(1)
			s, regret := newDenseEntropy(d, k, nil), NewRegret(d, k)
			for step := range steps {
				w := make([]float64, d*d)
				for i, v := range s.w {
					w[i] = -v
				}
				x := next(step, w)
				regret.AddW(x, pcatest.Quadratic(s.w, x))
				s.step(eta, x)
			}
			distance := entropyDistance(d, k)
			bound := math.Sqrt(2*assumed*distance/steps) + distance/steps
			if regret.Best() > assumed+1e-12 {
				continue
			}
			assumed = regret.Best()
			t.Logf("%s: regret %.4f, bound %.4f, L* %.4f", name, regret.Mean(), bound, regret.Best())
			if regret.Mean() > bound {
				t.Errorf("%s: regret %v, bound %v", name, regret.Mean(), bound)
			}
			if math.Abs(regret.MeanW()*(d-k)-regret.Mean()) > 1e-15 {
				t.Errorf("regret %v in units of W, %v of M", regret.MeanW(), regret.Mean())
			}
		}
	}
}

// One M, two conventions, one regret; and a fixed best subspace has none.
func TestRegretConventions(t *testing.T) {
	const d, k = 5, 2
	r := rand.New(rand.NewPCG(24, 3))
	s := newDenseMSG(d, k, nil)
	m, w := NewRegret(d, k), NewRegret(d, k)
	var rows [][]float64
	for range 100 {
		x := sphere(r, d)
		rows = append(rows, x)
		m.AddM(x, pcatest.Quadratic(s.m, x))
		inverse := 0.0 // x^T W x, W = (I - M)/(d-k)
		for _, v := range x {
			inverse += v * v
		}
		w.AddW(x, (inverse-pcatest.Quadratic(s.m, x))/(d-k))
		s.step(0.1, x)
	}
	if math.Abs(m.Mean()-w.Mean()) > 1e-14 {
		t.Errorf("regret %v of M, %v of W", m.Mean(), w.Mean())
	}
	second := make([]float64, d*d)
	for _, x := range rows {
		pcatest.AddOuter(second, 1, x)
	}
	_, vectors := pcatest.Jacobi(second, d)
	best := newDenseMSG(d, k, vectors[:k*d])
	fixed := NewRegret(d, k)
	for _, x := range rows {
		fixed.AddM(x, pcatest.Quadratic(best.m, x))
	}
	if math.Abs(fixed.Mean()) > 1e-14 {
		t.Errorf("the best subspace has regret %v", fixed.Mean())
	}
	if empty := NewRegret(d, k); empty.Mean() != 0 {
		t.Errorf("regret %v of nothing", empty.Mean())
	}
}

// Row 24 on the states of low rank: MSG from k random directions, with the step for T
// rows and with the one for any number of them.
func TestRegretOfMSG(t *testing.T) {
	const d, k, steps = 7, 2, 400
	for _, c := range []struct {
		schedule schedule.Schedule
		bound    float64
	}{{stepMSG(k, steps, 1), math.Sqrt(2. * k / steps)}, {stepAnytime(k, 1), 2 * math.Sqrt(float64(k)/steps)}} {
		for name, next := range adversaries(d, k, steps) {
			s := MSG{Schedule: c.schedule}.Start(method.Problem{Cols: d, K: k, Seed: 24}).(*msg)
			regret := NewRegret(d, k)
			for step := range steps {
				x := next(step, s.a.dense())
				regret.AddM(x, s.Captured(x))
				s.step(x)
			}
			t.Logf("%T %s: regret %.4f, bound %.4f, L* %.4f", c.schedule, name, regret.Mean(), c.bound, regret.Best())
			if regret.Mean() > c.bound {
				t.Errorf("%T %s: regret %v, bound %v", c.schedule, name, regret.Mean(), c.bound)
			}
		}
	}
}

// The same for Warmuth and Kuzmin's algorithm from both starts. From I/d the relative
// entropy to the best W is at most D = (d-k) ln(d/(d-k)) in units of M; from k+1 random
// directions at 1/(k+1) of the cap it is ln(k+1) times what of these is outside of the
// best k directions, at most min(k+1, d-k).
func TestRegretOfWarmuthKuzmin(t *testing.T) {
	t.Parallel()
	const d, k, steps = 7, 2, 400
	for _, uniform := range []bool{true, false} {
		distance := entropyDistance(d, k)
		if !uniform {
			distance = min(k+1, d-k) * math.Log(k+1)
		}
		for name := range adversaries(d, k, steps) {
			assumed := 1.0
			for range 2 {
				next := adversaries(d, k, steps)[name]
				m := WarmuthKuzmin{schedule.Constant{C: math.Log1p(math.Sqrt(2 * distance / (steps * assumed)))}, uniform, Output{}}
				s, regret := m.Start(method.Problem{Cols: d, K: k, Seed: 24}).(*warmuthKuzmin), NewRegret(d, k)
				for step := range steps {
					w := s.weights()
					algebra.Scale(w, -1)
					x := next(step, w)
					regret.AddW(x, -pcatest.Quadratic(w, x))
					if off := s.Captured(x) - vec.SquaredNorm64(x) - (d-k)*pcatest.Quadratic(w, x); math.Abs(off) > 1e-12 {
						t.Fatalf("captured is %g off |x|^2 - (d-k) x^T W x", off)
					}
					s.step(x)
				}
				bound := math.Sqrt(2*assumed*distance/steps) + distance/steps
				if regret.Best() > assumed+1e-12 {
					continue
				}
				assumed = regret.Best()
				t.Logf("uniform %v, %s: regret %.4f, bound %.4f, L* %.4f", uniform, name, regret.Mean(), bound, regret.Best())
				if regret.Mean() > bound {
					t.Errorf("uniform %v, %s: regret %v, bound %v", uniform, name, regret.Mean(), bound)
				}
			}
		}
	}
}

// AddW takes a row and x^T W x of the W before it.
func (r *Regret) AddW(x []float64, loss float64) {
	r.loss += float64(float64(r.d-r.k) * loss)
	r.add(x)
}

// Mean returns R_T.
func (r *Regret) Mean() float64 { return r.above(r.Best()) }

// MeanW returns R_T in units of W.
func (r *Regret) MeanW() float64 { return r.Mean() / float64(r.d-r.k) }

// The bounds are the sums of their formulas: for steps of sizes that rise and fall, and constant ones of entropies.
func TestRegretBoundsAreTheirSums(t *testing.T) {
	msg, entropy, x := NewRegret(2, 1), NewRegret(2, 1), []float64{1, 1}
	for _, eta := range []float64{1, 0.5, 1, 0.25} { // |x|^4 = 4, and 1/eta rises by 1, 1 and 3
		msg.AddM(x, 1)
		msg.step(eta, x, 1, false)
		entropy.AddM(x, 1)
		entropy.step(0.5, x, 1, true)
	}
	if found, expected := msg.bound(3), (3*5+2*2.75)/4; math.Abs(found-expected) > 1e-15 {
		t.Errorf("msg: found the bound %g, expected %g", found, expected)
	}
	if found, expected := entropy.bound(3), (3*2+4*math.Exp(-1))/4; math.Abs(found-expected) > 1e-15 {
		t.Errorf("entropies: found the bound %g, expected %g", found, expected)
	}
	entropy.step(0.25, x, 1, true)
	if found := entropy.bound(3); !math.IsInf(found, 1) {
		t.Errorf("entropies: found the bound %g for steps that change, expected none", found)
	}
}
