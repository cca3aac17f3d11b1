package pca

import (
	"math"
	"math/rand/v2"
	"testing"
)

// numbered is an iterate that counts how often it was copied.
type numbered struct {
	value  float64
	copies *int
}

func (n numbered) copyTo(dst []float64) []float64 {
	*n.copies++
	return append(dst[:0], n.value)
}

// Row 21 of the checklist: the random iterate is uniform, by a chi-squared test,
// and about ln T + 0.58 copies are made.
func TestRandomIterate(t *testing.T) {
	const steps, runs = 50, 20000
	var hits [steps]int
	copies := 0
	for seed := range uint64(runs) {
		r := &randomIterate{seed: seed}
		for i := range steps {
			r.visit(numbered{float64(i), &copies})
		}
		hits[int(r.chosen()[0])]++
	}
	chi, expected := 0.0, float64(runs)/steps
	for _, n := range hits {
		chi += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	harmonic := 0.0
	for i := range steps {
		harmonic += 1 / float64(i+1)
	}
	mean := float64(copies) / runs
	t.Logf("chi-squared %.1f of 49 degrees, %.3f copies a run, expected %.3f", chi, mean, harmonic)
	if chi < 23.98 || chi > 85.35 { // 0.1 % on each side
		t.Errorf("chi-squared %.1f with 49 degrees of freedom, expected 24 to 85.4", chi)
	}
	if math.Abs(mean-harmonic) > 0.05 {
		t.Errorf("%.3f copies a run, expected %.3f", mean, harmonic)
	}
}

// The average is the dense mean of the iterates, and a kept choice goes on as if
// nothing had happened.
func TestAverageIterate(t *testing.T) {
	const d, k, steps = 8, 2, 200
	r := rand.New(rand.NewPCG(21, 1))
	s := newMirrorState(d, k, new(frobenius), InverseRoot{1})
	var average, resumed averageIterate
	sum := make([]float64, d*d)
	for step := 1; step <= steps; step++ {
		m := s.copyTo(nil)
		for i, v := range m {
			sum[i] += v
		}
		average.visit(s)
		if step == steps/2 {
			if err := Restore(&resumed, Keep(&average)); err != nil {
				t.Fatal(err)
			}
		} else if step > steps/2 {
			resumed.visit(s)
		}
		s.step(1/math.Sqrt(float64(step)), sphere(r, d))
	}
	for i := range sum {
		sum[i] /= steps
	}
	if worst := distance(average.chosen(), sum); !(worst <= 1e-14) {
		t.Errorf("differs by %g from the mean", worst)
	}
	if distance(average.chosen(), resumed.chosen()) != 0 {
		t.Error("a kept average goes on with other bits")
	}
}

func TestBestIterate(t *testing.T) {
	values := []float64{math.NaN(), 1, 3, 2, 3}
	copies, at := 0, 0
	b := &bestIterate{value: func() float64 { return values[at] }}
	for at = range values {
		b.visit(numbered{float64(at), &copies})
	}
	if b.chosen()[0] != 2 || b.best != 3 || copies != 3 {
		t.Errorf("chose %v of value %v after %d copies, expected number 2 of value 3 after 3", b.chosen(), b.best, copies)
	}
}

func TestLastIterate(t *testing.T) {
	copies := 0
	var l lastIterate
	l.visit(numbered{1, &copies})
	if l.chosen() != nil || copies != 0 {
		t.Errorf("the last iterate was kept: %v", l.chosen())
	}
}
