package spectral

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// randomLogs makes the logarithms of up to 24 eigenvalues with counts, and d, k:
// below or around the cap, equal to each other or to the cap, or down to -1e6.
func randomLogs(r *rand.Rand) (g []float64, count []int, d, k int) {
	m, total := 1+r.IntN(24), 0
	scale := []float64{1, 1, 10, 1000, 1e6}[r.IntN(5)]
	for range m {
		c := 1 + r.IntN(3)*r.IntN(2)
		count, total = append(count, c), total+c
	}
	d = max(2, total+r.IntN(10)*r.IntN(2))
	k = 1 + r.IntN(d-1)
	if r.IntN(8) == 0 {
		k = d - 1
	}
	ceiling := -math.Log(float64(d - k))
	for i := range m {
		v := ceiling + scale*(r.Float64()-1) + float64(r.IntN(2))
		switch {
		case i > 0 && r.IntN(4) == 0:
			v = g[r.IntN(i)]
		case r.IntN(8) == 0:
			v = ceiling
		}
		g = append(g, v)
	}
	return g, count, d, k
}

// bisectedLogs is the projection by bisection on ln Z, counted from the largest
// logarithm that can stay below the cap, in plain logarithms.
func bisectedLogs(g []float64, count []int, d, k int) []float64 {
	ceiling := -math.Log(float64(d - k))
	sum := func(lnZ float64) (s float64) {
		rest := d
		for i, v := range g {
			s += times(count, i) * math.Exp(min(ceiling, v-lnZ))
			rest -= int(times(count, i))
		}
		return s + float64(rest)*math.Exp(min(ceiling, ceiling-lnZ))
	}
	lo, hi := min(slices.Min(g), ceiling)-ceiling-1, max(slices.Max(g), ceiling)+math.Log(float64(d))+1
	for range 2200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if sum(mid) > 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	w := make([]float64, len(g))
	for i, v := range g {
		w[i] = math.Exp(min(ceiling, v-hi))
	}
	return w
}

// Row 14 of the checklist.
func TestEntropyRandomSpectra(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(14, 1))
	var e entropy
	var worstSum, worstKKT, worstBisection float64
	for compared := 0; compared < 100000; {
		g, count, d, k := randomLogs(r)
		ceiling := -elementary.Log(float64(d - k))
		p := slices.Clone(g)
		lnZ, background := e.project(p, count, d, k)
		rest, before := float64(d), 0.0
		sum := 0.0
		spread := ceiling - slices.Min(g)
		for i := range p {
			sum += times(count, i) * math.Exp(p[i])
			before += times(count, i) * math.Exp(g[i])
			rest -= times(count, i)
			// p = min(ceiling, g - lnZ), to the digits that lnZ has.
			worstKKT = max(worstKKT, math.Abs(min(ceiling, g[i]-lnZ)-p[i])/(1+spread))
		}
		sum += rest * math.Exp(background)
		before += rest * math.Exp(ceiling)
		worstSum = max(worstSum, math.Abs(sum-1))
		if before <= 1 && (lnZ > 1e-14 || background < ceiling-1e-14) {
			t.Fatalf("project(%v, %v, %d, %d): sum %v, ln Z = %v > 0, background %v", g, count, d, k, before, lnZ, background)
		}
		if spread > 100 {
			continue // ln Z of the twin has no more digits
		}
		compared++
		for i, w := range bisectedLogs(g, count, d, k) {
			worstBisection = max(worstBisection, math.Abs(w-math.Exp(p[i])))
		}
	}
	t.Logf("worst: sum %.2g, KKT %.2g, bisection %.2g", worstSum, worstKKT, worstBisection)
	if worst := max(worstSum, worstKKT, worstBisection); worst > 1e-12 {
		t.Errorf("worst error %g, expected at most 1e-12", worst)
	}
}

// Relations of logarithms survive where no logarithm can be exponentiated, and
// all values of 0 are possible.
func TestEntropyExtremes(t *testing.T) {
	ln := math.Log
	inf := math.Inf(-1)
	for _, c := range []struct {
		g    []float64
		d, k int
		want []float64
	}{
		{[]float64{-1e6, -1e6 - 1024*math.Ln2, -1e6}, 3, 1, []float64{-ln(2), -1025 * math.Ln2, -ln(2)}},
		{[]float64{-1e6, -1e6 - 2, -2e6}, 5, 2, nil},
		{[]float64{-1e300, -1e300, -1e300}, 3, 1, []float64{-ln(3), -ln(3), -ln(3)}},
		{[]float64{inf, inf}, 2, 1, []float64{-ln(2), -ln(2)}},
		{[]float64{inf, -1e308}, 4, 1, nil},
		{[]float64{1e308, inf, 0}, 3, 1, []float64{-ln(2), math.NaN(), -ln(2)}},
	} {
		var e entropy
		g := slices.Clone(c.g)
		lnZ, background := e.project(g, nil, c.d, c.k)
		sum := float64(c.d-len(g)) * math.Exp(background)
		for i := range g {
			sum += math.Exp(g[i])
			if c.want != nil && c.want[i] == c.want[i] && math.Abs(g[i]-c.want[i]) > 1e-9 {
				t.Errorf("project(%v, %d, %d): found %v, expected %v", c.g, c.d, c.k, g, c.want)
			}
		}
		if !(math.Abs(sum-1) <= 1e-12) || lnZ != lnZ {
			t.Errorf("project(%v, %d, %d) = %v, ln Z %v: sum %v", c.g, c.d, c.k, g, lnZ, sum)
		}
	}
}

func TestEntropyAllocatesNothing(t *testing.T) {
	var e entropy
	g := []float64{-3, -2, -4, -2.5}
	e.project(g, nil, 8, 3)
	if n := testing.AllocsPerRun(100, func() { g[2] -= 0.5; e.project(g, nil, 8, 3) }); n != 0 {
		t.Errorf("%v allocations a projection", n)
	}
}
