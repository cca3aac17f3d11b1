package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/penalty"
)

// TestJointKernelExact: with the linear kernel both values are those of the linear problem, and
// no bound is above the exact objective.
func TestJointKernelExact(t *testing.T) {
	tested := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 29))
		p := newJointDraw(t, r, seed%4 == 3)
		if _, ridge := p.Penalty.(penalty.L2); !ridge {
			continue
		}
		tested++
		gram, err := gram.NewGram(kernel.Linear{}, p.X, gram.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		q, err := NewJointKernel(gram, p.Y, p.Classes, p.S, p.Loss, p.Lambda, p.Bias)
		if err != nil {
			t.Fatal(err)
		}
		n, k := len(p.Y), p.Classes
		beta := make([]float64, (n+1)*k)
		for i := range beta[:n*k] {
			beta[i] = r.NormFloat64()
		}
		if p.Bias != None {
			copy(beta[n*k:], p.w[len(p.w)-k:])
		}
		p.CombineTo(p.w, beta[:n*k]) // what the coefficients mean
		copy(p.w[len(p.w)-k:], beta[n*k:])
		exact := p.primal()
		c := q.Certify(Point{W: beta, A: p.a})
		dual, _ := p.dual(t, 1)
		if !math.IsInf(c.Dual, -1) && (newBig(c.Dual).Cmp(exact) > 0 || newBig(c.Dual).Cmp(dual) > 0) || len(c.Warnings) > 0 {
			t.Fatalf("seed %d: bound %g above %g or %g: %v", seed, c.Dual, exact, dual, c.Warnings)
		}
		linear := p.Certify(Point{W: p.w, A: p.a})
		if seed%4 != 3 && (math.Abs(linear.Primal-c.Primal) > 1e-9*(1+math.Abs(c.Primal)) || math.Abs(linear.Dual-c.Dual) > 1e-9*(1+math.Abs(c.Dual))) {
			t.Errorf("seed %d: %g and %g, with the linear kernel %g and %g", seed, linear.Primal, linear.Dual, c.Primal, c.Dual)
		}
		q.Weights(beta, p.a)
		if own := q.Certify(Point{W: beta, A: p.a}); !(own.Gap() >= 0) || len(own.Warnings) > 0 {
			t.Errorf("seed %d: the gap of the dual's own point is %g: %v", seed, own.Gap(), own.Warnings)
		}
	}
	if tested < 50 {
		t.Errorf("only %d problems with the penalty l2", tested)
	}
}
