package penalty_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/penalty"
)

// squares returns the eigenvalues of W^T W, the squares of the singular values of a matrix by rows.
func squares(w []float64, columns int) []float64 {
	gram, values := make([]float64, columns*columns), make([]float64, columns)
	for i := range columns {
		for k := range columns {
			for j := range len(w) / columns {
				gram[i*columns+k] += w[j*columns+i] * w[j*columns+k]
			}
		}
	}
	lapack.Eigen(values, nil, gram, columns, 1)
	return values
}

// TestNuclear: values are those of an eigensystem, the bound on the largest singular value is none below it, and a proximal
// point has the singular values that are left and none of those that are not.
func TestNuclear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{5, 3}, {3, 5}, {1, 4}, {4, 1}, {20, 20}, {40, 7}} {
		rows, columns := size[0], size[1]
		w := make([]float64, rows*columns)
		for i := range w {
			w[i] = r.NormFloat64() * math.Pow(10, float64(i%columns)) // columns of very different sizes
		}
		p := penalty.Nuclear{Columns: columns}
		values := squares(w, columns)
		sum, largest := 0.0, math.Sqrt(values[0])
		for _, v := range values {
			sum += math.Sqrt(max(v, 0))
		}
		if found := p.Value(w); math.Abs(found-sum) > 1e-6*sum {
			t.Errorf("%v: found the value %g, expected %g", size, found, sum)
		}
		if scale, _ := p.Conjugate(w); !(scale*largest <= 1+1e-12 && scale*largest >= 1-1e-9) {
			t.Errorf("%v: found the scale %g, expected 1/%g and no more", size, scale, largest)
		}
		reach := make([]float64, len(w))
		for i := range reach {
			reach[i] = 0.01 * math.Abs(w[i])
		}
		scale := p.Within(w, reach)
		for range 20 {
			near := make([]float64, len(w))
			for i, x := range w {
				near[i] = x + (2*r.Float64()-1)*reach[i]
			}
			if most := scale * math.Sqrt(squares(near, columns)[0]); most > 1 {
				t.Errorf("%v: found the norm %g of a matrix that is near, expected at most 1", size, most)
			}
		}
		step, x := largest/100, make([]float64, len(w))
		p.Prox(x, w, step)
		left := squares(x, columns)
		rank := 0
		for k, v := range values {
			want := max(math.Sqrt(max(v, 0))-step, 0)
			if found := math.Sqrt(max(left[k], 0)); math.Abs(found-want) > 1e-6*largest {
				t.Errorf("%v: singular value %d: found %g, expected %g", size, k, found, want)
			}
			if want > 1e-6*largest {
				rank++
			}
		}
		if found := p.Rank(x); found != rank {
			t.Errorf("%v: found the rank %d, expected %d", size, found, rank)
		}
	}
}
