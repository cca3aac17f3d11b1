package featuremap_test

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
)

func BenchmarkImages(b *testing.B) {
	x := stored(kerneltest.Histograms(2000, 100, false))
	for _, spec := range []string{"fourier:dim=1000", "nystrom:rank=300", "nystrom:rank=1000"} {
		b.Run("map="+spec, func(b *testing.B) {
			a, err := featuremap.NewApproximation(spec)
			if err != nil {
				b.Fatal(err)
			}
			m, err := a.Fit(b.Context(), kernel.RBF{Gamma: 0.05}, x, 1, 1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := featuremap.Images(b.Context(), m, x, 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/2000, "us/row")
		})
	}
}
