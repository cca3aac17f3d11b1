package spectral

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// RMSG is l2-regularised MSG (Mianjy and Arora, ICML 2018).
//
//	maximise  E[x^T M x] - (lambda/2) |M|_F^2   subject to  0 <= M <= I,  tr M = k
//	M  <-  P((1 - lambda eta_t) M + eta_t x_t x_t^T),   eta_t = 1/(lambda t)
//
// The objective is strongly convex, so the last M is within O(1/(lambda t)) of the
// best. That is P(Sigma/lambda), a monotone function of Sigma's eigenvalues of which
// at least k are above 0, so for every lambda its first k eigenvectors are those of
// Sigma; up to the gap lambda_k - lambda_{k+1} it is the projection on them, beyond it
// has more directions.
//
// The trace can fall below k; then S > 0 lifts all directions, and the state has a
// background b > 0 (for good only if lambda > mean|x|^2 / k). Returned are the k
// directions of the largest eigenvalues of the last M. A step costs O(k' d).
type RMSG struct {
	Lambda float64 // for rows of mean |x|^2 = 1; 0: 1/(4k)
}

func init() {
	method.Register("rmsg", "l2-regularised matrix stochastic gradient, steps 1/(lambda t); lambda=1/(4k)",
		func(p *registry.Params) (method.Method, error) {
			m := RMSG{p.Float("lambda", 0, "a number from 1e-9 to 1e9", func(v float64) bool { return v >= 1e-9 && v <= 1e9 })}
			return m, p.Err()
		})
}

// Accepts is as the problem says.
func (m RMSG) Accepts(p method.Problem) error { return p.Check() }

// Start begins at a random projection, which the first step forgets.
func (m RMSG) Start(p method.Problem) method.State {
	lambda := m.Lambda
	if lambda == 0 {
		lambda = 1 / (4 * float64(p.K))
	}
	s := &rmsg{k: p.K, most: mostRank(p), step: 1 / lambda, a: NewSpectral(p.Cols, 0), x: make([]float64, p.Cols)}
	if p.Squared > 0 {
		s.step /= p.Squared
	}
	s.a.Insert(algebra.RandomBasis(p.Seed, p.K, p.Cols), repeat(1, p.K))
	return s
}

// rmsg is RMSG under way.
type rmsg struct {
	k       int
	most    int     // directions
	step    float64 // t eta_t
	a       *Spectral
	cost    Cost
	fantope fantope

	x     []float64 // scratch, as all below
	sigma []float64
	count []int
}

func (s *rmsg) Learn(x view.Rows) {
	n, _ := x.Dims()
	for i := range n {
		x.Row(s.x, i)
		s.learn(s.x)
	}
}

func (s *rmsg) learn(x []float64) {
	t := float64(s.cost.Steps + 1)
	fade := 1 - 1/t
	algebra.Scale(s.a.Value, fade)
	s.a.Background *= fade
	entered := s.a.Update(boundedStep(s.step/t, x), x)
	s.project()
	s.cost.count(s.a.Rank(), entered)
}

// project makes the trace k again, the background included, and drops what has
// become background.
func (s *rmsg) project() {
	r := s.a.Rank()
	s.sigma, s.count = append(s.sigma[:0], s.a.Value...), s.count[:0]
	for range r {
		s.count = append(s.count, 1)
	}
	if rest := s.a.cols - r; rest > 0 {
		s.sigma, s.count = append(s.sigma, s.a.Background), append(s.count, rest)
	}
	s.fantope.project(s.sigma, s.count, float64(s.k))
	copy(s.a.Value, s.sigma)
	s.a.Background = 0
	if len(s.sigma) > r {
		s.a.Background = s.sigma[r]
	}
	for r = min(r, s.most); r > 0 && s.a.Value[r-1] <= s.a.Background+algebra.Negligible; {
		r--
	}
	s.a.Truncate(r)
}

func (s *rmsg) Basis() method.Basis    { return basisOf(s.a, s.k) }
func (s *rmsg) Eigenvalues() []float64 { return append([]float64{}, s.a.Value...) }
func (s *rmsg) Cost() Cost             { return s.cost.With(s.a.Flops) }

func (s *rmsg) Keep(k *method.Kept) {
	s.a.Keep(k)
	s.cost.keep(k)
}
