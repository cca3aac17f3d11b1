package result

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/convex"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/qpfile"
	"github.com/fenchel-ml/fenchel/model"
)

// Quadratic is what qp says of a quadratic program. What the status leaves unknown is null.
type Quadratic struct {
	Bound     model.Bound `json:"bound"`
	Curvature model.Bound `json:"curvature"`
	Dual      model.Bound `json:"dual_residual"`
	Gap       model.Bound `json:"gap"`
	Margin    model.Bound `json:"margin"`
	Maximize  bool        `json:"maximize"`
	Name      string      `json:"name"`
	Objective model.Bound `json:"objective"`
	Primal    model.Bound `json:"primal_residual"`
	Radius    model.Bound `json:"radius"`
	Reason    string      `json:"reason,omitempty"`
	Rows      int         `json:"rows"`
	Slope     model.Bound `json:"slope"`
	Status    string      `json:"status"`
	Steps     int         `json:"steps"`
	Variables int         `json:"variables"`
}

// QuadraticOf is what is known of a program, in the sense in which its file has it.
func QuadraticOf(f *qpfile.File, s *convex.Solution) Quadratic {
	nan := model.Bound(math.NaN())
	out := Quadratic{Bound: nan, Curvature: nan, Dual: nan, Gap: nan, Margin: nan, Objective: nan, Primal: nan, Radius: nan, Slope: nan,
		Maximize: f.Maximize, Name: f.Name, Reason: s.Why, Rows: f.A.Rows(), Status: string(s.Status), Steps: s.Steps, Variables: len(f.Q)}
	sign := 1.0
	if f.Maximize {
		sign = -1
	}
	switch {
	case s.Refutation != nil:
		out.Margin, out.Radius = model.Bound(s.Refutation.Margin), model.Bound(s.Refutation.Radius)
	case s.Ray != nil:
		out.Primal, out.Dual, out.Slope = model.Bound(s.Primal), model.Bound(s.Ray.Residual), model.Bound(sign*s.Ray.Slope)
	case s.Curvature.Vector != nil:
		out.Curvature = model.Bound(sign * s.Curvature.Value)
	case s.X != nil:
		out.Bound, out.Dual, out.Gap = model.Bound(sign*s.Bound), model.Bound(s.Dual), model.Bound(s.Gap())
		out.Objective, out.Primal, out.Radius = model.Bound(sign*s.Objective), model.Bound(s.Primal), model.Bound(s.Radius)
	}
	return out
}
