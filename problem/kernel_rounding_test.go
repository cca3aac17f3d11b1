package problem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestKernelRounding: objectives of many coefficients of both signs, in many digits. The bounds on
// rounding hold, and are small enough for gaps of 1e-10: a chain of additions through all
// rows, or an error of values that does not fall with them, would allow more than is expected here.
func TestKernelRounding(t *testing.T) {
	const n, cols = 150, 10
	r := rand.New(rand.NewPCG(7, 150))
	d := &draw{Rand: r, name: "many rows", x: &matrix.Dense{Rows: n, Cols: cols, Value: make([]float32, n*cols)},
		y: make([]float64, n), s: make([]float64, n), loss: loss.Hinge{}, lambda: 1.0 / n, bias: Free, kernel: kernel.RBF{Gamma: 0.03}}
	d.beta, d.dual = make([]float64, n+1), make([]float64, n)
	for i := range d.x.Value {
		d.x.Value[i] = float32(1.5 * r.NormFloat64())
	}
	for i := range n {
		d.y[i], d.s[i] = float64(2*(i%2)-1), 1
		d.dual[i] = -d.y[i] * min(1, 2*r.Float64()) // half of them at their bound
	}
	gram, err := d.gram()
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewKernel(gram, d.y, d.s, d.loss, d.lambda, d.bias)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := d.feasible(t, &p.Risk)
	p.Weights(d.beta, d.dual)
	cost := half(mul(newBig(d.lambda), d.squared(d.beta[:n], newBig(0))))
	responses := p.respond(d.beta[:n])
	for what, exact := range map[string]*big.Float{
		"primal": add(exactRisk(&p.Risk, d.respond(d.beta[:n], 0)), cost),
		"dual":   newBig(0).Neg(add(exactConjugates(&p.Risk, v, newBig(1)), cost)), // -v/(lambda N) is rounded: within the bound
	} {
		value, bound := p.primal(responses, 0)
		if what == "dual" {
			value, bound = p.dual(v, responses)
		}
		d.off(t, what, value, bound, exact)
		if !(bound <= 1.5e-12*math.Abs(value)) {
			t.Errorf("%s: the bound on rounding is %g of the value, expected at most 1.5e-12", what, bound/math.Abs(value))
		}
	}
}

func TestUnderflowOf(t *testing.T) {
	for _, count := range []float64{0, 1, 5, 1e6, 1 << 40} {
		if got := underflowOf(count); got != count*tiny {
			t.Errorf("%g products lose %g, expected %g", count, got, count*tiny)
		}
	}
}
