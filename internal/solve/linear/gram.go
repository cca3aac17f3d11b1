package linear

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Gram solves the dual problem on the matrix of all inner products of rows, as the solver working
// does for kernel machines.
//
//	Problem   problem.Linear with the penalty l2 and a loss that the solver working takes, any bias
//	Update    that of working for K = X X^T: beta, the coefficients of the rows
//	Returned  w = X^T beta and the bias, which have the objective of the kernel machine
//	Cost      n times the nonzeros for K, once for all classes; then n numbers a step,
//	          whatever the number of columns. Memory: 8 n^2 bytes
//
// Source: Joachims 1999 for working sets; that n rows need no more than their inner products, Boser, Guyon,
// Vapnik 1992.
type Gram struct{}

var _ solver.Describer = Gram{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "gram", Summary: "working sets on the inner products of all rows, computed once for all classes: few rows",
		Facts: registry.Facts{Rate: "linear in the end; few rounds of many rows", Memory: "the square of the rows", Source: "Boser, Guyon, Vapnik 1992; Joachims 1999"},
		New:   func(*registry.Params) (solver.Solver, error) { return Gram{}, nil }})
}

// Accepts takes the penalty l2, every loss whose slope can be inverted, and as many rows as have
// their inner products within the default cache of kernel machines.
func (Gram) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if l1, l2, ok := penalty.Coefficients(l.Penalty); !ok || l1 != 0 || l2 != 1 {
		return errors.New("solver gram needs the penalty l2: inner products of rows say nothing of others")
	}
	if n := len(l.Y); !gram.TableFits(n, 0) {
		return fmt.Errorf("solver gram stores the inner products of all pairs of rows: found %d rows, whose %.3g GB do not fit, expected fewer, or another solver", n, float64(gram.TableBytes(n))/1e9)
	}
	return dual.TakesLoss("solver gram", l.Loss)
}

// Traits are those of working, and the memory of the inner products.
func (Gram) Traits() solver.Traits {
	t := dual.Working{}.Traits()
	t.Shared = gram.TableBytes
	return t
}

// Start computes the inner products, unless another problem of the rows has done so.
func (Gram) Start(p problem.Problem, start solver.Start) solver.State {
	s := &machine{p: p.(*problem.Linear)}
	s.begin(start)
	return s
}

type machine struct {
	p     *problem.Linear
	inner solver.Reporter // of the kernel machine; nil: there are no inner products
	last  problem.Point
	end   error // why there are none; nil: there are, or the time was over
}

// begin makes the problem of the kernel machine.
func (s *machine) begin(start solver.Start) {
	n, d := s.p.Dims()
	s.last = problem.Point{W: make([]float64, d+1), A: make([]float64, n)}
	from := start.From
	if start.From = nil; from != nil {
		s.last = *from
		if from.A != nil {
			start.From = &problem.Point{A: from.A}
		}
	}
	var all *gram.Gram
	if all, s.end = s.p.Gram(start.Over); all == nil {
		return
	}
	var k *problem.Kernel
	if k, s.end = problem.NewKernel(all, s.p.Y, s.p.S, s.p.Loss, s.p.Lambda, s.p.Bias); s.end != nil {
		return
	}
	k.StopWhen(start.Over)
	s.inner = dual.Working{}.Start(k, start).(solver.Reporter)
}

// Epoch is one round of the kernel machine.
func (s *machine) Epoch() {
	if s.inner != nil {
		s.inner.Epoch()
	}
}

// Point makes weights of the coefficients.
func (s *machine) Point() problem.Point {
	if s.inner == nil {
		return s.last
	}
	machine := s.inner.Point()
	n := len(s.p.Y)
	w, _ := s.p.Combine(machine.W[:n])
	w[len(w)-1] = machine.W[n]
	return problem.Point{W: w, A: machine.A}
}

// Report is that of the kernel machine, whose objectives are those here.
func (s *machine) Report() solver.Report {
	if s.inner == nil {
		return solver.Report{Gap: math.NaN(), End: s.end}
	}
	return s.inner.Report()
}
