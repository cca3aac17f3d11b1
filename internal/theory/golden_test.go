package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/metric"
)

// near compares with a number of the sources, of which so many digits are given.
func near(t *testing.T, what string, found, expected, tolerance float64) {
	t.Helper()
	if !(math.Abs(found-expected) <= tolerance) {
		t.Errorf("%s: found %.10g, expected %.10g within %g", what, found, expected, tolerance)
	}
}

// Time is T(m).
func (s Scaling) Time(m float64) float64 { return given(m > s.M0, s.A/(1-s.M0/m)) }

func TestGolden(t *testing.T) {
	s := FiniteSum{N: 1000, Smoothness: 1, Mu: 1e-3}
	d, noise := Descent{Mu: 0.1, Smoothness: 2, Step: 0.5, Start: 3}, Noise{Alpha: 1, Beta: 1, M1: 0.4, Zeta: 1}
	for _, c := range []struct {
		what                       string
		found, expected, tolerance float64
	}{
		{"Hoeffding of 10^4 rows, alpha 0.05", metric.Hoeffding(1, 0.05, 1e4), 0.01358, 5e-6}, // section 11
		{"VC eta of d = 11", VCTerm(11, 1e4, 0.05), 0.03918, 5e-6},
		{"VC bound of 0.05", VC(0.05, 1, 11, 1e4, 0.05), 0.11799, 5e-6},
		{"rows for 0.01", TestSize(1, 0.05, 0.01), 18445, 0}, // ln 40/(2 10^-4) = 18444.4
		{"regret of three", Regret([]float64{1, 2, 3}, 0.5), 1 + 2 + 3, 1e-15},
		{"Corollary 1, T = e^2", RegretOfLipschitz(2, 0.5, math.Exp(2)), 12, 1e-14},
		{"mean, T = 1", PGSMean(2, 0.5, 1), 4, 0},
		{"Theorem 1", PGSLikely(2, 0.5, 1, 0.1), 40, 1e-14},
		{"Theorem 4.3, k = e^2", LastIterate(2, 0.5, math.Exp(2)), 190 * math.Exp(-2), 1e-12},
		{"Lemma 4.4", SquaredDistance(2, 0.5, 8), 4, 0},
		{"half suffix", HalfSuffix(2, 0.5, 9), 4, 0},
		{"suffix of 1/e", Suffix(2, 0.5, 17, math.Exp(-1)), 8, 1e-14},
		{"Theorem 4.5, k = e^2", LastIterateConvex(4, 3, 1.5, math.Exp(2)), 48 / math.E, 1e-13},
		{"Theorem 4.8, rho", d.FastestRate(noise), 0.95, 0},
		{"Theorem 4.8, floor", d.Floor(noise), 2, 1e-15},
		{"Theorem 4.8, k = 2", d.Persistent(noise, 2), 2.95, 1e-15},
		{"(44)", noise.SquaredGradients(2, 3, []float64{0.5, 0.5}), 6.4, 1e-15},
		{"SAG", s.SAG(), 1 - 1e-3/16, 0},
		{"SAGA", s.SAGA(), 1 - 0.25e-3, 0},
		{"SVRG of 0.1/L and 50 L/mu", s.SVRG(0.1, 50*1000), 0.5, 1e-14}, // section 7.2
		{"T(m)", Scaling{A: 7000, M0: 5000}.Time(1e4), 14000, 0},
		{"batch of 4", BatchVariance(8, 4), 2, 0},
		{"batch of all", BatchVarianceDistinct(8, 5, 5), 0, 0},
		{"batch 3 of growing ones", GrowingBatch(4, 0.5, 3, 1e6), 16, 0},
	} {
		near(t, c.what, c.found, c.expected, c.tolerance)
	}
}

