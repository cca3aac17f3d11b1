package dual

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// face solves the dual problem of a working set where steps of pairs lead nowhere:
// where many coefficients are free and K is ill-conditioned, so that they have to
// move together.
//
// Problem: that of dual, with phi_i(b) = c_i l_i*(-b/c_i), whose derivative is
// minus the target of coefficient b, where lo_i <= b <= hi_i:
//
//	min  beta^T K beta/2 + sum_i phi_i(beta_i),  and sum_i beta_i fixed if the bias is free.
//
// It is a proximal point method: with mu/2 |beta-anchor|^2 added, where the anchor
// is where the coefficients stand, every loss becomes smooth. The minimum is then
// that of a convex function of a predictor, whose coefficients v and predictions
// p = K v + bias need not respect any bound:
//
//	min over v, bias of  v^T K v/2 + bias sum_i beta_i + sum_i e_i(p_i),  e_i' = -B_i,
//	B_i(p) = argmin over b of  phi_i(b) + p b + mu/2 (b-anchor_i)^2,
//
// at which v = B(p). Newton's method for it, with D = -B' and an exact line search,
// has the direction
//
//	delta + D (K delta + turn 1) = B(p) - v,  and 1^T delta fixed if the bias is free.
//
// D is zero at bounds and corners: what remains is a system of the others, the
// face, which is solved by Cholesky's factor of K + 1/D. The face changes by any
// number of coefficients from one step to the next. Then the coefficients of the
// dual problem go to v, or as far toward it as that improves the objective, so
// that this never rises. mu falls as long as few steps are enough, so that
// the violation does so faster than at a constant rate.
//
// Returned is the last iterate. Cost per step: the cube of the face/3, and two
// products with K. On 600 rows 10 to 150 steps reach a gap of 1e-6, where K is of
// rank 11 and C = 1e6 as well as where it is nearly the identity.
//
// Proximal points: Rockafellar 1976. Newton's method inside, which the losses make
// semismooth: Zhao, Sun, Toh 2010, SDPNAL, algorithms 1 and 2; for the losses of
// support vector machines, Chapelle 2007. An interior-point method was not chosen:
// it factors the matrix of all rows, not of the face, cannot begin where pairs have
// come to, and has to guess at the end which coefficients are at a bound.
type face struct {
	*Dual
	k       curvature
	product func(dst, x []float64) // of K itself
	mu      float64                // weight of the distance from the anchor
	least   float64                // below it is nothing but what k is off by

	above, below []float64 // targets of a coefficient just above and below zero
	anchor       []float64
	sum          float64 // of the coefficients
	v, p         []float64
	bias         float64
	best, slope  []float64 // B(p) and D

	inside        []int     // where D is not zero
	weight        []float64 // 1/D there
	rhs, ones     []float64
	delta, change []float64 // a direction, and K times it
	turn          float64   // of the bias
}

const (
	mostProximal = 30 // proximal points in a round
	mostNewton   = 30 // steps for each
)

// begin takes a problem, a new one or the same again. k is K but for about off.
func (f *face) begin(d *Dual, k curvature, product func(dst, x []float64), off float64, again bool) {
	f.Dual, f.k, f.product, f.least = d, k, product, off
	n := len(d.R)
	for _, s := range []*[]float64{&f.above, &f.below, &f.anchor, &f.v, &f.p, &f.best, &f.slope, &f.delta, &f.change} {
		*s = slices.Grow((*s)[:0], n)[:n]
	}
	for i, y := range d.y {
		f.above[i], f.below[i] = d.loss.Inverse(0, y)
	}
	size := d.size()
	if again && f.mu > 0 {
		return
	}
	f.mu = 1e-5 * size // the losses are smooth as they are
	if d.sigma == 0 {
		f.mu = float64(1e-3*size) + 0.1*d.violation()*float64(n)/vec.Total(d.C)
	}
	f.mu = max(f.mu, f.least)
}

// size is the mean of the diagonal of K.
func (d *Dual) size() float64 { return vec.Total(d.K) / float64(len(d.K)) }

// roundings is about how large the roundings of K are as a matrix. Those to single
// precision are many that cancel.
func (d *Dual) roundings(single bool) float64 {
	n := float64(len(d.R))
	if single {
		return float64(0x1p-23 * math.Sqrt(n) * d.size())
	}
	return float64(0x1p-43 * n * d.size())
}
