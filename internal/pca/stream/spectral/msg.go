package spectral

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
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
	Random   bool // the answer is a random iterate, not the last
}

func init() {
	method.Register("msg", "matrix stochastic gradient, as many directions as it needs; schedule=sqrt, c=sqrt(k)/2, iterate=last or random",
		func(p *registry.Params) (method.Method, error) {
			m := MSG{schedule.Of(p, 0), isRandom(p)}
			return m, p.Err()
		})
}

// mostRank bounds memory where d is so large that nothing in the algorithm does:
// 2^25 numbers, a quarter of a gigabyte, of which there are two or three copies. Beyond
// it the smallest directions are dropped.
func mostRank(p method.Problem) int { return min(p.Cols, max(p.K+1, 1<<25/p.Cols)) }

// isRandom reads whether the answer is a random iterate: of that one the bounds
// speak, and its directions are copied about ln T times.
func isRandom(p *registry.Params) bool { return p.Choice("iterate", "last", "random") == "random" }

// iterateFor returns what chooses the answer.
func iterateFor(p method.Problem, random bool) iterate {
	if random {
		return &randomIterate{seed: p.Seed}
	}
	return lastIterate{}
}

// Accepts is as the problem says.
func (m MSG) Accepts(p method.Problem) error { return p.Check() }

// Start begins at a random projection.
func (m MSG) Start(p method.Problem) method.State {
	return newMSG(p, mostRank(p), orDefault(m.Schedule, msgStep(p.K)), m.Random)
}

// msgStep is c of c/sqrt(t) for rows of mean |x|^4 = 1: half the theory's. The
// best on simulated data was a quarter to a half of sqrt(k) (reference 2.10).
func msgStep(k int) float64 { return math.Sqrt(float64(k)) / 2 }

// orDefault returns the schedule with the constant c, where the user gave none.
func orDefault(s schedule.Schedule, c float64) schedule.Schedule {
	switch s := s.(type) {
	case nil:
		return schedule.InverseRoot{C: c}
	case schedule.InverseRoot:
		if s.C == 0 {
			return schedule.InverseRoot{C: c}
		}
	case schedule.Constant:
		if s.C == 0 {
			return schedule.Constant{C: c}
		}
	case schedule.Inverse:
		if s.C == 0 {
			return schedule.Inverse{C: c, Burn: s.Burn}
		}
	}
	return s
}

// msg is MSG under way, and capped MSG.
type msg struct {
	k, most  int // at most so many directions; d: any number
	a        *Spectral
	schedule schedule.Schedule
	unit     float64 // of the step sizes
	iterate  iterate
	cost     Cost
	probe    probe
	watch    watch
	fantope  fantope

	x []float64 // scratch
}

func newMSG(p method.Problem, most int, schedule schedule.Schedule, random bool) *msg {
	s := &msg{k: p.K, most: most, schedule: schedule, unit: unitStep(p), iterate: iterateFor(p, random),
		a: NewSpectral(p.Cols, 0), probe: newProbe(p), x: make([]float64, p.Cols)}
	s.a.Insert(algebra.RandomBasis(p.Seed, p.K, p.Cols), repeat(1, p.K))
	return s
}

// unitStep returns what step sizes for rows of mean |x|^4 = 1 are multiplied by.
func unitStep(p method.Problem) float64 {
	if p.Fourth > 0 {
		return 1 / math.Sqrt(p.Fourth)
	}
	return 1
}

func (s *msg) Learn(x view.Rows) {
	n, _ := x.Dims()
	for i := range n {
		x.Row(s.x, i)
		s.step(s.x)
	}
}

func (s *msg) step(x []float64) {
	s.iterate.visit(s.a.first(s.k))
	s.probe.compare(s.a, s.k, x)
	eta := boundedStep(s.schedule.Step(s.cost.Steps+1)*s.unit, x)
	entered := s.a.Update(eta, x)
	r := s.project()
	s.adapt(eta, x, entered, r)
	s.a.Truncate(r)
	s.cost.count(s.a.Rank(), entered)
}

// mostStep is the most that one row may add to an eigenvalue. It is far more than
// the projection can tell from infinity, and keeps the eigenvalues below 1 exact to
// 1e-9, however large an outlier is.
const mostStep = 1e6

func boundedStep(eta float64, x []float64) float64 {
	if square := vec.SquaredNorm64(x); float64(eta*square) > mostStep {
		return mostStep / square
	}
	return eta
}

// project makes the trace k again, and returns how many directions are left.
func (s *msg) project() int {
	s.fantope.projectCapped(s.a.Value, s.most, float64(s.k))
	r := s.a.Rank()
	for r > 0 && s.a.Value[r-1] <= algebra.Negligible {
		r--
	}
	return r
}

func (s *msg) Basis() method.Basis    { return chosenBasis(s.iterate, s.a, s.k) }
func (s *msg) Eigenvalues() []float64 { return append([]float64{}, s.a.Value...) }
func (s *msg) Cost() Cost             { return s.cost.With(s.a.Flops) }

func (s *msg) Keep(k *method.Kept) {
	s.a.Keep(k)
	s.cost.keep(k)
	keepIterate(k, s.iterate, s.a, s.k)
	s.probe.keep(k)
	k.Count("cap", &s.most)
	k.Require(s.most >= s.k && s.most <= s.a.cols, "state: found a cap of %d, expected %d to %d", s.most, s.k, s.a.cols)
	s.watch.keep(k)
}
