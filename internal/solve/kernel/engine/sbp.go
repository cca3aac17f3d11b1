package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// SBP is the stochastic batch perceptron (Cotter, Shalev-Shwartz, Srebro 2012;
// thesis chapter 2, algorithm 2.3), without bias, with one that is a feature, and
// with a free one (2.11).
//
//	Problem     problem.Slack: maximise f(w) in the unit ball
//	Symbols     t step, c_i = y_i <w,Phi(x_i)>, kappa = max K_ii
//	            p the uniform distribution on the rows under water, see water.Filling;
//	            with a free bias on equally many of each class
//	Update      w <- w + eta y_i Phi(x_i), i drawn from p, eta = 1/sqrt(kappa t)
//	            w <- w min(1, 1/|w|)
//	Returned    the average of the iterates; its own f or that of its direction,
//	            whichever is more; and the average of the p, step t with weight t,
//	            which as dual variables prove how far f can be from the maximum
//	Cost        one row of the matrix and O(n) besides; an epoch is n
//	            draws
//
// After T steps f is expected to be 3/sqrt(T) below the maximum at most, for
// kappa = 1.
//
// Extensions, none of them in the thesis:
//
//	lambda      problem.Kernel with the hinge: under water are the k rows that fall
//	            short of the margin 1 at the scale of w, and with the bias if that is
//	            free, for which the objective is least, and nu is what comes of it.
//	            w <- (1 - 1/t) w + k/(n lambda t) y_i Phi(x_i), the step of Pegasos for
//	            rows drawn among these only: it comes to the optimum as 1/T, where one
//	            of length 1/sqrt(t) on the sphere would as 1/sqrt(T): on 300 points of
//	            the plane with lambda = 1/300 to a gap of 0.1 % in 300 epochs, not 0.8 %.
//	            Returned is the average, step t with weight t, at its best scale; dual
//	            variables are how often each row was under water.
//	batch=M     the mean of M draws instead of one: M rows of the matrix, computed
//	            together; with 8 an epoch gains as much, and takes a sixth of the time
//	            where the rows are kept: what a step does besides is most of it then
//	output=     weighted: an average in which step t has the weight t; last: none
type SBP struct {
	Batch  int    // draws in a step; 0: 1
	Output string // "average", "weighted", "last"; "": average
}

var _ solver.Solver = SBP{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "sbp",
		Summary: "stochastic batch perceptron: hinge, problems with slack or lambda; batch=1 output=average|weighted|last",
		Facts:   registry.Facts{Rate: "1/sqrt t in steps, each of which sees all rows", Memory: "two numbers a row", Source: "Cotter, Shalev-Shwartz, Srebro 2012"},
		New: func(p *registry.Params) (solver.Solver, error) {
			return SBP{p.Int("batch", 1, 1, 4096), p.Choice("output", "average", "weighted", "last")}, nil
		}})
}

// Accepts wants the hinge on rows without weights, of both classes.
func (SBP) Accepts(p problem.Problem) error {
	switch p := p.(type) {
	case *problem.Slack:
		if p.Weighted() {
			return errors.New("sbp samples rows that count alike: found weights, expected none, or the solver root")
		}
		return nil
	case *problem.Kernel:
		if !loss.IsHinge(p.Loss) {
			return fmt.Errorf("sbp maximises a margin: expected the loss hinge, or another solver")
		}
		if slices.Min(p.S) != 1 || slices.Max(p.S) != 1 {
			return errors.New("sbp draws rows without weights: expected all row weights to be 1, or another solver")
		}
		if p.Bias == problem.Free && slices.Min(p.Y) == slices.Max(p.Y) {
			return errors.New("sbp with a free bias needs rows of both classes")
		}
		return nil
	}
	return support.OtherKind("sbp", "a bound on the slack, lambda or C", p)
}

// Start begins at zero, or at the weights of the warm start as if after one epoch.
func (b SBP) Start(p problem.Problem, start solver.Start) solver.State {
	s := &sbp{batch: max(1, b.Batch), output: b.Output, random: rand.New(rand.NewPCG(start.Seed, 0))}
	var gram *gram.Gram
	switch p := p.(type) {
	case *problem.Slack:
		s.slack, s.risk, gram = p, &p.Risk, p.Gram
	case *problem.Kernel:
		s.machine, s.risk, gram = p, &p.Risk, p.Gram
	}
	n := gram.Len()
	var w []float64
	if from := start.From; from != nil && from.W != nil {
		s.t, w = float64(n), from.W
	}
	s.supported = newSupported(newEngine(gram, s.risk.Constant(), w, true), start)
	s.Rows = s.support
	if s.machine != nil {
		s.e.multiply(s.machine.Lambda * s.t)
		s.e.flatten()
		s.e.rescale(1 / (s.machine.Lambda * max(s.t, 1)))
	} else {
		s.e.project(1)
		s.eta = 1 / support.Longest(gram, s.risk.Constant())
	}
	s.margins, s.share = make([]float64, n), make([]float64, n)
	s.cast = newCast(s.risk, s.random)
	s.e.soon = s.cast.soon
	return s
}

