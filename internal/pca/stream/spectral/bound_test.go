package spectral

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

func TestErrorAfter(t *testing.T) {
	s := Setting{Cols: 8, K: 2, Loss: 0.25, Squared: 4, Fourth: 9, Doubt: 0.05}
	bounds, err := ErrorAfter(s, 100)
	if err != nil {
		t.Fatal(err)
	}
	ln := math.Log
	entropy := 6 * ln(8./6)
	for i, want := range []float64{
		4 * (2*math.Sqrt(2) + math.Sqrt(2*ln(20)) + math.Sqrt(8*ln(40))) / 10,
		2*math.Sqrt(4*0.25*2)/10 + 4*2./100,
		math.Sqrt(2*4*0.25*entropy)/10 + 4*entropy/100,
		2 * 4 * 6 * math.Sqrt(ln(8./6)) / 10,
		2 * 4 * math.Sqrt(12) / 10,
		2 * 3 * math.Sqrt(2) / 10,
		3 * 2. / 10,
		3 * math.Sqrt(1.5) / 10,
		2 * 3 * math.Sqrt(2) / 10,
	} {
		if b := bounds[i]; math.Abs(b.Value-want) > 1e-14*want {
			t.Errorf("%s: %v, expected %v", b.Name, b.Value, want)
		}
	}
}

// So many rows are enough, and one less is not.
func TestRowsFor(t *testing.T) {
	for _, s := range []Setting{
		{Cols: 8, K: 2, Loss: 0.25, Squared: 1, Fourth: 1, Doubt: 0.05},
		{Cols: 784, K: 8, Loss: 0, Squared: 3, Fourth: 2, Doubt: 1e-6},
		{Cols: 2, K: 1, Loss: 1e6, Squared: 1e6, Fourth: 1e12, Doubt: 0.5},
	} {
		for _, epsilon := range []float64{1e-3, 0.1, 3, 1e9} {
			rows, err := RowsFor(s, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range rows {
				after, _ := ErrorAfter(s, b.Value)
				if after[i].Value > epsilon*(1+1e-12) {
					t.Errorf("%+v: %s: %v after %v rows, expected %v", s, b.Name, after[i].Value, b.Value, epsilon)
				}
				if before, err := ErrorAfter(s, b.Value-1); err == nil && before[i].Value < epsilon*(1-1e-12) {
					t.Errorf("%+v: %s: %v rows, but one less gives %v", s, b.Name, b.Value, before[i].Value)
				}
			}
		}
	}
}

func TestBoundsRefuse(t *testing.T) {
	good := Setting{Cols: 8, K: 2, Loss: 0.25, Squared: 1, Fourth: 1, Doubt: 0.05}
	for _, c := range []struct {
		change func(*Setting)
		want   string
	}{
		{func(s *Setting) { s.K = 8 }, "components 8: expected 1 to 7, fewer than the 8 features"},
		{func(s *Setting) { s.Cols = 1 }, "d 1: expected a number of features >= 2"},
		{func(s *Setting) { s.K = 0 }, "components 0"},
		{func(s *Setting) { s.Loss = math.NaN() }, "loss NaN"},
		{func(s *Setting) { s.Squared = 0 }, "squared-norm 0"},
		{func(s *Setting) { s.Fourth = math.Inf(1) }, "fourth-norm +Inf"},
		{func(s *Setting) { s.Doubt = 1 }, "delta 1"},
	} {
		s := good
		c.change(&s)
		if _, err := RowsFor(s, 0.1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, expected %q", s, err, c.want)
		}
	}
	if _, err := RowsFor(good, 0); err == nil {
		t.Error("epsilon 0 was accepted")
	}
	if _, err := ErrorAfter(good, 0.5); err == nil {
		t.Error("half a row was accepted")
	}
}

// Row 27 of the checklist: the mean iterate of MSG on independent rows is below
// MSG's bound in at least 95 % of runs. The rows are uniform on the signed axes
// with probabilities that fall, scaled so that |x| = 1.
func TestBoundHoldsOnAverage(t *testing.T) {
	const d, k, steps, runs = 8, 2, 200, 100
	variance, total := make([]float64, d), 0.0
	for i := range variance {
		variance[i] = 1 / float64(i+2)
		total += variance[i]
	}
	for i := range variance {
		variance[i] /= total
	}
	bounds, err := ErrorAfter(Setting{Cols: d, K: k, Squared: 1, Fourth: 1, Doubt: 0.5}, steps)
	if err != nil {
		t.Fatal(err)
	}
	bound := bounds[6].Value
	below, worst := 0, 0.0
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(27, seed))
		s := newDenseMSG(d, k, pcatest.RandomRows(r.NormFloat64, k, d))
		captured := 0.0
		for range steps {
			for i, v := range variance {
				captured += v * s.m[i*d+i] / steps
			}
			x := make([]float64, d)
			at, u := 0, r.Float64()
			for ; at < d-1 && u >= variance[at]; at++ {
				u -= variance[at]
			}
			x[at] = 1
			s.step(math.Sqrt(2*k/float64(steps)), x)
		}
		epsilon := variance[0] + variance[1] - captured
		worst = max(worst, epsilon)
		if epsilon <= bound {
			below++
		}
	}
	t.Logf("%s: below in %d of %d runs, largest epsilon %.4f, bound %.4f", bounds[6].Name, below, runs, worst, bound)
	if below < runs*95/100 || bounds[6].Name != "msg" {
		t.Errorf("%s: below in %d of %d runs", bounds[6].Name, below, runs)
	}
}

