package solver

import (
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// keep remembers the best weights and the best dual variables seen. They may
// come from different points: any two of them make a certificate.
func (r *run) keep(p problem.Point, c problem.Certificate) {
	if r.best.W == nil {
		r.bestCertificate = c
		r.bestCertificate.Dual = math.Inf(-1)
	}
	betterW := r.best.W == nil || r.lastCounts(c) || c.Primal < r.bestCertificate.Primal || math.IsNaN(r.bestCertificate.Primal) && !math.IsNaN(c.Primal)
	betterA := c.Dual > r.bestCertificate.Dual
	if betterW {
		r.best.W, r.bestCertificate.Primal = append(r.best.W[:0], p.W...), c.Primal
		r.rounding = c.Rounding
		r.bestCertificate.Warnings, r.bestCertificate.Facts = c.Warnings, c.Facts
	}
	if betterA {
		if len(p.A) > 0 && len(r.short) > 0 && &p.A[0] == &r.short[0] { // ours: no need to copy
			r.best.A, r.short = r.short, r.best.A
		} else {
			r.best.A = append(r.best.A[:0], p.A...)
		}
		r.bestCertificate.Dual = c.Dual
	}
	if betterW || betterA { // the bound is that of both, or settle makes it
		r.bestCertificate.Rounding = c.Rounding
		r.mixed = betterW != betterA && r.best.A != nil
	}
}

// lastCounts reports whether a point counts because it is the last: not if the run has diverged there.
func (r *run) lastCounts(c problem.Certificate) bool {
	return (r.unproved || r.traits.Last) && !r.diverges(c)
}

// fallBack takes the zero point where a run that was cut short has found none
// as good.
func (r *run) fallBack() {
	if r.best.W != nil && (r.lastCounts(r.bestCertificate) || r.bestCertificate.Primal <= r.bestCertificate.Zero) {
		return
	}
	begin := time.Now()
	zero := r.zeroPoint()
	if r.zero == nil {
		r.interruptProblem(r.out)
		c := r.problem.Certify(zero)
		r.zero = &c
	}
	r.keep(zero, *r.zero)
	r.certify += time.Since(begin)
}

// zeroPoint returns the zero point.
func (r *run) zeroPoint() problem.Point {
	rows, cols := r.problem.Dims()
	return problem.Point{W: make([]float64, cols+1), A: make([]float64, rows)}
}

// settle certifies the best point as one when its parts come from different
// points: each certificate has taken its own primal's rounding error off the
// dual. What Run returns is so what the problem says of the returned point. Where
// the time is over, the error of the primal is taken off without that.
func (r *run) settle() {
	if !r.mixed {
		return
	}
	if r.out() {
		r.bestCertificate.Dual -= r.rounding
		r.mixed = false
		return
	}
	begin := time.Now()
	r.bestCertificate = r.problem.Certify(r.best)
	r.certify += time.Since(begin)
	r.mixed = false
}
