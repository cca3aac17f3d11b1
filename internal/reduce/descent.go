package reduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Descent is the subgradient method on f of Algorithm 3.2 (thesis, section 2.10): a step of
// eta on the row that is farthest outside its band, until none is farther than eps. Each step
// lowers |v - w|^2 by more than eta (2 eps - eta kappa), where kappa bounds K_ii, so that
//
//	steps < |w|^2 / (eta (2 eps - eta kappa)),   |v| <= 2 |w|
//
// which for eta = eps/kappa, the default, is kappa |w|^2 / eps^2: 4 |w|^2 where eps = 1/2.
// With a free bias, chosen so that the farthest rows above and below are equally far, a step
// is one on both of these (3.7); of rows at the distance d it is at most 2 eps/d^2, which
// gives |w|^2/eps^2 steps with any kernel and half of it with values >= 0 (E16).
//
// Where the accuracy is met with vectors left, eps and eta are halved, and it goes on. As steps grow
// with the square of 1/eps, where vectors are nearly dependent without adding any, it gives up,
// with what it has, when their cost is that of many passes over all rows for each vector: see patience.
//
// Cost: n values of the kernel for each support vector, whatever the number of steps and
// outputs; n numbers for each output and step, fewer where aggressive.
type Descent struct {
	// Aggressive steps on support vectors as long as one of them is farther than eps outside,
	// and adds a row only then (section 17.1, E15).
	Aggressive bool
	Step       float64 // eta; 0: eps/kappa
	// Pool is among how many rows that are far enough outside a new one is chosen: that which
	// agrees most with what is missing, in the sum over some other rows j of the distance outside
	// times K_ij. The bounds hold whichever is taken. 0: the farthest outside.
	Pool   int
	Radius float64 // |v| is at most this (3.3), one for all outputs; 0: no bound
}

func init() {
	for _, aggressive := range []bool{true, false} {
		name, summary := "basic", "subgradients of the largest loss (thesis 3.2)"
		if aggressive {
			name, summary = "aggressive", "the same, of support vectors as long as these suffice (17.1)"
		}
		register(name, summary+"; step=X, pool=0", func(p *registry.Params) (Method, error) {
			step := p.Float("step", 0, "a number > 0, or 0 for accuracy/kappa", func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) })
			return Descent{Aggressive: aggressive, Step: step, Pool: p.Int("pool", 0, 0, 4096)}, p.Err()
		})
	}
}

// halvings is how often eps may be halved: then predictions are as good as equal.
var halvings = 12

// patience is how many passes over all rows steps may cost for each vector (of 64 more; as much as
// 2^20 numbers at least): until the accuracy is met, and of steps after that.
var patience = [2]int{1024, 64}

// Choose implements Method.
func (d Descent) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	s := newDescending(d, t, opt)
	for rounds := 0; ; rounds++ {
		done, err := s.run(ctx)
		if err != nil {
			return nil, err
		}
		if s.reached = s.reached || done; !done || opt.Support == 0 || rounds == halvings {
			break
		}
		if rounds == 0 {
			s.spent, s.shrunk, s.patience = 0, 0, patience[1]
		}
		s.eps, s.eta = s.eps/2, s.eta/2
	}
	choice := s.choice()
	if opt.Visit != nil {
		return choice, opt.Visit(choice, s.view())
	}
	return choice, nil
}

// descending is one call of Choose.
type descending struct {
	Descent
	t         *Target
	opt       Options
	eta, eps  float64
	kappa     float64
	support   []int // in the order in which they came
	place     map[int]int
	square    [][]float64 // K among the support
	functions []function
	steps     int
	spent     int // numbers that steps read and changed
	shrunk    int // steps that left the ball of the radius
	patience  int
	reached   bool
	gaveUp    string
	random    *rand.Rand // of pools
}

// function is the state of an output.
type function struct {
	Output
	free     bool      // the bias is chosen
	bias     float64   // the trained one's, where it is kept
	coef     []float64 // of the support
	near     []float64 // responses of the support, without bias, always up to date
	pending  []float64 // changes of coef that are not in response yet
	response []float64 // of all rows, without bias
	norm2    float64
}

