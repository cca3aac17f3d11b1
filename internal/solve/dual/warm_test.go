package dual

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// solved returns dual variables within a small gap.
func solved(t *testing.T, p *problem.Linear) problem.Point {
	s := SDCA{}.Start(p, solver.Start{Seed: 1})
	for range 400 {
		s.Epoch()
		if p.Certify(s.Point()).Relative() < 1e-4 {
			return s.Point()
		}
	}
	t.Fatal("no optimum was found: nothing is tested")
	return problem.Point{}
}

// TestBestLength: from the optimum for another lambda the start is about as good as the best of a
// hundred lengths, and u, the sums and the dual are what belongs to the dual variables.
func TestBestLength(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic{}, loss.SquaredHinge{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature} {
			p := documents(l, bias, 2)
			from := solved(t, p)
			zero, _ := p.Dual(make([]float64, len(from.A)))
			for _, fall := range []float64{1, 2, 8, 1000} {
				q := *p
				q.Lambda /= fall
				s := SDCA{}.Start(&q, solver.Start{From: &from, Growth: 10}).(*sdca)
				found, _ := q.Dual(s.a)
				best := math.Inf(-1)
				for k := range 100 {
					a := make([]float64, len(from.A))
					for i := range a {
						a[i] = from.A[i] * math.Exp2(-float64(k)/8)
					}
					d, _ := q.Dual(a)
					best = max(best, d)
				}
				if found < best-0.02*(best-zero) {
					t.Errorf("%T, %v, lambda over %g: the start has the dual %g, the best length %g", l, bias, fall, found, best)
				}
				if u, sum := parts.DualWeights(&q, make([]float64, len(s.a)), s.a); math.Abs(sum-s.sum) > 1e-9 || math.Abs(u[0]-s.u[0]) > 1e-9*math.Abs(u[0]) {
					t.Errorf("%T, %v, lambda over %g: holds u %g and sum %g, expected %g and %g", l, bias, fall, s.u[0], s.sum, u[0], sum)
				}
				if d := s.dual(); math.Abs(d-found) > 1e-9*q.Zero() {
					t.Errorf("%T, %v, lambda over %g: holds the dual %g, expected %g", l, bias, fall, d, found)
				}
				if moved := s.a[0] != from.A[0]; moved != (fall > 1) {
					t.Errorf("%T, %v, lambda over %g: dual variables moved: %v", l, bias, fall, moved)
				}
			}
		}
	}
}

// TestStartAtCorners: losses with corners begin at the dual variables as they are.
func TestStartAtCorners(t *testing.T) {
	p := documents(loss.Hinge{}, problem.None, 2)
	a := SDCA{}.Start(p, solver.Start{Seed: 1})
	a.Epoch()
	from := a.Point()
	q := *p
	q.Lambda /= 100
	s := SDCA{}.Start(&q, solver.Start{From: &from, Growth: 10}).(*sdca)
	for i := range s.a {
		if s.a[i] != from.A[i] {
			t.Fatalf("row %d begins at %g, expected %g", i, s.a[i], from.A[i])
		}
	}
}

// TestSteepLosses: with poisson and large C times the mean, where the objective passes any power of ten
// on the way, the dual never falls, and the point is never worse than zero.
func TestSteepLosses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const n, d = 300, 5
	x, y := &matrix.Dense{Rows: n, Cols: d}, make([]float64, n)
	for i := range y {
		p := 0.0
		for j := range d {
			v := random.NormFloat64()
			x.Value = append(x.Value, float32(v))
			p += v * float64(j-2) / 4
		}
		y[i] = math.Round(1e5 * math.Exp(p))
	}
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		p := must(problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Poisson{}, penalty.L2{}, 1.0/n, bias))
		s := SDCA{}.Start(p, solver.Start{Seed: 1}).(*sdca)
		last := s.dual()
		for epoch := range 300 {
			s.Epoch()
			now := s.dual()
			if now < last {
				t.Errorf("%v: epoch %d: the dual falls from %g to %g", bias, epoch, last, now)
			}
			last = now
			if primal, _ := p.Primal(s.Point().W); !(primal <= p.Zero()) {
				t.Fatalf("%v: epoch %d: the objective is %g, at zero %g", bias, epoch, primal, p.Zero())
			}
		}
	}
}
