package metric

import (
	"math"
	"testing"
)

func TestLogLoss(t *testing.T) {
	hopeless := 52 * math.Ln2 // -log of the smallest probability counted
	for _, c := range []struct {
		name        string
		probability [][]float64
		truth       []int
		weight      []float64
		expected    float64
	}{
		{"even", [][]float64{{0.5, 0.5}}, []int{1}, nil, math.Ln2},
		{"mean", [][]float64{{0.25, 0.75}, {1, 0}}, []int{0, 0}, nil, math.Log(4) / 2},
		{"weights", [][]float64{{0.25, 0.75}, {1, 0}}, []int{0, 0}, []float64{1, 3}, math.Log(4) / 4},
		{"impossible", [][]float64{{0, 1}}, []int{0}, nil, hopeless},
		{"unknown", [][]float64{{0, 1}}, []int{Unknown}, nil, hopeless},
		{"above one by rounding", [][]float64{{1 + 0x1p-40, 0}}, []int{0}, nil, 0},
		{"negative by rounding", [][]float64{{-0x1p-40, 1}}, []int{0}, nil, hopeless},
		{"NaN", [][]float64{{math.NaN(), 1}}, []int{0}, nil, math.NaN()},
		{"no rows", nil, nil, nil, math.NaN()},
	} {
		want(t, c.name, LogLoss(c.probability, c.truth, c.weight), c.expected)
	}
}

func TestBrier(t *testing.T) {
	want(t, "two classes", Brier([][]float64{{0.2, 0.8}, {0.5, 0.5}}, []int{1, 0}, nil), (0.04+0.25)/2)
	want(t, "three classes", Brier([][]float64{{0.5, 0.25, 0.25}}, []int{2}, nil), 0.25+0.0625+0.5625)
	want(t, "weights", Brier([][]float64{{0, 1}, {0.5, 0.5}}, []int{1, 0}, []float64{3, 1}), 0.0625)
	want(t, "right", Brier([][]float64{{0, 1, 0}}, []int{1}, nil), 0)
	want(t, "unknown", Brier([][]float64{{0.5, 0.5, 0}}, []int{Unknown}, nil), 0.5)
	want(t, "NaN", Brier([][]float64{{math.NaN(), 1}}, []int{1}, nil), math.NaN())
	want(t, "no rows", Brier(nil, nil, nil), math.NaN())
}
