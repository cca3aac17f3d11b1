package batch

import (
	"errors"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/internal/parts"
	"github.com/fenchel-ml/fenchel/vec"
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
	c := &cuttingPlane{objective: newObjective(l), limit: start.Over, most: s.planes, best: begin(l, start.From), predictions: make([]float64, n), master: make([]float64, d+1)}
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
	most        int
	best        []float64 // weights
	predictions []float64 // of them
	master      []float64 // the minimiser of the planes
	planes      []plane
	gram        [][]float64 // inner products of the planes' g
	beta        []float64   // the solution of the program, adds up to 1
}

// plane is a lower bound of the mean loss.
type plane struct {
	g    []float64 // d+1
	o    float64
	dual []float64 // a, n
}

// touch adds the plane at some predictions, unless the loss overflows there.
func (c *cuttingPlane) touch(predictions []float64) bool {
	c.value(predictions, 0, nil)
	return c.add()
}

// add adds the plane of the dual variables in slope, unless one is out of its domain.
func (c *cuttingPlane) add() bool {
	if len(c.planes) == c.most {
		c.merge()
	}
	p := plane{g: make([]float64, len(c.best)), dual: slices.Clone(c.slope)}
	c.gradient(p.g)
	for i, a := range p.dual {
		p.o -= c.p.S[i] * c.p.Loss.Conjugate(a, c.p.Y[i]) / c.p.N
	}
	if square := vec.SquaredNorm64(p.g); !(p.o > math.Inf(-1)) || square-square != 0 {
		return false
	}
	row := make([]float64, 0, len(c.planes)+1)
	for j, other := range c.planes {
		v := vec.Dot64(p.g, other.g)
		row, c.gram[j] = append(row, v), append(c.gram[j], v)
	}
	c.gram = append(c.gram, append(row, vec.SquaredNorm64(p.g)))
	c.planes = append(c.planes, p)
	if c.beta = append(c.beta, 0); len(c.beta) == 1 {
		c.beta[0] = 1
	}
	return true
}

// merge makes one of the two planes of least weight: of two that the solution does not need, the
// first.
func (c *cuttingPlane) merge() {
	order := make([]int, len(c.planes))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case c.beta[a] < c.beta[b]:
			return -1
		case c.beta[a] > c.beta[b]:
			return 1
		}
		return 0
	})
	j, k := order[0], order[1]
	if sum := c.beta[j] + c.beta[k]; c.beta[j] > 0 {
		share := c.beta[j] / sum
		a, b := c.planes[j], c.planes[k]
		mix := func(x, y []float64) []float64 {
			z := make([]float64, len(x))
			for i := range z {
				z[i] = float64(share*x[i]) + float64((1-share)*y[i])
			}
			return z
		}
		c.planes[k] = plane{mix(a.g, b.g), float64(share*a.o) + float64((1-share)*b.o), mix(a.dual, b.dual)}
		c.beta[k] = sum
		for l := range c.planes {
			v := vec.Dot64(c.planes[k].g, c.planes[l].g)
			c.gram[k][l], c.gram[l][k] = v, v
		}
	}
	c.planes, c.beta, c.gram = slices.Delete(c.planes, j, j+1), slices.Delete(c.beta, j, j+1), slices.Delete(c.gram, j, j+1)
	for l := range c.gram {
		c.gram[l] = slices.Delete(c.gram[l], j, j+1)
	}
}

// Epoch solves the program of the planes, and adds one.
func (c *cuttingPlane) Epoch() {
	if c.limit.Reached() {
		return
	}
	c.solve()
	clear(c.master)
	for j, p := range c.planes {
		vec.Axpy64(c.master, -c.beta[j]/c.p.Lambda, p.g)
	}
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

// search returns how far along the line the objective is least, between 0 and 1: where its slope
// changes sign, by bisection.
func (c *cuttingPlane) search(along, toward []float64) float64 {
	k := c.p.Penalised()
	linear, square := float64(c.p.Lambda*vec.Dot64(c.best[:k], toward[:k])), float64(c.p.Lambda*vec.SquaredNorm64(toward[:k]))
	slope := func(t float64) float64 {
		_, d := c.value(c.predictions, t, along)
		return d + linear + float64(t*square)
	}
	lo, hi := 0.0, 1.0
	if slope(hi) <= 0 {
		return hi
	}
	for range 30 {
		if t := (lo + hi) / 2; slope(t) > 0 {
			hi = t
		} else {
			lo = t
		}
	}
	return lo
}

// solve minimises |sum_j beta_j g_j|^2/(2 lambda) - sum_j beta_j o_j over the simplex, by steps from
// the plane that pulls most to the one that pulls least.
func (c *cuttingPlane) solve() {
	slope := make([]float64, len(c.planes))
	for j := range slope {
		slope[j] = vec.Dot64(c.gram[j], c.beta)/c.p.Lambda - c.planes[j].o
	}
	scale := 0.0
	for _, v := range slope {
		scale = max(scale, math.Abs(v))
	}
	for range 500 * len(slope) {
		to, from := -1, -1
		for j, v := range slope {
			if to < 0 || v < slope[to] {
				to = j
			}
			if c.beta[j] > 0 && (from < 0 || v > slope[from]) {
				from = j
			}
		}
		fall := slope[from] - slope[to]
		if !(fall > 1e-13*scale) {
			return
		}
		bend := (c.gram[to][to] + c.gram[from][from] - 2*c.gram[to][from]) / c.p.Lambda
		step := c.beta[from]
		if bend > 0 {
			step = min(step, fall/bend)
		}
		c.beta[to] += step
		c.beta[from] -= step
		for j := range slope {
			slope[j] += float64(step * (c.gram[to][j] - c.gram[from][j]) / c.p.Lambda)
		}
	}
}

// Point returns the best point, with the dual variables of the program's solution.
func (c *cuttingPlane) Point() problem.Point {
	c.solve()
	a := make([]float64, len(c.slope))
	for j, p := range c.planes {
		if c.beta[j] > 0 {
			vec.Axpy64(a, c.beta[j], p.dual)
		}
	}
	return problem.Point{W: slices.Clone(c.best), A: a}
}
