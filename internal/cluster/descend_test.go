package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// What pairs say of H is the matrix of the BFGS formula; coordinates end where the conditions of the optimum hold, with both forms
// of it; without l1 that is the step of the two loops.
func TestDescend(t *testing.T) {
	const d, penalised = 12, 11
	random := rand.New(rand.NewPCG(1, 2))
	normal := func() []float64 {
		v := make([]float64, d)
		for j := range v {
			v[j] = random.NormFloat64()
		}
		return v
	}
	times := func(b [][]float64, v []float64) []float64 {
		out := make([]float64, d)
		for i := range out {
			for j := range v {
				out[i] += b[i][j] * v[j]
			}
		}
		return out
	}
	dot := func(a, b []float64) (sum float64) {
		for j := range a {
			sum += a[j] * b[j]
		}
		return sum
	}
	norms := normal()
	for j := range norms {
		norms[j] = 1 + math.Abs(norms[j])
	}
	whole := problem.NewWhole(50, loss.Logistic{}, penalty.ElasticNet{Ratio: 0.5}, 0.01, problem.Free, norms)
	s := newNewton(whole, normal())
	for j := range s.w {
		s.w[j] *= 0.1
	}
	s.w[2], s.w[5], s.l1, s.bend = 0, 0, 0.7, 0.2
	for range 6 {
		move := normal()
		bend := make([]float64, d)
		for j := range bend {
			bend[j] = (0.5 + float64(j)) * move[j]
		}
		s.pairs = append(s.pairs, pair{move, bend, dot(move, bend)})
	}
	b := make([][]float64, d)
	for i, x := range s.diagonal() {
		b[i] = make([]float64, d)
		b[i][i] = x
	}
	for _, p := range s.pairs {
		bent := times(b, p.move)
		along := dot(p.move, bent)
		for i := range b {
			for j := range b[i] {
				b[i][j] += p.bend[i]*p.bend[j]/p.product - bent[i]*bent[j]/along
			}
		}
	}
	lower := make([]float64, d*d)
	for i := range b {
		copy(lower[i*d:], b[i][:i+1])
	}
	g := normal()
	for name, q := range map[string]quadratic{"pairs": s.curved(), "matrix": newFull(lower, d)} {
		clear(s.d)
		s.descend(g, q, 12)
		slope := times(b, s.d)
		zeros := 0
		for j := range slope {
			z := s.w[j] + s.d[j]
			worst := math.Abs(g[j] + slope[j])
			switch {
			case j >= penalised:
			case z == 0:
				worst = max(0, worst-s.l1)
				zeros++
			default:
				worst = math.Abs(g[j] + slope[j] + math.Copysign(s.l1, z))
			}
			if worst > 1e-4 {
				t.Errorf("%s, coordinate %d: the condition of the optimum is off by %g", name, j+1, worst)
			}
		}
		if zeros == 0 {
			t.Errorf("%s: no weight is 0", name)
		}
	}
	s.l1 = 0
	clear(s.d)
	s.descend(g, s.curved(), 12)
	by := append([]float64(nil), s.d...)
	s.unbend(g)
	for j := range by {
		if math.Abs(by[j]-s.d[j]) > 1e-4*(1+math.Abs(by[j])) {
			t.Errorf("coordinate %d: found the step %g by coordinates, %g by two loops", j+1, by[j], s.d[j])
		}
	}
}
