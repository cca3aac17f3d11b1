package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
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
	s := newMirrorState(d, k, new(frobenius), schedule.InverseRoot{C: 1})
	var average, resumed averageIterate
	sum := make([]float64, d*d)
	for step := 1; step <= steps; step++ {
		m := s.copyTo(nil)
		for i, v := range m {
			sum[i] += v
		}
		average.visit(s)
		if step == steps/2 {
			if err := method.Restore(&resumed, method.Keep(&average)); err != nil {
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
	if worst := pcatest.LargestDifference(average.chosen(), sum); !(worst <= 1e-14) {
		t.Errorf("differs by %g from the mean", worst)
	}
	if pcatest.LargestDifference(average.chosen(), resumed.chosen()) != 0 {
		t.Error("a kept average goes on with other bits")
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

// Row 21 on the states: with iterate=random the answer is the basis that one of the T
// iterates had, before its row, and each of them as often, by a chi-squared test.
func TestRandomIterateOfStates(t *testing.T) {
	t.Parallel()
	const d, k, steps = 5, 2, 20
	r := rand.New(rand.NewPCG(21, 2))
	x := &matrix.Dense{Cols: d}
	for range steps {
		x.Value = append(x.Value, denseRow(sphere(r, d)).Value...)
		x.Rows++
	}
	for spec, runs := range map[string]int{"msg": 2000, "capped-msg": 100, "warmuth-kuzmin": 100} {
		var hits [steps]int
		for seed := range uint64(runs) {
			p := method.Problem{Cols: d, K: k, Seed: seed}
			last, random := pcatest.StartOf(t, spec, p), pcatest.StartOf(t, spec+":iterate=random", p)
			random.Learn(view.Rows{X: x})
			answer, found := random.Basis().Component, 0
			for i := range steps {
				if pcatest.LargestDifference(last.Basis().Component, answer) == 0 {
					hits[i]++
					found++
				}
				last.Learn(view.Rows{X: x}.Part(i, i+1))
			}
			if found != 1 {
				t.Fatalf("%s seed %d: the answer is %d of the iterates, expected one", spec, seed, found)
			}
		}
		chi, expected := 0.0, float64(runs)/steps
		for _, n := range hits {
			chi += (float64(n) - expected) * (float64(n) - expected) / expected
		}
		t.Logf("%s: chi-squared %.1f of 19 degrees over %d runs", spec, chi, runs)
		if chi < 5.41 || chi > 43.8 { // 0.1 % on each side
			t.Errorf("%s: chi-squared %.1f with 19 degrees of freedom, expected 5.4 to 43.8", spec, chi)
		}
	}
}

// Row 21: with iterate=average the answer has the first directions of the dense mean.
func TestAverageIterateOfStates(t *testing.T) {
	const d, k, steps = 8, 2, 100
	for _, geometry := range []string{"frobenius", "entropy"} {
		s := pcatest.StartOf(t, "mirror:iterate=average,geometry="+geometry, method.Problem{Cols: d, K: k})
		msg, entropy := newDenseMSG(d, k, nil), newDenseEntropy(d, k, nil)
		r, sum := rand.New(rand.NewPCG(21, 3)), make([]float64, d*d)
		for step := 1; step <= steps; step++ {
			row := view.Rows{X: denseRow(sphere(r, d))}
			x, eta := make([]float64, d), 1/math.Sqrt(float64(step))
			row.Row(x, 0)
			for i := range sum {
				if geometry == "entropy" {
					sum[i] -= entropy.w[i]
				} else {
					sum[i] += msg.m[i]
				}
			}
			msg.step(eta, x)
			entropy.step(eta, x)
			s.Learn(row)
		}
		_, vectors := pcatest.Jacobi(sum, d)
		want := method.Basis{K: k, Cols: d, Component: vectors[:k*d]}
		if off := subspaceDifference(s.Basis(), want); off > 1e-10 {
			t.Errorf("%s: the subspace is %g off that of the dense mean", geometry, off)
		}
	}
}
