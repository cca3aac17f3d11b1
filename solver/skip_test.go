package solver

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/problem"
)

// aware is an oracle that always hopes, and knows the objectives of its points.
type aware struct {
	oracle
	worse float64 // than they are, by so much
}

func (a aware) Start(problem.Problem, Start) State { return a }

func (a aware) Report() Report {
	r := a.oracle.Report()
	r.Objectives = &Objectives{a.primal(a.epochs) + a.worse, a.dual(a.epochs), 100}
	return r
}

// TestSpared: a state that knows its objectives spares three of four looks that would miss,
// and no more; the run ends after the same epoch, with the same point.
func TestSpared(t *testing.T) {
	run := func(solver func(s *script) Solver, opt Options) (*Solution, int) {
		p := &page{}
		s := &script{
			primal: func(e int) float64 { return []float64{9, 3, 2, 1.2, 1.4, 1.3, 1.6, 1.7, 1.5, 1.4, 1.4}[min(e, 10)] },
			dual:   func(e int) float64 { return 1.15 - 1/float64(1+e) },
		}
		sol, err := Run(context.Background(), solver(s), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		return sol, p.certified
	}
	hopes := func(s *script) oracle { return oracle{s, constant(0)} }
	for gap, status := range map[float64]Status{0.15: Converged, 0.11: EpochLimit} { // 0.15: of the weights of epoch 3
		opt := Options{Gap: gap, Epochs: 9}
		blind, looks := run(func(s *script) Solver { return hopes(s) }, opt)
		knowing, few := run(func(s *script) Solver { return aware{hopes(s), 0} }, opt)
		if few > (looks+5)/2 || knowing.Epochs != blind.Epochs || knowing.Status != status || blind.Status != status {
			t.Errorf("gap %g: %s after %d epochs with %d certificates, else %s after %d with %d", gap, knowing.Status, knowing.Epochs, few, blind.Status, blind.Epochs, looks)
		}
		if a, b := knowing, blind; a.Point.W[0] != 1.2 || b.Point.W[0] != 1.2 || a.Point.A[0] != b.Point.A[0] || a.Certificate.Dual != b.Certificate.Dual || a.Certificate.Primal != 1.2 {
			t.Errorf("gap %g: %+v with %+v, else %+v with %+v", gap, a.Point, a.Certificate, b.Point, b.Certificate)
		}
	}
	wrong, _ := run(func(s *script) Solver { return aware{hopes(s), 50} }, Options{Gap: 0.3, Epochs: 20})
	if wrong.Status != Converged || wrong.Epochs > 2*(mostSkipped+1) {
		t.Errorf("objectives that are too high: %s after %d epochs", wrong.Status, wrong.Epochs)
	}
}