func newDescending(d Descent, t *Target, opt Options) *descending {
	s := &descending{Descent: d, t: t, opt: opt, place: map[int]int{}, eps: opt.Accuracy, patience: patience[0], random: rand.New(rand.NewPCG(opt.Seed, 3))}
	if s.eps == 0 {
		s.eps = DefaultAccuracy
	}
	for _, o := range t.Outputs {
		f := function{Output: o, bias: o.Bias, response: make([]float64, t.Gram.Len()), free: !opt.KeepBias && o.sided()}
		for i, k := range t.Gram.Diagonal {
			if o.Lo[i] > math.Inf(-1) || o.Hi[i] < math.Inf(1) {
				s.kappa = max(s.kappa, k)
			}
		}
		s.functions = append(s.functions, f)
	}
	if s.eta = d.Step; s.eta == 0 && s.kappa > 0 {
		s.eta = s.eps / s.kappa
	}
	return s
}

// sided reports whether the band bounds from below and from above: else a bias alone would
// meet it.
func (b Band) sided() bool {
	finite := func(v float64) bool { return !math.IsInf(v, 0) }
	return slices.ContainsFunc(b.Lo, finite) && slices.ContainsFunc(b.Hi, finite)
}

// pair is where an output is farthest below its band and above, among some rows. With a bias
// that is kept the other one of the two has no row, -1.
type pair struct {
	low, high   int
	below, over float64
}

// loss is f of the output, which the best bias makes half of both.
func (p pair) loss(free bool) float64 {
	if free {
		return (p.below + p.over) / 2
	}
	return max(p.below, p.over)
}

// look adds row i with a response to what was seen.
func (p *pair) look(f *function, i int, response float64) {
	if v := f.Lo[i] - response; v > p.below {
		p.low, p.below = i, v
	}
	if v := response - f.Hi[i]; v > p.over {
		p.high, p.over = i, v
	}
}

func nothing() pair { return pair{-1, -1, math.Inf(-1), math.Inf(-1)} }

// one keeps the farther side, where the bias is kept: a step is then on one row.
func (f *function) one(p pair) pair {
	if f.free {
		return p
	}
	p.below, p.over = p.below-f.bias, p.over+f.bias
	if p.below >= p.over {
		p.high, p.over = -1, math.Inf(-1)
	} else {
		p.low, p.below = -1, math.Inf(-1)
	}
	return p
}

// all looks at all rows, of which responses must be up to date.
func (f *function) all() pair {
	p := nothing()
	for i, r := range f.response {
		p.look(f, i, r)
	}
	return f.one(p)
}

// among looks at the support.
func (s *descending) among(f *function) pair {
	p := nothing()
	for k, i := range s.support {
		p.look(f, i, f.near[k])
	}
	return f.one(p)
}

// run steps until f is at most eps, or the support is full: done tells which.
func (s *descending) run(ctx context.Context) (done bool, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		for s.Aggressive && !s.tired() && s.inside() {
			if s.steps%4096 == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
		}
		s.flush()
		s.spent += len(s.functions) * s.t.Gram.Len()
		f, p := s.farthest()
		if f == nil {
			return true, nil
		}
		if s.tired() {
			s.gaveUp = fmt.Sprintf("%d steps with %d vectors, at a loss of %.4g", s.steps, len(s.support), p.loss(f.free))
			return false, nil
		}
		if s.Aggressive {
			p = s.sparing(f, p)
		}
		if s.Pool > 0 {
			p = s.pooled(f, p)
		}
		fresh := s.fresh(p)
		if s.opt.Support > 0 && len(s.support)+len(fresh) > s.opt.Support {
			return false, nil
		}
		if len(fresh) > 0 && len(s.support) > 0 && s.opt.Visit != nil {
			if err := s.opt.Visit(s.choice(), s.view()); err != nil {
				return false, err
			}
		}
		for _, i := range fresh {
			s.add(i)
		}
		s.step(f, p)
	}
}

// tired reports whether steps have cost more than they may, or, on the way to the ball of the radius B, are more than
// 16 B^2/(eta eps): a machine of that norm without loss is found within B^2/(eta eps) of one row, 4 times as many of a pair.
func (s *descending) tired() bool {
	return float64(s.shrunk) > 16*s.Radius*s.Radius/(s.eta*s.eps)+1024 || s.spent > max(s.patience<<20, s.patience*s.t.Gram.Len()*(len(s.support)+64))
}

