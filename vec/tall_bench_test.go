package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
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
				parallel(threads, n/100, func(_, i int) {
					norm[i] = SquaredNorm(x.Value[i*100*d : (i+1)*100*d])
				})
			}
			report(b, 2*n*d)
		})
		for _, m := range []int{10, 20, 60} {
			q, y := drawBlock[float32](r, m, d), drawBlock[float32](r, n, m)
			b.Run(fmt.Sprintf("threads=%d/kernel=Gemm32/m=%d", threads, m), func(b *testing.B) {
				for b.Loop() {
					Gemm32(y, x, q, threads)
				}
				report(b, 2*n*d*float64(m))
			})
		}
	}
}
