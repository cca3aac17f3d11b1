package stochastic

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic/iterate"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Start begins at 0, or at the point of the warm start with the steps of a pass already taken.
func (m Method) Start(p problem.Problem, start solver.Start) solver.State {
	return m.start(p.(*problem.Linear), start)
}

func (m Method) start(p *problem.Linear, start solver.Start) *state {
	n, d := p.Dims()
	s := &state{Method: m, p: p, limit: start.Over, random: rand.NewPCG(start.Seed, 0), size: float64(m.batch), radius: math.Inf(1), trial: trial{before: math.Inf(1)},
		averaging: averaging{last: make([]float64, d+1), average: make([]float64, d+1)}, prediction: make([]float64, n)}
	if m.gradient == "row" {
		s.duals.means(n)
	}
	var w []float64
	if from := start.From; from != nil && len(from.W) == d+1 {
		s.t = float64(n)
		w = append(w, from.W...)
		if p.Bias != problem.Feature {
			s.b, w[d] = w[d], 0
		}
		if p.Bias == problem.None {
			s.b = 0
		}
		if len(from.A) == n {
			s.duals.start = append(s.duals.start, from.A...)
		}
	} else if p.Bias == problem.Free {
		s.b = p.BestBias(nil, 0, 1e-6)
	}
	s.sampler = m.sampler(s)
	s.rule = m.rule(s, start)
	s.catalyst = newCatalyst(s, w)
	s.iterate = m.iterate(s, w)
	s.source = m.source(s, w != nil)
	return s
}

// Epoch takes steps until they have taken about as many rows as there are.
func (s *state) Epoch() {
	n, _ := s.p.Dims()
	check := 0
	for taken := 0; taken < n; {
		if check--; check < 0 {
			if s.limit.Reached() {
				return
			}
			check = 1024 / (1 + int(s.size))
		}
		if s.source.renew() {
			taken += n
			continue
		}
		taken += s.step()
	}
	if s.catalyst != nil {
		s.catalyst.extrapolate(s)
	}
}

// Report estimates the gap of a method with a table: with the penalty l2 that of the slopes at w, as
// dual variables, is |gradient|^2/(2 lambda), and the direction with the penalty is about the
// gradient. It is not made where it would cost more than an epoch.
func (s *state) Report() solver.Report {
	r := solver.Report{Gap: math.NaN()}
	_, d := s.p.Dims()
	delayed, ok := s.iterate.(iterate.Delayed)
	if table, kept := s.source.(*table); !ok || !kept || table.kind == "miso" || s.catalyst != nil ||
		!penalty.IsRidge(s.p.Penalty) || int64(d) > s.p.Nonzeros {
		return r
	}
	s.iterate.Last(s.last)
	delayed.Direction(s.average)
	sum, share := 0.0, s.source.share()
	for j, w := range s.last[:s.p.Penalised()] {
		g := float64(share*s.average[j]) + float64(s.p.Lambda*w)
		sum += float64(g * g)
	}
	r.Gap = sum / (2 * s.p.Lambda) / s.p.Zero()
	return r
}

// Steps makes n steps.
func (s *state) Steps(n int) {
	for range n {
		if !s.source.renew() {
			s.step()
		}
	}
}

// step makes one step and returns of how many rows it was.
func (s *state) step() int {
	s.t++
	s.draw()
	s.slopes()
	eta := s.rule.Eta(s.t)
	s.iterate.Begin(eta)
	bias := s.estimate(1 / float64(len(s.row)))
	if !math.IsInf(s.radius, 1) {
		if ball, ok := s.iterate.(iterate.Ball); ok {
			ball.Confine(s.radius)
		}
	}
	weight := s.weight()
	s.iterate.End(weight)
	if s.p.Bias == problem.Free {
		s.moveBias(eta, bias)
		s.sumB += float64(weight * s.b)
	}
	s.averaged += weight
	s.grow()
	s.taken += float64(len(s.row))
	return len(s.row)
}

// rowsTogether is how many rows of a batch one core predicts at a time.
const rowsTogether = 16

// least is how many values a batch has at least that is shared among the cores: of fewer, waking them takes
// longer.
const least = 1 << 14

// threads is on how many cores a batch is worked on.
func (s *state) threads() int {
	if _, ok := s.iterate.(iterate.Batched); !ok || int64(len(s.row))*s.p.Nonzeros < least*int64(len(s.p.Y)) {
		return 1
	}
	return s.p.Threads
}

// slopes computes those of the rows, all at the same iterate.
func (s *state) slopes() {
	s.slope, s.predicted = parts.Resized(s.slope, len(s.row)), parts.Resized(s.predicted, len(s.row))
	parallel.Blocks(len(s.row), rowsTogether, s.threads(), func(_, lo, hi int) {
		for k, i := range s.row[lo:hi] {
			s.predicted[lo+k] = s.iterate.Dot(s.p.X.Row(i)) + s.b
			s.slope[lo+k] = s.p.Loss.Derivative(s.predicted[lo+k], s.p.Y[i])
		}
	})
	for k, i := range s.row {
		s.duals.saw(i, s.slope[k], s.t)
		s.slope[k] *= s.share(i)
		if s.rule.l > 0 {
			s.rule.search(s, i, s.predicted[k], s.slope[k])
		}
	}
}

// source returns that of a method; warm: the iterate is not 0.
func (m Method) source(s *state, warm bool) source {
	switch m.gradient {
	case "sag", "saga", "miso":
		return newTable(s, warm)
	case "svrg", "s2gd":
		return newSnapshot(s)
	case "newton":
		return newModel(s)
	}
	return plain{}
}

// sampler returns that of a method.
func (m Method) sampler(s *state) sampler {
	n := len(s.p.Y)
	switch m.sampling {
	case "permuted", "cyclic":
		order := make([]uint32, n)
		for i := range order {
			order[i] = uint32(i)
		}
		return &permuted{random: s.random, order: order, cyclic: m.sampling == "cyclic", at: n}
	case "lipschitz":
		return newByLipschitz(s)
	}
	return uniformly{s.random, uint64(n)}
}

// tune returns the gamma, of 13 from lo to hi, with which the method has the least objective on
// the first rows that it draws, at most 1000, after steps on them.
func (m Method) tune(p *problem.Linear, start solver.Start, lo, hi float64) float64 {
	best, least := lo, math.Inf(1)
	n, _ := p.Dims()
	apart := (elementary.Log(hi) - elementary.Log(lo)) / 12
	for k := range 13 {
		m.gamma = lo * elementary.Exp(float64(k)*apart)
		if !positive(m.gamma) {
			continue
		}
		s := m.start(p, start)
		rows := make([]int, 0, 1000)
		for len(rows) < min(n, 1000) && !s.limit.Reached() {
			s.step()
			rows = append(rows, s.row...)
		}
		if value := s.onRows(rows); value < least {
			best, least = m.gamma, value
		}
	}
	return best
}
