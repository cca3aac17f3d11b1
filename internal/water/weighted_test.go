package water

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWeighted: a row of weight 2 is the row twice, with a bias and without.
func TestWeighted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var c, y, s, manyC, manyY []float64
		for i := range 2 + r.IntN(12) {
			height, sign, weight := math.Round(4*r.NormFloat64())/2, float64(1-2*(i%2)), 1+r.IntN(3)
			c, y, s = append(c, height), append(y, sign), append(s, float64(weight))
			for range weight {
				manyC, manyY = append(manyC, height), append(manyY, sign)
			}
		}
		volume := float64(r.IntN(3)) * r.ExpFloat64()
		level, _ := Weighted(c, nil, s, volume)
		if want, _ := new(Filling).Fill(manyC, nil, volume); math.Abs(level-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%v weights %v, volume %g: level %g, expected %g", c, s, volume, level, want)
		}
		level, bias := Weighted(c, y, s, volume)
		want, wantBias := new(Filling).Fill(manyC, manyY, volume)
		if math.Abs(level-want) > 1e-12*(1+math.Abs(want)) || math.Abs(bias-wantBias) > 1e-12*(1+math.Abs(wantBias)) {
			t.Errorf("%v of %v, weights %v, volume %g: level %g, bias %g, expected %g and %g", c, y, s, volume, level, bias, want, wantBias)
		}
	}
	if level, _ := Weighted([]float64{1}, []float64{1}, []float64{1}, 1); !math.IsInf(level, 1) {
		t.Errorf("one class: level %g, expected +Inf", level)
	}
}
