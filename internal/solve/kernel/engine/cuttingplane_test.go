package engine

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// K18: U - L comes to 1e-6, and the objective is that of SDCA up to 1e-6; U is the objective of
// the point, and L is below the optimum in every round.
func TestCuttingPlane(t *testing.T) {
	t.Parallel()
	x, y := kerneltest.Toy(400)
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}, loss.EpsilonInsensitive{Epsilon: 0.1}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature} {
			gram, err := gram.NewGram(kernel.RBF{Gamma: 0.5}, x, gram.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			p, err := problem.NewKernel(gram, y, nil, l, 0.01, bias)
			if err != nil {
				t.Fatal(err)
			}
			got := kerneltest.Run(t, CuttingPlane{}, p, solver.Options{Gap: 1e-6, Epochs: 2000})
			want := kerneltest.Run(t, SDCA{}, p, solver.Options{Gap: 1e-7, Epochs: 20000})
			c := got.Certificate
			if got.Status != solver.Converged || c.Gap() > 1e-6 || math.Abs(c.Primal-want.Certificate.Primal) > 1e-6 {
				t.Errorf("%T, %v: objective %.9g, gap %g, %s after %d planes, by SDCA %.9g", l, bias, c.Primal, c.Gap(), got.Status, got.Epochs, want.Certificate.Primal)
			}
			t.Logf("%T, %v: %d planes", l, bias, got.Epochs)
			s := CuttingPlane{Planes: 10}.Start(p, solver.Start{}).(*cuttingPlane)
			for range 60 {
				s.Epoch()
				if lower, _ := s.Bounds(); lower > want.Certificate.Primal+1e-12 {
					t.Fatalf("%T, %v: the planes are %g above the optimum", l, bias, lower-want.Certificate.Primal)
				}
			}
			_, u := s.Bounds()
			if primal := p.Certify(s.Point()).Primal; math.Abs(u-primal) > 1e-12 {
				t.Errorf("%T, %v: U is %.15g, the objective %.15g", l, bias, u, primal)
			}
		}
	}
}
