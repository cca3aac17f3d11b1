package spectral

import (
	"cmp"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
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

// Start begins at a random projection, which the first step forgets.
func (m RMSG) Start(p method.Problem) method.State {
	step := 1 / cmp.Or(m.Lambda, 1/(4*float64(p.K)))
	if p.Squared > 0 {
		step /= p.Squared
	}
	s := &rmsg{walk: newWalk(p, 0, schedule.Inverse{C: step}, Output{})}
	s.unit = 1
	s.insert(p, p.K, 1)
	return s
}

// rmsg is RMSG under way.
type rmsg struct {
	walk
	fantope fantope

	sigma []float64 // scratch, as count
	count []int
}

func (s *rmsg) Learn(x view.Rows) { x.Each(s.x, s.learn) }

func (s *rmsg) learn(x []float64) {
	t := float64(s.cost.Steps + 1)
	fade := 1 - 1/t
	algebra.Scale(s.a.Value, fade)
	s.a.Background *= fade
	entered := s.a.Update(s.eta(x), x)
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
	s.a.Truncate(s.rank(0, s.a.Background+algebra.Negligible))
}
