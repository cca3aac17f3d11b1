package water

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainLevel is the least of (volume + the k lowest)/k over k.
func plainLevel(c []float64, volume float64) float64 {
	c = slices.Sorted(slices.Values(c))
	least, sum := math.Inf(1), 0.0
	for k, h := range c {
		sum += h
		least = min(least, (volume+sum)/float64(k+1))
	}
	return least
}

// plainLevels is the same for two classes.
func plainLevels(p, m []float64, volume float64) float64 {
	p, m = slices.Sorted(slices.Values(p)), slices.Sorted(slices.Values(m))
	least, sum := math.Inf(1), 0.0
	for k := range min(len(p), len(m)) {
		sum += p[k] + m[k]
		least = min(least, (volume+sum)/float64(2*(k+1)))
	}
	return least
}

// floors are random heights, of which many are the same.
func floors(random *rand.Rand, n int) []float64 {
	c := make([]float64, n)
	for i := range c {
		c[i] = random.NormFloat64()
		if random.IntN(2) == 0 {
			c[i] = math.Round(2 * c[i])
		}
	}
	return c
}

// volumes from none to more than covers everything, and tiny ones.
func volumeFor(random *rand.Rand, n int) float64 {
	switch random.IntN(6) {
	case 0:
		return 0
	case 1:
		return 1e-9 * random.Float64()
	}
	return 2 * float64(n) * random.Float64()
}

// The level is the closed form, and the covered rows prove it: below the level
// they hold the volume, and p attains the dual form (T12, T13).
func TestWater(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var w, again Filling
	for range 10000 {
		n := 1 + random.IntN(12)
		c, volume := floors(random, n), volumeFor(random, n)
		level, _ := w.Fill(c, nil, volume)
		if want := plainLevel(c, volume); math.Abs(level-want) > 1e-12*(1+math.Abs(want)) {
			t.Fatalf("%v, %g: level %v, expected %v", c, volume, level, want)
		}
		provesLevel(t, &w, c, nil, volume, level)

		y := make([]float64, n+1)
		c = append(c, random.NormFloat64())
		for i := range y {
			y[i] = math.Copysign(1, random.NormFloat64())
		}
		y[0], y[n] = 1, -1
		var byClass [2][]float64
		for i, h := range c {
			byClass[int(1-y[i])/2] = append(byClass[int(1-y[i])/2], h)
		}
		level, b := w.Fill(c, y, volume)
		if want := plainLevels(byClass[0], byClass[1], volume); math.Abs(level-want) > 1e-12*(1+math.Abs(want)) {
			t.Fatalf("%v, %v, %g: level %v, expected %v", c, y, volume, level, want)
		}
		provesLevel(t, &w, c, y, volume, level)
		shifted := make([]float64, len(c))
		for i := range c {
			shifted[i] = c[i] + y[i]*b
		}
		if one, _ := again.Fill(shifted, nil, volume); math.Abs(one-level) > 1e-12*(1+math.Abs(level)) {
			t.Fatalf("%v, %v, %g: level %v, but %v at the bias %v", c, y, volume, level, one, b)
		}
	}
}

// provesLevel checks that p attains the level in the dual form.
func provesLevel(t *testing.T, w *Filling, c, y []float64, volume, level float64) {
	t.Helper()
	p, total, balance := make([]float64, len(c)), 0.0, 0.0
	w.Covered(func(i int, part float64) { p[i], total = part, total+part })
	value, largest := 0.0, 0.0
	for i := range p {
		p[i] /= total
		value += p[i] * c[i]
		largest = max(largest, p[i])
		if y != nil {
			balance += y[i] * p[i]
		}
	}
	if got := value + volume*largest; math.Abs(balance) > 1e-12 || math.Abs(got-level) > 1e-11*(1+math.Abs(level)) {
		t.Fatalf("%v, %v, %g: p = %v gives %v and balance %g, expected %v", c, y, volume, p, got, balance, level)
	}
}

