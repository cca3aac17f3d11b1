package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
)

const (
	mostSlopes = 12   // beside the first
	leastAlong = 0.05 // of the bracket that a step of the secant leaves behind at least
)

// searchAlong returns a step of a convex function whose derivative is slope: that of
// Newton's method itself, 1, or by doubling and the secant the first one that leaves a third
// of the first slope at most. Where the slope is steep beyond the best step the secant gets
// nowhere alone, so it moves by leastAlong of the bracket; after mostSlopes slopes the
// function has fallen, but more of the slope may be left.
func searchAlong(slope func(t float64) float64) float64 {
	first := slope(0)
	lo, atLo := 0.0, first
	hi, atHi := math.Inf(1), 0.0
	t := 1.0
	for range mostSlopes {
		at := slope(t)
		if math.Abs(at) <= -first/3 {
			return t
		}
		if at < 0 {
			lo, atLo = t, at
		} else {
			hi, atHi = t, at
		}
		if math.IsInf(hi, 1) {
			t *= 2
		} else {
			t = max(lo-atLo*(hi-lo)/(atHi-atLo), lo+float64(leastAlong*(hi-lo)))
		}
	}
	return t
}

// penaltyAlong returns the derivative of the penalty l2 at w along d, and by how much it
// grows with a whole step: lambda <w,d> and lambda |d|^2 over the penalised weights.
func penaltyAlong(p *problem.Linear, w, d []float64) (slope, bend float64) {
	k := p.Penalised()
	return float64(p.Lambda * vec.Dot64(w[:k], d[:k])), float64(p.Lambda * vec.SquaredNorm64(d[:k]))
}
