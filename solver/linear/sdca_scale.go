package linear

import (
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/vec"
)

// scaling returns the factor by which to stretch weights u for the least primal,
//
//	argmin over t of (1/N) sum_i s_i l(t p_i, y_i) + lambda t^2 Omega(u)
//
// to about a hundredth of its distance from 1; 1 where nothing is to be won. The
// predictions of free rows scatter about the corner of the hinge, and where b =
// |a| is small it costs 1/b times as much to be short of it as to be beyond: a
// fraction more of everything takes most of them to the better side. At lambda =
// 1/(100n) that makes the gap three to eight times smaller; with b about 1/2
// there is nothing in it.
func (s *sdca) scaling(prediction []float64, omega float64) float64 {
	if !s.stretches() {
		return 1
	}
	rises := func(t float64) bool { return s.slopeOfScaling(prediction, omega, t) >= 0 }
	if rises(1) {
		return 1
	}
	lo, hi := 1.0, 1+0x1p-26
	for hi < 2 && !rises(hi) {
		lo, hi = hi, 1+4*(hi-1)
	}
	for range 8 {
		if t := (lo + hi) / 2; rises(t) {
			hi = t
		} else {
			lo = t
		}
	}
	return lo
}

// stretches reports whether another length than that of u may suit the primal.
func (s *sdca) stretches() bool {
	_, hinge := s.p.Loss.(loss.Hinge)
	return !ablated.has(withoutScaling) && hinge && !(s.meanFree() > 0.2)
}

// stretch gives w, whose predictions are known, the length of the least primal,
// and returns that primal and the share of the gap that it leaves.
func (s *sdca) stretch(w, prediction []float64) (primal, share float64) {
	omega := s.p.Penalty.Value(w[:s.p.Penalised()])
	t := s.scaling(prediction, omega)
	primal = s.primalOfScaling(prediction, omega, t)
	if t == 1 {
		return primal, 1
	}
	vec.ScaledAdd(w, t, 0, w)
	dual := s.dual()
	return primal, min(max((primal-dual)/(s.primalOfScaling(prediction, omega, 1)-dual), 0.05), 1)
}

// slopeOfScaling is the derivative of the primal in t, see scaling.
func (s *sdca) slopeOfScaling(prediction []float64, omega, t float64) float64 {
	sum, _ := sumRows(s.p, func(lo, hi int) (sum, _ float64) {
		for i := lo; i < hi; i++ {
			p := prediction[i]
			sum += float64(s.p.S[i] * float64(p*s.p.Loss.Derivative(t*p, s.p.Y[i])))
		}
		return sum, 0
	})
	return sum/s.p.N + float64(2*s.p.Lambda*t*omega)
}

// primalOfScaling is the primal at t, about: what Estimate goes by.
func (s *sdca) primalOfScaling(prediction []float64, omega, t float64) float64 {
	losses, _ := sumRows(s.p, func(lo, hi int) (sum, _ float64) {
		for i := lo; i < hi; i++ {
			sum += float64(s.p.S[i] * s.p.Loss.Value(t*prediction[i], s.p.Y[i]))
		}
		return sum, 0
	})
	return losses/s.p.N + float64(s.p.Lambda*t*t*omega)
}

// meanFree returns the mean |a_i| of the free rows, 1 if there are none.
func (s *sdca) meanFree() float64 {
	sum, free := 0.0, 0
	for i, a := range s.a {
		b := float64(-s.p.Y[i] * a)
		if b > 0 && b < 1 {
			sum += b
			free++
		}
	}
	if free == 0 {
		return 1
	}
	return sum / float64(free)
}
