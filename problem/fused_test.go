package problem_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestFusedScale: where X^T a cancels, so that most of its digits are rounding errors, the dual variables are
// scaled so far that they are feasible in exact numbers: for each interval of columns
//
//	|sum of u_j| <= l1 length + ends,  u = -X^T(scale a)/(lambda N)
//
// For the hinge and targets 1 the dual value is -scale mean(a), from which the scale is known.
func TestFusedScale(t *testing.T) {
	const d = 7
	for seed := range uint64(40) {
		for _, lambda := range []float64{1e-12, 1e-9, 1e-3} {
			for _, size := range []float64{1e-2, 1, 1e4} {
				for _, l1 := range []float64{1e-6, 0.1, 10} {
					r := rand.New(rand.NewPCG(seed, math.Float64bits(lambda*size*l1)))
					x, y, a, _ := pairs(r, 8, d, size)
					f := penalty.Fused{L1: l1}
					p := must(problem.NewLinear(problem.NewRows(x, 2), y, nil, loss.Hinge{}, f, lambda, problem.None))
					value, bound := p.Dual(a)
					mean := 0.0
					for _, v := range a {
						mean -= v / 8
					}
					scale := value / mean
					if !(scale >= 0 && scale <= 1) || !(bound >= 0) {
						t.Fatalf("scale %g, bound %g", scale, bound)
					}
					if worst := worstInterval(x.Value, a, d, f, lambda); worst*scale > 1 {
						t.Errorf("seed %d, lambda %g, size %g, l1 %g: the scale %v is %g times as large as it may be", seed, lambda, size, l1, scale, worst*scale)
					}
				}
			}
		}
	}
}

// worstInterval returns the largest share of an interval in exact numbers.
func worstInterval(x []float32, a []float64, d int, f penalty.Fused, lambda float64) float64 {
	u := make([]*big.Float, d)
	for j := range u {
		u[j] = exact(0)
		for i, v := range a {
			addProduct(u[j], exact(-v), exact(float64(x[i*d+j])), exact(1))
		}
		u[j].Quo(u[j], exact(lambda*float64(len(a))))
	}
	worst := 0.0
	for from := range d {
		sum := exact(0)
		interval := make([]float64, d)
		for to := from; to < d; to++ {
			sum.Add(sum, u[to])
			interval[to] = 1
			size, _ := exact(0).Abs(sum).Float64()
			worst = max(worst, size/f.Value(interval))
		}
	}
	return worst
}
