package spectral

import (
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
)

// Row 22 of the checklist: a grid on one pass gives what separate runs give. What chooses from a
// grid is the method race.
func TestGridOnOnePass(t *testing.T) {
	const d, k, steps = 6, 2, 60
	for _, grid := range [][]float64{schedule.SimulationGrid(), schedule.ImageGrid()} {
		run := func(candidates []float64) (sums []float64) {
			r := rand.New(rand.NewPCG(22, 1))
			var states []*mirrorState
			for _, c := range candidates {
				states = append(states, newMirrorState(d, k, new(frobenius), schedule.InverseRoot{C: c}))
			}
			sums = make([]float64, len(candidates))
			for step := 1; step <= steps; step++ {
				x := sphere(r, d)
				for i, state := range states {
					state.step(state.schedule.Step(step), x)
					sums[i] += 1 - pcatest.Quadratic(state.copyTo(nil), x)
				}
			}
			return sums
		}
		together := run(grid)
		for i, c := range grid {
			if alone := run([]float64{c}); alone[0] != together[i] {
				t.Errorf("c = %v: %v alone, %v on one pass", c, alone[0], together[i])
			}
		}
	}
}
