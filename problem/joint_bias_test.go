package problem

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// TestBestBiases: without weights the probabilities are the shares of the classes, and with
// predictions the slopes of each class add up to 0.
func TestBestBiases(t *testing.T) {
	n, k := 40, 3
	x, y, s := &matrix.Dense{Rows: n, Cols: 1, Value: make([]float32, n)}, make([]uint32, n), make([]float64, n)
	share, total := make([]float64, k), 0.0
	for i := range y {
		y[i], s[i] = uint32(i*i%7%k), 1+float64(i%3)
		share[y[i]] += s[i]
		total += s[i]
	}
	p, err := NewJoint(NewRows(x, 1), y, k, s, joint.Softmax{}, penalty.L2{}, 1, Free)
	if err != nil {
		t.Fatal(err)
	}
	b, q := make([]float64, k), make([]float64, k)
	p.BestBiases(b, nil)
	joint.Softmax{}.Probabilities(q, b)
	for c := range q {
		if math.Abs(q[c]-share[c]/total) > 1e-10 {
			t.Errorf("class %d has the probability %g, expected its share %g", c, q[c], share[c]/total)
		}
	}
	m, a := make([]float64, n*k), make([]float64, n*k)
	for i := range m {
		m[i] = 20 * math.Sin(float64(3*i))
	}
	p.BestBiases(b, m)
	for i := range m {
		m[i] += b[i%k]
	}
	p.Slopes(a, m)
	for c := range k {
		sum := 0.0
		for i := range y {
			sum += s[i] * a[i*k+c]
		}
		if math.Abs(sum) > 1e-6 {
			t.Errorf("the slopes of class %d add up to %g", c, sum)
		}
	}
}
