package spectral

import (
	"cmp"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// MSG is matrix stochastic gradient (Arora, Cotter and Srebro 2013; thesis 6.1):
// projected stochastic gradient ascent on the convex hull of the projections of
// rank k.
//
//	maximise  E[x^T M x]   subject to  0 <= M <= I,  tr M = k
//	M  <-  P(M + eta_t x_t x_t^T)
//
// P keeps the eigenvectors and makes the eigenvalues min(1, max(0, sigma + S)), S
// such that they sum to k. Because the step adds to the trace S <= 0, so what is 0
// stays 0: only the k' directions that are not are kept. Returned are the k
// directions of the largest eigenvalues, the "beliefs", of the last M.
//
// The start is the projection on k random orthonormal directions: feasible, so
// that the bounds hold from the first row on (an empty M is not: S > 0 would lift
// everything), and of rank k. The average M is within sqrt(2k/T) of the best for
// rows of E|x|^4 = 1 and constant steps sqrt(2k/T). A step costs O(k' d), and as much
// memory; k' <= d is small in practice.
type MSG struct {
	Schedule schedule.Schedule
	Output   Output
}

func init() {
	method.Register("msg", "matrix stochastic gradient, as many directions as it needs; schedule=sqrt, c=sqrt(k)/2, "+outputHelp,
		func(p *registry.Params) (method.Method, error) {
			m := MSG{schedule.Of(p, 0), outputOf(p)}
			return m, p.Err()
		})
}

// Accepts refuses what the output has no memory for.
func (m MSG) Accepts(p method.Problem) error { return m.Output.accepts(p) }

// Start begins at a random projection.
func (m MSG) Start(p method.Problem) method.State { return newMSG(p, m.Schedule, m.Output) }

// msgStep is c of c/sqrt(t) for rows of mean |x|^4 = 1: half the theory's. The
// best on simulated data was a quarter to a half of sqrt(k) (reference 2.10).
func msgStep(k int) float64 { return math.Sqrt(float64(k)) / 2 }

// orDefault returns the schedule with the constant c, where the user gave none.
func orDefault(s schedule.Schedule, c float64) schedule.Schedule {
	switch s := s.(type) {
	case schedule.Constant:
		return schedule.Constant{C: cmp.Or(s.C, c)}
	case schedule.Inverse:
		return schedule.Inverse{C: cmp.Or(s.C, c), Burn: s.Burn}
	case schedule.InverseRoot:
		c = cmp.Or(s.C, c)
	case nil:
	default:
		return s
	}
	return schedule.InverseRoot{C: c}
}

// msg is MSG under way, and capped MSG.
type msg struct {
	walk
	probe   probe
	watch   watch
	fantope fantope
}

func newMSG(p method.Problem, schedule schedule.Schedule, o Output) *msg {
	s := &msg{walk: newWalk(p, 0, orDefault(schedule, msgStep(p.K)), o), probe: newProbe(p)}
	s.unproved = s.most < p.Cols
	s.insert(p, p.K, 1)
	return s
}

func (s *msg) Learn(x view.Rows) { x.Each(s.x, s.step) }

func (s *msg) step(x []float64) {
	if s.visit(x) {
		return
	}
	s.probe.compare(s.a, s.k, x)
	eta := s.eta(x)
	s.note(x, eta)
	entered := s.a.Update(eta, x)
	r := s.project()
	s.adapt(eta, x, entered, r)
	s.a.Truncate(r)
	s.cost.count(s.a.Rank(), entered)
}

// project makes the trace k again, and returns how many directions are left.
func (s *msg) project() int {
	s.fantope.projectCapped(s.a.Value, s.most, float64(s.k))
	return s.rank(0, algebra.Negligible)
}

// Keep visits everything.
func (s *msg) Keep(k *method.Kept) {
	s.walk.Keep(k)
	s.probe.keep(k)
	k.Count("cap", &s.most)
	k.Require(s.most >= s.k && s.most <= s.a.cols, "state: found a cap of %d, expected %d to %d", s.most, s.k, s.a.cols)
	s.watch.keep(k)
}
