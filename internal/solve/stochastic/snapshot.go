package stochastic

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic/iterate"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/loss"
)

// A snapshot is an iterate with its full gradient, which is the direction of the steps until the
// next one, and the slopes there of all rows.
type snapshot struct {
	s      *state
	slope  []float64
	h      []float64
	left   int // inner steps
	chosen int // at which of them the next snapshot is taken; 0: at the last
	kept   []float64
	keptB  float64
}

func newSnapshot(s *state) *snapshot { return &snapshot{s: s, slope: make([]float64, len(s.p.Y))} }

func (n *snapshot) estimate(i int, g float64) (direct, early, late float64) {
	n.left--
	return g - n.slope[i], 0, 0
}

func (*snapshot) share() float64 { return 1 }

// renew takes the next snapshot when the inner steps are done.
func (n *snapshot) renew() bool {
	s := n.s
	if n.left > 0 && n.left == n.chosen {
		n.kept = make([]float64, len(s.last))
		s.iterate.Last(n.kept)
		n.keptB = s.b
	}
	if n.left > 0 {
		return false
	}
	if n.kept != nil {
		s.iterate = s.Method.iterate(s, n.kept)
		s.b, n.kept = n.keptB, nil
	}
	s.iterate.Last(s.last)
	s.p.Predict(s.prediction, s.last)
	rows := float64(len(s.p.Y))
	for i, prediction := range s.prediction {
		n.slope[i] = s.share(i) * s.p.Loss.Derivative(prediction+s.b, s.p.Y[i])
	}
	n.h, _ = s.p.Combine(n.slope)
	for j := range n.h {
		n.h[j] /= rows
	}
	s.hb = n.h[len(n.h)-1]
	s.iterate.(iterate.Delayed).Direct(n.h)
	n.left, n.chosen = n.length(), 0
	if s.snapshot == "random" {
		n.chosen = 1 + int(uniform(s.random)*float64(n.left))
	}
	return true
}

// length returns the number of inner steps: for s2gd it is drawn, t of at most M with a
// probability proportional to (1 - eta lambda)^(M-t).
func (n *snapshot) length() int {
	s := n.s
	most := math.Max(1, s.inner*float64(len(s.p.Y)))
	if s.gradient == "svrg" {
		return int(most)
	}
	// (1 - r^k)/(1 - r^M) is the share of the k longest.
	logarithm := elementary.Log1p(-min(0.5, float64(s.rule.Eta(1)*s.p.Lambda)))
	all := 1 - elementary.Exp(most*logarithm)
	k := elementary.Log1p(-float64(uniform(s.random)*all)) / logarithm
	return int(math.Max(1, most-math.Floor(k)))
}

// A model is the quadratic model of the loss at the average of the iterates before (Bach, Moulines
// 2013): constant steps on it, averaged, reach 1/t without strong convexity. The sources make it
// once; here it is made again whenever the passes have doubled.
type model struct {
	s    *state
	at   []float64 // predictions there; nil: in the first pass
	next float64   // rows after which it is made
}

func newModel(s *state) *model { return &model{s: s, next: float64(len(s.p.Y))} }

func (m *model) estimate(i int, g float64) (direct, early, late float64) {
	if m.at == nil {
		return g, 0, 0
	}
	s := m.s
	l, y := s.p.Loss.(loss.Curved), s.p.Y[i]
	away := s.iterate.Dot(s.p.X.Row(i)) + s.b - m.at[i]
	return s.share(i) * (l.Derivative(m.at[i], y) + float64(l.Curvature(m.at[i], y)*away)), 0, 0
}

func (*model) share() float64 { return 1 }

// renew makes the model, in a pass of its own.
func (m *model) renew() bool {
	s := m.s
	if s.taken < m.next {
		return false
	}
	m.next *= 2
	w, b := s.last, s.b
	s.iterate.Last(w)
	if s.averaged > 0 {
		s.iterate.Average(w)
		b = s.sumB / s.averaged
	}
	m.at = parts.Resized(m.at, len(s.p.Y))
	s.p.Predict(m.at, w)
	for i := range m.at {
		m.at[i] += b
	}
	s.iterate.Forget()
	s.sumB, s.averaged = 0, 0
	return true
}
