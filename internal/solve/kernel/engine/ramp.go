package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Ramp minimises the ramp loss, which gives up on rows far on the wrong side, by
// the concave-convex procedure (Collobert, Sinz, Weston, Bottou 2006; thesis 18).
//
//	Problem     lambda/2 |w|^2 + (1/N) sum_i s_i min(1-z, max(0, 1 - c_i)) over w, with
//	            c_i = y_i <w,Phi(x_i)> and the z < 1 of loss.Truncated; not convex
//	Round       f_i = 1 where c_i < z, else 0; the concave part of the loss is
//	            replaced by its tangent f_i c_i, which leaves the convex problem
//	              (1/N) sum_i s_i (max(0, 1 - c_i) + f_i c_i) + lambda/2 |w|^2
//	            with the dual variables b_i in [-f_i, 1-f_i], w = sum_i s_i b_i y_i
//	            Phi(x_i)/(lambda N). The first round is the support vector machine.
//	Update      b_i <- b_i + (1 - c_i)/q_i, clipped; q_i = s_i K_ii/(lambda N): one
//	            coordinate in a random order, as SDCA
//	            A round ends when its relative gap is 1e-3 and its objective is not
//	            above that of its beginning, so that the objective of the problem
//	            falls from round to round; the last one when no f_i changes.
//	Returned    what the last round that ended has found, often with fewer support vectors
//	            than that of the hinge: a stationary point, about which nothing else is
//	            proved. A warning says if no round ended.
//	Cost        one row of the matrix for a step that moves; an epoch is n steps
type Ramp struct {
	Epochs int // at most; 0: 100
}

var _ solver.Describer = Ramp{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "ramp",
		Summary: "loss ramp:z=-1 by the concave-convex procedure, nothing proved; bias none or feature; passes=100",
		Facts:   registry.Facts{Rate: "a convex problem a round, which need not end at the best", Memory: "two numbers a row", Source: "Collobert, Sinz, Weston, Bottou 2006"},
		New: func(p *registry.Params) (solver.Solver, error) {
			return Ramp{p.Int("passes", 100, 1, math.MaxInt32)}, nil
		}})
}

// Traits say how many epochs a run takes, and that it is for the loss ramp with a bias that is
// a feature.
func (s Ramp) Traits() solver.Traits {
	return solver.Traits{Passes: cmp.Or(s.Epochs, 100), Loss: "ramp", Bias: "feature"}
}

// Accepts wants the ramp and no free bias.
func (Ramp) Accepts(p problem.Problem) error {
	k, ok := p.(*problem.Kernel)
	if !ok {
		return support.OtherKind("ramp", "lambda or C", p)
	}
	if _, ok := k.Loss.(loss.Ramped); !ok {
		return errors.New("ramp minimises a loss of its own: expected the loss ramp, or another solver")
	}
	return refuseFree("ramp", &k.Risk)
}

// Start begins at zero.
func (s Ramp) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	return &ramp{p: k, z: k.Loss.(loss.Ramped).FlatBelow(), seed: start.Seed, supported: newSupported(newEngine(k.Gram, k.Constant(), nil, false), start),
		b: make([]float64, k.Len()), far: make([]float64, k.Len()), begin: math.Inf(1)}
}

type ramp struct {
	p *problem.Kernel
	supported
	z     float64
	seed  uint64
	epoch uint64
	b     []float64 // dual variables of the round
	far   []float64 // f: 1 for rows that were below z when the round began
	begin float64   // objective of the round then
	round int
	done  bool
	kept  []float64 // the result of the last round that ended
}

func (s *ramp) Epoch() {
	if s.done {
		return
	}
	order := rand.New(rand.NewPCG(s.seed, s.epoch)).Perm(s.p.Len())
	for k, i := range order {
		if s.e.ended() {
			return
		}
		s.e.soon = among(order[k+1:], func(i int) bool { return s.best(i) != s.b[i] })
		s.move(i, s.best(i))
	}
	s.epoch++
	if value, gap := s.surrogate(); gap <= 1e-3*math.Abs(value) && value <= s.begin {
		s.kept = s.weights()
		s.done = !s.next()
	}
}

// best returns the maximum of the dual along variable i.
func (s *ramp) best(i int) float64 {
	scale, y := s.p.S[i]/(s.p.Lambda*s.p.N), s.p.Y[i]
	q, short := scale*(s.p.Diagonal[i]+s.p.Constant()), 1-y*s.e.response(i)
	after := s.b[i] + short/q
	if !(q > 0) {
		after = math.Copysign(math.Inf(1), short)
	}
	return min(max(after, -s.far[i]), 1-s.far[i])
}

// move sets dual variable i.
func (s *ramp) move(i int, after float64) {
	if delta := after - s.b[i]; delta != 0 {
		s.b[i] = after
		s.e.add(i, float64(s.p.S[i]/(s.p.Lambda*s.p.N)*delta)*s.p.Y[i])
	}
}

// surrogate returns the objective of the round and its gap.
func (s *ramp) surrogate() (value, gap float64) {
	var primal, dual vec.Sum
	for i, y := range s.p.Y {
		c := y * s.e.response(i)
		primal.Add(s.p.S[i] * (max(0, 1-c) + float64(s.far[i]*c)))
		dual.Add(s.p.S[i] * (s.b[i] + s.far[i]))
	}
	penalty := s.p.Lambda / 2 * s.e.squared
	value = primal.Value()/s.p.N + penalty
	return value, value - (dual.Value()/s.p.N - penalty)
}

// next begins a round, and reports whether it differs from the last one.
func (s *ramp) next() (changed bool) {
	far := make([]float64, len(s.far))
	for i, y := range s.p.Y {
		if y*s.e.response(i) < s.z {
			far[i] = 1
		}
		changed = changed || far[i] != s.far[i]
	}
	if !changed {
		return false
	}
	s.far = far
	s.round++
	s.begin, _ = s.surrogate() // of the w so far, whatever its b
	for i, b := range s.b {
		if s.e.ended() {
			return true
		}
		s.move(i, min(max(b, -far[i]), 1-far[i]))
	}
	return true
}

func (s *ramp) Point() problem.Point {
	if s.kept == nil {
		return problem.Point{W: s.weights()}
	}
	return problem.Point{W: slices.Clone(s.kept)}
}

// Report warns if no round has ended.
func (s *ramp) Report() solver.Report {
	r := solver.Report{Gap: math.NaN()}
	if s.kept == nil {
		r.Warnings = []error{fmt.Errorf("ramp: no round was finished (passes made: %d), and the model solves none: expected more, such as 'solver=ramp:passes=1000'", s.epoch)}
	}
	return r
}

// weights returns the point that belongs to the dual variables, with exact zeros.
func (s *ramp) weights() []float64 {
	n := len(s.b)
	w := make([]float64, n+1)
	for i, b := range s.b {
		w[i] = float64(s.p.S[i]/(s.p.Lambda*s.p.N)*b) * s.p.Y[i]
		w[n] += float64(s.p.Constant() * w[i])
	}
	return w
}
