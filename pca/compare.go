package pca

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/model"
)

// Comparison says how far apart the subspaces of two models are.
type Comparison struct {
	// Angles are the principal angles between them in radians, the smallest first: as many as the
	// smaller one has dimensions.
	Angles []float64

	// Distance is the Frobenius norm of the difference of the projections on them.
	Distance float64

	// Factors is the largest ratio of the factors by which both scale a feature; 1: they are the same.
	Factors float64
}

// Compare returns the principal angles between the components of two models of the same features.
// Their cosines are the singular values of A B^T, their sines those of A - A B^T B, A of no more
// rows than B; each angle is computed by the smaller of its two functions, which alone knows it to
// all digits (Björck and Golub 1973).
func Compare(a, b *model.PCA) (*Comparison, error) {
	if err := likeFeatures(a, b); err != nil {
		return nil, err
	}
	out := &Comparison{Factors: 1}
	for j := range a.Scale {
		if x, y := a.Scale[j], b.Scale[j]; x != y {
			out.Factors = max(out.Factors, x/y, y/x)
		}
	}
	if a.Statement.K > b.Statement.K {
		a, b = b, a
	}
	k, l, d := a.Statement.K, b.Statement.K, a.Cols()
	products, rest := make([]float64, k*l), slices.Clone(a.Components)
	for i := range k {
		for j := range l {
			products[i*l+j] = vec.Dot64(a.Component(i), b.Component(j))
		}
		for j := range l {
			vec.Axpy64(rest[i*d:(i+1)*d], -products[i*l+j], b.Component(j))
		}
	}
	cosines, sines := squaredSingular(products, k, l), squaredSingular(rest, k, d)
	slices.Reverse(sines) // rising with the angle, as the cosines fall
	squares := float64(l - k)
	for i, s := range sines {
		angle := math.Asin(math.Sqrt(s))
		if s > 0.5 {
			angle = math.Acos(math.Sqrt(cosines[i]))
		}
		out.Angles = append(out.Angles, angle)
		squares += 2 * s
	}
	out.Distance = math.Sqrt(squares)
	return out, nil
}

// squaredSingular returns the squares of the singular values of a, k x d, of which none is above 1,
// falling.
func squaredSingular(a []float64, k, d int) []float64 {
	gram, value := make([]float64, k*k), make([]float64, k)
	for i := range k {
		for j := range k {
			gram[i*k+j] = vec.Dot64(a[i*d:(i+1)*d], a[j*d:(j+1)*d])
		}
	}
	new(algebra.Eigensystem).Decompose(value, gram, k)
	for i, v := range value {
		value[i] = min(max(v, 0), 1)
	}
	return value
}

// likeFeatures refuses components that are no directions among the same features.
func likeFeatures(a, b *model.PCA) error {
	for _, m := range []*model.PCA{a, b} {
		if err := m.Check(); err != nil {
			return err
		}
		if off := (method.Basis{K: m.Statement.K, Cols: m.Cols(), Component: m.Components}).Departure(); !(off <= 1e-8) {
			return pose.DataError{Reason: fmt.Sprintf("the components are not orthonormal: products are off by %.3g", off)}
		}
	}
	if err := pose.SameFeatures(a.Cols(), b.Cols(), a.Features, b.Features); err != nil {
		return err
	}
	if a.Statement.Scale != b.Statement.Scale {
		return pose.DataError{Reason: fmt.Sprintf("found the scales %s and %s, expected the same: directions of features in different units have no angle", a.Statement.Scale, b.Statement.Scale)}
	}
	return nil
}
