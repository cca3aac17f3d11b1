package batch

import (
	"errors"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// CuttingPlane minimises the penalty plus the highest of the planes that touch the mean loss where
// it was evaluated (Joachims 2006: SVM-perf; Teo et al. 2010: BMRM), with the line search of OCAS
// (Franc, Sonnenburg 2009).
//
//	Problem   minimise lambda/2 |w|^2 + mean loss, any loss; the bias none or a feature
//	Update    w' = argmin lambda/2 |w|^2 + max_j (<g_j,w> + o_j), the dual of which is a quadratic
//	          program over the simplex of the planes; the best point on the line from the best so
//	          far to w'; the next plane touches a tenth further on
//	Planes    g_j = mean of s_i a_ij x_i for dual variables a_j, o_j = -mean of the conjugates: convex
//	          combinations of planes are planes, which is how two become one when there are too many
//	Returned  the best point; the combination of the a_j by the program's solution
//	Rate      planes like 1/(lambda gap); for smooth losses like log(1/gap)/lambda
//	Memory    a number a row and a feature for each plane
type CuttingPlane struct{ planes int }

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "cutting-plane", Summary: "planes below the mean loss, with a line search: any loss, penalty l2; planes=40",
		Facts: registry.Facts{Rate: "planes like 1/(lambda gap)", Memory: "forty numbers a row", Source: "Joachims 2006; Franc, Sonnenburg 2009; Teo, Vishwanathan, Smola, Le 2010"},
		New: func(p *registry.Params) (solver.Solver, error) {
			return CuttingPlane{p.Int("planes", 40, 2, 1000)}, p.Err()
		}})
}

// Accepts wants the penalty l2, for the quadratic program.
func (CuttingPlane) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	switch {
	case err != nil:
		return err
	case !penalty.IsRidge(l.Penalty):
		return errors.New("solver cutting-plane needs the penalty l2: its weights are combinations of planes divided by lambda")
	case l.Bias == problem.Free:
		return errors.New("solver cutting-plane needs the bias none or feature: its weights are combinations of planes divided by lambda, which a bias without a penalty is not")
	}
	return nil
}

// Start begins at 0, or at the weights of the warm start.
func (s CuttingPlane) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	c := &cuttingPlane{objective: newObjective(l), limit: start.Over, planes: parts.Planes{Most: s.planes, Lambda: l.Lambda}, best: begin(l, start.From), predictions: make([]float64, n), master: make([]float64, d+1)}
	l.Predict(c.predictions, c.best)
	c.touch(c.predictions)
	if from := start.From; from != nil && len(from.A) == n {
		copy(c.slope, from.A)
		c.add()
	}
	return c
}

type cuttingPlane struct {
	*objective
	limit       parts.Limit
	best        []float64 // weights
	predictions []float64 // of them
	master      []float64 // the minimiser of the planes
	planes      parts.Planes
}

// touch adds the plane at some predictions, unless the loss overflows there.
func (c *cuttingPlane) touch(predictions []float64) bool {
	c.value(predictions, 0, nil)
	return c.add()
}

// add adds the plane of the dual variables in slope, unless one is out of its domain.
func (c *cuttingPlane) add() bool {
	p := parts.Plane{G: make([]float64, len(c.best)), Dual: slices.Clone(c.slope)}
	p.Image = p.G
	c.gradient(p.G)
	for i, a := range p.Dual {
		p.O -= c.p.S[i] * c.p.Loss.Conjugate(a, c.p.Y[i]) / c.p.N
	}
	return c.planes.Add(p)
}

// Epoch solves the program of the planes, and adds one.
func (c *cuttingPlane) Epoch() {
	if c.limit.Reached() {
		return
	}
	c.planes.Solve()
	clear(c.master)
	c.planes.Combine(c.master, -1/c.p.Lambda, func(p parts.Plane) []float64 { return p.G })
	along, toward := make([]float64, len(c.predictions)), make([]float64, len(c.best))
	c.p.Predict(along, c.master)
	for i, m := range c.predictions {
		along[i] -= m
	}
	for j, w := range c.best {
		toward[j] = c.master[j] - w
	}
	t := c.search(along, toward)
	vec.Axpy64(c.best, t, toward)
	vec.Axpy64(c.predictions, t, along)
	further := slices.Clone(c.predictions)
	vec.Axpy64(further, (1-t)/10, along)
	if !c.touch(further) { // of a loss that grows fast, far away
		c.touch(c.predictions)
	}
}

// search returns how far along the line the objective is least, between 0 and 1.
func (c *cuttingPlane) search(along, toward []float64) float64 {
	k := c.p.Penalised()
	linear, square := float64(c.p.Lambda*vec.Dot64(c.best[:k], toward[:k])), float64(c.p.Lambda*vec.SquaredNorm64(toward[:k]))
	return parts.LineMinimum(func(t float64) float64 {
		_, d := c.value(c.predictions, t, along)
		return d + linear + float64(t*square)
	})
}

// Point returns the best point, with the dual variables of the program's solution.
func (c *cuttingPlane) Point() problem.Point {
	c.planes.Solve()
	a := make([]float64, len(c.slope))
	c.planes.Combine(a, 1, func(p parts.Plane) []float64 { return p.Dual })
	return problem.Point{W: slices.Clone(c.best), A: a}
}
