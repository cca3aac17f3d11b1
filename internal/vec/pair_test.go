package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExtremes compares with a search in the order of the elements: few different
// numbers, so that many are equal.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	few := func() float64 {
		return []float64{0, 1, 2, -1, math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(7)]
	}
	for n := range 200 {
		up, low, at := make([]float64, n), make([]float64, n), make([]float64, n)
		i, j, top, bottom := -1, -1, math.Inf(-1), math.Inf(1)
		for k := range n {
			up[k], low[k], at[k] = few(), few(), float64(r.IntN(3))
			if h := up[k] - at[k]; h > top {
				i, top = k, h
			}
			if h := low[k] - at[k]; h < bottom {
				j, bottom = k, h
			}
		}
		if most, least := Extremes(up, low, at); most != i || least != j {
			t.Errorf("n=%d: %d and %d, expected %d and %d", n, most, least, i, j)
		}
	}
}

// TestPartner compares with divisions; every row is there twice, and the first is
// wanted.
func TestPartner(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 200 {
		low, at, own, row := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		most := 0.0
		gain := func(k int) float64 {
			if d := 0.3 - (low[k] - at[k]); d > 0 {
				return d * d / max(1e-3, 1+own[k]-2*row[k])
			}
			return 0
		}
		for k := range n {
			low[k], at[k], own[k], row[k] = r.NormFloat64(), r.NormFloat64(), 1, r.Float64()
			if r.IntN(4) == 0 {
				low[k] = math.Inf(1)
			}
			if k >= (n+1)/2 {
				low[k], at[k], row[k] = low[k-(n+1)/2], at[k-(n+1)/2], row[k-(n+1)/2]
			}
			most = max(most, gain(k))
		}
		switch j := Partner(0.3, 1, 1e-3, low, at, own, row); {
		case j < 0 && most > 0:
			t.Errorf("n=%d: none, though one gains %g", n, most)
		case j >= (n+1)/2:
			t.Errorf("n=%d: %d, expected the same row at %d", n, j, j-(n+1)/2)
		case j >= 0 && !(gain(j) >= most*(1-1e-14)):
			t.Errorf("n=%d: gains %g, another %g", n, gain(j), most)
		}
	}
}
