package engine

import (
	"fmt"

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
// it was evaluated, see parts.CuttingPlane (reference kernel_qp, section 8).
//
// Problem: problem.Kernel with bias none or feature and any loss. A plane is g = sum_i v_i Phi(x_i),
// v_i = s_i a_i/N for slopes a of the losses, and <g_j,g_k> = v_j^T K v_k.
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
	support.SupportOf(start, func() (all, spared int) { return 2 * n, 2 * n })
	return &cuttingPlane{parts.NewCuttingPlane(parts.NewMeanLoss(&k.Risk, k.Threads()), newSpan(k), s.Planes, make([]float64, n), make([]float64, n), start), k}
}

// cuttingPlane is a run of which the point has the bias.
type cuttingPlane struct {
	*parts.CuttingPlane
	p *problem.Kernel
}

// Point returns the best point, with the dual variables of the program's solution.
func (c *cuttingPlane) Point() problem.Point {
	pt := c.CuttingPlane.Point()
	pt.W = weights(c.p, pt.W)
	return pt
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

// Plane takes coefficients as they are.
func (s *span) Plane(v []float64) (g, image []float64, ok bool) {
	image = make([]float64, len(v))
	return v, image, s.multiply(image, v)
}

// Predict adds up the images, which are predictions.
func (s *span) Predict(r, _ []float64, of *parts.Planes) {
	clear(r)
	of.Combine(r, -1/s.p.Lambda, func(p parts.Plane) []float64 { return p.Image })
}

// Image returns the predictions.
func (s *span) Image(_, r []float64) []float64 { return r }

// weights are coefficients as a point has them.
func weights(p *problem.Kernel, c []float64) []float64 {
	n := len(c)
	w := make([]float64, n+1)
	copy(w, c)
	if p.Bias == problem.Feature {
		w[n] = vec.Total(c)
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
