package stochastic

import (
	"cmp"
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A rule is the length of steps, gamma/(t+offset)^beta:
//
//	inverse    1/(mu (t+offset)), mu = lambda l2; the first step is 1/(L+mu) with the usual offset
//	sqrt       gamma/sqrt(t)
//	power      gamma/t^beta
//	constant   gamma
//	lipschitz  gamma/L, L the largest smoothness of a row, over its share of the draws; of a batch the expected
//	           smoothness, and L of inverse too
//	radius     gamma R sqrt(2)/(G sqrt(t)) on a ball of radius R, G the largest gradient of a row on it
//	search     gamma/L, L doubled while a row shows that it is too small, and halved in a pass
//
// Where gamma is not given, the first steps on some rows choose it.
type rule struct {
	Length
	l, shrink float64  // of search
	fraction  float64  // of search and lipschitz
	batches   *batches // of lipschitz, where steps are of several rows
}

// A Length is that of step t: Gamma/(t+Offset)^Beta.
type Length struct{ Gamma, Offset, Beta float64 }

// Eta returns it.
func (l Length) Eta(t float64) float64 {
	switch t += l.Offset; l.Beta {
	case 0:
		return l.Gamma
	case 0.5:
		return l.Gamma / math.Sqrt(t)
	case 1:
		return l.Gamma / t
	}
	return l.Gamma * elementary.Exp(-l.Beta*elementary.Log(t))
}

// rule returns the one of a method.
func (m Method) rule(s *state, start solver.Start) *rule {
	p := s.p
	if m.geometry == "p-norm" {
		return &rule{Length: Length{Gamma: 1 / p.Lambda, Offset: 1, Beta: 1}}
	}
	_, l2, _ := penalty.Coefficients(p.Penalty)
	mu, smooth := float64(p.Lambda*l2), s.smoothness()
	var several *batches
	if m.several() && (m.step == "lipschitz" || m.step == "inverse" && m.offset < 0) {
		several = s.batches(smooth, map[bool]float64{true: mu}[m.step == "lipschitz" && !m.finite()])
		smooth = several.of(s.size)
	}
	switch m.step {
	case "radius":
		return s.byRadius()
	case "inverse":
		offset := m.offset
		if offset < 0 {
			offset = smooth / mu
		}
		return &rule{Length: Length{Gamma: cmp.Or(m.gamma, 1) / mu, Offset: offset, Beta: 1}}
	case "lipschitz", "search":
		if m.gradient == "miso" {
			return &rule{Length: Length{Gamma: 1}} // its coefficients have the length in them
		}
		fraction := cmp.Or(m.gamma, 1)
		r := &rule{Length: Length{Gamma: fraction / smooth}, fraction: fraction, batches: several}
		if m.step == "search" {
			r.l, r.shrink = 1, elementary.Exp(-elementary.Log(2)/float64(len(p.Y)))
			r.Gamma = fraction / (r.l + mu)
		}
		return r
	}
	r := &rule{Length: Length{Gamma: m.gamma, Beta: m.beta}}
	switch m.step {
	case "sqrt":
		r.Beta = 0.5
	case "constant":
		r.Beta = 0
	}
	if r.Gamma == 0 {
		lo, hi := 1/(4096*smooth), 4096/smooth
		if m.geometry == "entropic" {
			lo, hi = s.entropic(smooth)
		}
		r.Gamma = m.tune(p, start, lo, hi)
	}
	return r
}

// search doubles L while f_i(w - f_i'/L) > f_i(w) - |f_i'|^2/(2L) for the row of this step
// (Schmidt, Le Roux, Bach 2017), which costs O(1): predictions move along x_i.
func (r *rule) search(s *state, i int, prediction, g float64) {
	length, share, y := s.p.SquaredNorm[i], s.share(i), s.p.Y[i]
	if s.p.Bias != problem.None {
		length++
	}
	r.l *= r.shrink
	square := float64(g * g * length)
	if square > 1e-8 && r.l < float64(share*s.p.Loss.Smoothness()*length) { // else it holds
		value := share * s.p.Loss.Value(prediction, y)
		for share*s.p.Loss.Value(prediction-float64(g*length/r.l), y) > value-square/(2*r.l) && r.l < 1e300 {
			r.l *= 2
		}
	}
	_, l2, _ := penalty.Coefficients(s.p.Penalty)
	r.Gamma = r.fraction / (r.l + float64(s.p.Lambda*l2))
}

// entropic returns the range of steps for the entropy on a ball of radius B: as changes of theta
// move weights by B times as much, from the safe step, 1/(B L), to the step that moves theta
// by 1 at first; with room on either side.
func (s *state) entropic(smooth float64) (lo, hi float64) {
	steepest := 0.0
	for i, y := range s.p.Y {
		steepest = max(steepest, math.Abs(s.share(i)*s.p.Loss.Derivative(0, y))*math.Sqrt(s.p.SquaredNorm[i]))
	}
	lo = 1 / (64 * smooth * max(1, s.p.Zero()/s.p.Lambda))
	return lo, max(64*lo, 64/max(steepest, math.Sqrt(smooth)))
}

// onRows returns the objective of the last iterate, with the loss on some rows only.
func (s *state) onRows(rows []int) float64 {
	s.iterate.Last(s.last)
	var sum vec.Sum
	for _, i := range rows {
		sum.Add(s.share(i) * s.p.Loss.Value(s.iterate.Dot(s.p.X.Row(i))+s.b, s.p.Y[i]))
	}
	return sum.Value()/float64(len(rows)) + float64(s.p.Lambda*s.p.Penalty.Value(s.last[:s.p.Penalised()]))
}

// byRadius returns the rule of that name.
func (s *state) byRadius() *rule {
	_, radius := penalty.BallOf(s.p.Penalty)
	r := &rule{Length: Length{Beta: 0.5, Gamma: radius * math.Sqrt2 / s.steepest(radius)}}
	if s.Method.gamma > 0 {
		r.Gamma *= s.Method.gamma
	}
	return r
}
