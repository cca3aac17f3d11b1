package blas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// BenchmarkTall times the products of tall data, 60000 x 784 as MNIST has: GB/s is of
// the data read once. kernel=read is the limit, a pass over the data alone.
func BenchmarkTall(b *testing.B) {
	const n, d = 60000, 784
	r := rand.New(rand.NewPCG(1, 1))
	x := Block[float32]{make([]float32, n*d), n, d, d}
	for i := range x.Value {
		x.Value[i] = float32(r.IntN(256))
	}
	report := func(b *testing.B, flops float64) {
		seconds := b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(4*n*d/seconds/1e9, "GB/s")
		b.ReportMetric(flops/seconds/1e9, "GFLOP/s")
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d/kernel=read", threads), func(b *testing.B) {
			norm := make([]float64, n)
			for b.Loop() {
				parallel.Each(n/100, threads, func(_, i int) {
					norm[i] = vec.SquaredNorm(x.Value[i*100*d : (i+1)*100*d])
				})
			}
			report(b, 2*n*d)
		})
		h := Block[float64]{make([]float64, d*d), d, d, d}
		for name, do := range map[string]func(h Block[float64], x Block[float32], threads int){"Gram": Gram, "GramSingle": GramSingle} {
			b.Run(fmt.Sprintf("threads=%d/kernel=%s", threads, name), func(b *testing.B) {
				for b.Loop() {
					do(h, x, threads)
				}
				report(b, n*d*d)
			})
		}
		for _, m := range []int{10, 20, 60} {
			q, y, z := drawBlock[float64](r, m, d), drawBlock[float64](r, n, m), drawBlock[float64](r, d, m)
			for _, p := range []struct {
				name string
				do   func()
			}{
				{"GemmMixed", func() { GemmMixed(y, x, q, threads) }},
				{"GemmColsMixed", func() { GemmColsMixed(z, x, y, threads) }},
			} {
				b.Run(fmt.Sprintf("threads=%d/kernel=%s/m=%d", threads, p.name, m), func(b *testing.B) {
					for b.Loop() {
						p.do()
					}
					report(b, 2*n*d*float64(m))
				})
			}
		}
	}
}
