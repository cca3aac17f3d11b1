package featuremap

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// NewCholesky chooses at most rank landmarks of a [Nystrom] map by the incomplete
// Cholesky factorisation (Fine and Scheinberg, Efficient SVM Training Using
// Low-Rank Kernel Representations, 2001): the next is the row of which the most is
// left,
//
//	p = argmax d,  d_i = k(x_i,x_i) - |Phi(x_i)|^2
//
// until no more than tolerance times the trace is left. residual is, before the
// first and after each, the sum of d.
//
// Cost: rank columns of the matrix, n rank^2/2 multiply-adds, n rank numbers.
func NewCholesky(ctx context.Context, k kernel.Kernel, x matrix.Matrix, rank int, tolerance float64, threads int) (m *Nystrom, residual []float64, err error) {
	if !(tolerance >= 0 && tolerance < 1) {
		return nil, nil, fmt.Errorf("low rank: found a tolerance of %g, expected a part of the trace from 0 to 1", tolerance)
	}
	if err := kernel.CheckRows(k, x); err != nil {
		return nil, nil, err
	}
	if err := checkRank(k, rank); err != nil {
		return nil, nil, err
	}
	f := newFactorisation(k, x, rank, threads)
	pivots, residual, err := f.run(ctx, tolerance)
	if err != nil {
		return nil, nil, err
	}
	m, err = newNystrom(ctx, k, x, rank, pivots, threads)
	return m, residual, err
}

// Factorise returns V, n rows of width numbers, of the same factorisation: V V^T is nearly the
// matrix of the kernel, which it is in the rows of the landmarks, and left the trace of what is
// missing, which is positive semidefinite. The width is the number of landmarks.
func Factorise(ctx context.Context, k kernel.Kernel, x matrix.Matrix, rank int, tolerance float64, threads int) (v []float64, landmarks []int, left float64, err error) {
	if err := kernel.CheckRows(k, x); err != nil {
		return nil, nil, 0, err
	}
	if err := checkRank(k, rank); err != nil {
		return nil, nil, 0, err
	}
	f := newFactorisation(k, x, rank, threads)
	landmarks, residual, err := f.run(ctx, tolerance)
	if err != nil {
		return nil, nil, 0, err
	}
	width := len(landmarks)
	v = make([]float64, 0, len(f.left)*width)
	for i := range f.left {
		v = append(v, f.image[i*f.width:i*f.width+width]...)
	}
	return v, landmarks, residual[width], nil
}

// run adds landmarks until little is left.
func (f *factorisation) run(ctx context.Context, tolerance float64) (pivots []int, residual []float64, err error) {
	residual = []float64{f.trace()}
	for len(pivots) < f.width && residual[len(pivots)] > max(tolerance, nothing)*residual[0] {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p := f.most()
		if !(f.left[p] > nothing*f.Diagonal[p]) {
			break
		}
		f.add(p, len(pivots))
		pivots, residual = append(pivots, p), append(residual, f.trace())
	}
	return pivots, residual, nil
}

// factorisation is the images of all rows of a set while landmarks are added.
type factorisation struct {
	*gram.Columns
	left  []float64 // d
	image []float64 // n x width
	width int
}

func newFactorisation(k kernel.Kernel, x matrix.Matrix, rank, threads int) *factorisation {
	n, _ := x.Dims()
	f := &factorisation{Columns: gram.NewColumns(k, x, threads), width: min(rank, n)}
	f.left = append(f.left, f.Diagonal...)
	f.image = make([]float64, n*f.width)
	return f
}

func (f *factorisation) trace() float64 {
	var sum vec.Sum
	for _, d := range f.left {
		sum.Add(d)
	}
	return sum.Value()
}

// most returns the row of which the most is left.
func (f *factorisation) most() int {
	p := 0
	for i, d := range f.left {
		if d > f.left[p] {
			p = i
		}
	}
	return p
}

// add makes row p the landmark of the feature c.
func (f *factorisation) add(p, c int) {
	root, pivot := math.Sqrt(f.left[p]), f.image[p*f.width:p*f.width+c]
	f.Each(p, func(values []float64, lo int) {
		for j, value := range values {
			f.extend(lo+j, c, value, pivot, root)
		}
	})
	f.image[p*f.width+c], f.left[p] = root, 0
}

// extend gives the image of row i its feature c.
func (f *factorisation) extend(i, c int, value float64, pivot []float64, root float64) {
	image := f.image[i*f.width : i*f.width+c+1]
	v := (value - vec.Dot64(image[:c], pivot)) / root
	image[c] = v
	f.left[i] = max(0, math.FMA(-v, v, f.left[i]))
}

// greedy makes a [Nystrom] map of well chosen landmarks.
type greedy struct {
	rank      int
	tolerance float64
}

func init() {
	approximations.Register(registry.Entry[Approximation]{Name: "cholesky",
		Summary: "projection onto the images of rank=500 rows, each that of which the most is left, until a part tolerance=0 of the trace is left",
		New: func(p *registry.Params) (Approximation, error) {
			return greedy{p.Int("rank", 500, 1, mostRank),
				p.Float("tolerance", 0, "a number >= 0 and < 1", func(t float64) bool { return t >= 0 && t < 1 })}, p.Err()
		}})
}

func (a greedy) Accepts(k kernel.Kernel) error { return checkRank(k, a.rank) }

func (a greedy) Fit(ctx context.Context, k kernel.Kernel, x matrix.Matrix, _ uint64, threads int) (Map, error) {
	m, _, err := NewCholesky(ctx, k, x, a.rank, a.tolerance, threads)
	return asMap(m, err)
}

func (a greedy) Restore(k kernel.Kernel, _ int, _ uint64, landmarks matrix.Matrix) (Map, error) {
	return restoreLowRank(k, landmarks, a.rank)
}
