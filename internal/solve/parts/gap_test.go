package parts

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestBalancedSquare: with a free bias it is |g|^2 of slopes that sum to zero, as those of the
// mean row are taken off; else that of the slopes as they are.
func TestBalancedSquare(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := draw.Problem(loss.Squared{}, "l2", bias, 50, 12, true)
		w, v := make([]float64, 13), make([]float64, 50)
		for i := range v {
			v[i] = float64(i%7-2) / 50
		}
		for j := range w {
			w[j] = float64(j%3) - 1
		}
		Ground(w, p)
		g, middle := gradientOf(p, w, v), MiddleOf(p)
		square := BalancedSquare(p, g, middle)
		if bias == problem.Free {
			for i := range v {
				v[i] -= g[12] * p.S[i] / p.N
			}
			g = gradientOf(p, w, v)
			if math.Abs(g[12]) > 1e-12 {
				t.Errorf("the slopes sum to %g", g[12])
			}
		}
		if want := vec.SquaredNorm64(g[:p.Penalised()]); math.Abs(square-want) > 1e-12*want {
			t.Errorf("%v: %g, want %g", bias, square, want)
		}
	}
}

// gradientOf is gradientTo into a slice of its own.
func gradientOf(p *problem.Linear, w, v []float64) []float64 {
	g := make([]float64, len(w))
	GradientTo(g, p, w, v)
	return g
}
