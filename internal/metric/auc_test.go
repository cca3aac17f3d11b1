package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAUC(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name     string
		scores   []float64
		positive []bool
		weight   []float64
		expected float64
	}{
		{"perfect", []float64{1, 2, 3}, []bool{false, false, true}, nil, 1},
		{"reversed", []float64{3, 2, 1}, []bool{false, false, true}, nil, 0},
		{"all tied", []float64{7, 7, 7}, []bool{false, true, true}, nil, 0.5},
		{"signed zeros tie", []float64{math.Copysign(0, -1), 0}, []bool{false, true}, nil, 0.5},
		// Pairs (positive, negative): 2>1 won, 2=2 half, 4>1 and 4>2 won: 3.5 of 4.
		{"one tie", []float64{1, 2, 2, 4}, []bool{false, true, false, true}, nil, 3.5 / 4},
		// Weights 3 and 1 on the positives: (3*1.5 + 1*2) / (4*2).
		{"weights", []float64{1, 2, 2, 4}, []bool{false, true, false, true}, []float64{1, 3, 1, 1}, 6.5 / 8},
		{"infinite scores", []float64{-inf, inf, inf}, []bool{false, true, false}, nil, 1.5 / 2},
		{"no negatives", []float64{1, 2}, []bool{true, true}, nil, math.NaN()},
		{"no positives", []float64{1, 2}, []bool{false, false}, nil, math.NaN()},
		{"no rows", nil, nil, nil, math.NaN()},
		{"a score is NaN", []float64{1, math.NaN()}, []bool{true, false}, nil, math.NaN()},
	} {
		want(t, c.name, AUC(c.scores, c.positive, c.weight), c.expected)
	}
}

// The values are those of scikit-learn 1.9.1.
func TestAveragePrecision(t *testing.T) {
	scores, positive, weight := []float64{0.1, 0.4, 0.35, 0.8, 0.4, -1, 0.8}, []bool{false, false, true, true, true, false, false}, []float64{1, 2, 0.5, 3, 1, 1, 0.25}
	want(t, "rows", AveragePrecision(scores, positive, nil), 0.5333333333333333)
	want(t, "weights", AveragePrecision(scores, positive, weight), 0.8316809116809117)
	want(t, "perfect", AveragePrecision([]float64{1, 2, 3}, []bool{false, false, true}, nil), 1)
	want(t, "all tied", AveragePrecision([]float64{7, 7, 7}, []bool{false, true, true}, nil), 2.0/3)
	want(t, "no positives", AveragePrecision([]float64{1, 2}, []bool{false, false}, nil), math.NaN())
	want(t, "a score is NaN", AveragePrecision([]float64{1, math.NaN()}, []bool{true, false}, nil), math.NaN())
}

// pairs is AUC by looking at every pair.
func pairs(scores []float64, positive []bool, weight []float64) float64 {
	won, all := 0.0, 0.0
	for i := range scores {
		for j := range scores {
			if !positive[i] || positive[j] {
				continue
			}
			w := weight[i] * weight[j]
			all += w
			if scores[i] > scores[j] {
				won += w
			} else if scores[i] == scores[j] {
				won += w / 2
			}
		}
	}
	return won / all
}

func TestAUCBrute(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n := 2 + r.IntN(40)
		scores, positive := make([]float64, n), make([]bool, n)
		weight, ones := make([]float64, n), make([]float64, n)
		for i := range n {
			scores[i], positive[i] = float64(r.IntN(12)), r.IntN(3) == 0
			weight[i], ones[i] = float64(1+r.IntN(8))/4, 1
		}
		want(t, "weighted", AUC(scores, positive, weight), pairs(scores, positive, weight))
		if got, expected := AUC(scores, positive, nil), pairs(scores, positive, ones); got != expected && !math.IsNaN(expected) {
			t.Errorf("without weights: found %v, expected exactly %v", got, expected)
		}
	}
}
