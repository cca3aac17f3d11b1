package methods_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// realData returns a set of the shared real data, or skips.
func realData(t testing.TB, name string) matrix.Matrix {
	t.Helper()
	folder := os.Getenv("FENCHEL_DATA")
	if folder == "" {
		folder = "../../../../shared/data"
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real data not here (set FENCHEL_DATA): %v", err)
	}
	set, err := data.Read(context.Background(), []string{path}, data.Options{Unlabelled: true})
	if err != nil {
		t.Fatal(err)
	}
	return set.X
}

func start(t testing.TB, spec string, p method.Problem) method.State {
	t.Helper()
	m, err := methods.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := method.Accepts(m, p); err != nil {
		t.Fatal(err)
	}
	return m.(method.Streaming).Start(p)
}

// pass gives all rows to the state in blocks, centred at the mean so far, and
// returns the mean.
func pass(s method.State, x matrix.Matrix, block int) (mean []float64) {
	n, d := x.Dims()
	mean = make([]float64, d)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		part := matrix.Part(x, lo, hi)
		own := means(part)
		if lo > 0 {
			away := make([]float64, d)
			for j := range away {
				away[j] = math.Sqrt(float64(lo)*float64(hi-lo)/float64(hi)) * (own[j] - mean[j])
			}
			s.Learn(view.Rows{X: &matrix.CSR{Cols: d, Start: []int64{0, 0}, Index: []uint32{}}, Offset: away})
		}
		for j := range mean {
			mean[j] += (own[j] - mean[j]) * float64(hi-lo) / float64(hi)
		}
		s.Learn(view.Rows{X: part, Offset: own})
	}
	return mean
}

func means(x matrix.Matrix) []float64 {
	n, d := x.Dims()
	mean, ones := make([]float64, d), make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	matrix.AddRows(mean, x, 0, ones)
	for j := range mean {
		mean[j] /= float64(n)
	}
	return mean
}

// captured returns the share of the variance about the mean that the basis captures.
func captured(x matrix.Matrix, mean []float64, b method.Basis) float64 {
	r := view.Rows{X: x, Offset: mean}
	n, _ := x.Dims()
	y := make([]float64, n*b.K)
	r.Times(y, b.Component, b.K, 0)
	sum, total := 0.0, 0.0
	for _, v := range y {
		sum += v * v
	}
	for i := range n {
		v := x.Row(i)
		total += v.SquaredNorm() - 2*v.Dot(mean)
	}
	for _, m := range mean {
		total += float64(n) * m * m
	}
	return sum / total
}

// The acceptance of one pass over the images: no less variance than scikit-learn's
// IncrementalPCA with its defaults captures (1.9.1, fit(X) of the 60,000 x 784 floats,
// the share of the variance about the mean along components_): 0.43670375 with 8
// components and 0.82437639 with 50, where 0.43695950 and 0.82464686 are possible.
func TestOnePassOverImages(t *testing.T) {
	t.Parallel()
	x := realData(t, "mnist/train-images-idx3-ubyte.gz")
	n, d := x.Dims()
	for k, least := range map[int]float64{8: 0.43670375, 50: 0.82437639} {
		s := start(t, "history", method.Problem{Rows: n, Cols: d, K: k})
		mean := pass(s, x, s.(method.Blocked).BlockRows())
		if got := captured(x, mean, s.Basis()); got < least {
			t.Errorf("k=%d: captured %.8f, expected at least %.8f", k, got, least)
		}
	}
}

// BenchmarkOnePass is a pass over the images as dense floats, or over sparse text.
func BenchmarkOnePass(b *testing.B) {
	for _, data := range []string{"mnist/train-images-idx3-ubyte.gz", "imdb/imdb_tfidf.train.svm.gz"} {
		x := realData(b, data)
		n, d := x.Dims()
		if n*d < 1<<26 {
			x = dense(x)
		}
		for _, spec := range []string{"history", "frequent-directions", "ipca", "block-power"} {
			for _, k := range []int{8, 50} {
				b.Run(fmt.Sprintf("data=%s/method=%s/k=%d", filepath.Dir(data), spec, k), func(b *testing.B) {
					share := 0.0
					for b.Loop() {
						s := start(b, spec, method.Problem{Rows: n, Cols: d, K: k})
						block := 2048
						if s, ok := s.(method.Blocked); ok {
							block = max(s.BlockRows(), 2048)
						}
						mean := pass(s, x, block)
						basis := s.Basis()
						b.StopTimer()
						share = captured(x, mean, basis)
						b.StartTimer()
					}
					b.ReportMetric(share, "captured")
				})
			}
		}
	}
}

func dense(x matrix.Matrix) *matrix.Dense {
	n, d := x.Dims()
	m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		v := x.Row(i)
		for k, f := range v.Value {
			m.Value[i*d+v.Column(k)] = f
		}
	}
	return m
}
