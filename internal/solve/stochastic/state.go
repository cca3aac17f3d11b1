package stochastic

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic/iterate"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A state is a run of a method. A step is
//
//	rows     k of them, drawn
//	slopes   g_i = r_i l_i'(<w, x_i> + b) at the iterate,  r_i = s_i n/N
//	source   turns each g_i into a part of the gradient estimate
//	iterate  takes eta times the estimate off, and the penalty
//
// A free bias b is kept here; that of a constant feature is a weight.
type state struct {
	Method
	p      *problem.Linear
	limit  parts.Limit
	random *rand.PCG

	iterate iterate.Iterate
	source  source
	sampler sampler
	rule    *rule

	t      float64 // steps
	row    []int   // of this step
	slope  []float64
	size   float64 // rows of a step
	seen   int     // rows since the last test of the variance
	radius float64 // of the ball; infinite: none

	b, hb, sumB float64 // free bias, its direction, and the weighted sum of its values
	averaged    float64 // sum of the weights of the average
	suffix      float64 // rows after which a suffix begins
	taken       float64 // rows
	catalyst    *catalyst

	duals                              duals
	reservoir                          []float64 // the iterate that was drawn
	drawnB                             float64
	last, average, scratch, prediction []float64
}

// Start begins at 0, or at the point of the warm start with the steps of a pass already taken.
func (m Method) Start(p problem.Problem, start solver.Start) solver.State {
	return m.start(p.(*problem.Linear), start)
}

func (m Method) start(p *problem.Linear, start solver.Start) *state {
	n, d := p.Dims()
	s := &state{Method: m, p: p, limit: start.Over, random: rand.NewPCG(start.Seed, 0), size: float64(m.batch), radius: math.Inf(1),
		last: make([]float64, d+1), average: make([]float64, d+1), prediction: make([]float64, n)}
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

// iterate returns the weights in the form of the geometry.
func (m Method) iterate(s *state, w []float64) iterate.Iterate {
	p := s.p
	_, d := p.Dims()
	l1, l2, _ := penalty.Coefficients(p.Penalty)
	o := iterate.Options{Columns: d, Constant: p.Bias == problem.Feature, L1: p.Lambda * l1, L2: p.Lambda * l2, Forward: !m.finite(),
		Averaged: m.averages() && !m.finite(), Confined: m.ball || onBall(p)}
	norm := 2.0
	if of, ok := p.Penalty.(penalty.PNorm); ok {
		norm = of.P()
	}
	if m.ball || m.geometry == "p-norm" && parts.Steep(p) {
		s.radius = math.Sqrt((norm - 1) * p.Zero() / p.Lambda)
	}
	if onBall(p) {
		_, s.radius = penalty.BallOf(p.Penalty)
	}
	switch m.geometry {
	case "p-norm":
		if norm == 2 && math.IsInf(s.radius, 1) { // dual averaging is then gradient steps 1/(lambda (t+1))
			o.Forward = true
			return iterate.NewScaled(o, w)
		}
		return iterate.NewLink(o, norm, p.Lambda, s.radius, w, s.t)
	case "entropic":
		return iterate.NewEntropic(o, p.Zero()/p.Lambda, w)
	case "diagonal":
		return iterate.NewDiagonal(o, m.moments[0], m.moments[1], rarity(p), w)
	}
	if s.catalyst != nil {
		o.L2 += s.catalyst.kappa
	}
	if m.gradient == "miso" {
		o.L2 = 0 // the weights are sums over rows, which no step shrinks
	}
	if l1 > 0 {
		return iterate.NewSoft(o, w)
	}
	return iterate.NewScaled(o, w)
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

// A Walker is a run of a method that is followed step by step, for experiments.
type Walker interface {
	solver.State
	Steps(n int)           // makes n steps
	Weights(dst []float64) // writes the last iterate, d+1 numbers
	Average(dst []float64) // writes the average of the iterates that the method returns
}

var (
	_ Walker          = (*state)(nil)
	_ solver.Reporter = (*state)(nil)
)

// Steps makes n steps.
func (s *state) Steps(n int) {
	for range n {
		if !s.source.renew() {
			s.step()
		}
	}
}

// Weights writes the last iterate.
func (s *state) Weights(dst []float64) {
	s.iterate.Last(dst)
	if s.p.Bias == problem.Free {
		dst[len(dst)-1] = s.b
	}
}

// Average writes the average of the iterates.
func (s *state) Average(dst []float64) {
	if s.averaged == 0 {
		s.Weights(dst)
		return
	}
	s.iterate.Average(dst)
	if s.p.Bias == problem.Free {
		dst[len(dst)-1] = s.sumB / s.averaged
	}
}

// step makes one step and returns of how many rows it was.
func (s *state) step() int {
	s.t++
	s.draw()
	s.slopes()
	eta := s.rule.eta(s.t)
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

// draw draws the rows of a step.
func (s *state) draw() {
	n := len(s.p.Y)
	s.row = s.row[:0]
	for range min(int(s.size), n) {
		s.row = append(s.row, s.sampler.next())
	}
	if s.output == "random" && s.t*uniform(s.random) < 1 {
		s.reservoir = parts.Resized(s.reservoir, len(s.last))
		s.iterate.Last(s.reservoir)
		s.drawnB = s.b
	}
}

// slopes computes those of the rows, all at the same iterate.
func (s *state) slopes() {
	s.slope = s.slope[:0]
	for _, i := range s.row {
		prediction := s.iterate.Dot(s.p.X.Row(i)) + s.b
		g := s.p.Loss.Derivative(prediction, s.p.Y[i])
		s.duals.saw(i, g, s.t)
		g *= s.share(i)
		s.slope = append(s.slope, g)
		if s.rule.l > 0 {
			s.rule.search(s, i, prediction, g)
		}
	}
}

// share is r_i, by which the loss of a row counts in a mean over rows.
func (s *state) share(i int) float64 { return s.p.S[i] * float64(len(s.p.Y)) / s.p.N }

// estimate hands the gradient estimate to the iterate, and returns that of the bias.
func (s *state) estimate(each float64) (bias float64) {
	delayed, _ := s.iterate.(iterate.Delayed)
	turned := 0.0 // of the direction of the bias, after the step
	for k, i := range s.row {
		x := s.p.X.Row(i)
		direct, early, late := s.source.estimate(i, s.slope[k])
		direct *= each * s.sampler.weight(i)
		switch {
		case early != 0 || late != 0:
			delayed.Share(s.source.share())
			delayed.Turn(x, direct, early, late)
		case direct != 0:
			s.iterate.Add(x, direct)
		}
		bias += direct
		s.hb += early
		turned += late
	}
	if s.hb != 0 {
		bias += float64(s.source.share() * s.hb)
	}
	s.hb += turned
	return bias
}

// moveBias moves a free bias. It has no strong convexity, so that its steps never are longer
// than 1/sqrt(t) unless the estimate is exact at the optimum.
func (s *state) moveBias(eta, g float64) {
	if !s.finite() {
		if s.geometry != "euclidean" {
			eta = math.Inf(1)
		}
		eta = min(eta, 1/math.Sqrt(s.t))
	}
	s.b -= float64(eta * g)
}