// Row 27 on the states of low rank: the mean of the iterates of MSG, and of Warmuth and
// Kuzmin's algorithm from I/d, with the steps that the bounds are about.
func TestBoundHoldsForStates(t *testing.T) {
	t.Parallel()
	const d, k, steps, runs = 8, 2, 400, 100
	variance, total, loss := make([]float64, d), 0.0, 0.0
	for i := range variance {
		variance[i] = 1 / float64(i+2)
		total += variance[i]
	}
	algebra.Scale(variance, 1/total)
	for _, v := range variance[k:] {
		loss += v
	}
	bounds, err := ErrorAfter(Setting{Cols: d, K: k, Loss: loss, Squared: 1, Fourth: 1, Doubt: 0.5}, steps)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		method method.Streaming
	}{
		{"msg", MSG{Schedule: stepMSG(k, steps, 1)}},
		{"msg, T not known", MSG{Schedule: stepAnytime(k, 1)}},
		{"warmuth-kuzmin, explicit step", WarmuthKuzmin{stepEntropy(d, k, steps, loss), true, Output{}}},
		{"mirror descent", WarmuthKuzmin{stepMirror(d, k, steps), true, Output{}}},
	} {
		bound := math.NaN()
		for _, b := range bounds {
			if b.Name == c.name {
				bound = b.Value
			}
		}
		below, worst := 0, 0.0
		for seed := range uint64(runs) {
			s := c.method.Start(method.Problem{Cols: d, K: k, Seed: seed})
			r := rand.New(rand.NewPCG(28, seed))
			epsilon := 1 - loss
			for range steps {
				u := directionsOf(s)
				for l, belief := range s.(Spectrum).Eigenvalues() { // tr(Sigma M)
					for i, v := range variance {
						epsilon -= v * belief * u[l*d+i] * u[l*d+i] / steps
					}
				}
				s.Learn(view.Rows{X: denseRow(axisOf(draw(r, variance), d))})
			}
			worst = max(worst, epsilon)
			if epsilon <= bound {
				below++
			}
		}
		t.Logf("%s: below in %d of %d runs, largest epsilon %.4f, bound %.4f", c.name, below, runs, worst, bound)
		if below < runs*95/100 {
			t.Errorf("%s: below in %d of %d runs", c.name, below, runs)
		}
	}
}

// directionsOf returns all directions of a state of low rank.
func directionsOf(s method.State) []float64 {
	a := (*Spectral)(nil)
	switch s := s.(type) {
	case *msg:
		a = s.a
	case *warmuthKuzmin:
		a = s.a
	}
	return a.Directions(a.Rank())
}

// draw returns i with probability p_i.
func draw(r *rand.Rand, p []float64) int {
	at, u := 0, r.Float64()
	for ; at < len(p)-1 && u >= p[at]; at++ {
		u -= p[at]
	}
	return at
}

func axisOf(i, d int) []float64 {
	x := make([]float64, d)
	x[i] = 1
	return x
}

// denseRow is one row.
func denseRow(x []float64) *matrix.Dense {
	m := &matrix.Dense{Rows: 1, Cols: len(x)}
	for _, v := range x {
		m.Value = append(m.Value, float32(v))
	}
	return m
}
