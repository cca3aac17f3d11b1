package batch

import (
	"errors"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
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
	w, r := begin(l, start.From), make([]float64, len(l.Y))
	l.Predict(r, w)
	return parts.NewCuttingPlane(parts.NewMeanLoss(&l.Risk, l.Threads), features{l}, s.planes, w, r, start)
}

// features is the space of the weights of features.
type features struct{ p *problem.Linear }

func (f features) Plane(v []float64) (g, image []float64, ok bool) {
	_, d := f.p.Dims()
	g = make([]float64, d+1)
	f.p.CombineTo(g, v)
	parts.Ground(g, f.p)
	return g, g, true
}

func (f features) Predict(r, w []float64, _ *parts.Planes) { f.p.Predict(r, w) }

func (f features) Image(w, _ []float64) []float64 { return w }
