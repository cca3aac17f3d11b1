package batch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Sparse finds components of few features each, of which no two share one:
//
//	u_i = argmax u^T Sigma u,   |u| = 1,   u not 0 in at most so many features, none of u_1, ..., u_(i-1),
//
// one after another. So they are orthonormal, and the certificate says how much of what any directions can
// capture they do. The maximum is sought by the truncated power method,
//
//	u <- the largest elements of Sigma u in magnitude, divided by their length,
//
// under which u^T Sigma u rises. It has three starts: the largest elements of the first eigenvector, approximately, of the
// features left; the largest of them alone; and the feature of the largest variance. The best of the three local maxima is taken,
// which need not be the global one.
//
// Cost: a product with Sigma for each step of the three, and of the 60 for the eigenvector, for each component.
//
// Yuan and Zhang, "Truncated power method for sparse eigenvalue problems", JMLR 14, 2013; Journee, Nesterov, Richtarik
// and Sepulchre, "Generalized power method for sparse principal component analysis", JMLR 11, 2010.
type Sparse struct{ Features int }

func init() {
	method.Register("sparse", "components of at most so many features each, of which no two share one (features=10)", func(p *registry.Params) (method.Method, error) {
		return Sparse{p.Int("features", 10, 1, math.MaxInt32)}, p.Err()
	})
}

// Restricted is [method.Restricted]'s.
func (Sparse) Restricted() {}

// Accepts refuses components for which there are too few features.
func (m Sparse) Accepts(p method.Problem) error {
	if p.K > p.Cols {
		return fmt.Errorf("sparse: found %d components of %d features, expected at least one for each", p.K, p.Cols)
	}
	return nil
}

// Solve is Batch's.
func (m Sparse) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	_, d := x.Dims()
	most := min(m.Features, d/p.K)
	s := sparseSearch{ctx: ctx, moment: view.MomentOf(x, p.Threads), free: make([]bool, d), d: d, most: most, variance: variances(x)}
	for j := range s.free {
		s.free[j] = true
	}
	b := method.Basis{Cols: d}
	for b.K < p.K {
		u, err := s.next()
		if err != nil {
			return b, err
		}
		b.K++
		b.Component = append(b.Component, u...)
	}
	b.Along(x, p.Threads)
	return b.Sorted(), nil
}

type sparseSearch struct {
	ctx     context.Context
	moment  view.Operator
	free    []bool // features of no component so far
	d, most int

	variance []float64 // of each feature
}

// variances returns the mean square of each feature.
func variances(x view.Rows) []float64 {
	n, d := x.Dims()
	sum, out := make([]float64, d), make([]float64, d)
	for i := range n {
		row := x.X.Row(i)
		for k, v := range row.Value {
			j := row.Column(k)
			sum[j] += float64(v)
			out[j] += float64(v) * float64(v)
		}
	}
	for j := range out {
		out[j] /= float64(n)
		if x.Offset != nil {
			out[j] += float64(x.Offset[j] * (x.Offset[j] - 2*sum[j]/float64(n)))
		}
		if x.Factor != nil {
			out[j] *= float64(x.Factor[j] * x.Factor[j])
		}
	}
	return out
}

// next returns the next component, whose features are free no longer.
func (s *sparseSearch) next() ([]float64, error) {
	largest, err := s.iterate(s.spread(), s.d, 60)
	if err != nil {
		return nil, err
	}
	best, value, err := s.converge(largest)
	if err != nil {
		return nil, err
	}
	for _, of := range [][]float64{largest, s.variance} {
		single := make([]float64, s.d)
		single[s.strongest(of)] = 1
		other, found, err := s.converge(single)
		if err != nil {
			return nil, err
		}
		if found > value {
			best, value = other, found
		}
	}
	for j, v := range best {
		if v != 0 {
			s.free[j] = false
		}
	}
	return best, nil
}

// spread returns a vector of all free features, to begin the power method with.
func (s *sparseSearch) spread() []float64 {
	u := make([]float64, s.d)
	for j, free := range s.free {
		if free {
			u[j] = 1 + float64(j%7)/16 // orthogonal to nothing in particular
		}
	}
	return u
}

// strongest returns the free feature of the element largest in magnitude.
func (s *sparseSearch) strongest(u []float64) (at int) {
	most := -1.0
	for j, v := range u {
		if s.free[j] && math.Abs(v) > most {
			at, most = j, math.Abs(v)
		}
	}
	return at
}

// converge iterates until the component changes no more, and returns what it captures.
func (s *sparseSearch) converge(u []float64) (best []float64, value float64, err error) {
	if best, err = s.iterate(u, s.most, 1000); err != nil {
		return nil, 0, err
	}
	image := make([]float64, s.d)
	err = s.moment.Apply(s.ctx, image, best, 1)
	return best, vec.Dot64(image, best), err
}

// iterate takes at most so many steps of the truncated power method, with so many features.
func (s *sparseSearch) iterate(u []float64, features, steps int) ([]float64, error) {
	u = slices.Clone(u)
	s.truncate(u, features)
	image := make([]float64, s.d)
	for range steps {
		if err := s.moment.Apply(s.ctx, image, u, 1); err != nil {
			return nil, err
		}
		next := slices.Clone(image)
		if !s.truncate(next, features) {
			return u, nil // nothing varies in the features left
		}
		vec.Axpy64(u, -1, next)
		still := vec.SquaredNorm64(u) <= 1e-24
		if u = next; still {
			break
		}
	}
	return u, nil
}

// truncate keeps the largest elements of free features, and makes u as long as 1; false: it is 0.
func (s *sparseSearch) truncate(u []float64, features int) bool {
	var order []int
	for j := range u {
		if !s.free[j] {
			u[j] = 0
		} else if u[j] != 0 {
			order = append(order, j)
		}
	}
	if len(order) > features {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(u[j]), math.Abs(u[i])) })
		for _, j := range order[features:] {
			u[j] = 0
		}
	}
	length := math.Sqrt(vec.SquaredNorm64(u))
	if !(length > 0) {
		return false
	}
	algebra.Scale(u, 1/length)
	return true
}
