package schedule

import "math"

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
