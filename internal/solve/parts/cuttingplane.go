package parts

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// CuttingPlane is a run of the cutting plane method in some space (Joachims 2006; Teo,
// Vishwanathan, Smola, Le 2010: BMRM; with the line search of OCAS, Franc, Sonnenburg 2009):
//
//	Plane   g = sum_i v_i x_i,  v_i = s_i a_i/N,  o = -sum_i s_i l_i*(a_i)/N, for slopes a of the losses
//	Update  w' minimises the penalty and the highest plane, see Planes; the best point so far moves to the
//	        best one on the line to w', and the next plane touches a tenth of the way further on
//
// The value of the planes at w' is below the optimum: U - L is known in each round.
type CuttingPlane struct {
	*MeanLoss
	space        Space
	limit        Limit
	planes       Planes
	best, toward predictor // and from it to the minimiser of the planes
}

// A Space is what the planes are made in: of the weights of features, or of coefficients of the rows.
type Space interface {
	Plane(v []float64) (g, image []float64, ok bool) // sum_i v_i x_i, see Plane; not ok: a limit is reached
	Predict(r, w []float64, of *Planes)              // sets r to the predictions of w, the minimiser of planes
	Image(w, r []float64) []float64                  // what makes inner products with w, of which r are the predictions
}

// predictor is a point and its predictions.
type predictor struct{ w, r []float64 }

func (v predictor) add(t float64, u predictor) {
	vec.Axpy64(v.w, t, u.w)
	vec.Axpy64(v.r, t, u.r)
}

// NewCuttingPlane begins at w with its predictions, with the plane there, and if that is known the one
// of dual variables; of more planes than most two become one.
func NewCuttingPlane(loss *MeanLoss, space Space, most int, w, r []float64, start solver.Start) *CuttingPlane {
	c := &CuttingPlane{MeanLoss: loss, space: space, limit: start.Over, planes: Planes{Most: most, Lambda: loss.Risk.Lambda},
		best: predictor{w, r}, toward: predictor{make([]float64, len(w)), make([]float64, len(r))}}
	if from := start.From; from != nil && len(from.A) == len(r) {
		for i, a := range from.A {
			lo, hi := loss.Risk.Loss.Domain(loss.Risk.Y[i])
			c.Slope[i] = min(max(a, lo), hi)
		}
		c.add()
	}
	c.touch(r)
	return c
}

// touch adds the plane at some predictions, unless the loss overflows there.
func (c *CuttingPlane) touch(r []float64) bool {
	c.Value(r, 0, nil)
	return c.add()
}

// add adds the plane of the dual variables in Slope, unless one is out of its domain or a limit is
// reached.
func (c *CuttingPlane) add() (ok bool) {
	p, v := Plane{Dual: slices.Clone(c.Slope)}, make([]float64, len(c.Slope))
	var sum vec.Sum
	for i, a := range p.Dual {
		share := c.Risk.S[i] / c.Risk.N
		v[i] = share * a
		sum.Add(-float64(share * c.Risk.Loss.Conjugate(a, c.Risk.Y[i])))
	}
	p.O = sum.Value()
	p.G, p.Image, ok = c.space.Plane(v)
	return ok && c.planes.Add(p)
}

// Epoch solves the program of the planes, and adds one.
func (c *CuttingPlane) Epoch() {
	if c.limit.Reached() || len(c.planes.All) == 0 && !c.touch(c.best.r) {
		return
	}
	c.planes.Solve()
	clear(c.toward.w)
	c.planes.Combine(c.toward.w, -1/c.Risk.Lambda, func(p Plane) []float64 { return p.G })
	c.space.Predict(c.toward.r, c.toward.w, &c.planes)
	c.toward.add(-1, c.best)
	linear, square := c.inner(c.best), c.inner(c.toward)
	t := LineMinimum(func(t float64) float64 {
		return c.Derivative(c.best.r, t, c.toward.r) + float64(c.Risk.Lambda*(linear+float64(t*square)))
	})
	c.best.add(t, c.toward)
	further := slices.Clone(c.best.r)
	vec.Axpy64(further, (1-t)/10, c.toward.r)
	if !c.touch(further) { // of a loss that grows fast, far away
		c.touch(c.best.r)
	}
}

// inner is the inner product of toward with v.
func (c *CuttingPlane) inner(v predictor) float64 {
	return vec.Dot64(c.toward.w, c.space.Image(v.w, v.r))
}

// Bounds returns L and U: the value of the planes, and the objective of the best point.
func (c *CuttingPlane) Bounds() (lower, upper float64) {
	value, _ := c.Value(c.best.r, 0, nil)
	upper = value + float64(c.Risk.Lambda/2*max(0, vec.Dot64(c.best.w, c.space.Image(c.best.w, c.best.r))))
	if len(c.planes.All) == 0 {
		return math.Inf(-1), upper
	}
	c.planes.Solve()
	return c.planes.Value(), upper
}

// Report holds U - L.
func (c *CuttingPlane) Report() solver.Report {
	lower, upper := c.Bounds()
	return solver.Report{Gap: problem.Relative(upper, lower, c.Risk.Zero()), Exact: true}
}

// Point returns the best point, with the dual variables of the program's solution.
func (c *CuttingPlane) Point() problem.Point {
	a := make([]float64, len(c.Slope))
	c.planes.Solve()
	c.planes.Combine(a, 1, func(p Plane) []float64 { return p.Dual })
	return problem.Point{W: slices.Clone(c.best.w), A: a}
}
