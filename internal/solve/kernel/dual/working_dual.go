// Package dual holds the algorithms that move dual variables by pairs, sets and faces: SMO, working
// sets, active sets, interior points.
package dual

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// Dual is the dual problem of some rows, with the others fixed, in terms of the
// coefficients beta_i = -c_i a_i, c_i = s_i/(lambda N):
//
//	min  beta^T K beta/2 + sum_i c_i l_i*(-beta_i/c_i),  lo <= beta <= hi,
//
// and sum_i beta_i fixed if the bias is free. With the responses r = K beta, of
// the fixed coefficients too, the derivative is r_i - p for p between up_i and
// low_i, the predictions at which the loss has the slope a_i:
//
//	up_i  - r_i  is how fast it pays to increase beta_i (-Inf: it cannot grow),
//	low_i - r_i  how much it costs to decrease it (+Inf: it cannot shrink).
//
// A point is optimal iff all up_i - r_i are at most b and all low_i - r_i at
// least b, where b is the free bias, or 0 where there is none. A bias that is
// a feature adds 1 to all of K.
type Dual struct {
	loss    loss.Invertible
	free    bool    // the bias
	sigma   float64 // 1/Smoothness: the least curvature of the conjugate
	y, C    []float64
	Lo, Hi  []float64
	Beta, R []float64
	Up, Low []float64
	K       []float64 // the diagonal of K
	Own     []float64 // k + sigma/c: the curvature of a coefficient alone

	Limit    support.Limit
	before   []float64 // r before a change that may be cut short
	unproved bool      // nothing bounds the gap: the matrix may not be positive semidefinite
	Negative float64   // the most negative curvature met; 0: none
	moved    bool      // since the responses were computed as a whole

	from, fixed []float64 // coefficients and their responses, other rows included; nil: 0
}

func newDual(p *problem.Kernel, from *problem.Point) *Dual {
	n := p.Len()
	d := &Dual{loss: p.Loss.(loss.Invertible), y: p.Y, unproved: !p.Definite()}
	d.Make(n)
	d.free = p.Bias == problem.Free
	if s := p.Loss.Smoothness(); !math.IsInf(s, 1) {
		d.sigma = 1 / s
	}
	for i := range n {
		d.K[i] = p.Diagonal[i] + p.Constant()
	}
	d.bounds(p)
	if from != nil && from.A != nil {
		d.begin(p, from.A)
	}
	return d
}

// bounds sets how far coefficients may go, and moves them back if need be.
func (d *Dual) bounds(p *problem.Kernel) {
	for i := range d.C {
		d.C[i] = p.S[i] / (p.Lambda * p.N)
		first, last := p.Loss.Domain(p.Y[i])
		atLow, atHigh := d.Beta[i] != 0 && d.Beta[i] <= d.Lo[i], d.Beta[i] != 0 && d.Beta[i] >= d.Hi[i]
		d.Lo[i], d.Hi[i] = -d.C[i]*last, -d.C[i]*first
		switch {
		case atLow:
			d.Beta[i] = d.Lo[i]
		case atHigh:
			d.Beta[i] = d.Hi[i]
		}
		d.Own[i] = d.K[i] + d.sigma/d.C[i]
		d.retarget(i)
	}
}

func (d *Dual) Make(n int) {
	for _, s := range []*[]float64{&d.C, &d.Lo, &d.Hi, &d.Beta, &d.R, &d.Up, &d.Low, &d.K, &d.Own} {
		*s = make([]float64, n)
	}
}

// begin takes over dual variables.
func (d *Dual) begin(p *problem.Kernel, a []float64) {
	n := p.Len()
	w := make([]float64, n+1)
	p.Weights(w, a)
	copy(d.Beta, w[:n])
	for i, b := range d.Beta {
		d.set(i, b)
	}
	d.respond(p)
}

// respond computes the responses anew, in double precision.
func (d *Dual) respond(p *problem.Kernel) {
	before := support.Remember(&d.before, d.R)
	beta := d.Beta
	if d.from != nil {
		beta = slices.Clone(beta)
		vec.Axpy64(beta, -1, d.from)
	}
	if p.Combine(d.R, beta); support.Undone(p, d.R, before) {
		return
	}
	d.moved = false
	if d.fixed != nil {
		vec.Axpy64(d.R, 1, d.fixed)
	}
	if p.Constant() == 0 {
		return
	}
	sum := vec.Total(beta)
	for i := range d.R {
		d.R[i] += sum
	}
}

// farthest is where a target is put that lies at infinity, as those of the
// logistic loss at the ends of its domain do: where it lies as near to an end as
// coefficients come, see set. Farther out, a row that no representable step can
// take from its bound would be the worst violator for ever.
const farthest = 36

// targets returns up and low of row i with the coefficient beta.
func (d *Dual) targets(i int, beta float64) (up, low float64) {
	up, low = d.loss.Inverse(-beta/d.C[i], d.y[i])
	if math.IsInf(up, 1) {
		up = farthest
	}
	if math.IsInf(low, -1) {
		low = -farthest
	}
	if beta >= d.Hi[i] {
		up = math.Inf(-1)
	}
	if beta <= d.Lo[i] {
		low = math.Inf(1)
	}
	return up, low
}

func (d *Dual) retarget(i int) { d.Up[i], d.Low[i] = d.targets(i, d.Beta[i]) }

