package stochastic

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/stochastic/iterate"
	"github.com/fenchel-ml/fenchel/problem"
)

// A table keeps of every row the last slope y_i that was computed there, n numbers, and as the
// direction of all steps their sum (sag) or mean (saga); or as weights their sum (miso).
type table struct {
	kind  string
	y     []float64
	have  []bool  // of sag: rows that were seen
	seen  float64 // how many
	n     float64
	alpha float64 // of miso, with its step
	blend float64
}

func newTable(s *state, warm bool) *table {
	n := len(s.p.Y)
	t := &table{kind: s.gradient, y: make([]float64, n), n: float64(n)}
	if t.kind == "sag" {
		t.have = make([]bool, n)
	}
	if t.kind == "miso" {
		// The rows' functions are l_i + lambda |w|^2/2, L-smooth and lambda-strongly convex.
		t.blend = min(1, t.n*s.p.Lambda/(2*s.smoothness()))
		t.alpha = t.blend / (s.p.Lambda * t.n)
	}
	if warm {
		t.fill(s)
	}
	return t
}

// fill makes the slopes of a warm start.
func (t *table) fill(s *state) {
	s.iterate.Last(s.last)
	s.p.Predict(s.prediction, s.last)
	for i, prediction := range s.prediction {
		t.y[i] = s.share(i) * s.p.Loss.Derivative(prediction+s.b, s.p.Y[i])
		if t.have != nil {
			t.have[i] = true
		}
	}
	t.seen = t.n
	h, _ := s.p.Combine(t.y)
	d := len(h) - 1
	factor := 1.0
	switch t.kind {
	case "saga":
		factor = 1 / t.n
	case "miso":
		factor = -1 / (s.p.Lambda * t.n)
	}
	for j := range h {
		h[j] *= factor
	}
	s.hb = h[d]
	if t.kind == "miso" {
		if s.p.Bias == problem.None {
			h[d] = 0
		}
		s.iterate = s.Method.iterate(s, h)
		return
	}
	s.iterate.(iterate.Delayed).Direct(h)
}

func (t *table) estimate(i int, g float64) (direct, early, late float64) {
	change := g - t.y[i]
	switch t.kind {
	case "sag":
		if !t.have[i] {
			t.have[i] = true
			t.seen++
		}
		t.y[i] = g
		return 0, change, 0
	case "miso":
		t.y[i] += float64(t.blend * change)
		return float64(t.alpha * change), 0, 0
	}
	t.y[i] = g
	return change, 0, change / t.n
}

// share is 1 over the rows that were seen, for sag, so that its first steps are not too short.
func (t *table) share() float64 {
	if t.kind == "sag" {
		return 1 / math.Max(1, t.seen)
	}
	return 1
}

func (*table) renew() bool { return false }
