package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// plainPegasos is Pegasos on dense vectors, step by step as its paper has it.
type plainPegasos struct {
	p           *problem.Linear
	w, sum      []float64 // d+1 numbers; the last is the bias if that is a feature
	b, sumB     float64
	t, total, r float64
}

func (s *plainPegasos) step(i int) {
	s.t++
	n, d := s.p.Dims()
	x := slices.Clone(s.w)
	clear(x)
	s.p.X.Row(i).AddTo(x, 1)
	x[d] = s.p.Constant()
	prediction := s.b
	for j, v := range x {
		prediction += s.w[j] * v
	}
	g := s.p.S[i] * float64(n) / s.p.N * s.p.Loss.Derivative(prediction, s.p.Y[i])
	square := 0.0
	for j, v := range x {
		s.w[j] = (1-1/s.t)*s.w[j] - g*v/(s.p.Lambda*s.t)
		square += s.w[j] * s.w[j]
	}
	if s.p.Bias == problem.Free {
		s.b -= g / math.Sqrt(s.t)
	}
	shrink := math.Min(1, s.r/math.Sqrt(square))
	for j := range s.w {
		if square > 0 {
			s.w[j] *= shrink
		}
		s.sum[j] += s.t * s.w[j]
	}
	s.sumB += s.t * s.b
	s.total += s.t
}

// TestPegasosTwin: the scaled representation equals dense updates to 1e-10 from
// the first step on, |w_t| <= R always (R = 1/sqrt(lambda) for the hinge), and
// the lazy average equals the dense one to 1e-8.
func TestPegasosTwin(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.Absolute{}, loss.Squared{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			p := generate(l, "l2", bias, 50, 12, true)
			s := Pegasos{}.Start(p, solver.Start{Seed: 1}).(*pegasos)
			twin := &plainPegasos{p: p, w: make([]float64, 13), sum: make([]float64, 13), b: s.b, r: math.Sqrt(p.Zero() / p.Lambda)}
			r := rand.New(rand.NewPCG(32, 1))
			for step := range 3000 {
				i := r.IntN(50)
				s.step(i)
				twin.step(i)
				if step%500 == 250 {
					s.refresh()
				}
				pegasosStep(t, s, twin, step)
			}
		}
	}
}

func pegasosStep(t *testing.T, s *pegasos, twin *plainPegasos, step int) {
	t.Helper()
	w, average, square := make([]float64, len(s.v)), make([]float64, len(s.v)), 0.0
	for j, v := range s.v {
		w[j] = s.c * v
		average[j] = (s.sumA*v + s.z[j]) / s.total
		twin.sum[j] /= twin.total
		square += w[j] * w[j]
	}
	size := math.Max(math.Sqrt(square), 1e-3*s.radius)
	if !near(w, twin.w, 1e-10, size) || math.Abs(s.b-twin.b) > 1e-10*(1+math.Abs(s.b)) {
		t.Fatalf("%T, bias %v, step %d: w = %v, b = %v, dense %v, %v", s.p.Loss, s.p.Bias, step+1, w, s.b, twin.w, twin.b)
	}
	if !near(average, twin.sum, 1e-8, size) {
		t.Fatalf("%T, bias %v, step %d: average %v, dense %v", s.p.Loss, s.p.Bias, step+1, average, twin.sum)
	}
	for j := range twin.sum {
		twin.sum[j] *= twin.total
	}
	if math.Sqrt(square) > s.radius*(1+1e-12) {
		t.Fatalf("%T, bias %v, step %d: |w| = %g, R = %g", s.p.Loss, s.p.Bias, step+1, math.Sqrt(square), s.radius)
	}
	if _, hinge := s.p.Loss.(loss.Hinge); hinge && math.Abs(s.radius-1/math.Sqrt(s.p.Lambda)) > 1e-12*s.radius {
		t.Fatalf("R = %g, want 1/sqrt(lambda) = %g", s.radius, 1/math.Sqrt(s.p.Lambda))
	}
}

// TestPegasosDual: after T visits with t-weights, the dual variable of a row is
// the weighted mean of the derivatives used there, by hand for two steps.
func TestPegasosDual(t *testing.T) {
	m := stored([][]float32{{1}}, false)
	p := must(problem.NewLinear(problem.NewRows(m, 1), []float64{1}, nil, loss.Squared{}, penalty.L2{}, 1, problem.None))
	s := Pegasos{}.Start(p, solver.Start{Seed: 1}).(*pegasos)
	// p=0: g=-1, w=1, but R^2 = P(0)/lambda = 1/2, so w = sqrt(1/2);
	// then g = sqrt(1/2)-1.
	s.step(0)
	s.step(0)
	want := (1*-1 + 2*(math.Sqrt(0.5)-1)) / 3
	if got := s.slopes[0] / s.visits[0]; math.Abs(got-want) > 1e-15 {
		t.Errorf("mean derivative %v, want %v", got, want)
	}
}