// inside makes a step on support vectors of the output whose are farthest outside, if that is
// farther than eps.
func (s *descending) inside() bool {
	s.spent += (len(s.functions) + 2) * len(s.support)
	best, at, worst := -1, pair{}, s.eps
	for c := range s.functions {
		f := &s.functions[c]
		if p := s.among(f); p.loss(f.free) > worst {
			best, at, worst = c, p, p.loss(f.free)
		}
	}
	if best < 0 {
		return false
	}
	s.step(&s.functions[best], at)
	return true
}

// farthest returns the output to step on, and its rows; nil where all are within eps. Of the
// rows on which several outputs would step it takes those by which all outputs together are
// outside most.
func (s *descending) farthest() (*function, pair) {
	var best *function
	at, most := pair{}, 0.0
	for c := range s.functions {
		f := &s.functions[c]
		p := f.all()
		if loss := p.loss(f.free); loss > s.eps {
			if excess := s.excess(p); best == nil || excess > most {
				best, at, most = f, p, excess
			}
		}
	}
	return best, at
}

// excess adds up how far the outputs are outside by more than eps at the rows of a pair.
func (s *descending) excess(p pair) float64 {
	total := 0.0
	for c := range s.functions {
		f := &s.functions[c]
		for _, i := range []int{p.low, p.high} {
			if i >= 0 {
				by, _ := f.off(i, f.response[i]+f.bias)
				total += max(0, by-s.eps)
			}
		}
	}
	return total
}

// sparing replaces one row of a pair by a support vector, where that is far enough outside.
func (s *descending) sparing(f *function, p pair) pair {
	if !f.free {
		return p
	}
	near := s.among(f)
	a, b := p, p
	a.low, a.below = near.low, near.below
	b.high, b.over = near.high, near.over
	switch worst := max(a.loss(true), b.loss(true)); {
	case !(worst > s.eps):
		return p
	case a.loss(true) == worst:
		return a
	}
	return b
}

// pooled replaces the new rows of a pair by better ones, if there are any.
func (s *descending) pooled(f *function, p pair) pair {
	bias := f.bias
	if f.free {
		bias = (p.below - p.over) / 2
	}
	if _, known := s.place[p.low]; p.low >= 0 && !known {
		least := s.eps + bias
		if f.free {
			least = 2*s.eps - p.over
		}
		p.low, p.below = s.better(f, p.low, 1, bias, least, func(i int) float64 { return f.Lo[i] - f.response[i] })
	}
	if _, known := s.place[p.high]; p.high >= 0 && !known {
		least := s.eps - bias
		if f.free {
			least = 2*s.eps - p.below
		}
		p.high, p.over = s.better(f, p.high, -1, bias, least, func(i int) float64 { return f.response[i] - f.Hi[i] })
	}
	return p
}

// watched is on how many rows those of a pool are judged.
var watched = 256

// better returns the row of a pool that agrees most with what is missing, of those that are off by
// more than least and by at least half as much as the farthest, and by how much it is off.
func (s *descending) better(f *function, farthest int, sign, bias, least float64, off func(i int) float64) (row int, by float64) {
	n := len(f.response)
	least = max(least, off(farthest)/2)
	pool, others := []int{farthest}, []int{}
	for tries := 0; tries < 8*s.Pool && len(pool) < s.Pool; tries++ {
		if i := s.random.IntN(n); off(i) > least && !slices.Contains(pool, i) {
			pool = append(pool, i)
		}
	}
	var missing []float64
	for tries := 0; tries < 8*watched && len(others) < watched; tries++ {
		i := s.random.IntN(n)
		if v, side := f.off(i, f.response[i]+bias); v > 0 {
			others, missing = append(others, i), append(missing, sign*side*v)
		}
	}
	all := append(slices.Clone(pool), others...)
	k := make([]float64, len(all)*len(all))
	s.t.Gram.Square(k, all)
	best, most := 0, math.Inf(-1)
	for a := range pool {
		sum := 0.0
		for b, v := range missing {
			sum += v * k[a*len(all)+len(pool)+b]
		}
		if sum > most {
			best, most = a, sum
		}
	}
	return pool[best], off(pool[best])
}

