package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// CuttingPlane minimises the penalty plus the highest of the planes that touch the mean loss where
// it was evaluated (Joachims 2006; Teo, Vishwanathan, Smola, Le 2010: BMRM; reference kernel_qp,
// section 8), with the line search of OCAS (Franc, Sonnenburg 2009).
//
// Problem: problem.Kernel with bias none or feature and any loss. A plane is made of dual
// variables a, the slopes of the losses, and of K once:
//
//	g = sum_i v_i Phi(x_i),  v_i = s_i a_i/N,  o = -sum_i s_i l_i*(a_i)/N,  <g_j,g_k> = v_j^T K v_k
//
// The minimiser of the planes is w' = -sum_j beta_j g_j/lambda (parts.Planes); the best point so
// far moves to the best point on the line to w', and the next plane touches a tenth of the way
// further on. The value of the planes at w' is below the optimum: U - L is known in each round.
//
// Returned is the best point, with the dual variables sum_j beta_j a_j. Cost of a round: the rows
// of K in which v is not 0, in double precision; memory 3 n numbers a plane. Rounds: like
// R^2/(lambda epsilon) at worst, R^2 = max K_ii, far fewer in practice.
type CuttingPlane struct{ Planes int } // 0: 100

var _ solver.Describer = CuttingPlane{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "cutting-plane", Summary: "planes below the mean loss, with a line search: any convex loss, bias none or feature; planes=100",
		Facts: registry.Facts{Rate: "planes like 1/(lambda gap)", Memory: "three numbers a row and plane", Source: "Joachims 2006; Franc, Sonnenburg 2009; Teo, Vishwanathan, Smola, Le 2010"},
		New: func(p *registry.Params) (solver.Solver, error) {
			planes := p.Int("planes", 100, 2, 10000)
			return CuttingPlane{planes}, p.Err()
		}})
}

// Traits say that the bias is a feature.
func (CuttingPlane) Traits() solver.Traits { return solver.Traits{Bias: "feature"} }

// Accepts refuses a free bias, which is no combination of planes, and indefinite kernels.
func (CuttingPlane) Accepts(p problem.Problem) error { return acceptsPlain("cutting-plane", p) }

// Start begins at the warm start, or at zero.
func (s CuttingPlane) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	if s.Planes == 0 {
		s.Planes = 100
	}
	n := k.Len()
	c := &cuttingPlane{p: k, span: newSpan(k), over: start.Over, planes: parts.Planes{Most: s.Planes, Lambda: k.Lambda},
		best: newVector(n), toward: newVector(n), slope: make([]float64, n)}
	support.SupportOf(start, c.support)
	if from := start.From; from != nil && len(from.A) == n {
		for i, a := range from.A {
			lo, hi := k.Loss.Domain(k.Y[i])
			c.slope[i] = min(max(a, lo), hi)
		}
		c.add()
	}
	c.touch(c.best.r)
	return c
}

// cuttingPlane is one run.
type cuttingPlane struct {
	p      *problem.Kernel
	span   *span
	over   support.Limit
	planes parts.Planes
	best   vector
	toward vector    // from the best point to the minimiser of the planes
	slope  []float64 // dual variables of the next plane
}

// touch adds the plane at some predictions.
func (c *cuttingPlane) touch(r []float64) bool {
	for i, y := range c.p.Y {
		c.slope[i] = c.p.Loss.Derivative(r[i], y)
	}
	return c.add()
}

// add adds the plane of the dual variables in slope, unless one is out of its domain or a limit is
// reached.
func (c *cuttingPlane) add() bool {
	n := len(c.slope)
	p := parts.Plane{G: make([]float64, n), Image: make([]float64, n), Dual: slices.Clone(c.slope)}
	var sum vec.Sum
	for i, a := range p.Dual {
		share := c.p.S[i] / c.p.N
		p.G[i] = share * a
		sum.Add(-float64(share * c.p.Loss.Conjugate(a, c.p.Y[i])))
	}
	p.O = sum.Value()
	return c.span.multiply(p.Image, p.G) && c.planes.Add(p)
}

