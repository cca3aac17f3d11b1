package stochastic

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic/iterate"
	"github.com/fenchel-ml/fenchel/matrix"
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

	t     float64 // steps
	row   []int   // of this step
	slope []float64

	predicted, direct []float64       // of the rows of this step: predictions, and what their gradients count
	rows              []matrix.Vector // and they themselves
	size              float64         // rows of a step
	trial
	radius float64 // of the ball; infinite: none

	catalyst *catalyst

	duals      duals
	prediction []float64

	freeBias  // not in the iterate
	averaging // of the iterates
}

// trial is what the test of the size of batches knows.
type trial struct {
	seen            int     // rows since the last test
	losses, squares float64 // of them: sums of losses and of squared lengths of gradients
	before          float64 // objective at the last test
}

// freeBias is the bias where it is free: it has a value, a direction, and an average.
type freeBias struct {
	b, hb, sumB float64 // free bias, its direction, and the weighted sum of its values
	drawnB      float64
}

// averaging says which iterate is returned: the last, an average of all or of a suffix, or one drawn at random.
type averaging struct {
	averaged      float64   // sum of the weights of the average
	suffix        float64   // rows after which a suffix begins
	taken         float64   // rows
	reservoir     []float64 // the iterate that was drawn
	last, average []float64
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

var (
	_ Walker          = (*state)(nil)
	_ solver.Reporter = (*state)(nil)
)

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

// draw draws the rows of a step.
func (s *state) draw() {
	n := len(s.p.Y)
	s.row = s.row[:0]
	if p, ok := s.sampler.(*permuted); ok {
		p.distinct(min(int(s.size), n))
	}
	for range min(int(s.size), n) {
		s.row = append(s.row, s.sampler.next())
	}
	if s.output == "random" && s.t*uniform(s.random) < 1 {
		s.reservoir = parts.Resized(s.reservoir, len(s.last))
		s.iterate.Last(s.reservoir)
		s.drawnB = s.b
	}
}

// share is r_i, by which the loss of a row counts in a mean over rows.
func (s *state) share(i int) float64 { return s.p.S[i] * float64(len(s.p.Y)) / s.p.N }

// estimate hands the gradient estimate to the iterate, and returns that of the bias.
func (s *state) estimate(each float64) (bias float64) {
	if threads := s.threads(); threads != 1 {
		return s.estimateRows(each, threads)
	}
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

// estimateRows is estimate of the gradient of the rows themselves, on several cores.
func (s *state) estimateRows(each float64, threads int) (bias float64) {
	s.rows, s.direct = s.rows[:0], s.direct[:0]
	for k, i := range s.row {
		direct := s.slope[k] * float64(each*s.sampler.weight(i))
		s.rows, s.direct = append(s.rows, s.p.X.Row(i)), append(s.direct, direct)
		bias += direct
	}
	s.iterate.(iterate.Batched).AddRows(s.rows, s.direct, threads)
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

// grow makes the batches of later steps larger: by a factor, or where a test says so.
func (s *state) grow() {
	n, before := float64(len(s.p.Y)), s.size
	s.size = min(n, s.size*s.growth)
	if s.tested && s.size < n {
		s.test()
	}
	if s.size > before && s.rule.batches != nil {
		s.rule.Gamma = s.rule.fraction / s.rule.batches.of(math.Floor(s.size))
	}
}

// Batch returns how many rows the next step sees, of how many.
func (s *state) Batch() (rows, of int) { return int(min(s.size, float64(len(s.p.Y)))), len(s.p.Y) }

// test doubles the batch after a pass, twice at most, until the noise of its gradients costs no more than the pass
// gained: steps of eta end about eta tr(variance)/(4 size) above the optimum. A test of the variance against the
// gradient (Byrd, Chin, Nocedal, Wu 2012) grows too early where the problem is badly conditioned: small gradients are
// a long way from the optimum there. The objective of a pass is that of its rows before each step, with the penalty of the last.
func (s *state) test() {
	for k, i := range s.row {
		s.seen++
		s.losses += s.share(i) * s.p.Loss.Value(s.predicted[k], s.p.Y[i])
		s.squares += float64(s.slope[k]*s.slope[k]) * s.p.SquaredNorm[i]
	}
	if s.seen < len(s.p.Y) {
		return
	}
	s.iterate.Last(s.last)
	seen := float64(s.seen)
	now := s.losses/seen + float64(s.p.Lambda*s.p.Penalty.Value(s.last[:s.p.Penalised()]))
	noise, most := s.rule.Eta(s.t)*s.squares/(4*seen), min(float64(len(s.p.Y)), 4*s.size)
	for s.size < most && !(noise <= (s.before-now)*s.size) {
		s.size = min(most, 2*s.size)
	}
	s.trial = trial{before: now}
}

// duals are the weighted means of the slopes that were used on each row, step t with weight t.
type duals struct {
	start        []float64 // of the warm start; nil: none
	sum, weights []float64 // nil: not kept
}

func (d *duals) means(n int) { d.sum, d.weights = make([]float64, n), make([]float64, n) }

// saw adds a slope.
func (d *duals) saw(i int, g, t float64) {
	if d.sum != nil {
		d.sum[i] += float64(t * g)
		d.weights[i] += t
	}
}

// onBall reports whether the weights lie in a ball of the 2-norm by the problem.
func onBall(p *problem.Linear) bool {
	norm, _ := penalty.BallOf(p.Penalty)
	return norm == 2
}

// A Walker is a run of a method that is followed step by step, for experiments.
type Walker interface {
	solver.State
	Steps(n int)           // makes n steps
	Weights(dst []float64) // writes the last iterate, d+1 numbers
	Average(dst []float64) // writes the average of the iterates that the method returns
}
