package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Primal and dual of counts are as near their exact values as their bounds say: for small and
// large counts, predictions on the spot and far away, and dual variables at all places of
// the open domain, its end included.
func TestPoissonBounds(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 11))
		n, d := 1+r.IntN(4), 1+r.IntN(2)
		size := math.Exp(8 * r.NormFloat64())
		x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
		y, a, w := make([]float64, n), make([]float64, n), make([]float64, d+1)
		for i := range x.Value {
			x.Value[i] = float32(r.NormFloat64())
		}
		for j := range w {
			w[j] = 3 * r.NormFloat64()
		}
		for i := range y {
			mean := w[d]
			for j, v := range x.Row(i).Value {
				mean += w[j] * float64(v)
			}
			y[i] = []float64{0, size, math.Round(size), math.Exp(mean), math.Exp(mean) * (1 + 1e-8*r.NormFloat64())}[r.IntN(5)]
			a[i] = []float64{-y[i], size * r.NormFloat64(), 1e-9 * y[i] * r.NormFloat64(), math.Exp(mean) - y[i]}[r.IntN(4)]
		}
		p, err := NewLinear(NewRows(x, 1), y, nil, loss.Poisson{}, penalty.L2{}, math.Exp(5*r.NormFloat64()), Feature)
		if err != nil {
			t.Fatal(err)
		}
		draw := &draw{x: x, y: y, s: p.S, loss: p.Loss, lambda: p.Lambda, bias: Feature, dual: a, w: w, name: "counts"}
		value, bound := p.Primal(w)
		exact := add(exactRisk(&p.Risk, draw.predictions(w)), mul(newBig(p.Lambda), exactPenalty(p.Penalty, bigs(w))))
		draw.off(t, "primal", value, bound, exact)
		v, _ := draw.feasible(t, &p.Risk)
		value, bound = p.Dual(a)
		draw.off(t, "dual", value, bound, draw.linearDual(p, v))
		if t.Failed() {
			t.Fatalf("seed %d: y=%v a=%v w=%v", seed, y, a, w)
		}
	}
}

// A negative count is refused in one line.
func TestPoissonTargets(t *testing.T) {
	x := &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}
	_, err := NewLinear(NewRows(x, 1), []float64{1, -2}, nil, loss.Poisson{}, penalty.L2{}, 1, Free)
	if want := "problem: row 2: target -2, expected a number from 0 to +Inf for this loss"; err == nil || err.Error() != want {
		t.Errorf("found the error %v, expected %s", err, want)
	}
}
