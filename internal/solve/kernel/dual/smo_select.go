package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// choose returns the pair to move, -1 where nothing pays, and fetches its rows.
func (s *smo) choose() (i, j int) {
	switch s.selection {
	case "first":
		i, j = s.Extremes()
	case "gain":
		i, j = s.bestPair()
	case "hybrid":
		i, j = s.nearLast()
	default:
		return s.secondOrder()
	}
	if i >= 0 && j >= 0 {
		s.fetch(0, i)
		s.fetch(1, j)
	}
	return i, j
}

// Extremes returns the maximal violating pair, -1 if none is violating.
func (d *Dual) Extremes() (i, j int) {
	i, j = vec.Extremes(d.Up, d.Low, d.R)
	if i < 0 || j < 0 || !(d.Up[i]-d.R[i] > d.Low[j]-d.R[j]) {
		return -1, -1
	}
	return i, j
}

// secondOrder returns the row of the largest derivative, and the one that
// gains most with it if no bound is met (Fan, Chen, Lin 2005, WSS 2).
func (s *smo) secondOrder() (i, j int) {
	i, _ = s.Extremes()
	if i < 0 {
		return -1, -1
	}
	s.fetch(0, i)
	j = s.Partner(i, s.rows[0])
	if j >= 0 {
		s.fetch(1, j)
	}
	return i, j
}

// Partner returns the j of the largest gain with i, given row i of K.
func (d *Dual) Partner(i int, row []float64) (j int) {
	return vec.Partner(d.Up[i]-d.R[i], d.K[i]+d.sigma/d.C[i], LeastCurvature, d.Low, d.R, d.Own, row)
}

// gain returns by how much a step along beta_i - beta_j, or one of them alone
// if the other index is -1, lowers the objective, as far as it meets no corner.
func (d *Dual) gain(i, j int, kij float64) float64 {
	slope, limit := 0.0, math.Inf(1)
	if i >= 0 {
		slope += d.Up[i] - d.R[i]
		limit = d.Hi[i] - d.Beta[i]
	}
	if j >= 0 {
		slope -= d.Low[j] - d.R[j]
		limit = min(limit, d.Beta[j]-d.Lo[j])
	}
	curvature, _ := d.curvature(i, j, kij)
	t := min(slope/curvature, limit)
	return float64(t * (slope - float64(0.5*curvature*t)))
}

// bestPair returns the pair of the largest gain, cut off at the bounds.
func (s *smo) bestPair() (i, j int) {
	i, j = -1, -1
	most := 0.0
	_, bottom := s.span()
	for k := range s.R {
		if !(s.Up[k]-s.R[k] > bottom) {
			continue
		}
		s.fetch(0, k)
		if other, gain := s.bestPartner(k, 1); gain > most {
			i, j, most = k, other, gain
		}
	}
	return i, j
}

// bestPartner returns what pairs best with row k, whose row of K is the first
// that is kept: as what shrinks for sign > 0, and else as what grows.
func (s *smo) bestPartner(k, sign int) (other int, most float64) {
	other = -1
	for m := range s.R {
		i, j := k, m
		if sign < 0 {
			i, j = m, k
		}
		if m == k || !(s.Up[i]-s.R[i] > s.Low[j]-s.R[j]) {
			continue
		}
		if gain := s.gain(i, j, s.rows[0][m]); gain > most {
			other, most = m, gain
		}
	}
	return other, most
}

// nearLast is the hybrid rule (Glasmachers, Igel 2006).
func (s *smo) nearLast() (i, j int) {
	if s.last[0] < 0 || s.last[1] < 0 || s.atBound(s.last[0]) && s.atBound(s.last[1]) {
		return s.Extremes()
	}
	i, j = -1, -1
	most, last := 0.0, s.last
	for slot, k := range last {
		s.fetch(0, k)
		for _, sign := range [2]int{1, -1} {
			other, gain := s.bestPartner(k, sign)
			if !(gain > most) || other == last[1-slot] {
				continue
			}
			if i, j, most = k, other, gain; sign < 0 {
				i, j = other, k
			}
		}
	}
	if i < 0 {
		return s.Extremes()
	}
	return i, j
}

// atBound reports whether a coefficient is near the end of its interval.
func (d *Dual) atBound(i int) bool {
	near := float64(1e-8 * d.C[i])
	return d.Beta[i] <= d.Lo[i]+near || d.Beta[i] >= d.Hi[i]-near
}

// worstOne returns the row that violates optimality most, i if it should grow or j if it
// should shrink, the other being -1.
func (d *Dual) worstOne() (i, j int) {
	i, j = -1, -1
	most := 0.0
	for k, r := range d.R {
		if h := d.Up[k] - r; h > most {
			i, j, most = k, -1, h
		}
		if h := r - d.Low[k]; h > most {
			i, j, most = -1, k, h
		}
	}
	return i, j
}

// bestOne returns the row that gains most by moving alone, i to increase it or
// j to decrease it, the other being -1, and the largest violation of all rows.
func (d *Dual) bestOne() (i, j int, violation float64) {
	i, j = -1, -1
	most := 0.0
	for k, r := range d.R {
		if h := d.Up[k] - r; h > 0 {
			violation = max(violation, h)
			if gain := d.gain(k, -1, 0); gain > most {
				i, j, most = k, -1, gain
			}
		}
		if h := r - d.Low[k]; h > 0 {
			violation = max(violation, h)
			if gain := d.gain(-1, k, 0); gain > most {
				i, j, most = -1, k, gain
			}
		}
	}
	return i, j, violation
}
