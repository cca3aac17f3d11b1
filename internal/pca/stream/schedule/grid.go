package schedule

import (
	"fmt"
	"math"
)

// Grid returns the powers of two with exponents from lo to hi.
func Grid(lo, hi int) []float64 {
	var grid []float64
	for e := lo; e <= hi; e++ {
		grid = append(grid, math.Ldexp(1, e))
	}
	return grid
}

// SimulationGrid is the grid of c of the thesis's experiments on simulated data: 18 values.
func SimulationGrid() []float64 { return Grid(-12, 5) }

// ImageGrid is that on images: 27 values.
func ImageGrid() []float64 { return Grid(-20, 6) }

// A Selection chooses from a grid by the mean suboptimality over the run, on a
// validation set or exact. All candidates see the same rows, in one pass.
type Selection struct {
	sums  []float64
	times int
}

// Add takes the suboptimality of every candidate at one more checkpoint. NaN,
// which a diverged candidate has, counts as infinite.
func (s *Selection) Add(epsilon []float64) error {
	if s.sums == nil {
		s.sums = make([]float64, len(epsilon))
	}
	if len(epsilon) != len(s.sums) {
		return fmt.Errorf("selection: found %d candidates, expected %d", len(epsilon), len(s.sums))
	}
	for i, v := range epsilon {
		if v != v {
			v = math.Inf(1)
		}
		s.sums[i] += v
	}
	s.times++
	return nil
}

// Best returns the candidate of the smallest mean, the first of equal ones, and
// that mean; -1 before anything was added.
func (s *Selection) Best() (candidate int, mean float64) {
	candidate = -1
	for i, sum := range s.sums {
		if candidate < 0 || sum < s.sums[candidate] {
			candidate = i
		}
	}
	if candidate < 0 {
		return -1, math.NaN()
	}
	return candidate, s.sums[candidate] / float64(s.times)
}
