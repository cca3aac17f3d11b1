package batch

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Sums in single precision lose nothing that counts.
func TestCovarianceInSingle(t *testing.T) {
	images := inMemory(matrix.Part(shared(t, "mnist/train-images-idx3-ubyte.gz"), 0, 20000))
	checkSingle(t, "images", images, 8, 5e-8)
	checkSingle(t, "images", images, 50, 5e-8)
}

// Values that repeat are rounded the same way again and again: the sample sees it, and
// the rows are looked at once more. Of directions that are hardly apart 10^-7 is lost.
func TestCovarianceOfRepeatedValues(t *testing.T) {
	const n, d = 200000, 150
	r := rand.New(rand.NewPCG(1, 2))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range x.Value {
		x.Value[i] = 0.7 * float32(1+r.IntN(2))
	}
	for i := range n {
		if i%2 == 0 {
			for j := range d / 3 {
				x.Value[i*d+j] = 1.3
			}
		}
	}
	checkSingle(t, "repeated", x, 3, 1e-6)
}

func checkSingle(t *testing.T, name string, x *matrix.Dense, k int, limit float64) {
	rows, err := view.Preprocess(x, "none", true, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, exact := solveBatch(t, "covariance", rows, k, 2), solveBatch(t, "covariance:precision=double", rows, k, 2)
	best := algebra.Total(exact.Value)
	t.Logf("%s, k=%d: values off by %.2g", name, k, algebra.Total(b.Value)/best-1)
	if off := math.Abs(algebra.Total(b.Value)/best - 1); !(off <= limit) {
		t.Errorf("%s, k=%d: the values are off by %g", name, k, off)
	}
	found := b
	found.Along(rows, 2)
	if lost := 1 - algebra.Total(found.Value)/best; !(lost <= limit) {
		t.Errorf("%s, k=%d: %g of what can be captured is lost", name, k, lost)
	}
	if again := solveBatch(t, "covariance", view.Rows{X: rows.X, Offset: rows.Offset}, k, 1); !(pcatest.LargestDifference(b.Value, again.Value) <= 1e-12*best) {
		t.Errorf("%s, k=%d: values differ with sums that are not known", name, k)
	}
}

// As many components as have a share are found by one decomposition, whatever number is guessed, of
// features or of rows.
func TestShareAtOnce(t *testing.T) {
	for name, size := range map[string][2]int{"covariance": {320, 300}, "gram": {300, 320}} {
		n, d := size[0], size[1]
		x := view.Rows{X: &matrix.Dense{Rows: n, Cols: d, Value: pcatest.Table(rand.New(rand.NewPCG(3, 4)), n, d, pcatest.Spectra[0])}}
		all := solveBatch(t, name, x, min(n, d), 2)
		p := method.Problem{Rows: n, Cols: d, K: 1, Squared: algebra.Total(all.Value), Share: 0.9}
		m, _ := method.New(name)
		b, err := m.(method.Batch).Solve(t.Context(), x, p)
		want, _ := Fewest(all.Value, 0.9*p.Squared)
		if err != nil || b.K < want || b.K > want+1 || len(b.Component) != b.K*d || len(b.Value) != b.K {
			t.Errorf("%s: found %d components, %v, expected %d", name, b.K, err, want)
		}
	}
}
