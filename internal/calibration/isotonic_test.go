package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestIsotonicOfScikitLearn: ties, weights, a weight of 0, and what lies between and beyond: numbers of
// IsotonicRegression(out_of_bounds="clip") of scikit-learn 1.9.1.
func TestIsotonicOfScikitLearn(t *testing.T) {
	scores := []float64{0, 0, 0, -1, 0, -1, 0, 1, 0, -1, 0, 0, 0.11, -0.93, -0.03, 0.7, -1.34, -0.46, -1.9, -1.29}
	targets := []float64{1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1}
	weight := []float64{0.8, 2.64, 1.53, 0, 1.92, 2.23, 0.27, 1.62, 1.52, 2.61, 1.08, 1.79, 0.18, 1.16, 0.97, 0.45, 2.45, 1.14, 2.94, 1.77}
	f := FitIsotonic(scores, targets, weight)
	low, high := 0.4657836644591612, 0.6695957820738137
	for k, want := range []float64{0, 0, 0, 0.33270261747082946, low, high, high, high, high, high, high, high, high} {
		if x := -3 + 0.5*float64(k); math.Abs(f.At(x)-want) > 1e-12 {
			t.Errorf("score %g: found %.17g, expected %.17g", x, f.At(x), want)
		}
	}
}

// TestIsotonic: of all increasing functions it is the nearest: the maxima over lower ends of the minima over
// upper ends of the means between (Barlow, Bartholomew, Bremner, Brunk 1972, 1.4.3).
func TestIsotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		n := 1 + r.IntN(25)
		scores, targets, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			scores[i], targets[i], weight[i] = float64(r.IntN(12)), float64(r.IntN(2)), float64(1+r.IntN(3))
		}
		f := FitIsotonic(scores, targets, weight)
		mean := func(lo, hi float64) float64 {
			sum, all := 0.0, 0.0
			for i, s := range scores {
				if s >= lo && s <= hi {
					sum, all = sum+weight[i]*targets[i], all+weight[i]
				}
			}
			return sum / all
		}
		for _, s := range scores {
			highest := math.Inf(-1)
			for _, lo := range scores {
				if lo > s {
					continue
				}
				lowest := math.Inf(1)
				for _, hi := range scores {
					if hi >= s {
						lowest = math.Min(lowest, mean(lo, hi))
					}
				}
				highest = math.Max(highest, lowest)
			}
			if got := f.At(s); math.Abs(got-highest) > 1e-12 {
				t.Fatalf("score %g of %v, targets %v: found %g, expected %g", s, scores, targets, got, highest)
			}
		}
		if !slices.IsSorted(f.Share) || !slices.IsSorted(f.Score) {
			t.Fatalf("found %v, expected increasing numbers", f)
		}
	}
	if p := FitIsotonic(nil, nil, nil).At(3); p != 0.5 {
		t.Errorf("of no rows: found %g, expected 0.5", p)
	}
}

// TestIsotonicAbove: above the score that is found the function is above the share, below it is not.
func TestIsotonicAbove(t *testing.T) {
	scores, positive := sample(300, 3)
	targets, _, _ := Smoothed(positive, nil)
	f := FitIsotonic(scores, targets, nil)
	for _, share := range []float64{0.001, 0.1, 0.37, 0.5, 0.9, 0.999} {
		at := f.Above(share)
		if up := math.Nextafter(at+1e-9, 10); at < math.MaxFloat64 && !(f.At(up) > share) || at > -math.MaxFloat64 && f.At(at-1e-9) > share {
			t.Errorf("share %g: found the score %g, where the function is %g", share, at, f.At(at))
		}
	}
}

// TestTemperature: F is least at the number found, and where scores are log-odds times 4 that is near 4.
func TestTemperature(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	var scores [][]float64
	var class []int
	for range 4000 {
		s := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		p, all := r.Float64(), 0.0
		for _, x := range s {
			all += math.Exp(x)
		}
		c := 0
		for p -= math.Exp(s[0]) / all; p > 0 && c < 2; p -= math.Exp(s[c]) / all {
			c++
		}
		scores, class = append(scores, []float64{4 * s[0], 4 * s[1], 4 * s[2]}), append(class, c)
	}
	got := Temperature(scores, class, nil)
	if math.Abs(got-4) > 0.3 {
		t.Errorf("found the temperature %g, expected about 4", got)
	}
	mean := func(temperature float64) (f float64) {
		smooth := 1 / float64(len(scores)+2)
		for i, s := range scores {
			all, plain := 0.0, 0.0
			for _, x := range s {
				all, plain = all+math.Exp(x/temperature), plain+x/temperature/3
			}
			f += math.Log(all) - (1-smooth)*s[class[i]]/temperature - smooth*plain
		}
		return f
	}
	if mean(got) > mean(got*1.001) || mean(got) > mean(got*0.999) {
		t.Errorf("found %g at the temperature %g, expected the least: %g and %g beside it", mean(got), got, mean(got*1.001), mean(got*0.999))
	}
	separable := Temperature([][]float64{{0, 1}, {0, 2}, {0, -1}}, []int{1, 1, 0}, nil)
	if !(separable > 0.1 && separable < 1) {
		t.Errorf("rows that all score their class highest: found %g, expected a number that leaves doubt", separable)
	}
	if wrong := Temperature([][]float64{{0, 1}, {0, -1}}, []int{0, 1}, nil); !(wrong > 1e5) || math.IsInf(wrong, 0) {
		t.Errorf("scores of the contrary: found %g, expected a large number", wrong)
	}
	if equal := Temperature([][]float64{{2, 2}}, []int{0}, nil); equal != 1 {
		t.Errorf("equal scores: found %g, expected 1", equal)
	}
	twice := Temperature(append(slices.Clone(scores), scores...), append(slices.Clone(class), class...), nil)
	weight := slices.Repeat([]float64{2}, len(scores))
	if again := Temperature(scores, class, weight); math.Abs(again-twice) > 1e-9*twice {
		t.Errorf("found %g of rows of weight 2, expected %g of every row twice", again, twice)
	}
}
