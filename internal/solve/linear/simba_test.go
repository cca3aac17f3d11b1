package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	kerneldual "github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// slope is n random rows of d columns, classes by a noisy slope with an offset,
// and the problem with lambda of them.
func slope(n, d int, lambda float64, bias problem.Bias) *problem.Linear {
	r := rand.New(rand.NewPCG(8, uint64(n)))
	x, y := must(matrix.NewDense(n, d, make([]float32, n*d))), make([]float64, n)
	for i := range y {
		y[i] = 0.4 + 0.3*r.NormFloat64()
		for j := range d {
			v := r.NormFloat64() / math.Sqrt(float64(d))
			x.Value[i*d+j] = float32(v)
			y[i] += v * float64(1+j%3)
		}
		y[i] = math.Copysign(1, y[i])
	}
	return must(problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Hinge{}, penalty.L2{}, lambda, bias))
}

// slackOf is the problem with slack that has the optimum of p, and the maximum of
// its f.
func slackOf(p *problem.Linear) (slack *problem.LinearSlack, most float64) {
	sol := must(solver.Run(context.Background(), dual.SDCA{}, p, solver.Options{Gap: 1e-9}))
	squared := 0.0
	for _, x := range sol.Point.W[:p.Penalised()] {
		squared += x * x
	}
	norm := math.Sqrt(squared)
	nu := (sol.Certificate.Primal - p.Lambda/2*squared) / norm
	return must(problem.NewLinearSlack(p.Rows, p.Y, nu, p.Bias)), 1 / norm
}

// Averaged over runs f and G come to the maximum as sqrt(log n/T), also with a bias
// of each kind; and neither is ever on the wrong side of it (T11).
func TestSIMBA(t *testing.T) {
	const n, runs = 80, 4
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p, most := slackOf(slope(n, 6, 1.0/n, bias))
		var f, g [3]float64
		for seed := range uint64(runs) {
			s := SIMBA{}.Start(p, solver.Start{Seed: seed}).(*simba)
			for check, T := range [...]int{1 << 9, 1 << 11, 1 << 13} {
				for s.last < T || s.t < s.last {
					if s.t == s.last {
						s.round(2 * s.last)
					}
					s.step()
				}
				pt := s.Point()
				c := p.Certify(pt)
				f[check] += (most + c.Primal) / runs
				g[check] += (-c.Dual - most) / runs
				if -c.Primal > most*(1+1e-7) || -c.Dual < most*(1-1e-7) {
					t.Fatalf("%v: f %v, G %v, maximum %v", bias, -c.Primal, -c.Dual, most)
				}
			}
		}
		for check, T := range [...]float64{1 << 9, 1 << 11, 1 << 13} {
			rate := p.Longest() * math.Sqrt(math.Log(n)/T)
			if f[check] > 0.5*rate || g[check] > rate {
				t.Errorf("%v: after %g steps f is %v below the maximum and G %v above, expected %v and %v at most", bias, T, f[check], g[check], 0.5*rate, rate)
			}
		}
	}
}

// The linear solvers come to the optimum that a kernel machine with the linear
// kernel has: those of the problem with lambda within 1e-4, and SIMBA as near to its
// maximum margin as it has proved to be (T11).
func TestLinearSolversAreKernelMachines(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := slope(80, 6, 0.05, bias)
		gram := must(gram.NewGram(kernel.Linear{}, p.X, gram.Options{Double: true}))
		machine := must(problem.NewKernel(gram, p.Y, nil, p.Loss, p.Lambda, bias))
		ref := must(solver.Run(context.Background(), kerneldual.Working{}, machine, solver.Options{Gap: 1e-9}))
		optimum := ref.Certificate.Primal
		for _, c := range []struct {
			s   solver.Solver
			gap float64
		}{{dual.SDCA{}, 1e-7}, {must(New("pegasos")), 3e-4}, {newton.Newton{}, 1e-7}} {
			sol := must(solver.Run(context.Background(), c.s, p, solver.Options{Gap: c.gap, Epochs: 200000}))
			if off := math.Abs(sol.Certificate.Primal - optimum); off > 1e-4 {
				t.Errorf("%v: %T comes to %v after %d epochs, expected %v", bias, c.s, sol.Certificate.Primal, sol.Epochs, optimum)
			}
		}
		norm, mean := machine.Criteria(ref.Point.W)
		slack := must(problem.NewLinearSlack(p.Rows, p.Y, mean/norm, bias))
		sol := must(solver.Run(context.Background(), SIMBA{}, slack, solver.Options{Gap: 0.03}))
		f, g := -sol.Certificate.Primal, -sol.Certificate.Dual
		if sol.Status != solver.Converged || f > 1/norm+1e-7 || g < 1/norm-1e-7 {
			t.Errorf("%v: simba ends as %s with f %v and G %v, expected %v", bias, sol.Status, f, g, 1/norm)
		}
		w, _ := slack.Classifier(sol.Point.W)
		if value, _ := p.Primal(w); value > optimum*(1+0.05) {
			t.Errorf("%v: the objective of simba's classifier is %v, the optimum %v", bias, value, optimum)
		}
	}
}

// counted is a matrix that counts the numbers it hands out.
type counted struct {
	matrix.Matrix
	numbers int
}

func (m *counted) Row(i int) matrix.Vector {
	v := m.Matrix.Row(i)
	m.numbers += v.Nonzeros()
	return v
}

