package newton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestArrive: one pass over the data has the numbers of three, with the same bits for any
// number of threads, with and without a bias, where the last part of the rows is short.
func TestArrive(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, n := range []int{1, 1023, 1025, 9 * parts.BlockRows / 2, 9*parts.BlockRows + 5} {
			p := draw.Problem(loss.Logistic{}, "l2", bias, n, 7, true)
			_, d := p.Dims()
			at := problem.Point{W: make([]float64, d+1)}
			step := make([]float64, d+1)
			for j := range step[:p.Penalised()] {
				at.W[j], step[j] = 1/float64(j+2), math.Cos(float64(j))
			}
			var first, second float64
			var bits [][]float64
			for threads := 1; threads <= 3; threads++ {
				p.Threads = threads
				s := newCurved(p, loss.Logistic{}, &at)
				copy(s.d, step)
				first, second = s.arrive(s.move, step, 1, false)
				for j := range s.w {
					s.w[j] += step[j]
				}
				s.settle()
				bits = append(bits, slices.Concat(s.g, s.move, s.a, s.c, []float64{first, second}))
				if threads > 1 && !slices.Equal(bits[0], bits[threads-1]) {
					t.Errorf("%d rows: %d threads have other bits than one", n, threads)
				}
			}
			s := newCurved(p, loss.Logistic{}, &at)
			copy(s.d, step)
			p.Predict(s.move, step)
			x, y := s.slope(1)
			for j := range s.w {
				s.w[j] += step[j]
			}
			g := make([]float64, len(s.w))
			parts.GradientTo(g, p, s.w, s.v)
			want := slices.Concat(g, s.move, s.a, s.c, []float64{x, y})
			for k, got := range bits[0] {
				if math.Abs(got-want[k]) > 1e-13*(1+math.Abs(want[k])) {
					t.Fatalf("%d rows: number %d is %v, want %v", n, k, got, want[k])
				}
			}
		}
	}
}

// TestLogisticInBlocks: the vector functions give the bits of the slopes of the loss, and
// its curvatures but for what is lost of 1.
func TestLogisticInBlocks(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.None, 1100, 5, false)
	s := newCurved(p, loss.Logistic{}, nil)
	r := rand.New(rand.NewPCG(44, 1))
	for i := range s.prediction {
		s.prediction[i], s.move[i] = 30*r.NormFloat64(), r.NormFloat64()
	}
	s.differentiate(0.5, 0, 1100)
	for i, m := range s.move {
		at := s.prediction[i] + float64(0.5*m)
		if a, c := s.loss.Derivative(at, p.Y[i]), s.loss.Curvature(at, p.Y[i]); s.a[i] != a || math.Abs(s.c[i]-c) > 0x1p-52 {
			t.Errorf("p = %v: derivatives %v, %v, want %v, %v", at, s.a[i], s.c[i], a, c)
		}
	}
}
