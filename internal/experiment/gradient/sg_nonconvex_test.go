package gradient

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// TestNetworkGradient: the gradient of a row is that of differences of its loss.
func TestNetworkGradient(t *testing.T) {
	q, w := sgNonconvex{3}.newNetwork(5)
	value := func(i int) float64 {
		score, d := 0.0, len(q.x[i])
		for h := range q.units {
			unit := w[h*(d+2):][:d+2]
			score += unit[d+1] * math.Tanh(vec.Dot64(unit[:d], q.x[i])+unit[d])
		}
		return math.Log1p(math.Exp(-q.y[i] * score))
	}
	for i := range 5 {
		g := make([]float64, len(w))
		q.slope(g, w, i, 1)
		for j := range w {
			const step = 1e-6
			keep := w[j]
			w[j] = keep + step
			above := value(i)
			w[j] = keep - step
			below := value(i)
			w[j] = keep
			if want := (above - below) / (2 * step); math.Abs(g[j]-want) > 1e-6*max(1, math.Abs(want)) {
				t.Errorf("row %d, number %d: %g, by differences %g", i, j, g[j], want)
			}
		}
	}
}
