package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// NonnegativeL1 is the sum of the weights where none is below 0, and infinite elsewhere.
//
// Its conjugate is 0 where each u_j <= 1 and infinite elsewhere.
type NonnegativeL1 struct{}

// NonnegativeNet is Ratio sum_j w_j + (1-Ratio) |w|^2/2 where no weight is below 0, and infinite elsewhere, 0 <= Ratio < 1.
//
// Its conjugate is sum_j max(0, u_j-Ratio)^2 / (2(1-Ratio)).
type NonnegativeNet struct{ Ratio float64 }

var (
	_ Nonnegative = NonnegativeL1{}
	_ Nonnegative = NonnegativeNet{}
	_ Separable   = NonnegativeNet{}
)

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "nonnegative", Summary: "ratio sum w + (1-ratio) |w|^2/2, ratio=0, of weights that are at least 0",
		New: func(p *registry.Params) (Penalty, error) {
			ratio := p.Float("ratio", 0, "a number from 0 to below 1 (use nonnegative-l1 for 1)", func(v float64) bool { return v >= 0 && v < 1 })
			return NonnegativeNet{ratio}, p.Err()
		}})
	penalties.Register(registry.Entry[Penalty]{Name: "nonnegative-l1", Summary: "sum w of weights that are at least 0: few nonzero weights",
		New: func(*registry.Params) (Penalty, error) { return NonnegativeL1{}, nil }})
}

// positive writes the positive parts of v to dst, and returns it. On them the penalties are l1 and elastic-net.
func positive(dst, v []float64) []float64 {
	for j, x := range v {
		dst[j] = max(0, x)
	}
	return dst
}

// bounded returns the value of p at w, +Inf with a weight below 0.
func bounded(p Penalty, w []float64) float64 {
	for _, x := range w {
		if x < 0 {
			return math.Inf(1)
		}
	}
	return p.Value(w)
}

// Value returns the sum, +Inf with a weight below 0.
func (NonnegativeL1) Value(w []float64) float64 { return bounded(L1{}, w) }

// Prox lowers every weight by step, to 0 at most.
func (NonnegativeL1) Prox(dst, v []float64, step float64) { L1{}.Prox(dst, positive(dst, v), step) }

// Conjugate returns min(1, 1/max u_j), rounded down, and 0.
func (NonnegativeL1) Conjugate(u []float64) (scale, value float64) {
	return L1{}.Conjugate(positive(make([]float64, len(u)), u))
}

// StrongConvexity is 0.
func (NonnegativeL1) StrongConvexity() float64 { return 0 }

// OnNonnegative are 1 and 0.
func (NonnegativeL1) OnNonnegative() (l1, l2 float64) { return 1, 0 }

// Value returns that of elastic-net, +Inf with a weight below 0.
func (e NonnegativeNet) Value(w []float64) float64 { return bounded(ElasticNet(e), w) }

// Prox lowers by step*ratio, to 0 at most, and divides by 1 + step(1-ratio).
func (e NonnegativeNet) Prox(dst, v []float64, step float64) {
	ElasticNet(e).Prox(dst, positive(dst, v), step)
}

// Conjugate returns 1 and sum_j max(0, u_j-ratio)^2 / (2(1-ratio)).
func (e NonnegativeNet) Conjugate(u []float64) (scale, value float64) {
	return ElasticNet(e).Conjugate(positive(make([]float64, len(u)), u))
}

// Weights returns max(0, u_j-ratio)/(1-ratio).
func (e NonnegativeNet) Weights(dst, u []float64) { ElasticNet(e).Weights(dst, positive(dst, u)) }

// WeightsAt is Weights: the columns are alike.
func (e NonnegativeNet) WeightsAt(dst, u []float64, _ []uint32) { e.Weights(dst, u) }

// StrongConvexity is 1-ratio.
func (e NonnegativeNet) StrongConvexity() float64 { return 1 - e.Ratio }

// OnNonnegative are the ratio and what it leaves of 1.
func (e NonnegativeNet) OnNonnegative() (l1, l2 float64) { return e.Ratio, 1 - e.Ratio }
