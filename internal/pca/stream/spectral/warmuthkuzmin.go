package spectral

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// WarmuthKuzmin is the matrix exponentiated gradient of Warmuth and Kuzmin (JMLR
// 2008) in the efficient form (thesis 5.3; Algorithms 5.3 and 5.5, corrected).
//
//	minimise  E[x^T W x]   subject to  0 <= W <= I/(d-k),  tr W = 1
//	W  <-  P(exp(ln W - eta_t x_t x_t^T))
//
// W = (I - M)/(d-k) for MSG's M. P, in relative entropy, keeps the eigenvectors and
// makes the eigenvalues min(1/(d-k), sigma/Z), Z <= 1 such that they sum to 1. Most
// of them are at the cap: only the k' others are kept, k+1 <= k' <= d, and as -ln W,
//
//	-ln W = U^T diag(a) U + ln(d-k) (I - U^T U),
//
// because those of the answer fall below the smallest number. Returned are the k
// directions of the largest a of the last W.
//
// The start is I/d, of which all d eigenvalues are below the cap, so that the
// first steps cost O(d^2) and more; or k+1 random orthonormal directions at
// 1/((k+1)(d-k)), the others at the cap. In units of captured moment the average W
// is within 2 sqrt(L k/T) + k/T of the best, which leaves L of each row, for rows
// of |x| <= 1. A step costs O(k' d).
type WarmuthKuzmin struct {
	Schedule schedule.Schedule
	Uniform  bool // start at I/d
	Output   Output
}

// uniformCols is the largest d for the start at I/d: d x d numbers, 128 MB.
const uniformCols = 4096

func init() {
	method.Register("warmuth-kuzmin", "matrix exponentiated gradient; schedule=sqrt, c=sqrt(k), start=random or uniform (at most 4096 features), "+outputHelp,
		func(p *registry.Params) (method.Method, error) {
			m := WarmuthKuzmin{schedule.Of(p, 0), p.Choice("start", "random", "uniform") == "uniform", outputOf(p)}
			return m, p.Err()
		})
}

// Accepts refuses k = d, for which nothing is left to be minimal.
func (m WarmuthKuzmin) Accepts(p method.Problem) error {
	if p.K >= p.Cols {
		return fmt.Errorf("warmuth-kuzmin: k = %d of %d features leaves nothing to choose: expected fewer", p.K, p.Cols)
	}
	if m.Uniform && p.Cols > uniformCols {
		return fmt.Errorf("warmuth-kuzmin: start=uniform: found %d features, expected at most %d", p.Cols, uniformCols)
	}
	return m.Output.accepts(p)
}

// Start begins where Uniform says.
func (m WarmuthKuzmin) Start(p method.Problem) method.State {
	d, k := p.Cols, p.K
	s := &warmuthKuzmin{walk: newWalk(p, elementary.Log(float64(d-k)), orDefault(m.Schedule, math.Sqrt(float64(k))), m.Output)}
	s.beliefs, s.distance, s.unproved = s.Eigenvalues, entropyDistance(d, k), s.most < d
	if !m.Uniform {
		s.distance = float64(float64(min(k+1, d-k)) * elementary.Log(float64(k+1)))
		s.insert(p, k+1, elementary.Log(float64(k+1))+s.a.Background)
		return s
	}
	axes := make([]float64, d*d)
	for i := range d {
		axes[i*d+i] = 1
	}
	s.a.Insert(axes, slices.Repeat([]float64{elementary.Log(float64(d))}, d))
	return s
}

// warmuthKuzmin is WarmuthKuzmin under way: a is -ln W.
type warmuthKuzmin struct {
	walk
	entropy entropy

	g []float64 // scratch
}

func (s *warmuthKuzmin) Learn(x view.Rows) { x.Each(s.x, func(x []float64) { s.step(x) }) }

// step returns ln Z.
func (s *warmuthKuzmin) step(x []float64) (lnZ float64) {
	if s.visit(x) {
		return 0
	}
	eta := s.eta(x)
	s.note(x, eta)
	entered := s.a.Update(eta, x)
	lnZ = s.project()
	s.cost.count(s.a.Rank(), entered)
	return lnZ
}

// project makes the trace 1 again, and drops what has reached the cap. k+1
// directions stay even so: when the answer is clear, the direction next to it
// is at the cap to all digits.
func (s *warmuthKuzmin) project() (lnZ float64) {
	s.g = s.g[:0]
	for _, a := range s.a.Value {
		s.g = append(s.g, -a)
	}
	lnZ, _ = s.entropy.project(s.g, nil, s.a.cols, s.k)
	for i, g := range s.g {
		s.a.Value[i] = max(-g, s.a.Background)
	}
	s.a.Truncate(s.rank(s.k+1, s.a.Background+algebra.Negligible))
	return lnZ
}

// Eigenvalues returns those of M = I - (d-k) W.
func (s *warmuthKuzmin) Eigenvalues() []float64 {
	values := make([]float64, 0, s.a.Rank())
	for _, a := range s.a.Value {
		values = append(values, 1-elementary.Exp(s.a.Background-a))
	}
	return values
}
