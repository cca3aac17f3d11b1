package column

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
)

// search goes along d as far as the objective falls.
func (s *cd) search() {
	clear(s.move)
	slope := 0.0 // of the model, an upper bound of the directional derivative
	penalised := s.p.Penalised()
	whole := s.trial
	copy(whole, s.w)
	for _, j := range s.working {
		if d := s.d[j]; d != 0 {
			slope += float64(s.g[j] * d)
			whole[j] += d
			s.column(j).AddTo(s.move, d)
		}
	}
	slope += float64(s.p.Lambda * (s.p.Penalty.Value(whole[:penalised]) - s.p.Penalty.Value(s.w[:penalised])))
	t, value := 1.0, 0.0
	for range 60 {
		value = s.objective(t)
		if value <= s.value+float64(0.01*t*min(slope, 0))+float64(1e-15*math.Abs(s.value)) {
			break
		}
		t /= 2
	}
	before := s.value
	s.value = value
	s.note(before)
	if t == 1 {
		s.flat = max(s.flat/4, 1e-8)
		s.cut = s.cut && s.flat > 1e-8
	} else {
		s.flat, s.cut = min(s.flat/t, 1), true
	}
	for _, j := range s.working {
		s.w[j] += float64(t * s.d[j])
	}
	for i, m := range s.move {
		s.prediction[i] += float64(t * m)
	}
}

// objective returns P at w + t d.
func (s *cd) objective(t float64) float64 {
	sum, _ := parts.SumRows(s.p, func(lo, hi int) (sum, _ float64) {
		for i := lo; i < hi; i++ {
			sum += float64(s.p.S[i] * s.loss.Value(s.prediction[i]+float64(t*s.move[i]), s.p.Y[i]))
		}
		return sum, 0
	})
	w := s.trial[:s.p.Penalised()]
	for j := range w {
		w[j] = s.w[j] + float64(t*s.d[j])
	}
	return sum/s.p.N + float64(s.p.Lambda*s.p.Penalty.Value(w))
}
