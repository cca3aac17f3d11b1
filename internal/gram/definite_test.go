package gram

import (
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// negated is an Inner kernel that claims nothing, rightly: it is -<x,y>.
type negated struct{ kernel.Linear }

func (negated) Eval(x, y matrix.Vector) float64 { return -kernel.Linear{}.Eval(x, y) }
func (negated) Of(dst []float64, _ float64, _ []float64) {
	for j := range dst {
		dst[j] = -dst[j]
	}
}
func (negated) Of32(dst []float32, _ float32, _ []float32) {
	for j := range dst {
		dst[j] = -dst[j]
	}
}
func (negated) Unproved() bool { return true }

// TestDoubtOfParts: what one part of a sum does not claim the sum does not either, also where all
// parts are Inner.
func TestDoubtOfParts(t *testing.T) {
	x := &matrix.Dense{Rows: 3, Cols: 2, Value: []float32{1, 2, 3, 1, 0, 2}}
	for name, doubtful := range map[string]kernel.Kernel{"linear": kernel.Linear{}, "negated": negated{}} {
		k, err := kernel.Sum(kernel.Linear{}, doubtful)
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewGram(k, x, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found := g.Doubt() != nil; found != (name == "negated") {
			t.Errorf("linear + %s: doubt %v", name, g.Doubt())
		}
	}
}
