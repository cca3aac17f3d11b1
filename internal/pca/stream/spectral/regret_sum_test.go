package spectral

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Regret is what an online learner lost beside the best fixed subspace in
// hindsight (thesis 4.1.3; reference 1.6). Each row x is judged before the update
// by it, for any sequence of rows, also an adversary's:
//
//	R_T = (1/T) sum_t (|x_t|^2 - x_t^T M_t x_t) - sum_{i>k} lambda_i
//
// with the eigenvalues lambda of (1/T) sum_t x_t x_t^T. In units of W, where
// M = I - (d-k) W, it is R_T/(d-k). It keeps d x d numbers.
type Regret struct {
	d, k   int
	rows   int
	loss   vec.Sum   // sum of |x|^2 - x^T M x
	second []float64 // sum of x x^T
}

// NewRegret is for rows of d numbers and subspaces of k < d dimensions.
func NewRegret(d, k int) *Regret { return &Regret{d: d, k: k, second: make([]float64, d*d)} }

// AddM takes a row and x^T M x of the M before it.
func (r *Regret) AddM(x []float64, captured float64) {
	r.loss.Add(vec.SquaredNorm64(x))
	r.loss.Add(-captured)
	r.add(x)
}

// AddW takes a row and x^T W x of the W before it.
func (r *Regret) AddW(x []float64, loss float64) {
	r.loss.Add(float64(r.d-r.k) * loss)
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

// Mean returns R_T, 0 before the first row.
func (r *Regret) Mean() float64 { return r.loss.Value()/float64(max(r.rows, 1)) - r.Best() }

// MeanW returns R_T in units of W.
func (r *Regret) MeanW() float64 { return r.Mean() / float64(r.d-r.k) }
