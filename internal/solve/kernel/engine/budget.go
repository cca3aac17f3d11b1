package engine

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// RBP is the randomised budget perceptron (Cavallanti, Cesa-Bianchi, Gentile
// 2007): the perceptron with a bound on the support.
//
//	Problem     that of Perceptron
//	Constraint  at most B coefficients are not zero
//	Update      for the rows in random order, a new order each pass, if
//	            y_i <w,Phi(x_i)> <= 0:  with B support vectors, none of them row i, drop
//	            one at random;  w <- w + y_i Phi(x_i)
//	Returned    the last iterate, at the factor of least objective as that of
//	            Perceptron. There are no dual variables: nothing is proved.
//	Cost        one row of the matrix for a mistake, and one for a row dropped
type RBP struct{ Budget, Rounds int } // 0: 100, and 1

// Forgetron is the perceptron that forgets the oldest (Dekel, Shalev-Shwartz,
// Singer 2008).
//
//	Problem     that of Perceptron, for K_ii <= 1
//	Constraint  at most B coefficients are not zero
//	Update      a mistake adds y_i Phi(x_i). If there are more than B support vectors
//	            then, w <- phi w, and the oldest, row r of weight s, is dropped, with
//	            the largest phi in (0,1] for which
//	              Q + (s phi)^2 + 2 s phi (1 - phi y_r <w,Phi(x_r)>) <= (15/32) M
//	            M mistakes so far; Q the sum of these terms for the rows dropped before
//	Returned, cost as RBP
type Forgetron struct{ Budget, Rounds int } // 0: 100, and 1

var (
	_ solver.Describer = RBP{}
	_ solver.Describer = Forgetron{}
)

func init() {
	const parameters = "online with bounded support, nothing proved; bias none or feature; budget=100 passes=1"
	read := func(p *registry.Params) (budget, rounds int) {
		return p.Int("budget", 100, 1, math.MaxInt32), p.Int("passes", 1, 1, math.MaxInt32)
	}
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "rbp", Summary: "perceptron that drops support vectors at random; " + parameters,
		Facts: registry.Facts{Rate: "as perceptron, for a bound on the norm that the budget sets", Memory: "the vectors of the budget", Source: "Cavallanti, Cesa-Bianchi, Gentile 2007"},
		New:   func(p *registry.Params) (solver.Solver, error) { b, r := read(p); return RBP{b, r}, nil }})
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "forgetron", Summary: "perceptron that forgets the oldest support vectors; " + parameters,
		Facts: registry.Facts{Rate: "mistakes at most 4 times the loss of a bounded norm", Memory: "the vectors of the budget", Source: "Dekel, Shalev-Shwartz, Singer 2008"},
		New:   func(p *registry.Params) (solver.Solver, error) { b, r := read(p); return Forgetron{b, r}, nil }})
}

// Traits are those of [Perceptron].
func (s RBP) Traits() solver.Traits { return Perceptron{Rounds: s.Rounds}.Traits() }

// Accepts wants targets -1 and +1 and no free bias.
func (RBP) Accepts(p problem.Problem) error { return onlineProblem("rbp", p) }

// Traits are those of [Perceptron].
func (s Forgetron) Traits() solver.Traits { return Perceptron{Rounds: s.Rounds}.Traits() }

// Accepts wants targets -1 and +1 and no free bias.
func (Forgetron) Accepts(p problem.Problem) error { return onlineProblem("forgetron", p) }

// Start begins at zero.
func (s RBP) Start(p problem.Problem, start solver.Start) solver.State {
	b := newBudgeted(p.(*problem.Kernel), s.Budget, start)
	b.room = b.dropAny
	return b
}

// Start begins at zero.
func (s Forgetron) Start(p problem.Problem, start solver.Start) solver.State {
	b := newBudgeted(p.(*problem.Kernel), s.Budget, start)
	b.after = b.dropOldest
	return b
}

// budgeted is a perceptron with a bound on its support.
type budgeted struct {
	p *problem.Kernel
	supported
	seed        uint64
	pass        uint64
	budget      int
	support     []int  // oldest first
	room, after func() // before and after a new support vector is added; nil: nothing
	choice      *rand.Rand
	mistakes    int
	cost        float64 // Q
}

func newBudgeted(p *problem.Kernel, budget int, start solver.Start) *budgeted {
	if budget == 0 {
		budget = 100
	}
	s := &budgeted{p: p, supported: newSupported(newEngine(p.Gram, p.Constant(), nil, false), start), seed: start.Seed, budget: budget,
		choice: rand.New(rand.NewPCG(start.Seed, math.MaxUint64))}
	s.Rows = func() (all, spared int) { return len(s.support), len(s.support) }
	return s
}

func (s *budgeted) Epoch() {
	order := rand.New(rand.NewPCG(s.seed, s.pass)).Perm(s.p.Len())
	for k, i := range order {
		if s.e.ended() {
			return
		}
		s.e.soon = among(order[k+1:], s.wrong)
		if s.wrong(i) {
			s.learn(i)
		}
	}
	s.pass++
}

func (s *budgeted) wrong(i int) bool { return s.p.Y[i]*s.e.response(i) <= 0 }

// learn adds row i, which was a mistake.
func (s *budgeted) learn(i int) {
	s.mistakes++
	if s.e.coefficients[i] != 0 {
		s.e.add(i, s.p.Y[i])
		return
	}
	if s.room != nil {
		s.room()
	}
	s.e.add(i, s.p.Y[i])
	s.support = append(s.support, i)
	if s.after != nil {
		s.after()
	}
}

// drop removes the support vector at that place.
func (s *budgeted) drop(at int) {
	i := s.support[at]
	s.e.addStored(i, -s.e.coefficients[i])
	s.support = slices.Delete(s.support, at, at+1)
}

// dropAny makes room by chance.
func (s *budgeted) dropAny() {
	if len(s.support) == s.budget {
		s.drop(s.choice.IntN(len(s.support)))
	}
}

// dropOldest shrinks all and removes the oldest where there is one too many.
func (s *budgeted) dropOldest() {
	if len(s.support) <= s.budget {
		return
	}
	r := s.support[0]
	y := s.p.Y[r]
	weight, margin := y*s.e.coefficients[r]*s.e.scale, y*s.e.response(r)
	phi := shrinkage(weight, margin, float64(15.0/32*float64(s.mistakes))-s.cost)
	s.cost += damage(weight, margin, phi)
	s.e.multiply(phi)
	s.drop(0)
}

// damage is what it costs to drop a row of that weight and margin after all
// was multiplied by phi.
func damage(weight, margin, phi float64) float64 {
	left := float64(weight * phi)
	return float64(left*left) + float64(2*left*(1-float64(phi*margin)))
}

// shrinkage returns the largest phi in (0,1] whose damage is within the
// allowance, which is positive. The damage is a phi^2 + 2 s phi.
func shrinkage(weight, margin, allowance float64) float64 {
	if damage(weight, margin, 1) <= allowance {
		return 1
	}
	weight = float64(weight)
	a := float64(weight*weight) - float64(2*weight*margin)
	root := math.Sqrt(max(0, float64(weight*weight)+float64(a*allowance)))
	return min(1, allowance/(weight+root))
}

func (s *budgeted) Point() problem.Point {
	it := s.e.last()
	it.scaleFor(s.p)
	return problem.Point{W: it.w}
}
