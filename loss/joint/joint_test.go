package joint_test

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/loss/joint"
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
