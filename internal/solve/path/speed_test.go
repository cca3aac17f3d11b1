package path

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// BenchmarkCosts follows C from 0.01 to 100 on 1,000 rows with noise, and counts how many fits
// that takes as much time as.
func BenchmarkCosts(b *testing.B) {
	const n, d = 1000, 4
	r := rand.New(rand.NewPCG(1, 24))
	values, y := make([]float32, 0, n*d), make([]float64, n)
	for i := range n {
		sum := 0.0
		for range d {
			v := r.NormFloat64()
			values = append(values, float32(v))
			sum += v * v
		}
		y[i] = 1
		if sum+r.NormFloat64() < d {
			y[i] = -1
		}
	}
	x, _ := matrix.NewDense(n, d, values)
	make := func() *problem.Kernel {
		gram, _ := gram.NewGram(kernel.RBF{Gamma: 0.25}, x, gram.Options{})
		p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, 1, problem.Free)
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	for b.Loop() {
		begun, points := time.Now(), 0
		if err := (Costs{From: 0.01, To: 100}).Follow(context.Background(), make(), func(Breakpoint) error { points++; return nil }); err != nil {
			b.Fatal(err)
		}
		path := time.Since(begun)
		for _, s := range []solver.Solver{dual.ActiveSet{}, dual.SMO{Selection: "second"}, dual.Working{}} {
			begun = time.Now()
			for k := range 5 {
				if _, err := solver.Run(context.Background(), s, at(make(), math.Pow(10, float64(k-2))), solver.Options{Gap: 1e-8}); err != nil {
					b.Fatal(err)
				}
			}
			b.Logf("%d breakpoints in %v, a fit by %T %v: %.1f fits", points, path, s, time.Since(begun)/5, 5*path.Seconds()/time.Since(begun).Seconds())
		}
	}
}
