package spectral

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// randomSpectrum makes up to 24 values with counts: near [0, 1], wide, equal to
// each other or exactly one apart, tiny or huge. k is anything from 0 to the number
// of values, often whole, sometimes all.
func randomSpectrum(r *rand.Rand) (sigma []float64, count []int, k float64) {
	m := 1 + r.IntN(24)
	scale := []float64{1, 1, 3, 1e-9, 1e-300, 1e6, 1e300}[r.IntN(7)]
	total := 0
	for i := range m {
		v := scale * (1.5*r.Float64() - 0.25)
		if i > 0 && r.IntN(4) == 0 {
			v = sigma[r.IntN(i)] + float64(r.IntN(3)-1)
		}
		c := 1 + r.IntN(3)*r.IntN(2)
		sigma, count, total = append(sigma, v), append(count, c), total+c
	}
	switch r.IntN(4) {
	case 0:
		k = float64(total)
	case 1:
		k = float64(r.IntN(total + 1))
	default:
		k = r.Float64() * float64(total)
	}
	return sigma, count, k
}

// bisected is the projection by bisection on S between the outermost breakpoints,
// then a solution for the values strictly between 0 and 1.
func bisected(sigma []float64, count []int, k float64) []float64 {
	lo, hi := -slices.Max(sigma), 1-slices.Min(sigma)
	for range 2200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if clippedSum(sigma, count, mid) < k {
			lo = mid
		} else {
			hi = mid
		}
	}
	s := make([]float64, len(sigma))
	for i, v := range sigma {
		s[i] = min(max(v+hi, 0), 1)
	}
	return s
}

func clippedSum(sigma []float64, count []int, shift float64) (sum float64) {
	for i, v := range sigma {
		sum += times(count, i) * min(max(v+shift, 0), 1)
	}
	return sum
}

// twoPointers is Algorithm 6.2 as corrected in the reference (errata E28), on
// ascending values: the shift, and whether there is one.
func twoPointers(sigma []float64, count []int, k, tau float64) (float64, bool) {
	m, d := len(sigma), 0.0
	for i := range sigma {
		d += times(count, i)
	}
	var si, sj, ci, cj float64
	for i, j := 0, 0; i < m; {
		if i < j {
			s := (k - (sj - si) - (d - cj)) / (cj - ci)
			if sigma[i]+s >= -tau && sigma[j-1]+s <= 1+tau && (i == 0 || sigma[i-1]+s <= tau) && (j >= m || sigma[j]+s >= 1-tau) {
				return s, true
			}
		}
		if j < m && sigma[j]-sigma[i] <= 1+tau {
			sj, cj, j = sj+times(count, j)*sigma[j], cj+times(count, j), j+1
		} else {
			si, ci, i = si+times(count, i)*sigma[i], ci+times(count, i), i+1
		}
	}
	return 0, false
}

// ascending sorts the values with their counts.
func ascending(sigma []float64, count []int) ([]float64, []int) {
	order := make([]int, len(sigma))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if sigma[a] < sigma[b] {
			return -1
		} else if sigma[a] > sigma[b] {
			return 1
		}
		return 0
	})
	v, c := make([]float64, len(sigma)), make([]int, len(sigma))
	for at, i := range order {
		v[at], c[at] = sigma[i], int(times(count, i))
	}
	return v, c
}

// Row 16 of the checklist: sum, conditions of optimality, idempotence, and the
// same projection as by bisection and by the thesis's algorithm.
func TestFantopeRandomSpectra(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(16, 1))
	var f fantope
	var worstSum, worstBisection, worstAgain, worstPointers, worstKKT float64
	for compared := 0; compared < 100000; {
		sigma, count, k := randomSpectrum(r)
		s := slices.Clone(sigma)
		f.project(s, count, k)
		sum, size := 0.0, 0.0
		for i, v := range s {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("project(%v, %v, %v) = %v: outside [0, 1]", sigma, count, k, s)
			}
			sum += times(count, i) * v
			size = max(size, math.Abs(sigma[i]))
		}
		worstSum = max(worstSum, math.Abs(sum-k))
		worstKKT = max(worstKKT, violation(sigma, s))
		again := slices.Clone(s)
		f.project(again, count, k)
		worstAgain = max(worstAgain, pcatest.LargestDifference(again, s))
		if size > 100 {
			continue // the twins count from 0 and lose the digits behind the point
		}
		compared++
		worstBisection = max(worstBisection, pcatest.LargestDifference(bisected(sigma, count, k), s))
		v, c := ascending(sigma, count)
		if k == 0 {
			continue // nothing lies between the pointers
		}
		shift, ok := twoPointers(v, c, k, 1e-10)
		if !ok {
			t.Fatalf("Algorithm 6.2 fails for %v, %v, %v", v, c, k)
		}
		w := slices.Clone(v)
		f.project(w, c, k)
		for i := range v {
			worstPointers = max(worstPointers, math.Abs(min(max(v[i]+shift, 0), 1)-w[i]))
		}
	}
	t.Logf("worst: sum %.2g, KKT %.2g, again %.2g, bisection %.2g, Algorithm 6.2 %.2g", worstSum, worstKKT, worstAgain, worstBisection, worstPointers)
	if worst := max(worstSum, worstAgain, worstBisection, worstKKT); worst > 1e-12 {
		t.Errorf("worst error %g, expected at most 1e-12", worst)
	}
	if worstPointers > 1e-9 { // the twin's tolerance is 1e-10 a value
		t.Errorf("differs by %g from Algorithm 6.2", worstPointers)
	}
}

