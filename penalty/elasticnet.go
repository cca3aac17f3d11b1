package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// ElasticNet is Ratio |w|_1 + (1-Ratio) |w|^2/2, 0 < Ratio < 1.
//
// Its conjugate is sum_j max(0, |u_j|-Ratio)^2 / (2(1-Ratio)).
type ElasticNet struct{ Ratio float64 }

var (
	_ Separable = ElasticNet{}
	_ Elastic   = ElasticNet{}
)

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "elastic-net", Summary: "ratio |w|_1 + (1-ratio) |w|^2/2, ratio=0.5: few nonzero weights",
		New: func(p *registry.Params) (Penalty, error) {
			ratio := p.Float("ratio", 0.5, "a number between 0 and 1 (use l2 or l1 for the ends)",
				func(v float64) bool { return v > 0 && v < 1 })
			return ElasticNet{ratio}, p.Err()
		}})
}

// Value returns ratio |w|_1 + (1-ratio) |w|^2/2.
func (e ElasticNet) Value(w []float64) float64 {
	return float64(e.Ratio*L1{}.Value(w)) + float64((1-e.Ratio)*vec.SquaredNorm64(w))/2
}

// Prox shrinks by step*ratio, then divides by 1 + step(1-ratio).
func (e ElasticNet) Prox(dst, v []float64, step float64) {
	t, s := float64(step*e.Ratio), 1+float64(step*(1-e.Ratio))
	for j, x := range v {
		dst[j] = vec.Shrink(x, t) / s
	}
}

// Conjugate returns 1 and sum_j max(0, |u_j|-ratio)^2 / (2(1-ratio)).
func (e ElasticNet) Conjugate(u []float64) (scale, value float64) {
	var s vec.Sum
	for _, x := range u {
		r := math.Max(0, math.Abs(x)-e.Ratio)
		s.Add(r * r)
	}
	return 1, s.Value() / (2 * (1 - e.Ratio))
}

// Weights returns sign(u_j) max(0, |u_j|-ratio)/(1-ratio).
func (e ElasticNet) Weights(dst, u []float64) {
	for j, x := range u {
		dst[j] = vec.Shrink(x, e.Ratio) / (1 - e.Ratio)
	}
}

// WeightsAt is Weights: the columns are alike.
func (e ElasticNet) WeightsAt(dst, u []float64, _ []uint32) { e.Weights(dst, u) }

// Coefficients are the ratio and what it leaves of 1.
func (e ElasticNet) Coefficients() (l1, l2 float64) { return e.Ratio, 1 - e.Ratio }

// StrongConvexity is 1-ratio.
func (e ElasticNet) StrongConvexity() float64 { return 1 - e.Ratio }
