package problem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// TestInsideBox: with l1 the dual point is scaled into the box by what u is without rounding, also
// where u is nearly all rounding, as rows come in pairs of which one is nearly the other turned round.
func TestInsideBox(t *testing.T) {
	const n, d = 40, 5
	tight := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 8))
		x, v := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
		for i := 0; i < n; i += 2 {
			v[i] = r.NormFloat64()
			v[i+1] = v[i] * (1 + 1e-12*r.NormFloat64())
			for j := range d {
				x.Value[i*d+j] = float32(1e4 * r.NormFloat64())
				x.Value[(i+1)*d+j] = -x.Value[i*d+j]
			}
		}
		p, err := NewLinear(NewRows(x, 1), make([]float64, n), nil, loss.Squared{}, penalty.L1{}, 1e-12, None)
		if err != nil {
			t.Fatal(err)
		}
		whole := make([]float64, d+1)
		chain := p.combine(whole, v)
		u := whole[:d]
		for j := range u {
			u[j] *= -1 / (p.Lambda * p.N)
		}
		rounding, underflow, uError := roundingsOf(chain, 1/(p.Lambda*p.N), p.magnitude(v), d)
		scale, _ := p.Penalty.Conjugate(u)
		c := conjugation{penalty: p.Penalty, u: u, uError: uError, widen: func(u []float64) { p.widen(u, v, rounding, underflow) }}
		inside := c.insideBox(scale)
		exactly := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
		largest := exactly(0)
		for j := range d {
			sum := exactly(0)
			for i := range n {
				sum.Add(sum, new(big.Float).SetPrec(400).Mul(exactly(v[i]), exactly(float64(x.Value[i*d+j]))))
			}
			if sum.Abs(sum).Cmp(largest) > 0 {
				largest = sum
			}
		}
		largest.Quo(largest, exactly(p.Lambda))
		largest.Quo(largest, exactly(p.N))
		if inside > 0 && largest.Mul(largest, exactly(inside)).Cmp(exactly(1)) > 0 {
			t.Fatalf("seed %d: a point of the size %v in the box, expected 1 at most", seed, largest)
		}
		if at, _ := largest.Float64(); at > 0.5 && math.Abs(scale-1) > 0 {
			tight++
		}
	}
	if tight < 30 {
		t.Errorf("%d of 300 points near the border of the box: too few to show anything", tight)
	}
}

// TestInsideBoxOfPositiveParts: of weights that are at least 0 negative numbers are inside, also where rounding is
// bounded for each by itself.
func TestInsideBoxOfPositiveParts(t *testing.T) {
	for u, want := range map[[2]float64]float64{{-9, 0.5}: 1, {-9, 2}: 0.5, {0.25, -1e-3}: 1} {
		c := conjugation{penalty: penalty.NonnegativeL1{}, u: u[:], uError: 1e-2, widen: func(u []float64) {
			for j, x := range u {
				u[j] = math.Abs(x) + 1e-9
			}
		}}
		if scale := c.evaluate(); !(scale <= want && scale > want*(1-1e-8)) {
			t.Errorf("u = %v: scale %g, expected %g at most and nearly that", u, scale, want)
		}
	}
}
