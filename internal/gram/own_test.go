package gram

import (
	"sync/atomic"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestOwnValuesOnce: what normalised parts of sums and products need of each row is computed
// once for it, in a matrix, its check and in scores, and the bits are those of Eval.
func TestOwnValuesOnce(t *testing.T) {
	const n = 40
	var calls atomic.Int64
	counted := kernel.Func{
		Value:    func(x, y matrix.Vector) float64 { calls.Add(1); return 1 + kernel.Linear{}.Eval(x, y) },
		Largest:  func(terms int, xx float64) float64 { return 1 + kernel.Linear{}.Size(terms, xx) },
		Rounding: func(terms int, xx, yy float64) float64 { return kernel.Linear{}.Relative(terms, xx, yy) + 0x1p-53 },
		Definite: true,
	}
	cosine := must(kernel.Normalise(counted))
	x, _, _ := stored(5, n, 4)
	for name, k := range map[string]kernel.Kernel{
		"alone":   cosine,
		"sum":     must(kernel.Sum(cosine, kernel.Laplacian{Gamma: 1})),
		"product": must(kernel.Product(kernel.Laplacian{Gamma: 1}, must(kernel.Sum(kernel.Laplacian{Gamma: 2}, cosine)))),
		"nested":  must(kernel.Normalise(must(kernel.Sum(kernel.Laplacian{Gamma: 1}, cosine)))),
	} {
		calls.Store(0)
		g := newGram(t, k, x, Options{})
		begun := calls.Swap(0)
		for i := range n {
			g.Rows([]int{i})
		}
		if got := calls.Swap(0); got != n*n || begun > 12*n {
			t.Errorf("%s: %d values for a matrix of %d, and %d before it", name, got, n*n, begun)
		}
		coefficients := make([]float64, n)
		coefficients[0] = 1
		s := NewScorer(k, x, [][]float64{coefficients})
		rows := make([]matrix.Vector, n)
		for i := range rows {
			rows[i] = x.Row(i)
		}
		scores := make([]float64, n)
		calls.Store(0)
		s.Scores(scores, rows)
		if got := calls.Swap(0); got > n*n+2*n {
			t.Errorf("%s: %d values for scores of %d", name, got, n*n)
		}
		if Check(k, x, n); calls.Load() > n*n+6*n {
			t.Errorf("%s: %d values to check %d", name, calls.Load(), n*n)
		}
		for i := range n {
			row := g.Rows([]int{i})[0]
			for j := range n {
				if want := k.Eval(x.Row(i), x.Row(j)); row.At(j) != want {
					t.Fatalf("%s: K[%d][%d] = %v, expected %v", name, i, j, row.At(j), want)
				}
			}
			if want := k.Eval(x.Row(i), x.Row(0)); scores[i] != want {
				t.Errorf("%s: score %d is %v, expected %v", name, i, scores[i], want)
			}
		}
	}
}

func must(k kernel.Kernel, err error) kernel.Kernel {
	if err != nil {
		panic(err)
	}
	return k
}
