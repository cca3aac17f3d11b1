package pca

import (
	"math"
	"testing"
)

func TestGrids(t *testing.T) {
	for _, c := range []struct {
		grid     []float64
		n        int
		from, to float64
	}{{SimulationGrid(), 18, 0x1p-12, 32}, {ImageGrid(), 27, 0x1p-20, 64}} {
		if len(c.grid) != c.n || c.grid[0] != c.from || c.grid[c.n-1] != c.to {
			t.Errorf("grid %v, expected %d values from %v to %v", c.grid, c.n, c.from, c.to)
		}
	}
}

func TestTheorySteps(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"MSG", StepMSG(2, 100, 1).Step(1), 0.2},
		{"MSG, |x|^4 = 16", StepMSG(2, 100, 16).Step(1), 0.05},
		{"anytime", StepAnytime(4, 16).Step(4), 0.25},
		{"entropy", StepEntropy(4, 2, 100, 0.5).Step(1), math.Log(1 + math.Sqrt(2*2*math.Ln2/50))},
		{"mirror", StepMirror(4, 2, 100).Step(1), math.Sqrt(math.Ln2 / 100)},
	} {
		if math.Abs(c.got-c.want) > 1e-15 {
			t.Errorf("%s: %v, expected %v", c.name, c.got, c.want)
		}
	}
	if eta := StepEntropy(4, 2, 100, 0).Step(1); !(eta > 0 && eta < 10) {
		t.Errorf("a step of %v where the best subspace leaves nothing", eta)
	}
}
