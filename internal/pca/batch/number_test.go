package batch

import "testing"

// Numbers of components are those of scikit-learn 1.9.1 for the same eigenvalues.
func TestLikeliest(t *testing.T) {
	for _, c := range []struct {
		values []float64
		n, k   int
	}{
		{[]float64{5, 4, 1, 0.9, 0.8}, 30, 2},
		{[]float64{5, 4, 1, 0.9, 0.8}, 10, 1},
		{[]float64{3, 2.5, 2, 1.5, 1, 0.5}, 8, 1},
		{[]float64{3, 2.5, 2, 1.5, 1, 0.5}, 1000, 5},
		{[]float64{9, 0.1, 0.09, 0.08}, 5, 3},
		{[]float64{1, 0.5, 0.25, 0.125, 0.0625, 0.001, 0.0009, 0.0008}, 20, 5},
		{[]float64{2, 1.9, 1.8, 0.3, 0.2, 0.1, 1e-16}, 40, 6},
		{[]float64{1.01, 1, 0.99, 0.98}, 12, 3},
	} {
		if k := Likeliest(c.values, c.n); k != c.k {
			t.Errorf("%v, %d rows: found %d components, expected %d", c.values, c.n, k, c.k)
		}
	}
	if k := Likeliest([]float64{3, 3, 3, 1, 1, 1}, 100); k != 3 {
		t.Errorf("found %d components of eigenvalues that are equal, expected 3", k)
	}
}
