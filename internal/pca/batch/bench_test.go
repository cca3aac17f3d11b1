package batch

import (
	"fmt"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// shared returns rows of the data that measurements are made on.
func shared(t testing.TB, path string) matrix.Matrix {
	s, err := data.Read(t.Context(), []string{"../../../../shared/data/" + path}, data.Options{})
	if err != nil {
		t.Skipf("no data to measure with: %v", err)
	}
	return s.X
}

// inMemory returns the rows with all their zeros.
func inMemory(x matrix.Matrix) *matrix.Dense {
	n, d := x.Dims()
	dense := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			dense.Value[i*d+row.Column(k)] = v
		}
	}
	return dense
}

func BenchmarkMNIST(b *testing.B) {
	x := view.Rows{X: inMemory(shared(b, "mnist/train-images-idx3-ubyte.gz"))}
	for _, spec := range []string{"covariance", "covariance:precision=double", "covariance:precision=single", "krylov"} {
		for _, k := range []int{8, 50} {
			b.Run(fmt.Sprintf("method=%s/k=%d", spec, k), func(b *testing.B) {
				for b.Loop() {
					centred, err := view.Preprocess(x.X, "none", true, 2)
					if err != nil {
						b.Fatal(err)
					}
					captured := algebra.Total(solveBatch(b, spec, centred, k, 2).Value)
					b.ReportMetric(captured, "captured")
				}
			})
		}
	}
}

func BenchmarkIMDB(b *testing.B) {
	x := view.Rows{X: shared(b, "imdb/imdb_tfidf.train.svm.gz")}
	for _, spec := range []string{"krylov", "krylov:tol=1e-6", "randomized"} {
		for _, centred := range []bool{false, true} {
			x.Offset = nil
			if centred {
				x.Offset = view.ColumnMeans(x.X, 2)
			}
			b.Run(fmt.Sprintf("method=%s/centred=%v", spec, centred), func(b *testing.B) {
				for b.Loop() {
					captured := algebra.Total(solveBatch(b, spec, x, 50, 2).Value)
					b.ReportMetric(captured, "captured")
				}
			})
		}
	}
}

// The time of the eigenvectors alone.
func BenchmarkPairs(b *testing.B) {
	x := view.Rows{X: inMemory(shared(b, "mnist/train-images-idx3-ubyte.gz"))}
	x.Offset = view.ColumnMeans(x.X, 2)
	s, err := x.Single(b.Context(), 2)
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range []int{8, 50} {
		for _, block := range []int{8, 16, 32, 64} {
			b.Run(fmt.Sprintf("block=%d/k=%d", block, k), func(b *testing.B) {
				for b.Loop() {
					a := view.DenseOperator(s.Value, 784, 2)
					a.Block = block
					l := newBlockLanczos(a, k, 1e-12, method.Problem{Threads: 2})
					if _, err := l.solve(b.Context()); err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(l.taken), "steps")
				}
			})
		}
	}
}