// fresh returns the rows of a pair that are not in the support.
func (s *descending) fresh(p pair) (rows []int) {
	for _, i := range []int{p.low, p.high} {
		if _, known := s.place[i]; i >= 0 && !known {
			rows = append(rows, i)
		}
	}
	return rows
}

// add makes row i a support vector with coefficient 0.
func (s *descending) add(i int) {
	row := s.t.Gram.Rows([]int{i})[0]
	own := make([]float64, 0, len(s.support)+1)
	for k, j := range s.support {
		v := row.At(j)
		own = append(own, v)
		s.square[k] = append(s.square[k], v)
	}
	s.square = append(s.square, append(own, s.t.Gram.Diagonal[i]))
	s.place[i] = len(s.support)
	s.support = append(s.support, i)
	for c := range s.functions {
		f := &s.functions[c]
		f.coef, f.pending, f.near = append(f.coef, 0), append(f.pending, 0), append(f.near, f.response[i])
	}
}

// step moves an output towards its band on the rows of a pair.
func (s *descending) step(f *function, p pair) {
	eta := s.eta
	if p.low >= 0 && p.high >= 0 {
		k, l := s.place[p.low], s.place[p.high]
		distance := s.square[k][k] + s.square[l][l] - 2*s.square[k][l]
		if most := 2 * s.eps / distance; s.Step == 0 && distance > 0 {
			eta = min(eta, most)
		}
	}
	if p.low >= 0 {
		s.move(f, s.place[p.low], eta)
	}
	if p.high >= 0 {
		s.move(f, s.place[p.high], -eta)
	}
	s.steps++
	if s.Radius > 0 && f.norm2 > s.Radius*s.Radius {
		s.shrunk++
		s.shrink(f, s.Radius/math.Sqrt(f.norm2))
	}
}

// move adds to the coefficient of support vector k.
func (s *descending) move(f *function, k int, by float64) {
	f.norm2 += by * (2*f.near[k] + by*s.square[k][k])
	f.coef[k] += by
	f.pending[k] += by
	vec.Axpy64(f.near, by, s.square[k])
}

// shrink multiplies an output.
func (s *descending) shrink(f *function, by float64) {
	s.settle(f)
	for _, numbers := range [][]float64{f.coef, f.near, f.response} {
		for k := range numbers {
			numbers[k] *= by
		}
	}
	f.norm2 *= by * by
}

// flush brings the responses of all rows up to date.
func (s *descending) flush() {
	for c := range s.functions {
		s.settle(&s.functions[c])
	}
}

func (s *descending) settle(f *function) {
	var rows []int
	var by []float64
	for k, v := range f.pending {
		if v != 0 {
			rows, by = append(rows, s.support[k]), append(by, v)
			f.pending[k] = 0
		}
	}
	s.t.Gram.Update(f.response, rows, by)
}

// bias is that of an output as it stands.
func (s *descending) biasOf(f *function) float64 {
	if !f.free {
		return f.bias
	}
	p := f.all()
	return (p.below - p.over) / 2
}

// choice returns what was found so far.
func (s *descending) choice() *Choice {
	s.flush()
	c := &Choice{Rows: s.support, Steps: s.steps, Loss: math.Inf(-1), Reached: s.reached, GaveUp: s.gaveUp, gram: s.t.Gram}
	for k := range s.functions {
		f := &s.functions[k]
		c.Coefficients = append(c.Coefficients, f.coef)
		c.Bias = append(c.Bias, s.biasOf(f))
		c.Loss = max(c.Loss, f.all().loss(f.free))
	}
	return c
}

// view returns the predictions for all rows.
func (s *descending) view() *View {
	v := &View{}
	for k := range s.functions {
		f := &s.functions[k]
		b := s.biasOf(f)
		p := slices.Clone(f.response)
		for i := range p {
			p[i] += b
		}
		v.Response = append(v.Response, p)
	}
	return v
}

// StepBound is the number of steps that theory allows a descent towards a machine of this
// squared norm: see Descent. eta is at most 2 eps/kappa.
func StepBound(norm2, kappa, eps, eta float64) float64 {
	return norm2 / (eta * (2*eps - eta*kappa))
}
