// Package schedule has the step sizes of the methods that learn from one row at a time (thesis 4
// to 6; reference 2.10): schedules by name ([Of], from the parameters of a method) and grids of
// constants to choose from ([Grid]).
//
// Steps are stated for rows whose mean |x|^2 is 1: rows s times as long need steps 1/s^2 times
// as large. What a method does with a step is not decided here.
//
// A new schedule is a type with the method Step and a name that [Of] knows; the laws of the tests
// take it from there.
package schedule

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// A Schedule is a sequence of step sizes. Law: Step(t) is finite and positive for
// t = 1, 2, ..., and does not grow.
type Schedule interface{ Step(t int) float64 }

// Constant is eta_t = C, which the theory has when it knows the number of steps.
type Constant struct{ C float64 }

// InverseRoot is eta_t = C/sqrt(t), of the experiments.
type InverseRoot struct{ C float64 }

// Inverse is eta_t = C/max(t, Burn): constant for the first Burn steps, then as
// Robbins and Monro ask. With C = 1/lambda it is the schedule of an objective that
// is lambda-strongly convex.
type Inverse struct{ C, Burn float64 }

// Step implements Schedule, as those below.
func (s Constant) Step(int) float64 { return s.C }

// Step is C/sqrt(t).
func (s InverseRoot) Step(t int) float64 { return s.C / math.Sqrt(float64(max(t, 1))) }

// Step is C/max(t, Burn).
func (s Inverse) Step(t int) float64 { return s.C / max(float64(max(t, 1)), s.Burn) }

// Positive reads a number whose reciprocal is finite too.
func Positive(p *registry.Params, key string, otherwise float64) float64 {
	return p.Float(key, otherwise, "a number from 1e-300 to 1e300", func(v float64) bool { return v >= 1e-300 && v <= 1e300 })
}

// Of reads a schedule from the parameters of a method: schedule=NAME, c=C,
// and burn=B. c is otherwise by default, and 1/lambda is c too.
func Of(p *registry.Params, otherwise float64) Schedule {
	name := p.Choice("schedule", "sqrt", "constant", "inverse")
	c, burn := Positive(p, "c", otherwise), Positive(p, "burn", 1)
	switch name {
	case "constant":
		return Constant{c}
	case "inverse":
		return Inverse{c, burn}
	}
	return InverseRoot{c}
}

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