// set moves a coefficient, onto a bound that it has reached or passed, but for
// roundings: room that no step can use would make it the worst violator for ever.
func (d *Dual) set(i int, beta float64) {
	room := 4e-16 * d.C[i]
	switch {
	case beta >= d.Hi[i]-room:
		beta = d.Hi[i]
	case beta <= d.Lo[i]+room:
		beta = d.Lo[i]
	}
	d.Beta[i] = beta
	d.moved = true
	d.retarget(i)
}

// span returns the largest up_i - r_i and the least low_i - r_i.
func (d *Dual) span() (top, bottom float64) {
	top, bottom = math.Inf(-1), math.Inf(1)
	for i, r := range d.R {
		top = max(top, d.Up[i]-r)
		bottom = min(bottom, d.Low[i]-r)
	}
	return top, bottom
}

// violation returns by how much the optimality condition is missed.
func (d *Dual) violation() float64 {
	top, bottom := d.span()
	if !d.free {
		top, bottom = max(top, 0), min(bottom, 0)
	}
	return top - bottom
}

// bias returns a number between the ends of the violation: the mean of the
// derivatives of the coefficients that are not at a bound, or the middle.
func (d *Dual) bias() float64 {
	if !d.free {
		return 0
	}
	var sum vec.Sum
	count := 0
	for i, r := range d.R {
		if d.Up[i] == d.Low[i] {
			sum.Add(d.Up[i] - r)
			count++
		}
	}
	top, bottom := d.span()
	middle := top + (bottom-top)/2
	if math.IsInf(top, 0) || math.IsInf(bottom, 0) {
		middle = 0
	}
	if count == 0 {
		return middle
	}
	return sum.Value() / float64(count)
}

// blockRows is the number of rows that are worked on at a time.
const blockRows = 2048

// gap returns about the relative gap that Certify would find, given the last one, and
// the objective.
func (d *Dual) gap(p *problem.Kernel, last float64) (relative, primal float64) {
	n, bias := p.Len(), d.bias()
	if d.free {
		tolerance := 1e-5
		if last > 0 {
			tolerance = min(tolerance, max(1e-2*last, 1e-12))
		}
		bias = p.BestBias(d.R, bias, tolerance)
	}
	blocks := (n + blockRows - 1) / blockRows
	sums := make([][3]float64, blocks) // losses, conjugates, beta^T r
	parallel.Blocks(n, blockRows, p.Threads(), func(b, lo, hi int) {
		m := hi - lo
		value, work, slope := make([]float64, m), make([]float64, m), make([]float64, m)
		for k := range m {
			value[k] = d.R[lo+k] + bias
			work[k] = -d.Beta[lo+k] / d.C[lo+k]
			first, last := p.Loss.Domain(p.Y[lo+k])
			work[k] = min(max(work[k], first), last)
			sums[b][2] += float64(d.Beta[lo+k] * d.R[lo+k])
		}
		loss.ValueTo(p.Loss, value, slope, value, p.Y[lo:hi], slope)
		loss.ConjugateTo(p.Loss, work, work, p.Y[lo:hi])
		for k := range m {
			sums[b][0] += float64(p.S[lo+k] * value[k])
			sums[b][1] += float64(p.S[lo+k] * work[k])
		}
	})
	var losses, conjugates, squared vec.Sum
	for _, s := range sums {
		losses.Add(s[0])
		conjugates.Add(s[1])
		squared.Add(s[2])
	}
	cost := float64(p.Lambda / 2 * squared.Value())
	primal = losses.Value()/p.N + cost
	return problem.Relative(primal, -conjugates.Value()/p.N-cost, p.Zero()), primal
}

// point writes the coefficients as weights and dual variables, with the best
// bias for the responses.
func (d *Dual) point(p *problem.Kernel, pt *problem.Point) problem.Point {
	n := p.Len()
	if pt.W == nil {
		pt.W, pt.A = make([]float64, n+1), make([]float64, n)
	}
	for i, b := range d.Beta {
		first, last := p.Loss.Domain(p.Y[i])
		pt.A[i] = min(max(-b/d.C[i], first), last)
	}
	p.Weights(pt.W, pt.A)
	if d.free {
		pt.W[n] = p.BestBias(d.R, d.bias(), 1e-12)
	}
	return *pt
}

// accepts is the part of Accepts that the solvers here share.
func accepts(name string, p problem.Problem) error {
	k, err := support.KernelProblem(p)
	if err != nil {
		return err
	}
	return TakesLoss(name, k.Loss)
}

// TakesLoss returns why the dual steps of the solver of that name do not take a loss, nil if they do.
func TakesLoss(name string, of loss.Loss) error {
	l, ok := of.(loss.Invertible)
	if !ok {
		return fmt.Errorf("%s needs a loss of which the slope can be inverted, found %s: expected another loss, or the solver sdca", name, loss.Name(of))
	}
	if _, curved := of.(loss.Curved); !l.Straight() && !curved {
		return fmt.Errorf("%s needs a loss that is curved or of which the inverse of the slope is piecewise linear, which %s does not say: expected another loss, or the solver sdca", name, loss.Name(of))
	}
	return nil
}

// support counts the coefficients that are not 0: so are all dual variables but theirs.
func (d *Dual) support() (all, spared int) { return support.Nonzeros(d.Beta) }
