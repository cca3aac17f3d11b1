package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca/internal/algebra"
)

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
		s := newDenseMSG(d, k, randomRows(r.NormFloat64, k, d))
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
		method Streaming
	}{
		{"msg", MSG{Schedule: StepMSG(k, steps, 1)}},
		{"msg, T not known", MSG{Schedule: StepAnytime(k, 1)}},
		{"wk, explicit step", WarmuthKuzmin{StepEntropy(d, k, steps, loss), true, false}},
		{"mirror descent", WarmuthKuzmin{StepMirror(d, k, steps), true, false}},
	} {
		bound := math.NaN()
		for _, b := range bounds {
			if b.Name == c.name {
				bound = b.Value
			}
		}
		below, worst := 0, 0.0
		for seed := range uint64(runs) {
			s := c.method.Start(Problem{Cols: d, K: k, Seed: seed})
			r := rand.New(rand.NewPCG(28, seed))
			epsilon := 1 - loss
			for range steps {
				u := directionsOf(s)
				for l, belief := range s.(Spectrum).Eigenvalues() { // tr(Sigma M)
					for i, v := range variance {
						epsilon -= v * belief * u[l*d+i] * u[l*d+i] / steps
					}
				}
				s.Learn(Rows{X: denseRow(axisOf(draw(r, variance), d))})
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
func directionsOf(s State) []float64 {
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