// violation says by how much s = clip(sigma + S) misses being that for one S: with
// v_i = s_i - sigma_i, equal where 0 < s_i < 1, at least S where s_i = 0, and at
// most S where s_i = 1. Distances are between values of sigma, so that huge ones
// lose nothing.
func violation(sigma, s []float64) (worst float64) {
	for i := range s {
		for j := range s {
			if s[i] < 1 && s[j] > 0 { // S <= v_i and v_j <= S
				worst = max(worst, (s[j]-s[i])-(sigma[j]-sigma[i]))
			}
		}
	}
	return worst
}

func TestFantopeShift(t *testing.T) {
	for _, c := range []struct {
		sigma []float64
		count []int
		k     float64
		want  float64
	}{
		{[]float64{1.5, 0.5}, nil, 1, -0.5},                 // 1 and 0: the sum is 1 from S = -0.5 on
		{[]float64{1, 1, 0.25}, nil, 2, -1. / 12},           // 2(1+S) + 1/4+S = 2
		{[]float64{0.5}, []int{4}, 2, 0},                    // four times a half
		{[]float64{0.2, 0.7}, nil, 2, 0.8},                  // k = d: until the smallest is 1
		{[]float64{3, 2}, nil, 0, -3},                       // k = 0: until the largest is 0
		{[]float64{1e-300, 0}, nil, 1, 0.5},                 // tiny
		{[]float64{0.6, 0.6, 0.6, 0.6}, nil, 1, 0.25 - 0.6}, // equal
	} {
		var f fantope
		got := f.shift(c.sigma, c.count, c.k)
		sum := clippedSum(c.sigma, c.count, got)
		if math.Abs(sum-c.k) > 1e-15 {
			t.Errorf("shift(%v, %v, %v) = %v: sum %v", c.sigma, c.count, c.k, got, sum)
		}
		if math.Abs(got-c.want) > 1e-15 {
			t.Errorf("shift(%v, %v, %v) = %v, expected %v", c.sigma, c.count, c.k, got, c.want)
		}
	}
}

// shift returns S. For k <= 0 it takes all values to 0, for k >= sum count to 1.
func (f *fantope) shift(sigma []float64, count []int, k float64) float64 {
	if len(sigma) == 0 {
		return 0
	}
	f.sort(sigma)
	pivot, s := f.solve(sigma, count, k)
	return s - sigma[pivot]
}

// Values that no common shift can be represented for are projected all the same.
func TestFantopeHugeValues(t *testing.T) {
	var f fantope
	for _, c := range []struct {
		sigma []float64
		k     float64
		want  []float64
	}{
		{[]float64{1e300, 1e300, -1e300}, 1, []float64{0.5, 0.5, 0}},
		{[]float64{1.7e308, -1.7e308}, 1.5, []float64{1, 0.5}},
		{[]float64{1e15, 0.3, 0.2}, 1.5, []float64{1, 0.3, 0.2}},
		{[]float64{math.MaxFloat64, -math.MaxFloat64}, 2, []float64{1, 1}},
		{nil, 1, nil},
	} {
		got := slices.Clone(c.sigma)
		f.project(got, nil, c.k)
		if !(pcatest.LargestDifference(got, c.want) <= 1e-15) {
			t.Errorf("project(%v, %v) = %v, expected %v", c.sigma, c.k, got, c.want)
		}
	}
}

func TestFantopeAllocatesNothing(t *testing.T) {
	var f fantope
	sigma := []float64{1, 0.9, 0.3, 0.2, 0.4}
	f.project(sigma, nil, 2)
	if n := testing.AllocsPerRun(100, func() { sigma[4] = 0.5; f.project(sigma, nil, 2) }); n != 0 {
		t.Errorf("%v allocations a projection", n)
	}
}

func BenchmarkFantope(b *testing.B) {
	var f fantope
	r := rand.New(rand.NewPCG(1, 1))
	sigma := make([]float64, 16)
	for b.Loop() {
		for i := range sigma {
			sigma[i] = r.Float64()
		}
		f.project(sigma, nil, 4)
	}
}

// What is not a number ends the projection all the same.
func TestProjectionsEnd(t *testing.T) {
	inf := math.Inf(1)
	values := []float64{0, 1, -1, inf, -inf, math.NaN(), math.MaxFloat64, 5e-324}
	r := rand.New(rand.NewPCG(16, 2))
	var f fantope
	var e entropy
	for range 2000 {
		v := make([]float64, 1+r.IntN(5))
		for i := range v {
			v[i] = values[r.IntN(len(values))]
		}
		f.project(slices.Clone(v), nil, values[r.IntN(len(values))])
		f.shift(v, nil, float64(r.IntN(7)))
		f.projectCapped(slices.Clone(v), 1+r.IntN(6), float64(1+r.IntN(6)))
		e.project(v, nil, 2+r.IntN(6), 1)
	}
}
