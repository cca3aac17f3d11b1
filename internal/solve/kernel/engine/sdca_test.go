package engine

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// No step lowers the dual objective, none leaves the box, each takes one row if
// it moves and none if it does not; and the gap closes (T3).
func TestSDCA(t *testing.T) {
	p := kerneltest.Machine(t, 100, 1.0/100, problem.None)
	s := SDCA{}.Start(p, solver.Start{Seed: 1}).(*sdca)
	dual := func() float64 {
		sum := -p.Lambda / 2 * s.e.squared
		for i, a := range s.a {
			sum -= p.Loss.Conjugate(a, p.Y[i]) / p.N
		}
		return sum
	}
	last := dual()
	for k := range 3000 {
		i, before := k*37%100, p.Counts().Requested
		a := s.a[i]
		s.step(i)
		if asked := p.Counts().Requested - before; asked != 0 && s.a[i] == a || asked != 100 && s.a[i] != a {
			t.Fatalf("step %d: %d evaluations", k, asked)
		}
		if b := -p.Y[i] * s.a[i]; b < 0 || b > 1 {
			t.Fatalf("step %d: dual variable %v left the box", k, s.a[i])
		}
		if now := dual(); now < last-1e-14 {
			t.Fatalf("step %d: the dual fell to %v from %v", k, now, last)
		} else {
			last = now
		}
	}
	for range 1000 {
		s.Epoch()
	}
	if c := p.Certify(s.Point()); c.Gap() > 1e-6 {
		t.Errorf("gap %g", c.Gap())
	}
}
