package engine

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	_ "github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The count form is the explicit one, which shrinks and adds; coefficients
// times lambda T are whole numbers; and the bound of the thesis holds at every
// step (T2).
func TestPegasos(t *testing.T) {
	p := kerneltest.Machine(t, 200, 1.0/200, problem.None)
	best := kerneltest.Optimum(t, p).Certificate.Dual
	s := Pegasos{}.Start(p, solver.Start{Seed: 5}).(*descent)
	twin := newEngine(p.Gram, 0, nil, true)
	draws := newDraws(&p.Risk, 5)
	for k := range 5000 {
		i, T := draws.next(), float64(k+1)
		eta := 1 / (p.Lambda * T)
		violated := p.Y[i]*twin.response(i) < 1
		twin.multiply(1 - eta*p.Lambda)
		if violated {
			twin.add(i, eta*p.Y[i])
		}
		twin.count(1)
		s.step(i)
		if value := s.value(s.e.last()); T > 1 && value-best >= 84*math.Log(T)/(p.Lambda*T) {
			t.Fatalf("step %g: %g above the optimum", T, value-best)
		}
	}
	for name, c := range map[string][2][]float64{"last": {s.e.last().w, twin.last().w}, "average": {s.e.average().w, twin.average().w}} {
		for j := range c[0] {
			if math.Abs(c[0][j]-c[1][j]) > 1e-10 {
				t.Errorf("%s: coefficient %d is %g counted and %g explicitly", name, j, c[0][j], c[1][j])
			}
		}
	}
	before, rows := p.Counts().Requested, counted(s)
	for range 475 { // 100000 steps altogether
		s.Epoch()
		s.Point() // which must not disturb the counts
		if value := s.value(s.e.last()); value-best >= 84*math.Log(s.t)/(p.Lambda*s.t) {
			t.Fatalf("step %g: %g above the optimum", s.t, value-best)
		}
	}
	if n := p.Counts().Requested - before; float64(n) != 200*(counted(s)-rows) {
		t.Errorf("%d evaluations, expected one row for each violation", n)
	}
	for j, x := range s.e.last().w {
		if count := x * p.Lambda * s.t; math.Abs(count-math.Round(count)) > 1e-9 {
			t.Fatalf("coefficient %d is %g/(lambda T), expected a whole number", j, count)
		}
	}
	for _, output := range []string{"last", "average", "better"} {
		s.output = output
		if c := p.Certify(s.Point()); c.Primal-best > 0.005 || c.Gap() > 0.02 {
			t.Errorf("%s: %g above the optimum, gap %g", output, c.Primal-best, c.Gap())
		}
	}
}

// counted is the number of violations so far: the size of all counts.
func counted(s *descent) (n float64) {
	for _, x := range s.e.coefficients {
		n += math.Abs(x)
	}
	return n
}

// Pegasos in explicit features, random Fourier features of the Gaussian, comes to
// the optimum of the kernel machine as the features become more (T2, T10).
func TestPegasosThroughFourier(t *testing.T) {
	p := kerneltest.Machine(t, 200, 1.0/50, problem.None)
	best := kerneltest.Optimum(t, p).Certificate.Primal
	pegasos, err := solver.Linear.New("pegasos")
	if err != nil {
		t.Fatal(err)
	}
	var off [2]float64
	for k, pairs := range [...]int{8, 1024} {
		for seed := range uint64(4) {
			f, err := featuremap.NewFourier(p.Kernel, 2, pairs, seed)
			if err != nil {
				t.Fatal(err)
			}
			x, err := featuremap.Images(t.Context(), f, p.X, 0)
			if err != nil {
				t.Fatal(err)
			}
			q, err := problem.NewLinear(problem.NewRows(x, 1), p.Y, nil, p.Loss, penalty.L2{}, p.Lambda, problem.None)
			if err != nil {
				t.Fatal(err)
			}
			sol, err := solver.Run(context.Background(), pegasos, q, solver.Options{Gap: 0.01, Epochs: 300})
			if err != nil {
				t.Fatal(err)
			}
			off[k] += math.Abs(sol.Certificate.Primal-best) / 4
		}
	}
	if off[0] < 0.02 || off[1] > 0.02 {
		t.Errorf("8 pairs are %v from the optimum %v of the kernel machine, 1024 pairs %v", off[0], best, off[1])
	}
}

// TestPegasosLast: output=last is the iterate of the end, also where an earlier one was better (T2).
func TestPegasosLast(t *testing.T) {
	t.Parallel()
	p := kerneltest.Machine(t, 60, 1.0/60, problem.None)
	worse := false
	for _, output := range []string{"last", "average"} {
		for epochs := 1; epochs <= 8; epochs++ {
			g, least := Pegasos{Output: output}, math.Inf(1)
			state := g.Start(p, solver.Start{Seed: 3})
			for range epochs {
				state.Epoch()
				value := p.Certify(state.Point()).Primal
				least = min(least, value)
			}
			end := p.Certify(state.Point()).Primal
			sol := kerneltest.Run(t, g, p, solver.Options{Gap: 1e-12, Epochs: epochs, Seed: 3})
			if found := p.Certify(sol.Point).Primal; math.Abs(found-end) > 1e-12 {
				t.Errorf("output=%s: objective %v after %d epochs, expected that of the end, %v", output, found, epochs, end)
			}
			worse = worse || end > least
		}
	}
	if !worse {
		t.Error("the end was never worse than a point before it: nothing is shown")
	}
}
