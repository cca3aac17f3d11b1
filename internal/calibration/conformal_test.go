package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSelect: it is what sorting finds.
func TestSelect(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for trial := range 200 {
		lists, add, all := make([][]float64, []int{1 + r.IntN(4), fewLists + r.IntN(9)}[trial%2]), []float64{}, []float64{}
		for k := range lists {
			shift := float64(r.IntN(5))
			for range r.IntN(8) {
				lists[k] = append(lists[k], float64(r.IntN(10)))
			}
			slices.Sort(lists[k])
			for _, x := range lists[k] {
				all = append(all, x+shift)
			}
			add = append(add, shift)
		}
		slices.Sort(all)
		if got := Select(lists, add, len(all)+1); !math.IsInf(got, 1) {
			t.Fatalf("rank %d of %d numbers: found %g, expected none", len(all)+1, len(all), got)
		}
		for rank := 1; rank <= len(all); rank++ {
			if got := Select(lists, add, rank); got != all[rank-1] {
				t.Fatalf("rank %d of %v with %v: found %g, expected %g", rank, lists, add, got, all[rank-1])
			}
		}
	}
}

// TestRank: a new row takes part in the ranking: of nine others it is at most as bad as the ninth in nine cases of ten, of eight others that is not sure.
func TestRank(t *testing.T) {
	for n, want := range map[int]int{8: 9, 9: 9, 10: 10, 99: 90, 100: 91} {
		if got := Rank(n, 0.9); got != want {
			t.Errorf("%d rows: found the rank %d, expected %d", n, got, want)
		}
	}
}

// TestQuantile: by hand, and too few errors.
func TestQuantile(t *testing.T) {
	errors := []float64{5, 1, 4, 2, 3, 9, 8, 7, 6} // nine: of ten rows the new one is among the nine smallest in nine cases
	once := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
	if q, ok := Quantile(errors, once, 0.9); !ok || q != 9 {
		t.Errorf("found %g, expected 9", q)
	}
	if q, ok := Quantile(errors, once, 0.5); !ok || q != 5 {
		t.Errorf("found %g, expected 5", q)
	}
	if _, ok := Quantile(errors, once, 0.95); ok {
		t.Error("nine errors for the level 0.95: found a quantile, expected none")
	}
	for level, want := range map[float64]float64{0.1: 1, 0.2: 2, 0.4: 2, 0.41: 7, 0.9: 7} { // 1, 2, 2, 2, 7, 7, 7, 7, 7
		if q, ok := Quantile([]float64{7, 5, 1, 2}, []float64{5, 0, 1, 3}, level); !ok || q != want {
			t.Errorf("level %g of errors that count several times: found %g, %t, expected %g", level, q, ok, want)
		}
	}
}
