package spectral

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Regret is by how much the mean loss of an online learner exceeds that of the best fixed
// subspace in hindsight (thesis 4.1.3; reference 1.6). The loss of a row x is that of the M before
// the update by x; rows may be any sequence, also an adversary's:
//
//	R_T = (1/T) sum_t (|x_t|^2 - x_t^T M_t x_t) - sum_{i>k} lambda_i
//
// with the eigenvalues lambda of (1/T) sum_t x_t x_t^T. In units of W, where
// M = I - (d-k) W, it is R_T/(d-k). It keeps d x d numbers.
//
// With steps eta_t of any size, for any rows, the sum is at most
//
//	MSG:  min(k, d-k) (1/eta_1 + sum_t max(0, 1/eta_t - 1/eta_(t-1))) + sum_t eta_t |x_t|^4/2
//	W&K:  D/eta + sum_t (1 - (1 - e^-u_t)/u_t) (|x_t|^2 - x_t^T M_t x_t),  u_t = eta |x_t|^2
//
// The first adds up |M_(t+1) - M*|^2 <= |M_t - M*|^2 - 2 eta_t x_t^T (M* - M_t) x_t + eta_t^2 |x_t|^4, no two
// feasible matrices being farther apart than sqrt(2 min(k, d-k)). The second adds up the same of relative
// entropies, by Golden and Thompson's inequality, D being that of the start in units of M; it is for
// constant steps only. Where a step has no bound, the sum is infinite.
type Regret struct {
	d, k   int
	rows   int
	loss   float64   // sum of |x|^2 - x^T M x
	second []float64 // sum of x x^T

	inverse float64 // 1/eta_1 and the rises of 1/eta since
	last    float64 // 1/eta; 0: no step so far
	waste   float64 // the sum over t
}

// NewRegret is for rows of d numbers and subspaces of k < d dimensions.
func NewRegret(d, k int) *Regret { return &Regret{d: d, k: k, second: make([]float64, d*d)} }

// AddM takes a row and x^T M x of the M before it.
func (r *Regret) AddM(x []float64, captured float64) {
	r.loss += vec.SquaredNorm64(x) - captured
	r.add(x)
}

func (r *Regret) add(x []float64) {
	r.rows++
	for i, v := range x {
		vec.Axpy64(r.second[i*r.d:(i+1)*r.d], v, x)
	}
}

// Best returns the mean loss of the best fixed subspace: L* of the bounds.
func (r *Regret) Best() float64 {
	value := make([]float64, r.d)
	new(algebra.Eigensystem).Decompose(value, append([]float64{}, r.second...), r.d)
	var sum vec.Sum
	for _, v := range value[r.k:] {
		sum.Add(max(v, 0))
	}
	return sum.Value() / float64(max(r.rows, 1))
}

// above returns R_T, given the mean loss of the best subspace; 0 before the first row.
func (r *Regret) above(best float64) float64 { return r.loss/float64(max(r.rows, 1)) - best }

// step notes the step by a row, of which the M before it left so much; entropy says that it is one of
// Warmuth and Kuzmin's algorithm.
func (r *Regret) step(eta float64, x []float64, left float64, entropy bool) {
	square := vec.SquaredNorm64(x)
	if square == 0 {
		return
	}
	rise := 1/eta - r.last
	if entropy && r.last != 0 && rise != 0 {
		r.inverse = math.Inf(1)
	}
	r.inverse, r.last = r.inverse+max(rise, 0), 1/eta
	u := float64(eta * square)
	switch {
	case !entropy:
		r.waste += float64(u*square) / 2
	case u < 1e-3: // where the difference has no digits; at most this
		r.waste += float64(u*left) / 2
	default:
		r.waste += float64((1 - (1-elementary.Exp(-u))/u) * left)
	}
}

// bound returns the bound on R_T, given what 1/eta is multiplied by.
func (r *Regret) bound(distance float64) float64 {
	return (float64(distance*r.inverse) + r.waste) / float64(max(r.rows, 1))
}

// Keep visits everything. Steps without a bound have an infinite inverse, which is kept as -1.
func (r *Regret) Keep(k *method.Kept) {
	k.Count("rows", &r.rows)
	k.Number("loss", &r.loss)
	k.List("second", &r.second)
	k.Require(len(r.second) == r.d*r.d, "state: found a second moment of %d numbers, expected %d", len(r.second), r.d*r.d)
	inverse := r.inverse
	if math.IsInf(inverse, 1) {
		inverse = -1
	}
	k.Number("inverse", &inverse)
	if r.inverse = inverse; inverse < 0 {
		r.inverse = math.Inf(1)
	}
	k.Number("last", &r.last)
	k.Number("waste", &r.waste)
}
