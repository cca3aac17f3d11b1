package joint_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/joint"
)

// values holds an example of each loss, worked out by hand.
var values = []struct {
	name       string
	p          []float64
	y          int
	value      float64
	derivative []float64
}{
	{"softmax", []float64{math.Log(1), math.Log(2), math.Log(5)}, 1, math.Log(8) - math.Log(2), []float64{1. / 8, 2./8 - 1, 5. / 8}},
	{"crammer-singer", []float64{0.5, 1, 0.75}, 1, 0.75, []float64{0, -1, 1}}, // 1 + 0.75 - 1
	{"crammer-singer", []float64{0.5, 3, 2}, 1, 0, []float64{0, 0, 0}},
}

func TestValues(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range values {
		seen[c.name] = true
		l, err := joint.New(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if v := l.Value(c.p, c.y); math.Abs(v-c.value) > 1e-15 {
			t.Errorf("%s at %v: %g, expected %g", c.name, c.p, v, c.value)
		}
		g := make([]float64, len(c.p))
		l.Derivative(g, c.p, c.y)
		for k, x := range g {
			if math.Abs(x-c.derivative[k]) > 1e-15 {
				t.Errorf("%s at %v: slope %v, expected %v", c.name, c.p, g, c.derivative)
			}
		}
	}
	for _, e := range joint.Entries() {
		if !seen[e.Name] {
			t.Errorf("loss %s has no example", e.Name)
		}
	}
}

func TestLaws(t *testing.T) {
	for _, e := range joint.Entries() {
		l, err := joint.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := conform.Joint(l); err != nil {
			t.Errorf("%s:\n%v", e.Name, err)
		}
	}
}

// TestManyClasses: of many classes, most or few of which are above the threshold, or all alike, what Dual returns is a
// subgradient where it leads, l(u) + l*(a) = <a, u>.
func TestManyClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	v, a, u := make([]float64, 700), make([]float64, 700), make([]float64, 700)
	for _, spread := range []float64{0, 1e-9, 1e-3, 0.1, 1, 30} {
		for _, step := range []float64{1e-3, 1, 1e3} {
			for k := range v {
				v[k] = spread * r.ExpFloat64()
			}
			joint.CrammerSinger{}.Dual(a, v, step, 3)
			inner := 0.0
			for k := range u {
				u[k] = v[k] - step*a[k]
				inner += a[k] * u[k]
			}
			l, c := joint.CrammerSinger{}.Value(u, 3), joint.CrammerSinger{}.Conjugate(a, 3)
			if off := l + c - inner; !(math.Abs(off) < 1e-9*(1+step)) {
				t.Errorf("spread %g, step %g: %g + %g is not %g, but %g more", spread, step, l, c, inner, off)
			}
		}
	}
}