// TestNoTheorem checks that a bound is +Inf where the theorem says nothing.
func TestNoTheorem(t *testing.T) {
	d, vanishing := Descent{Mu: 0.1, Smoothness: 2, Step: 0.5, Start: 3}, Noise{Alpha: 1, Beta: 1, M1: 0.4, Zeta: 0.9}
	long := d
	long.Step = 0.6
	for what, bound := range map[string]float64{
		"two steps":                            LastIterate(1, 1, 2),
		"no curvature":                         HalfSuffix(1, 0, 10),
		"rate of the text of 4.4":              d.Vanishing(vanishing, d.FastestRate(vanishing), 5),
		"rate below that of noise":             Descent{Mu: 1, Smoothness: 2, Step: 0.5, Start: 3}.Vanishing(vanishing, 0.8, 5),
		"step above alpha/(L M3)":              long.Persistent(vanishing, 5),
		"SVRG of a step of 1/(2L)":             FiniteSum{N: 10, Smoothness: 1, Mu: 0.1}.SVRG(0.5, 100),
		"fewer rows than they need":            Scaling{A: 1, M0: 100}.Time(100),
		"more dimensions than 2n":              VCTerm(20, 10, 0.05),
		"regret without strong part":           PGSMean(1, 0, 10),
		"SAG without strong convexity":         FiniteSum{N: 10, Smoothness: 1}.SAG(),
		"SAG's bound of mu above L":            FiniteSum{N: 10, Smoothness: 1, Mu: 2}.SAGBound(1, 1, 1, 5),
		"SAGA without rows":                    FiniteSum{Smoothness: 1, Mu: 1}.SAGA(),
		"SVRG without strong convexity":        FiniteSum{N: 10, Smoothness: 1}.SVRG(0.1, 100),
		"PGS of a negative number of steps":    PGSMean(1, 1, -1),
		"a batch without gradients":            BatchVariance(1, 0),
		"a batch larger than the set":          BatchVarianceDistinct(1, 11, 10),
		"squared gradients for negative steps": Noise{Alpha: 1, Beta: 1, Zeta: 1}.SquaredGradients(1, 1, []float64{-0.1}),
	} {
		if !math.IsInf(bound, 1) {
			t.Errorf("%s: found the bound %g, expected +Inf", what, bound)
		}
	}
}

func TestFitScaling(t *testing.T) {
	truth := Scaling{A: 7000, M0: 5000}
	random := rand.New(rand.NewPCG(1, 1))
	var exact, noisy []Timing
	for _, m := range []float64{6e3, 1e4, 2e4, 5e4, 1e5} {
		exact = append(exact, Timing{m, truth.Time(m)})
		for range 20 {
			noisy = append(noisy, Timing{m, truth.Time(m) * (1 + 0.1*random.NormFloat64())})
		}
	}
	exact = append(exact, Timing{5e3, math.Inf(1)}) // not reached is a time, not a gap in the data
	fit := FitScaling(exact)
	near(t, "A", fit.A, 7000, 1e-6)
	near(t, "M0", fit.M0, 5000, 1e-6)
	a, m0, slope := Bootstrap(noisy, 0.95, 500, 1)
	if !(a.Lo < 7000 && 7000 < a.Hi && a.Hi-a.Lo < 1400) || !(m0.Lo < 5000 && 5000 < m0.Hi) || !(slope.Hi < 0) {
		t.Errorf("bootstrap: found A %v, M0 %v, slope %v, expected 7000 and 5000 inside and a negative slope", a, m0, slope)
	}
	if again, _, _ := Bootstrap(noisy, 0.95, 500, 1); again != a {
		t.Errorf("bootstrap: found %v, then %v from one seed", a, again)
	}
}

// TestBatchVariance compares with the mean over all batches of two of five numbers.
func TestBatchVariance(t *testing.T) {
	g := []float64{3, -1, 4, 1.5, -9}
	mean, v := 0.0, 0.0
	for _, x := range g {
		mean += x / 5
	}
	for _, x := range g {
		v += (x - mean) * (x - mean) / 5
	}
	any, distinct := 0.0, 0.0
	for i, x := range g {
		for k, y := range g {
			e := (x+y)/2 - mean
			any += e * e / 25
			if i != k {
				distinct += e * e / 20
			}
		}
	}
	near(t, "with replacement", BatchVariance(v, 2), any, 1e-14)
	near(t, "without", BatchVarianceDistinct(v, 2, 5), distinct, 1e-14)
}

// TestDecompose takes least squares of y = x^3, x = -1 and 1 and 2 with equal chances, by a
// line through zero: each optimum is a ratio of sums. The sample has -1 and 2 only.
func TestDecompose(t *testing.T) {
	risk := func(w float64) float64 { return (2*(w-1)*(w-1) + (2*w-8)*(2*w-8)) / 3 }
	class, sample := 18.0/6, 17.0/5 // sum x y / sum x^2
	parts := Decompose(risk(3.5), risk(sample), risk(class), 0)
	near(t, "approximation", parts.Approximation, (2*4.0+4)/3, 1e-14)
	near(t, "estimation", parts.Estimation, 2*0.16, 1e-14) // curvature 6/3 = 2
	near(t, "optimisation", parts.Optimisation, 2*(0.25-0.16), 1e-14)
	near(t, "sum", parts.Excess(), risk(3.5), 1e-12)
}
