package spectral

import (
	"cmp"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// CappedMSG is MSG with at most K directions (Arora, Cotter and Srebro 2013;
// thesis 6.3).
//
//	maximise  E[x^T M x]   subject to  0 <= M <= I,  tr M = k,  rank M <= K
//	M  <-  P(M + eta_t x_t x_t^T)
//
// P drops the smallest eigenvalue if there are K+1 and then projects as in [MSG];
// see projectCapped for why that is optimal. Not convex, but for K > k and distinct
// eigenvalues there is no local optimum other than the answer, so it is not stuck
// where the incremental algorithm is: once it is sure of k directions, the mass of
// the others is free to explore. With K = k it is stuck like that.
//
// The start is MSG's. A step costs O(K d), and as much memory. No rate is proved;
// [method.Stuck] tells how it stands, and with Auto the cap grows by one
// when it is stuck and shrinks again, down to k+1, when all is calm.
type CappedMSG struct {
	Schedule schedule.Schedule
	Cap      int // K; 0: k+1
	Auto     bool
	Output   Output
}

// mostCap is the largest K that can be asked for.
const mostCap = 1 << 20

func init() {
	method.Register("capped-msg", "matrix stochastic gradient with at most cap directions: cap=k+1, a number or auto; schedule=sqrt, c=sqrt(k)/2, "+outputHelp,
		func(p *registry.Params) (method.Method, error) {
			m := CappedMSG{Schedule: schedule.Of(p, 0), Output: outputOf(p)}
			m.Cap, m.Auto = p.IntOr("cap", "auto", 0, 1, mostCap)
			return m, p.Err()
		})
}

// Accepts refuses a cap below k.
func (m CappedMSG) Accepts(p method.Problem) error {
	if m.Cap != 0 && m.Cap < p.K {
		return fmt.Errorf("capped-msg: cap=%d: expected at least k = %d", m.Cap, p.K)
	}
	return m.Output.accepts(p)
}

// Start begins at a random projection.
func (m CappedMSG) Start(p method.Problem) method.State {
	s := newMSG(p, m.Schedule, m.Output)
	s.most = min(cmp.Or(m.Cap, p.K+1), p.Cols)
	s.watch.auto, s.unproved = m.Auto, s.most < p.Cols || m.Auto
	return s
}

// projectCapped replaces sigma by its projection on {0 <= s <= 1, sum s = k, at
// most size of them not 0}, in the Frobenius norm; k <= size.
//
// All beyond the size largest become 0, of equal values the later ones; the rest
// is projected among itself, where S may be positive, because what was dropped
// may have carried more than the step added. Dropping the smallest is optimal:
// if a were dropped and b <= a kept at t >= 0, then giving t to a and 0 to b
// changes the squared distance by -2t(a-b) <= 0. The thesis (6.3) tries all
// subsets instead: the twin in the tests.
func (f *fantope) projectCapped(sigma []float64, size int, k float64) {
	if len(sigma) == 0 {
		return
	}
	f.sort(sigma)
	dropped := f.order[min(size, len(sigma)):]
	f.order = f.order[:min(size, len(sigma))]
	pivot, s := f.solve(sigma, nil, k)
	clipShifted(sigma, sigma[pivot], s)
	for _, i := range dropped {
		sigma[i] = 0
	}
}
