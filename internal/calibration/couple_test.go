package calibration

import (
	"math"
	"testing"
)

// TestCouple: probabilities of pairs that some p has, r_ij = p_i/(p_i+p_j), give p back;
// those that no p has give one for which the objective is least.
func TestCouple(t *testing.T) {
	want := []float64{0.5, 0.3, 0.15, 0.05}
	got := Couple([]float64{7}, len(want), func(i, j int) float64 { return want[i] / (want[i] + want[j]) })
	if len(got) != 1+len(want) || got[0] != 7 {
		t.Fatalf("found %v, expected four numbers after the 7", got)
	}
	for c, p := range got[1:] {
		if math.Abs(p-want[c]) > 0.01 {
			t.Errorf("class %d: probability %v, expected %v", c, p, want[c])
		}
	}
	pairs := func(i, j int) float64 { return []float64{0.9, 0.2, 0.6}[i+j-1] }
	p := Couple(nil, 3, pairs)
	objective := func(p []float64) (sum float64) {
		for i := range p {
			for j := i + 1; j < len(p); j++ {
				sum += math.Pow((1-pairs(i, j))*p[i]-pairs(i, j)*p[j], 2)
			}
		}
		return sum
	}
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the probabilities %v add up to %v", p, sum)
	}
	for i := range p {
		other := append([]float64(nil), p...)
		other[i], other[(i+1)%3] = other[i]+0.02, other[(i+1)%3]-0.02
		if objective(other) < objective(p) {
			t.Errorf("%v has the objective %v, %v has %v", other, objective(other), p, objective(p))
		}
	}
}