// The examples of the reference, section 7, items 4 to 6.
func TestWaterExamples(t *testing.T) {
	var w Filling
	for _, c := range []struct {
		c             []float64
		volume, level float64
	}{
		{[]float64{0, 1, 2}, 100, 103.0 / 3}, {[]float64{0, 1, 2}, 1, 1}, {[]float64{0, 1, 2}, 2, 1.5},
		{[]float64{-1, 3}, 0, -1}, {[]float64{0, 0, 0, 0}, 1, 0.25}, {[]float64{5}, 1, 6},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, 3, 2},
	} {
		if level, _ := w.Fill(c.c, nil, c.volume); level != c.level {
			t.Errorf("%v, %g: level %v, expected %v", c.c, c.volume, level, c.level)
		}
	}
	for _, c := range []struct {
		c, y                []float64
		volume, level, bias float64
	}{
		{[]float64{0, 2, 1, 5}, []float64{1, 1, -1, -1}, 1, 1, 0.5},
		{[]float64{0, 1, 5}, []float64{1, -1, -1}, 10, 5.5, -2.5},
		{[]float64{0, 0, 0, 0, 0}, []float64{1, -1, -1, -1, 1}, 2, 0.5, -0.5},
		{[]float64{0, 1}, []float64{1, 1}, 2, math.Inf(1), 0},
	} {
		if level, bias := w.Fill(c.c, c.y, c.volume); level != c.level || bias != c.bias {
			t.Errorf("%v, %v, %g: level %v, bias %v, expected %v, %v", c.c, c.y, c.volume, level, bias, c.level, c.bias)
		}
	}
	// A million equal heights take one split, not a million.
	if level, _ := w.Fill(make([]float64, 1e6), nil, 1e6); level != 1 {
		t.Errorf("equal heights: level %v, expected 1", level)
	}
}

// Scale covers the rows that fall short of the best scale, found by search.
func TestWaterScale(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	var w Filling
	for range 2000 {
		n := 2 + random.IntN(10)
		c, a := floors(random, n), 3*random.Float64()
		objective := func(s float64) float64 {
			sum := s * s * a / 2
			for _, h := range c {
				sum += max(0, 1-s*h)
			}
			return sum
		}
		lo, hi := 0.0, 1e3
		for range 200 {
			if l, r := lo+(hi-lo)/3, hi-(hi-lo)/3; objective(l) <= objective(r) {
				hi = r
			} else {
				lo = l
			}
		}
		w.Scale(c, nil, a)
		covered := make([]bool, n)
		w.Covered(func(i int, _ float64) { covered[i] = true })
		for i, h := range c {
			if margin := lo * h; margin < 1-1e-6 && !covered[i] || margin > 1+1e-6 && covered[i] {
				t.Fatalf("%v, a = %g: scale %g, row %d has margin %g, covered: %v", c, a, lo, i, margin, covered[i])
			}
		}
	}
}

// A Filling that is used again begins where it was, and finds what a new one
// finds, whether the heights moved a little, a lot, or are all the same.
func TestWaterFollows(t *testing.T) {
	const n = 3000
	random := rand.New(rand.NewPCG(7, 7))
	c, y := make([]float64, n), make([]float64, n)
	for i := range c {
		c[i], y[i] = random.NormFloat64(), math.Copysign(1, random.NormFloat64()+0.5)
	}
	fills := map[string]func(w *Filling, volume float64) (level, bias float64){
		"one basin":   func(w *Filling, volume float64) (float64, float64) { return w.Fill(c, nil, volume) },
		"two basins":  func(w *Filling, volume float64) (float64, float64) { return w.Fill(c, y, volume) },
		"scale":       func(w *Filling, volume float64) (float64, float64) { w.Scale(c, nil, volume); return 0, 0 },
		"scale, both": func(w *Filling, volume float64) (float64, float64) { w.Scale(c, y, volume); return 0, 0 },
	}
	var used [4]Filling
	volume := 300.0
	for step := range 300 {
		size := 0.01
		switch {
		case step%50 == 49:
			size = 3
			volume = volumeFor(random, n/4)
		case step%70 == 69:
			size = 0
			clear(c)
		}
		for i := range c {
			c[i] += size * random.NormFloat64()
			if step%30 > 20 {
				c[i] = math.Round(16*c[i]) / 16
			}
		}
		for k, name := range slices.Sorted(maps.Keys(fills)) {
			var fresh Filling
			level, bias := fills[name](&used[k], volume)
			level2, bias2 := fills[name](&fresh, volume)
			if math.Abs(level-level2) > 1e-12*(1+math.Abs(level)) || math.Abs(bias-bias2) > 1e-12*(1+math.Abs(bias)) {
				t.Fatalf("step %d, %s: level %v, bias %v, expected %v, %v", step, name, level, bias, level2, bias2)
			}
			if !slices.Equal(parts(&used[k], n), parts(&fresh, n)) {
				t.Fatalf("step %d, %s: other rows are covered", step, name)
			}
		}
	}
}

func parts(w *Filling, n int) []float64 {
	p := make([]float64, n)
	w.Covered(func(i int, part float64) { p[i] = part })
	return p
}

func BenchmarkWater(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 5))
	c, y := make([]float64, 32000), make([]float64, 32000)
	for i := range c {
		c[i], y[i] = random.NormFloat64(), math.Copysign(1, random.NormFloat64())
	}
	var w Filling
	b.Run("basins=1", func(b *testing.B) {
		for b.Loop() {
			w.Fill(c, nil, 3000)
		}
	})
	b.Run("basins=2", func(b *testing.B) {
		for b.Loop() {
			w.Fill(c, y, 3000)
		}
	})
}
