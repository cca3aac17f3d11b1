package programming

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The active set on points of the plane: which rows are at 0, outside of the margin, free, on it, and
// bounded, inside or wrong, stage after stage (reference kernel_qp, section 6.7; steps as of Y11).
func init() {
	experiment.Plain("qp-active-set", "SVM lecture 15, stages of the active set", "the rows of the active set in the plane, stage by stage: outside of the margin, on it, inside", qpActiveSet)
}

// stage is the state of all rows after some steps.
type stage struct {
	states    []int // 0, 1, 2: at 0, free, at C
	w         [2]float64
	b         float64
	objective float64 // of the dual problem
}

// stateNames are what the states mean.
var stateNames = []string{"outside, a = 0", "on the margin, free", "inside, a = C"}

func qpActiveSet(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	const n, c = 60, 1.0
	x, y := inPlane(n, opt.Seed)
	p, err := experiment.HingeMachine(kernel.Linear{}, x, y, c, problem.Free, opt.Threads)
	if err != nil {
		return nil, err
	}
	state := dual.ActiveSet{Steps: 1}.Start(p, solver.Start{Gap: 1e-9, Seed: opt.Seed})
	stages := []stage{{states: make([]int, n)}}
	for state.(solver.Reporter).Report().End == nil && len(stages) < 20*n && ctx.Err() == nil {
		state.Epoch()
		stages = append(stages, stageOf(x, y, state.Point().W, c))
	}
	(&experiment.Tally{Opt: opt, What: "parts", Of: 2}).Step()
	r := &experiment.Result{}
	last := len(stages) - 1
	for _, k := range slices.Compact([]int{last / 8, last / 3, 2 * last / 3, last}) {
		stages[k].draw(r, x, y, fmt.Sprintf("after %d steps", k))
	}
	most, falls := 0, 0
	for k, s := range stages[1:] {
		before := stages[k]
		entered := 0
		for i, v := range s.states {
			if v == 1 && before.states[i] != 1 {
				entered++
			}
		}
		if most = max(most, entered); s.objective < before.objective-1e-12*math.Abs(s.objective) {
			falls++
		}
	}
	r.Check("6.7", "a step frees the row that entered, and the one that was alone before it", "at most 2", most <= 2, "%d", most)
	r.Check("6.1", "the dual objective never falls", "in no step", falls == 0, "in %d of %d", falls, last)
	r.Check("Y11", "few steps", fmt.Sprintf("at most %d, five a row", 5*n), last <= 5*n, "%d", last)
	wrong := stages[last].wrong(x, y)
	r.Check("6.7", "rows at 0 are outside of the margin, free ones on it, bounded ones inside", "to 1e-6, all of them", wrong == 0, "%d of %d are not", wrong, n)
	return r, ctx.Err()
}

// inPlane draws two Gaussians whose means are 2.4 apart.
func inPlane(n int, seed uint64) (*matrix.Dense, []float64) {
	random := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	m, y := &matrix.Dense{Rows: n, Cols: 2}, make([]float64, n)
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
		m.Value = append(m.Value, float32(random.NormFloat64()+1.2*y[i]), float32(random.NormFloat64()))
	}
	return m, y
}

// stageOf reads the state of each row from its coefficient y a.
func stageOf(x *matrix.Dense, y, point []float64, c float64) stage {
	s := stage{states: make([]int, len(y)), b: point[len(y)]}
	for i, a := range point[:len(y)] {
		switch {
		case math.Abs(a) >= c*(1-1e-9):
			s.states[i] = 2
		case math.Abs(a) > 1e-9*c:
			s.states[i] = 1
		}
		s.objective += y[i] * a
		for j := range s.w {
			s.w[j] += a * float64(x.Value[2*i+j])
		}
	}
	s.objective -= (s.w[0]*s.w[0] + s.w[1]*s.w[1]) / 2
	return s
}

// margin is y f(x) of a row.
func (s stage) margin(x *matrix.Dense, y []float64, i int) float64 {
	return y[i] * (s.w[0]*float64(x.Value[2*i]) + s.w[1]*float64(x.Value[2*i+1]) + s.b)
}

// wrong counts rows that are not where their state says.
func (s stage) wrong(x *matrix.Dense, y []float64) (count int) {
	for i, state := range s.states {
		if m := s.margin(x, y, i) - 1; state == 0 && m < -1e-6 || state == 1 && math.Abs(m) > 1e-6 || state == 2 && m > 1e-6 {
			count++
		}
	}
	return count
}

// draw adds the panels of a stage, a class in each row: the points, and the lines f = -1, 0, 1.
func (s stage) draw(r *experiment.Result, x *matrix.Dense, y []float64, column string) {
	const edge = 4.0
	for _, class := range []float64{1, -1} {
		panel := experiment.Point{Row: fmt.Sprintf("class %+g", class), Column: column, XAxis: "x1", YAxis: "x2"}
		for state, name := range stateNames {
			panel.Curve, panel.Dots = name, true
			for i, v := range y {
				if v == class && s.states[i] == state {
					panel.X, panel.Y = float64(x.Value[2*i]), float64(x.Value[2*i+1])
					r.Points = append(r.Points, panel)
				}
			}
		}
		panel.Dots = false
		for _, level := range []float64{0, 1, -1} {
			panel.Curve = fmt.Sprintf("f = %g", level)
			for t := -edge; t <= edge && s.w[0] != 0; t += edge / 8 {
				if panel.X, panel.Y = (level-s.b-s.w[1]*t)/s.w[0], t; math.Abs(panel.X) <= edge {
					r.Points = append(r.Points, panel)
				}
			}
		}
	}
}
