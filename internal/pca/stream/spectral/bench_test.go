package spectral

import (
	"fmt"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// One row of capped MSG, and of the others, on dense rows.
func BenchmarkStep(b *testing.B) {
	for _, spec := range []string{"capped-msg", "incremental", "msg", "warmuth-kuzmin"} {
		for _, c := range [][2]int{{784, 1}, {784, 8}, {784, 32}} {
			b.Run(fmt.Sprintf("method=%s/d=%d/k=%d", spec, c[0], c[1]), func(b *testing.B) {
				benchmarkStep(b, spec, c[0], c[1])
			})
		}
	}
}

// Row 23: the cost of capped MSG grows like d.
func BenchmarkStepCols(b *testing.B) {
	for d := 256; d <= 8192; d *= 2 {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) { benchmarkStep(b, "capped-msg", d, 8) })
	}
}

func benchmarkStep(b *testing.B, spec string, d, k int) {
	x := gaussianRows(1024, d, 1, 1)
	s := pcatest.StartOf(b, spec, moments(x, method.Problem{Cols: d, K: k}))
	s.Learn(x)
	for i := 0; b.Loop(); i++ {
		s.Learn(x.Part(i%1024, i%1024+1))
	}
	b.ReportMetric(float64(s.(Spectrum).Cost().Rank), "rank")
}
