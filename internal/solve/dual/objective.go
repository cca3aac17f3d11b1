package dual

import (
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
)

// addConjugates sums the conjugates of the rows.
func (s *sdca) addConjugates() {
	s.conjugate, _ = parts.SumRows(s.p, func(lo, hi int) (sum, _ float64) {
		var conjugate [parts.BlockRows]float64
		loss.ConjugateTo(s.p.Loss, conjugate[:hi-lo], s.a[lo:hi], s.p.Y[lo:hi])
		for i, c := range conjugate[:hi-lo] {
			sum += float64(s.p.S[lo+i] * c)
		}
		return sum, 0
	})
}

// dual returns about the dual objective, as the steps left it. Where a copy of u is the
// same it reads that one: this core has it for itself, and a line of u that two have
// read is expensive to write (see fetch).
func (s *sdca) dual() float64 {
	u := s.u
	if !s.stale {
		u = s.part[0].u
	}
	_, conjugate := s.p.Penalty.Conjugate(u[:s.p.Penalised()])
	return -s.conjugate/s.p.N - float64(s.p.Lambda*conjugate)
}

// primalOf returns the primal of weights with the given predictions.
func (s *sdca) primalOf(w, prediction []float64) float64 {
	losses, _ := parts.SumRows(s.p, func(lo, hi int) (sum, _ float64) {
		for i := lo; i < hi; i++ {
			sum += float64(s.p.S[i] * s.p.Loss.Value(prediction[i], s.p.Y[i]))
		}
		return sum, 0
	})
	return losses/s.p.N + float64(s.p.Lambda*s.p.Penalty.Value(w[:s.p.Penalised()]))
}
