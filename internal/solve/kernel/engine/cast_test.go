package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/problem"
)

// After trim the parts are a subgradient of the hinge where the scale s, and the
// bias, have the least objective s^2 a/2 + sum_i max(0, 1 - s c_i - y_i b): 1 below
// the margin, 0 above it, with sum part_i c_i = s a, and as much of each class. Rows
// are drawn as often as their parts say.
func TestTrim(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	kinks := 0
	for trial := range 300 {
		n := 2 + random.IntN(9)
		risk := &problem.Risk{Y: make([]float64, n), Bias: problem.None}
		if trial%2 == 1 {
			risk.Bias = problem.Free
		}
		c := make([]float64, n)
		for i := range c {
			c[i] = random.NormFloat64() + 0.7
			if risk.Y[i] = 1; random.IntN(2) == 0 {
				risk.Y[i] = -1
			}
		}
		risk.Y[0], risk.Y[1] = 1, -1
		if n > 5 { // ties
			c[3], risk.Y[3] = c[2], risk.Y[2]
		}
		a := 3*random.Float64() + 0.01
		value := func(s, b float64) float64 {
			sum := s * s * a / 2
			for i, h := range c {
				sum += max(0, 1-s*h-risk.Y[i]*b)
			}
			return sum
		}
		at := func(s float64) float64 { return value(s, 0) }
		var y []float64
		if risk.Bias == problem.Free {
			y = risk.Y
			at = func(s float64) float64 { // corners of a convex function of b
				least := math.Inf(1)
				for i, h := range c {
					least = min(least, value(s, risk.Y[i]*(1-s*h)))
				}
				return least
			}
		}
		lo, hi := 0.0, 200.0
		for range 300 {
			if l, r := lo+(hi-lo)/3, hi-(hi-lo)/3; at(l) <= at(r) {
				hi = r
			} else {
				lo = l
			}
		}
		if lo < 1e-3 {
			continue // nothing is gained by any scale
		}
		var filling water.Filling
		filling.Scale(c, y, a)
		under := newCast(risk, random)
		under.cover(&filling)
		under.trim(c, a)
		sum := 0.0
		for i, part := range under.part {
			sum += part * c[i]
			if part < 0 || part > 1 {
				t.Fatalf("trial %d: row %d has the part %v", trial, i, part)
			}
			if part > 0 && part < 1 {
				kinks++
			}
			if margin := lo * c[i]; risk.Bias == problem.None && (margin < 1-1e-5 && part != 1 || margin > 1+1e-5 && part != 0) {
				t.Fatalf("trial %d: row %d with the margin %v has the part %v", trial, i, margin, part)
			}
		}
		if math.Abs(sum-lo*a) > 1e-5*(1+lo*a) {
			t.Errorf("trial %d, %v: the parts give %v, expected %v", trial, risk.Bias, sum, lo*a)
		}
		if risk.Bias == problem.Free && math.Abs(under.covered[0]-under.covered[1]) > 1e-9 {
			t.Errorf("trial %d: %v and %v rows of the classes", trial, under.covered[0], under.covered[1])
		}
		if trial%30 == 0 {
			drawsByParts(t, &under)
		}
	}
	if kinks < 50 {
		t.Errorf("%d rows were covered in part: nothing was tested", kinks)
	}
}

func drawsByParts(t *testing.T, c *cast) {
	t.Helper()
	const draws = 20000
	count, classes := make([]float64, len(c.part)), 0.0
	for range draws {
		count[c.draw()]++
	}
	for _, under := range c.under {
		if len(under) > 0 {
			classes++
		}
	}
	for i, part := range c.part {
		want := draws * part / (classes * c.covered[c.class[i]])
		if math.Abs(count[i]-want) > 4*math.Sqrt(want+1) {
			t.Errorf("row %d of part %v was drawn %v times, expected about %v", i, part, count[i], want)
		}
	}
}
