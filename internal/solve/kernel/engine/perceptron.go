package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Perceptron is the online algorithm of Rosenblatt (1958) with a kernel, and the
// ways to make one predictor of its iterates (thesis 4.3).
//
//	Problem     few mistakes on rows -1 and +1; of problem.Kernel, with bias none or
//	            feature, only these count, neither lambda nor the loss
//	Update      for the rows in random order, a new order each pass:
//	            if y_i <w,Phi(x_i)> <= 0:  w <- w + y_i Phi(x_i), a mistake
//	Bound       M <= L + |u| sqrt(L) + |u|^2 mistakes in one pass for any u, with L
//	            its sum of hinge losses, for K_ii <= 1
//	Returned    last       the last iterate
//	            average    the average of the iterates before each row
//	            sampled    one of these, all with the same probability
//	            validated  the one with the least bound on its error: the part of
//	                       the rows after it that it gets wrong, and
//	                       sqrt(log(n/0.05)/(rows after it)); in the first pass only
//	            times the factor, which no sign sees, for which the objective of the
//	            problem is least. There are no dual variables: nothing is proved.
//	Cost        one row of the matrix for a mistake; an epoch is one pass
//
// One pass is what the theory is about. More may fit too closely.
type Perceptron struct {
	Rounds int    // passes; 0: 1
	Output string // "last", "average", "sampled", "validated"; "": last
}

var _ solver.Describer = Perceptron{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "perceptron",
		Summary: "online, nothing proved; bias none or feature; passes=1 output=last|average|sampled|validated",
		Facts:   registry.Facts{Rate: "mistakes at most L + |u| sqrt L + |u|^2", Memory: "a number a row", Source: "Rosenblatt 1958; Freund, Schapire 1999"},
		New: func(p *registry.Params) (solver.Solver, error) {
			s := Perceptron{p.Int("passes", 1, 1, math.MaxInt32), p.Choice("output", "last", "average", "sampled", "validated")}
			if s.Rounds > 1 && s.Output == "validated" {
				return nil, fmt.Errorf("found passes=%d and output=validated, expected one pass: later ones see no new rows", s.Rounds)
			}
			return s, nil
		}})
}

// Traits say how many epochs a run takes, and that the bias is a feature.
func (s Perceptron) Traits() solver.Traits {
	return solver.Traits{Passes: max(1, s.Rounds), Bias: "feature"}
}

// Accepts wants targets -1 and +1 and no free bias.
func (Perceptron) Accepts(p problem.Problem) error { return onlineProblem("perceptron", p) }

// onlineProblem refuses what an online algorithm for mistakes has no use for.
func onlineProblem(name string, p problem.Problem) error {
	k, err := support.KernelProblem(p)
	if err != nil {
		return err
	}
	if _, ok := k.Loss.(loss.Margin); !ok {
		return errors.New(name + " counts mistakes: expected classes and a loss such as hinge, or another solver")
	}
	return refuseFree(name, &k.Risk)
}

// Start begins at zero, or at the weights of the warm start.
func (s Perceptron) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	var w []float64
	if start.From != nil {
		w = start.From.W
	}
	return &perceptron{p: k, seed: start.Seed, output: s.Output,
		supported: newSupported(newEngine(k.Gram, k.Constant(), w, s.Output == "average"), start),
		choice:    rand.New(rand.NewPCG(start.Seed, math.MaxUint64)), judged: -1, least: math.Inf(1)}
}

type perceptron struct {
	p *problem.Kernel
	supported
	seed     uint64
	pass     uint64
	output   string
	seen     int // rows
	mistakes int

	choice *rand.Rand // of the sampled iterate
	judged int        // the mistakes of the iterate validated last
	kept   iterate    // the one that was sampled or validated so far
	least  float64    // bound on its error
}

func (s *perceptron) Epoch() {
	order := rand.New(rand.NewPCG(s.seed, s.pass)).Perm(s.p.Len())
	for k, i := range order {
		if s.e.ended() {
			return
		}
		s.before(order[k:])
		s.e.soon = among(order[k+1:], s.wrong)
		if s.wrong(i) {
			s.e.add(i, s.p.Y[i])
			s.mistakes++
		}
		s.seen++
	}
	s.pass++
}

func (s *perceptron) wrong(i int) bool { return s.p.Y[i]*s.e.response(i) <= 0 }

// before looks at the iterate before it sees the rows that are left of a pass.
func (s *perceptron) before(left []int) {
	switch s.output {
	case "average":
		s.e.count(1)
	case "sampled": // iterate k replaces what was kept with probability 1/k
		if s.choice.IntN(s.seen+1) == 0 {
			s.kept = s.e.last()
		}
	case "validated":
		// Until the next mistake the iterate stays, and the rows that it gets right
		// on the way speak for it: it is best judged at first.
		if s.pass == 0 && s.judged != s.mistakes {
			s.judged = s.mistakes
			s.validate(left)
		}
	}
}

// validate keeps the iterate if its bound on the rows left is the least so far.
func (s *perceptron) validate(left []int) {
	wrong, rows := 0, float64(len(left))
	for _, i := range left {
		if s.wrong(i) {
			wrong++
		}
	}
	bound := float64(wrong)/rows + math.Sqrt(elementary.Log(float64(s.p.Len())/0.05)/rows)
	if bound < s.least {
		s.kept, s.least = s.e.last(), bound
	}
}

func (s *perceptron) Point() problem.Point {
	it := s.e.last()
	switch {
	case s.output == "average":
		it = s.e.average()
	case s.kept.w != nil:
		it = s.kept.clone()
	}
	it.scaleFor(s.p)
	return problem.Point{W: it.w}
}
