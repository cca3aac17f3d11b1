package batch

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/matrix"
)

// grouped returns rows of three groups of features, of which each varies together, and noise.
func grouped() view.Rows {
	x := &matrix.Dense{Rows: 200, Cols: 12, Value: make([]float32, 200*12)}
	for i := range 200 {
		for j := range 12 {
			common := math.Sin(float64(i*(j%3+2))) * float64(4-j%3)
			x.Value[i*12+j] = float32(common + 0.5*math.Sin(float64(1+i*i+31*j)))
		}
	}
	return view.Rows{X: x}
}

// The first component is the best of all that have so few features, by the eigenvalues of all choices of these; no two
// share a feature, and they are orthonormal.
func TestSparseComponents(t *testing.T) {
	x := grouped()
	s, err := view.SecondMoment(context.Background(), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	for features := 1; features <= 4; features++ {
		b, err := Sparse{Features: features}.Solve(context.Background(), x, method.Problem{Rows: 200, Cols: 12, K: 3})
		if err != nil {
			t.Fatal(err)
		}
		best := 0.0
		for set := range 1 << 12 {
			var some []int
			for j := range 12 {
				if set>>j&1 == 1 {
					some = append(some, j)
				}
			}
			if len(some) != features {
				continue
			}
			a, values := make([]float64, features*features), make([]float64, features)
			for p, i := range some {
				for q, j := range some {
					a[p*features+q] = s[i*12+j]
				}
			}
			lapack.Eigen(values, make([]float64, features*features), a, features, 1)
			best = max(best, values[0])
		}
		if math.Abs(b.Value[0]-best) > 1e-9*best {
			t.Errorf("%d features: the first component captures %g, the best %g", features, b.Value[0], best)
		}
		if off := b.Departure(); off > 1e-12 || !slices.IsSortedFunc(b.Value, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
			t.Errorf("%d features: off orthonormal by %g, variances %v", features, off, b.Value)
		}
		for j := range 12 {
			used := 0
			for i := range 3 {
				if b.Row(i)[j] != 0 {
					used++
				}
			}
			if used > 1 {
				t.Errorf("%d features: feature %d is in %d components", features, j, used)
			}
		}
		for i := range 3 {
			if found := 12 - count(b.Row(i), 0); found > features {
				t.Errorf("component %d has %d features, expected at most %d", i, found, features)
			}
		}
	}
}

// The variances of features that are centred and scaled are the diagonal of the second moment.
func TestVariancesAreTheDiagonal(t *testing.T) {
	x := grouped()
	x.Offset, x.Factor = make([]float64, 12), make([]float64, 12)
	for j := range 12 {
		x.Offset[j], x.Factor[j] = float64(j-3)/4, 1+float64(j)/8
	}
	s, err := view.SecondMoment(context.Background(), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j, found := range variances(x) {
		if expected := s[j*12+j]; math.Abs(found-expected) > 1e-12*expected {
			t.Errorf("feature %d: found the variance %g, expected %g", j, found, expected)
		}
	}
}

func count(row []float64, value float64) (n int) {
	for _, v := range row {
		if v == value {
			n++
		}
	}
	return n
}
