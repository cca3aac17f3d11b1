package pca

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/vec"
)

// Step sizes of the methods that learn from one row at a time (thesis 4 to 6;
// reference 2.10). They are stated for rows whose mean |x|^2 is 1: rows s times as
// long need steps 1/s^2 times as large.

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

func (s Constant) Step(int) float64      { return s.C }
func (s InverseRoot) Step(t int) float64 { return s.C / math.Sqrt(float64(max(t, 1))) }
func (s Inverse) Step(t int) float64     { return s.C / max(float64(max(t, 1)), s.Burn) }

var schedules = registry.New[Schedule]("schedule")

func init() {
	schedules.Register(registry.Entry[Schedule]{Name: "constant", Summary: "c, c=1",
		New: func(p *registry.Params) (Schedule, error) { return Constant{positive(p, "c", 1)}, p.Err() }})
	schedules.Register(registry.Entry[Schedule]{Name: "sqrt", Summary: "c/sqrt(t), c=1",
		New: func(p *registry.Params) (Schedule, error) { return InverseRoot{positive(p, "c", 1)}, p.Err() }})
	schedules.Register(registry.Entry[Schedule]{Name: "inverse", Summary: "c/max(t,burn), c=1, burn=1: constant at first",
		New: func(p *registry.Params) (Schedule, error) {
			return Inverse{positive(p, "c", 1), positive(p, "burn", 1)}, p.Err()
		}})
	schedules.Register(registry.Entry[Schedule]{Name: "strong", Summary: "1/(lambda t), lambda=1",
		New: func(p *registry.Params) (Schedule, error) { return Inverse{1 / positive(p, "lambda", 1), 1}, p.Err() }})
}

// NewSchedule makes the schedule that spec describes: a name, or
// "name:key=value,...".
func NewSchedule(spec string) (Schedule, error) { return schedules.New(spec) }

// Schedules lists the schedules by name.
func Schedules() []registry.Entry[Schedule] { return schedules.Entries() }

// positive reads a number whose reciprocal is finite too.
func positive(p *registry.Params, key string, otherwise float64) float64 {
	return p.Float(key, otherwise, "a number from 1e-300 to 1e300", func(v float64) bool { return v >= 1e-300 && v <= 1e300 })
}

// scheduleOf reads a schedule from the parameters of a method: schedule=NAME, c=C,
// and burn=B. c is otherwise by default, and 1/lambda is c too.
func scheduleOf(p *registry.Params, otherwise float64) Schedule {
	name := p.Choice("schedule", "sqrt", "constant", "inverse")
	c, burn := positive(p, "c", otherwise), positive(p, "burn", 1)
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

// The grids of c of the thesis's experiments: 18 values for simulated data, 27 for
// images.
func SimulationGrid() []float64 { return Grid(-12, 5) }
func ImageGrid() []float64      { return Grid(-20, 6) }

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

// Steps of the theory; the bounds they give are in bound.go.

// StepMSG is sqrt(2k/T)/G for T steps of MSG, G^2 = mean |x|^4: no two feasible M
// are farther apart than sqrt(2k).
func StepMSG(k, steps int, fourth float64) Schedule {
	return Constant{math.Sqrt(2*float64(k)/float64(steps)) / math.Sqrt(fourth)}
}

// StepAnytime is sqrt(k/t)/G for MSG when the number of steps is not known. It is
// also the upper end of the values that are good in practice: 2 to 4 times less
// was best in experiments.
func StepAnytime(k int, fourth float64) Schedule {
	return InverseRoot{math.Sqrt(float64(k)) / math.Sqrt(fourth)}
}

// StepEntropy is ln(1 + sqrt(2D/(T L*))), D = (d-k) ln(d/(d-k)), for T steps of
// Warmuth and Kuzmin's algorithm on rows of |x| <= 1, of which the best subspace
// leaves L* on average. L* = 0 would be an infinite step: T L* counts as at least
// 1e-6 of D.
func StepEntropy(d, k, steps int, loss float64) Schedule {
	distance := entropyDistance(d, k)
	total := max(float64(steps)*loss, 1e-6*distance)
	return Constant{vec.Log1p(math.Sqrt(2 * (distance / total)))}
}

// StepMirror is sqrt(B/T), B = ln(d/(d-k)), for T steps of the same algorithm by
// the general analysis of mirror descent.
func StepMirror(d, k, steps int) Schedule {
	return Constant{math.Sqrt(entropyDistance(d, k) / float64(d-k) / float64(steps))}
}

// entropyDistance returns (d-k) ln(d/(d-k)), at most k: d-k times the relative
// entropy from I/d to the projections on d-k directions.
func entropyDistance(d, k int) float64 {
	rest := float64(d - k)
	return rest * vec.Log1p(float64(k)/rest)
}
