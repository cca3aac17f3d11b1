package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/generate"
)

// sample draws scores, of which the log-odds are 2s - 0.5.
func sample(n int, seed uint64) (scores []float64, positive []bool) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		s := 1.5 * r.NormFloat64()
		scores, positive = append(scores, s), append(positive, r.Float64() < 1/(1+math.Exp(0.5-2*s)))
	}
	return scores, positive
}

// objective is F by the library's functions, plainly.
func objective(scores []float64, positive []bool, a, b float64) (f float64) {
	p := 0.0
	for _, yes := range positive {
		if yes {
			p++
		}
	}
	n := float64(len(positive)) - p
	for i, s := range scores {
		t := 1 / (n + 2)
		if positive[i] {
			t = (p + 1) / (p + 2)
		}
		q := 1 / (1 + math.Exp(a*s+b))
		f -= t*math.Log(q) + (1-t)*math.Log(1-q)
	}
	return f
}

// Platt's sigmoid is where the objective is least, and what the scores were drawn by.
func TestPlatt(t *testing.T) {
	for seed := range uint64(5) {
		scores, positive := sample(3000, seed)
		a, b := Platt(scores, positive, nil)
		least := objective(scores, positive, a, b)
		for _, d := range [][2]float64{{1e-3, 0}, {-1e-3, 0}, {0, 1e-3}, {0, -1e-3}, {1e-3, 1e-3}, {-1e-3, 1e-3}} {
			if f := objective(scores, positive, a+d[0], b+d[1]); f < least {
				t.Errorf("seed %d: found %g at %v beside %g", seed, f, d, least)
			}
		}
		if math.Abs(a+2) > 0.25 || math.Abs(b-0.5) > 0.25 {
			t.Errorf("seed %d: found A %g and B %g, expected about -2 and 0.5", seed, a, b)
		}
	}
}

// Without a negative row, or with the same score for all, there is a sigmoid too: the share
// that the targets have.
func TestPlattExtremes(t *testing.T) {
	for _, c := range []struct {
		scores   []float64
		positive []bool
		want     float64 // at score 1
	}{
		{[]float64{1, 1, 1, 1}, []bool{true, true, true, false}, (3*4.0/5 + 1.0/3) / 4},
		{[]float64{1, 1}, []bool{true, true}, 3.0 / 4},
		{[]float64{1e9, -1e9}, []bool{true, false}, 0.5},
		{nil, nil, 0.5},
	} {
		a, b := Platt(c.scores, c.positive, nil)
		if p := 1 / (1 + math.Exp(a+b)); math.Abs(p-c.want) > 1e-3 {
			t.Errorf("%v: found the probability %g, expected %g", c.scores, p, c.want)
		}
	}
}

// A row of weight 3 counts as three rows.
func TestPlattWeights(t *testing.T) {
	scores, positive := sample(50, 9)
	var weight, repeated []float64
	var repeatedPositive []bool
	for i := range scores {
		weight = append(weight, float64(1+i%3))
		for range 1 + i%3 {
			repeated, repeatedPositive = append(repeated, scores[i]), append(repeatedPositive, positive[i])
		}
	}
	a, b := Platt(scores, positive, weight)
	c, d := Platt(repeated, repeatedPositive, nil)
	if math.Abs(a-c) > 1e-9 || math.Abs(b-d) > 1e-9 {
		t.Errorf("found %g, %g with weights, expected %g, %g", a, b, c, d)
	}
}

// Folds have as many rows of each class as each other, or one more; another seed deals
// otherwise.
func TestFolds(t *testing.T) {
	class := make([]uint32, 103)
	for i := range class {
		class[i] = uint32(i * i % 4)
	}
	fold := Folds(generate.Order(len(class), 1, 0), class, 5)
	for c := range uint32(4) {
		var rows [5]int
		for i, f := range fold {
			if class[i] == c {
				rows[f]++
			}
		}
		if slices.Max(rows[:]) > slices.Min(rows[:])+1 {
			t.Errorf("class %d: found %v rows", c, rows)
		}
	}
	if slices.Equal(fold, Folds(generate.Order(len(class), 2, 0), class, 5)) || !slices.Equal(fold, Folds(generate.Order(len(class), 1, 0), class, 5)) {
		t.Error("folds do not depend on the seed, or on more than that")
	}
}

// The marks of 60 scores are those that LIBSVM 3.3 makes of them.
func TestMarks(t *testing.T) {
	var scores []float64
	for i := range 30 {
		scores = append(scores, float64(i-9)+0.5) // nine below 0
	}
	list, ok := Marks(scores)
	// by hand: ends -8.5, -7.5, -5.5, -3.5, -1.5, 0, 3.5, 7.5, 11.5, 15.5, 20.5
	want := []float64{-8, -6.5, -4.5, -2.5, -0.75, 1.75, 5.5, 9.5, 13.5, 18}
	if !ok || !slices.Equal(list, want) {
		t.Errorf("found %v, expected %v", list, want)
	}
	if _, ok := Marks(scores[6:]); ok {
		t.Error("three negative scores: found marks")
	}
	if _, ok := Marks(nil); ok {
		t.Error("no scores: found marks")
	}
}

// Errors beyond five deviations do not count.
func TestLaplace(t *testing.T) {
	errors := make([]float64, 99)
	for i := range errors {
		errors[i] = float64(1 - 2*(i%2))
	}
	if s := Laplace(append(errors, 1000), nil); s != 1 {
		t.Errorf("found the scale %g, expected 1", s)
	}
	if s := Laplace(append(errors, 7.3), nil); math.Abs(s-1.063) > 1e-12 { // within 5 sqrt(2) scales
		t.Errorf("found the scale %g, expected 1.063", s)
	}
	if s := Laplace(append(errors, 8), nil); s != 1 {
		t.Errorf("found the scale %g, expected 1", s)
	}
	if s := Laplace([]float64{1, -3}, []float64{3, 1}); s != 1.5 {
		t.Errorf("found the scale %g, expected 1.5", s)
	}
	if s := Laplace(nil, nil); s != 0 {
		t.Errorf("found the scale %g, expected 0", s)
	}
}
