package stream

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// ERM is exact empirical risk minimisation at every step,
//
//	C_t = C_{t-1} + x_t x_t^T,   U_t = the eigenvectors of C_t of the k largest eigenvalues:
//
// what streaming methods approximate with less memory, as a curve to compare with.
//
// Cost: d^2 for a row and in memory, and about 3 d^3 for reading the basis.
// Thesis 4.4; reference 2.1.
type ERM struct{}

func init() {
	method.Register("erm", "exact minimisation over all rows so far, d x d: the reference, at most 2000 features", func(p *registry.Params) (method.Method, error) {
		return ERM{}, p.Err()
	})
}

// Accepts refuses many features.
func (ERM) Accepts(p method.Problem) error {
	if p.Cols > 2000 {
		return fmt.Errorf("erm: found %d features, expected at most 2000", p.Cols)
	}
	return nil
}

// Start implements Streaming.
func (ERM) Start(p method.Problem) method.State {
	return &ermState{k: p.K, d: p.Cols, sum: make([]float64, p.Cols*p.Cols), row: make([]float64, p.Cols)}
}

type ermState struct {
	k, d, rows int
	sum, row   []float64 // C; scratch
}

// Learn implements State.
func (s *ermState) Learn(x view.Rows) {
	x.Each(s.row, func(row []float64) {
		for j, v := range row {
			if v != 0 {
				vec.Axpy64(s.sum[j*s.d:(j+1)*s.d], v, row)
			}
		}
		s.rows++
	})
}

// Basis implements State.
func (s *ermState) Basis() method.Basis {
	values, vectors := make([]float64, s.d), make([]float64, s.d*s.d)
	a := append([]float64{}, s.sum...)
	algebra.Symmetrise(a, s.d)
	lapack.Eigen(values, vectors, a, s.d, 1)
	for i, v := range values {
		values[i] = max(v, 0) / float64(max(s.rows, 1))
	}
	return method.Basis{K: s.d, Cols: s.d, Component: vectors, Value: values}.First(s.k)
}

// Keep implements State.
func (s *ermState) Keep(k *method.Kept) {
	k.Count("rows", &s.rows)
	k.List("second moment", &s.sum)
	k.Require(len(s.sum) == s.d*s.d, "state: found a second moment of %d numbers, expected %d", len(s.sum), s.d*s.d)
}

// Rescale multiplies rows and columns of C.
func (s *ermState) Rescale(by []float64) {
	for at := range s.sum {
		s.sum[at] *= float64(by[at/s.d] * by[at%s.d])
	}
}