// A step sees one row and one column, n + d numbers of the n d there are (T11).
func TestSIMBAIsSublinear(t *testing.T) {
	const n, d, steps = 300, 200, 1000
	p, _ := slackOf(slope(n, d, 0.1, problem.None))
	rows := &counted{Matrix: p.X}
	p.X = rows
	s := SIMBA{}.Start(p, solver.Start{Seed: 1}).(*simba)
	rows.numbers = 0
	columns := 0
	for range steps {
		before := slices.Clone(s.q)
		s.step()
		changed := 0
		for k, q := range s.q {
			if q != before[k] {
				changed++
			}
		}
		columns += changed
	}
	if rows.numbers != steps*d || columns > steps*n || columns < steps*n/2 {
		t.Errorf("%d numbers of rows and %d of columns, expected %d and %d", rows.numbers, columns, steps*d, steps*n)
	}
	if s.columns.Cols != n || len(s.columns.Value) != n*d {
		t.Errorf("%d columns of %d numbers", s.columns.Cols, len(s.columns.Value))
	}
	if want := n * d / (n + d); s.steps != want {
		t.Errorf("an epoch is %d steps, expected %d", s.steps, want)
	}
}

// A seed gives the same bits, whatever the threads; storage changes them by
// rounding alone; rows that are all zero, one row, and no slack do no harm.
func TestSIMBARepeats(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p, _ := slackOf(slope(60, 5, 0.05, bias))
		first := must(solver.Run(context.Background(), SIMBA{}, p, solver.Options{Epochs: 500, Seed: 4}))
		for _, threads := range []int{1, 2, 8} {
			q := must(problem.NewLinearSlack(problem.NewRows(p.X, threads), p.Y, p.Nu, bias))
			again := must(solver.Run(context.Background(), SIMBA{}, q, solver.Options{Epochs: 500, Seed: 4}))
			if !near(again.Point.W, first.Point.W, 0, 0) || !near(again.Point.A, first.Point.A, 0, 0) {
				t.Errorf("%v: other bits with %d threads", bias, threads)
			}
		}
		q := must(problem.NewLinearSlack(problem.NewRows(matrix.Transpose(matrix.Transpose(p.X)), 1), p.Y, p.Nu, bias))
		if sparse := must(solver.Run(context.Background(), SIMBA{}, q, solver.Options{Epochs: 30, Seed: 4})); math.IsNaN(sparse.Certificate.Gap()) {
			t.Errorf("%v: sparse rows: %v", bias, sparse)
		}
		for name, c := range map[string]struct {
			x  *matrix.Dense
			y  []float64
			nu float64
		}{
			"zeros":    {&matrix.Dense{Rows: 4, Cols: 2, Value: make([]float32, 8)}, []float64{1, -1, 1, 1}, 0.1},
			"no slack": {&matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, -1}}, []float64{1, -1}, 0},
			"much":     {&matrix.Dense{Rows: 3, Cols: 1, Value: []float32{1, -1, 2}}, []float64{1, -1, 1}, 50},
		} {
			p := must(problem.NewLinearSlack(problem.NewRows(c.x, 1), c.y, c.nu, bias))
			sol := must(solver.Run(context.Background(), SIMBA{}, p, solver.Options{Epochs: 200, Gap: 0.05}))
			if math.IsNaN(sol.Certificate.Gap()) || math.IsInf(sol.Certificate.Gap(), 0) || sol.Certificate.Gap() < 0 {
				t.Errorf("%v, %s: f %v, G %v", bias, name, -sol.Certificate.Primal, -sol.Certificate.Dual)
			}
		}
	}
}

// pick finds the number with which the sum exceeds the goal, and none that is zero.
func TestPick(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 200 {
		x := make([]float64, 1+r.IntN(1500))
		for k := range x {
			if r.IntN(3) == 0 {
				x[k] = r.Float64()
			}
		}
		x[r.IntN(len(x))] = 1
		s := share{q: x, sums: make([]float64, pickBlocks(len(x)))}
		s.sum()
		for _, part := range []float64{0, r.Float64(), r.Float64(), 1 - 0x1p-53, 1} {
			k := pick(part*s.total, s.sums, len(x), func(k int) float64 { return x[k] })
			before := 0.0
			for _, v := range x[:k] {
				before += v
			}
			if x[k] == 0 || before > part*s.total+1e-9 || before+x[k] < part*s.total-1e-9 {
				t.Fatalf("%d numbers: picked %d, %v after a sum of %v, for %v of %v", len(x), k, x[k], before, part*s.total, s.total)
			}
		}
	}
}

// BenchmarkSIMBA shows what a step costs: for four times the numbers of a dense
// matrix about twice as much.
func BenchmarkSIMBA(b *testing.B) {
	for _, size := range []int{500, 1000, 2000, 4000} {
		b.Run(fmt.Sprintf("n=%d/d=%d", size, size), func(b *testing.B) {
			p := slope(size, size, 1, problem.None)
			q := must(problem.NewLinearSlack(p.Rows, p.Y, 0.1, problem.None))
			s := SIMBA{}.Start(q, solver.Start{Seed: 1}).(*simba)
			for b.Loop() {
				if s.t == s.last {
					s.round(2 * s.last)
				}
				s.step()
			}
		})
	}
}
