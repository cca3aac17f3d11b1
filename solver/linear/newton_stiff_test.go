package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// apart returns a problem with squared hinge on two clusters that a plane separates.
func apart(t *testing.T, n, d int, bias problem.Bias) *problem.Linear {
	r := rand.New(rand.NewPCG(67, 1))
	x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
		for j := range d {
			x.Value[i*d+j] = float32(0.4*y[i]*float64(j%3) + 0.5*r.NormFloat64())
		}
	}
	p, err := problem.NewLinear(problem.NewRows(x, 0), y, nil, loss.SquaredHinge{}, penalty.L2{}, 1e-7, bias)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStiff: with fewer curved rows than columns a larger lambda comes first, which takes
// a quarter of the epochs, and the answer is that for lambda, with the same bits for any
// number of threads; where many rows are curved nothing is done.
func TestStiff(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := apart(t, 6000, 200, bias)
		epochs := func(s *curved) int {
			for epoch := 1; epoch <= 60; epoch++ {
				if s.Epoch(); s.Report().Gap <= 1e-6 {
					return epoch
				}
			}
			return 61
		}
		var w []float64
		stiff := 0
		for threads := 1; threads <= 3; threads++ {
			p.Threads = threads
			s := newCurved(p, loss.SquaredHinge{}, nil)
			stiff = epochs(s)
			if !s.stiffened || s.given != nil || s.p != p {
				t.Errorf("bias %v: not with the lambda of the problem, or never with another", bias)
			}
			point := s.Point()
			if c := p.Certify(point); c.Relative() > 1e-6 {
				t.Errorf("bias %v: relative gap %g", bias, c.Relative())
			}
			if threads > 1 && !slices.Equal(w, s.w) {
				t.Errorf("bias %v: %d threads have other bits than one", bias, threads)
			}
			w = slices.Clone(s.w)
		}
		plain := newCurved(p, loss.SquaredHinge{}, nil)
		plain.stiffened, plain.short = true, stiffShort+1 // never
		if n := epochs(plain); 4*stiff > n {
			t.Errorf("bias %v: %d epochs, with one lambda %d", bias, stiff, n)
		}
		p.Lambda = 1
		s := newCurved(p, loss.SquaredHinge{}, nil)
		if epochs(s); s.stiffened {
			t.Errorf("bias %v: another lambda where all rows are curved", bias)
		}
	}
}

// TestStiffPoint: a run that is stopped on the way has a point, and no small estimate.
func TestStiffPoint(t *testing.T) {
	p := apart(t, 6000, 200, problem.None)
	s := newCurved(p, loss.SquaredHinge{}, nil)
	for s.Epoch(); s.given == nil; s.Epoch() {
		if s.Report().Gap <= 1e-3 {
			t.Fatal("no other lambda")
		}
	}
	if c, estimate := p.Certify(s.Point()), s.Report().Gap; estimate < 1 || !(c.Relative() >= 0.1) {
		t.Errorf("estimate %g, relative gap %g", estimate, c.Relative())
	}
}

// TestStiffAtRest: where no step is left for a larger lambda, the run goes on with that of
// the problem.
func TestStiffAtRest(t *testing.T) {
	p := apart(t, 600, 20, problem.None)
	s := newCurved(p, loss.SquaredHinge{}, nil)
	s.given = p
	s.weigh(1000 * p.Lambda)
	clear(s.g)
	if s.search(); s.given != nil || s.p != p || s.stuck != 0 {
		t.Errorf("lambda %g of %g, stuck %d", s.p.Lambda, p.Lambda, s.stuck)
	}
}

// TestStiffWarm: who begins near the solution goes there, not by way of larger lambdas.
func TestStiffWarm(t *testing.T) {
	p := apart(t, 6000, 200, problem.Free)
	p.Lambda = 1e-5
	s := newCurved(p, loss.SquaredHinge{}, nil)
	for s.Epoch(); s.Report().Gap > 1e-3; s.Epoch() {
	}
	from := s.Point()
	p.Lambda /= 2
	warm := newCurved(p, loss.SquaredHinge{}, &from)
	for range 3 {
		warm.Epoch()
	}
	if gap := p.Certify(warm.Point()).Relative(); !(gap <= 1e-3) {
		t.Errorf("relative gap %g after three epochs from the solution for twice the lambda", gap)
	}
}

// TestNewtonShortSteps: noisy classes, little more curved rows than columns: without a larger
// lambda on the way these need 158, more than 200, and 110 epochs.
func TestNewtonShortSteps(t *testing.T) {
	for _, c := range [][4]float64{{1000, 250, 0, 1e-5}, {1000, 250, 0, 1e-6}, {1000, 200, 2, 1e-3}} {
		n, d, spread := int(c[0]), int(c[1]), c[2]
		r := rand.New(rand.NewPCG(3, 4))
		x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
		for i := range n {
			score := 2 * r.NormFloat64()
			for j := range d {
				v := r.NormFloat64() * math.Exp(0.5*spread*r.NormFloat64()+spread*float64(j)/float64(d))
				x.Value[i*d+j] = float32(v)
				score += math.Sin(float64(j)) * v * math.Exp(-spread*float64(j)/float64(d))
			}
			y[i] = math.Copysign(1, score)
		}
		p := must(problem.NewLinear(problem.NewRows(x, 2), y, nil, loss.SquaredHinge{}, penalty.L2{}, c[3], problem.None))
		s := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-3, Epochs: 200}))
		if s.Status != solver.Converged || s.Epochs > 60 {
			t.Errorf("%v: %s at %g after %d epochs", c, s.Status, s.Certificate.Relative(), s.Epochs)
		}
	}
}