type sbp struct {
	slack   *problem.Slack  // either
	machine *problem.Kernel // or
	risk    *problem.Risk
	supported
	water  water.Filling
	random *rand.Rand
	batch  int
	output string

	t, eta  float64   // steps taken; with nu the length of the first one
	margins []float64 // y_i r_i
	share   []float64 // sum of the p, or of the rows under water
	total   float64   // sum of the weights of that
	cast    cast
	drawn   []int
	delta   []float64
}

func (s *sbp) Epoch() {
	for range max(1, len(s.risk.Y)/s.batch) {
		if s.e.limit.Reached() { // a step costs a pass over all rows
			return
		}
		s.step()
	}
}

func (s *sbp) step() {
	s.t++
	s.e.margins(s.margins, s.risk.Y)
	s.fill()
	if s.slack != nil {
		s.draw(s.eta / math.Sqrt(s.t))
		s.e.addAll(s.drawn, s.delta)
		s.e.project(1)
	} else {
		shrunk := 1 / (s.risk.Lambda * s.t)
		s.e.rescale(shrunk)
		s.draw((s.cast.covered[0] + s.cast.covered[1]) / s.risk.N * shrunk)
		s.e.addAll(s.drawn, s.delta)
	}
	if s.slack != nil && s.output != "weighted" {
		s.e.count(1)
	} else {
		s.e.count(s.t)
	}
}

// fill finds the rows under water, and adds p to its sum; with lambda a row counts
// in full if it is short of its margin, as a subgradient of the hinge does.
func (s *sbp) fill() {
	a := s.risk.N * s.risk.Lambda * s.e.squared
	if s.slack != nil {
		s.slack.Level(&s.water, s.margins)
	} else {
		var y []float64
		if s.risk.Bias == problem.Free {
			y = s.risk.Y
		}
		s.water.Scale(s.margins, y, a)
	}
	s.cast.cover(&s.water)
	if s.machine != nil {
		s.cast.trim(s.margins, a)
	}
	weight := s.t
	s.total += s.t
	if s.slack != nil {
		weight /= s.cast.covered[0] + s.cast.covered[1]
	}
	for _, under := range s.cast.under {
		for _, i := range under {
			s.share[i] += float64(weight * s.cast.part[i])
		}
	}
}

// draw draws the rows of a step; a row drawn twice counts double.
func (s *sbp) draw(eta float64) {
	s.drawn, s.delta = s.drawn[:0], s.delta[:0]
	each := eta / float64(s.batch)
	for range s.batch {
		i := s.cast.draw()
		step := float64(each * s.risk.Y[i])
		if k := slices.Index(s.drawn, i); k >= 0 {
			s.delta[k] += step
			continue
		}
		s.drawn, s.delta = append(s.drawn, i), append(s.delta, step)
	}
}

// support counts the rows of the coefficients, and of the dual variables: any row may have
// been under water.
func (s *sbp) support() (all, spared int) { return s.e.moved + len(s.share), 2 * s.e.moved }

// Point leaves, where rows are to be spared, dual variables out of rows that were never drawn,
// and makes less of the scale.
func (s *sbp) Point() problem.Point {
	it := s.e.last()
	if s.output != "last" {
		it = s.e.average()
	}
	switch {
	case s.slack != nil:
		s.widen(&it)
	case s.Spare:
		it.scaleIn(s.machine, 16)
	default:
		it.scaleFor(s.machine)
	}
	return problem.Point{W: it.w, A: s.dual()}
}

// dual returns a_i = -y_i p_i, or with lambda how often row i was under water.
func (s *sbp) dual() []float64 {
	if s.total == 0 {
		return nil
	}
	a := make([]float64, len(s.share))
	for i, x := range s.share {
		if s.Spare && !s.e.used[i] {
			continue
		}
		a[i] = -s.risk.Y[i] * (x / s.total)
	}
	return a
}

// widen moves the iterate out to the sphere if it is better there, and sets its
// bias.
func (s *sbp) widen(it *iterate) {
	level, bias := s.level(it.responses, 1)
	if it.squared > 0 {
		out := 1 / math.Sqrt(it.squared)
		if wide, wideBias := s.level(it.responses, out); wide > level {
			bias = wideBias
			it.multiply(out)
		}
	}
	if s.risk.Bias == problem.Free {
		it.w[len(it.w)-1] = bias
	}
}

// level returns f and the bias for responses times scale.
func (s *sbp) level(responses []float64, scale float64) (level, bias float64) {
	for i, r := range responses {
		s.margins[i] = float64(scale*r) * s.risk.Y[i]
	}
	return s.slack.Level(&s.water, s.margins)
}
