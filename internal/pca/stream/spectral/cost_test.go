package spectral

import (
	"math"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// exponent returns the slope of ln y in ln x by least squares.
func exponent(x, y []float64) float64 {
	var mx, my, sxy, sxx float64
	for i := range x {
		mx += elementary.Log(x[i]) / float64(len(x))
		my += elementary.Log(y[i]) / float64(len(x))
	}
	for i := range x {
		u := elementary.Log(x[i]) - mx
		sxy += u * (elementary.Log(y[i]) - my)
		sxx += u * u
	}
	return sxy / sxx
}

// Row 23: operations of a step grow like d; like k d for small k, where the thesis
// has k^2 d, because the rotation is put off; and the thesis's own measure like k^2.
func TestCostExponents(t *testing.T) {
	cost := func(d, k int) (flops, squared float64) {
		x := gaussianRows(200, d, 1, 1)
		s := pcatest.StartOf(t, "capped-msg", moments(x, method.Problem{Cols: d, K: k}))
		s.Learn(x.Part(0, 50))
		before := s.(Spectrum).Cost()
		s.Learn(x.Part(50, 200))
		after := s.(Spectrum).Cost()
		return (after.Flops - before.Flops) / 150, (after.SquaredRanks - before.SquaredRanks) / 150
	}
	var ds, ofD, ks, ofK, squares []float64
	for d := 256; d <= 8192; d *= 2 {
		flops, _ := cost(d, 8)
		ds, ofD = append(ds, float64(d)), append(ofD, flops)
	}
	for k := 4; k <= 64; k *= 2 {
		flops, squared := cost(2048, k)
		ks, ofK, squares = append(ks, float64(k+1)), append(ofK, flops), append(squares, squared)
	}
	inD, inK, inSquares := exponent(ds, ofD), exponent(ks, ofK), exponent(ks, squares)
	t.Logf("operations grow like d^%.2f and K^%.2f, the sum of k'^2 like K^%.2f", inD, inK, inSquares)
	if math.Abs(inD-1) > 0.15 || inK > 1.3 || math.Abs(inSquares-2) > 0.15 {
		t.Errorf("operations grow like d^%.2f and K^%.2f, the sum of k'^2 like K^%.2f: expected 1, at most 1.3, and 2", inD, inK, inSquares)
	}
}

// The exponent of d in the time of a step of capped MSG, d = 256 to 8192: 1 if all
// of the state's directions stay in one level of cache.
func BenchmarkExponent(b *testing.B) {
	for b.Loop() {
		var ds, seconds []float64
		for d := 256; d <= 8192; d *= 2 {
			x := gaussianRows(1500, d, 1, 1)
			s := pcatest.StartOf(b, "capped-msg", moments(x, method.Problem{Cols: d, K: 8}))
			s.Learn(x.Part(0, 500))
			start := time.Now()
			s.Learn(x.Part(500, 1500))
			ds, seconds = append(ds, float64(d)), append(seconds, time.Since(start).Seconds())
		}
		b.ReportMetric(exponent(ds, seconds), "exponent")
	}
}
