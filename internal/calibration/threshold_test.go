package calibration

import (
	"math"
	"math/rand/v2"
	"testing"
)

func marginsOf(scores []float64, second []bool, weight []float64) (rows []Margin) {
	for i, s := range scores {
		rows = append(rows, Margin{s, weight[i], second[i]})
	}
	return rows
}

// TestThreshold tries every threshold between and beyond the scores.
func TestThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(12)
		scores, positive, weight := make([]float64, n), make([]bool, n), make([]float64, n)
		sum := 0.0
		for i := range scores {
			scores[i], positive[i], weight[i] = float64(r.IntN(7)-3), r.IntN(2) == 1, float64(r.IntN(3))
			sum += weight[i]
		}
		if sum == 0 {
			continue
		}
		costs := [2]float64{float64(r.IntN(3)), float64(r.IntN(5))}
		cost := func(t float64) (c float64) {
			for i, s := range scores {
				if above := s > t; above != positive[i] && positive[i] {
					c += weight[i] * costs[1] / sum
				} else if above != positive[i] {
					c += weight[i] * costs[0] / sum
				}
			}
			return c
		}
		at, claimed := Threshold(marginsOf(scores, positive, weight), costs)
		if math.Abs(cost(at)-claimed) > 1e-12 {
			t.Fatalf("%v %v: the cost at %g is %g, found %g", scores, positive, at, cost(at), claimed)
		}
		for other := -4.5; other < 5; other++ {
			if c := cost(other); c < claimed-1e-12 {
				t.Fatalf("%v %v: at %g the cost is %g, below %g at %g", scores, positive, other, c, claimed, at)
			} else if c < claimed+1e-12 && math.Abs(other) < math.Abs(at)-1 {
				t.Fatalf("%v %v: found the threshold %g, expected %g, which costs as much and is next to 0", scores, positive, at, other)
			}
		}
	}
	if at, _ := Threshold([]Margin{{-1, 1, false}, {1, 1, true}}, [2]float64{1, 1}); at != 0 {
		t.Errorf("scores apart at 0: found the threshold %g", at)
	}
}

// TestThresholdIsZeroWhereItMay: a threshold between two scores of which one is above 0 is 0, as without costs.
func TestThresholdIsZeroWhereItMay(t *testing.T) {
	if at, cost := Threshold([]Margin{{-1, 1, false}, {0.5, 1, true}}, [2]float64{1, 9}); at != 0 || cost != 0 {
		t.Errorf("found %g at the cost %g, expected 0 and none", at, cost)
	}
}