// Epoch solves the program of the planes, and adds one.
func (c *cuttingPlane) Epoch() {
	if c.over.Reached() || len(c.planes.All) == 0 && !c.touch(c.best.r) {
		return
	}
	c.planes.Solve()
	clear(c.toward.c)
	clear(c.toward.r)
	c.planes.Combine(c.toward.c, -1/c.p.Lambda, func(p parts.Plane) []float64 { return p.G })
	c.planes.Combine(c.toward.r, -1/c.p.Lambda, func(p parts.Plane) []float64 { return p.Image })
	vec.Axpy64(c.toward.c, -1, c.best.c)
	vec.Axpy64(c.toward.r, -1, c.best.r)
	t := c.search()
	c.best.add(t, c.toward)
	further := slices.Clone(c.best.r)
	vec.Axpy64(further, (1-t)/10, c.toward.r)
	if !c.touch(further) { // of a loss that grows fast, far away
		c.touch(c.best.r)
	}
}

// search returns how far along the line the objective is least, between 0 and 1.
func (c *cuttingPlane) search() float64 {
	linear, square := c.p.Lambda*c.best.dot(c.toward), c.p.Lambda*c.toward.dot(c.toward)
	return parts.LineMinimum(func(t float64) float64 {
		var sum vec.Sum
		for i, d := range c.toward.r {
			sum.Add(float64(c.p.S[i]*d) * c.p.Loss.Derivative(c.best.r[i]+float64(t*d), c.p.Y[i]))
		}
		return sum.Value()/c.p.N + linear + float64(t*square)
	})
}

// Report holds U - L.
func (c *cuttingPlane) Report() solver.Report {
	if len(c.planes.All) == 0 {
		return solver.Report{Gap: math.Inf(1)}
	}
	c.planes.Solve()
	return solver.Report{Gap: problem.Relative(objective(c.p, c.best), c.planes.Value(), c.p.Zero()), Exact: true}
}

func (c *cuttingPlane) support() (all, spared int) { return 2 * len(c.slope), 2 * len(c.slope) }

// Point returns the best point, with the dual variables of the program's solution.
func (c *cuttingPlane) Point() problem.Point {
	a := make([]float64, len(c.slope))
	if len(c.planes.All) > 0 {
		c.planes.Solve()
		c.planes.Combine(a, 1, func(p parts.Plane) []float64 { return p.Dual })
	}
	return problem.Point{W: c.span.weights(c.best), A: a}
}

// A vector is a predictor, as coefficients of the rows and as predictions, K times these with the
// bias.
type vector struct{ c, r []float64 }

func newVector(n int) vector { return vector{make([]float64, n), make([]float64, n)} }

func (v vector) dot(w vector) float64 { return vec.Dot64(v.c, w.r) }

func (v vector) add(t float64, w vector) {
	vec.Axpy64(v.c, t, w.c)
	vec.Axpy64(v.r, t, w.r)
}

// objective returns that of a vector.
func objective(p *problem.Kernel, v vector) float64 {
	return risk(&p.Risk, v.r) + float64(p.Lambda/2*max(0, v.dot(v)))
}

// A span multiplies by K, with the constant of a bias that is a feature, in double precision.
type span struct {
	p    *problem.Kernel
	gram *gram.Gram
	rows []int
	by   []float64
}

func newSpan(p *problem.Kernel) *span {
	n := p.Len()
	return &span{p: p, gram: p.Gram.InDouble(min(n, max(64, int(gram.DefaultCache/8/int64(n+128)))))}
}

// multiply sets dst to K c; false, and what dst holds is not known: a limit is reached.
func (s *span) multiply(dst, c []float64) bool {
	clear(dst)
	s.rows, s.by = s.rows[:0], s.by[:0]
	for i, x := range c {
		if x != 0 {
			s.rows, s.by = append(s.rows, i), append(s.by, x)
		}
	}
	if s.gram.Update(dst, s.rows, s.by); s.gram.Cut() {
		return false
	}
	if constant := s.p.Constant(); constant != 0 {
		shift := float64(constant * vec.Total(s.by))
		for i := range dst {
			dst[i] += shift
		}
	}
	return true
}

// weights are a vector as a point has it.
func (s *span) weights(v vector) []float64 {
	n := len(v.c)
	w := make([]float64, n+1)
	copy(w, v.c)
	if s.p.Bias == problem.Feature {
		w[n] = vec.Total(v.c)
	}
	return w
}

// acceptsPlain takes any convex loss with a definite kernel and no free bias.
func acceptsPlain(name string, p problem.Problem) error {
	k, err := support.KernelProblem(p)
	if err != nil {
		return err
	}
	if err := refuseFree(name, &k.Risk); err != nil {
		return err
	}
	if !k.Definite() {
		return fmt.Errorf("%s needs a positive semidefinite kernel, found %s: expected another kernel, or the solver smo", name, kernel.Name(k.Kernel))
	}
	return nil
}
