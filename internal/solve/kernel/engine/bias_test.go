package engine

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Every row with a dual variable between its bounds gives the same free bias, the
// one returned. Where all are at a bound, the bias lies in the interval of the
// conditions of Karush, Kuhn and Tucker, and the gap is closed (T7).
func TestFreeBias(t *testing.T) {
	for _, c := range []struct {
		lambda float64
		free   bool
	}{{1.0 / 60, true}, {100, false}} {
		p := kerneltest.Machine(t, 60, c.lambda, problem.Free)
		if !c.free { // as many rows of either class leave no rest to be balanced
			for i := range p.Y {
				p.Y[i] = float64(1 - 2*(i%2))
			}
		}
		sol, err := solver.Run(context.Background(), dual.SMO{}, p, solver.Options{Gap: 1e-9})
		if err != nil || sol.Status != solver.Converged {
			t.Fatal(sol, err)
		}
		e := newEngine(p.Gram, 0, sol.Point.W, false)
		b, free := sol.Point.W[60], 0
		lo, hi := math.Inf(-1), math.Inf(1)
		for i, y := range p.Y {
			at := y - e.response(i) // the bias that puts the row on its margin
			x := -y * sol.Point.A[i]
			if x > 1e-6 && x < 1-1e-6 {
				free++
				if math.Abs(at-b) > 1e-6 {
					t.Errorf("lambda %g: row %d gives the bias %v, expected %v", c.lambda, i, at, b)
				}
			}
			if grows := y > 0 && x < 1 || y < 0 && x > 0; grows {
				lo = max(lo, at)
			} else {
				hi = min(hi, at)
			}
		}
		if c.free != (free > 0) || b < lo-1e-6 || b > hi+1e-6 {
			t.Errorf("lambda %g: %d free rows, bias %v, expected one in [%v, %v]", c.lambda, free, b, lo, hi)
		}
	}
}
