package batch

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Hybrid begins as stochastic gradient on growing batches and ends as L-BFGS (Friedlander, Schmidt 2012):
// the first passes cost little each and gain much, the last ones converge fast.
//
//	Problem   minimise P(w,b), the loss smooth, the penalty l2, l1 or elastic-net
//	Update    that of "growing" until a batch is a fourth of the rows, or some passes are over;
//	          then that of "lbfgs" from there
//	Returned  the last iterate
//	Rate      linear
//	Memory    four numbers a row
type Hybrid struct {
	memory int
	passes int
	first  solver.Solver
}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "hybrid",
		Facts:   registry.Facts{Rate: "linear in passes", Memory: "four numbers a row", Source: "Friedlander, Schmidt 2012"},
		Summary: "growing batches, then L-BFGS: smooth losses, penalty l2, l1 or elastic-net; at most passes=20 of the first",
		New: func(p *registry.Params) (solver.Solver, error) {
			h := Hybrid{memory: p.Int("memory", 10, 1, 1000), passes: p.Int("passes", 20, 1, 1000000)}
			if err := p.Err(); err != nil {
				return nil, err
			}
			var err error
			h.first, err = solver.Linear.New("growing")
			return h, err
		}})
}

// Accepts wants what both methods take.
func (h Hybrid) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if _, _, elastic := penalty.Coefficients(l.Penalty); !elastic {
		return fmt.Errorf("solver hybrid needs the penalty l2, l1 or elastic-net: found %s", penalty.Name(l.Penalty))
	}
	return smooth("hybrid", l.Loss)
}

// Start begins as the stochastic method does.
func (h Hybrid) Start(p problem.Problem, start solver.Start) solver.State {
	return &hybrid{Hybrid: h, p: p, start: start, State: h.first.Start(p, start)}
}

type hybrid struct {
	Hybrid
	solver.State
	p      problem.Problem
	start  solver.Start
	epochs int
	second bool
}

// growing is a run whose batches grow.
type growing interface{ Batch() (rows, of int) }

// Epoch makes one of the first method, or of the second once it has begun.
func (h *hybrid) Epoch() {
	h.State.Epoch()
	h.epochs++
	if h.second {
		return
	}
	rows, of := h.State.(growing).Batch()
	if 4*rows < of && h.epochs < h.passes {
		return
	}
	point := h.State.Point()
	h.start.From = &point
	h.State, h.second = NewLBFGS(h.memory, nil).Start(h.p, h.start), true
}

// Report is that of the second method.
func (h *hybrid) Report() solver.Report {
	if r, ok := h.State.(solver.Reporter); ok && h.second && h.epochs > 0 {
		return r.Report()
	}
	return solver.Report{Gap: math.NaN()}
}

var _ solver.Reporter = (*hybrid)(nil)
