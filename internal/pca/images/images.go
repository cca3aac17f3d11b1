// Package images has rows in the space of a kernel, of which only the products k(x,y) are known: the matrix of
// these, centred, with a bound on its error, the directions of the space that rows span, and what is proved of them.
package images

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Components of a kernel are those of the images of rows in its space, of which only the products
// k(x,y) are known (Schoelkopf, Smola and Mueller 1998). With S = (1/n) H K H, H = I - 1 1^T/n where
// images are centred, and S v = value v, direction sum_j a_j Phi(x_j) with a = H v/sqrt(n value) has
// length 1 and captures value: see [model.Space].

// mostRows is of how many rows the matrix of a kernel is formed: 2 GB.
const mostRows = 16384

// Products are what is known of rows in the space of a kernel.
type Products struct {
	S     []float64 // S, n x n
	Mean  []float64 // of K over rows; nil: images are not centred
	Wrong float64   // at least the Frobenius norm of the error of S
	Total float64   // tr S
}

// New computes S of prepared rows.
func New(k kernel.Kernel, x matrix.Matrix, center bool, threads int) (*Products, error) {
	n, _ := x.Dims()
	if n > mostRows {
		return nil, fmt.Errorf("found %d rows, expected at most %d, whose matrix of the kernel fits: a map, such as nystrom:rank=1000, takes any number", n, mostRows)
	}
	g, s, err := gram.Whole(k, x, threads)
	if err != nil {
		return nil, err
	}
	if err := g.Doubt(); err != nil {
		return nil, err
	}
	p := &Products{S: s}
	algebra.Symmetrise(p.S, n)
	largest := slices.Max(g.SquaredNorm)
	each := g.Kernel.Error(g.Terms, largest, largest)
	size := math.Sqrt(vec.SquaredNorm64(p.S))
	// The values, a mean of two of them, means of rows by compensated sums, and five roundings each of
	// which is of numbers that are, in Frobenius norm, no larger than K.
	p.Wrong = algebra.Up((float64(float64(n)*each) + float64(algebra.Gamma(64)*size)) / float64(n))
	if center {
		p.center(n, threads)
	}
	algebra.Divide(p.S, float64(n))
	for i := range n {
		p.Total += p.S[i*n+i]
	}
	if !(size <= math.MaxFloat64) {
		return nil, method.ErrTooLarge(size)
	}
	return p, nil
}

// center makes H K H of K.
func (p *Products) center(n, threads int) {
	p.Mean = make([]float64, n)
	rows := func(do func(i int, row []float64)) {
		parallel.Blocks(n, 64, threads, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				do(i, p.S[i*n:(i+1)*n])
			}
		})
	}
	rows(func(i int, row []float64) { p.Mean[i] = vec.Total(row) / float64(n) })
	all := vec.Total(p.Mean) / float64(n)
	rows(func(i int, row []float64) {
		for j := range row {
			row[j] = (row[j] - (p.Mean[i] + p.Mean[j])) + all
		}
	})
}

// mostRough is how many directions a search that was cut short makes at most.
const mostRough = 256

// Rough returns the best directions of a span, for a search that was cut short: of the k rows that it had found, or where
// these are too few of S e_i, for as many rows i that are evenly spaced. For V orthonormal with V S V^T = L diagonal, the X^T V^T L^-1/2 are
// directions of length 1, of which L^-1/2 V S^2 V^T L^-1/2 = Q^T M Q says the variances M of the best ones, X^T (Q L^-1/2 V)^T. Where
// nothing varies they are left out.
func (p *Products) Rough(found method.Basis, k, n, threads int) method.Basis {
	rows := found.Component
	if k = min(k, mostRough); found.K < k {
		rows = make([]float64, k*n)
		for c := range k {
			copy(rows[c*n:(c+1)*n], p.S[c*n/k*n:])
		}
	}
	k = len(rows) / n
	algebra.Orthonormalise(rows, k, n)
	images := make([]float64, k*n)
	algebra.Multiply(images, rows, p.S, k, n, n, threads)
	lengths, vectors := eigen(images, rows, k, n, threads)
	k, _ = batch.Fewest(lengths, math.Inf(1))
	rows, images = algebra.Combine(nil, vectors, rows, k, len(lengths), n), algebra.Combine(nil, vectors, images, k, len(lengths), n)
	for i, v := range lengths[:k] {
		algebra.Scale(rows[i*n:(i+1)*n], 1/math.Sqrt(v))
		algebra.Scale(images[i*n:(i+1)*n], 1/math.Sqrt(v))
	}
	values, vectors := eigen(images, images, k, n, threads)
	b := method.Basis{K: k, Cols: n, Component: algebra.Combine(nil, vectors, rows, k, k, n), Value: values}
	for i, v := range values {
		algebra.Scale(b.Row(i), math.Sqrt(v))
	}
	return b
}

// eigen returns the eigenvalues of A B^T, symmetric, of k rows each, and its eigenvectors.
func eigen(a, b []float64, k, n, threads int) (values, vectors []float64) {
	values, inner := make([]float64, k), make([]float64, k*k)
	algebra.Multiply(inner, a, b, k, k, n, threads)
	algebra.Symmetrise(inner, k)
	return values, new(algebra.Eigensystem).Decompose(values, inner, k)
}

// Coefficients makes the a of the v of a basis, with the signs that components are stored with.
func (p *Products) Coefficients(b method.Basis) []float64 {
	out := slices.Clone(b.Component)
	for i, value := range b.Value {
		a := out[i*b.Cols : (i+1)*b.Cols]
		if p.Mean != nil {
			mean := vec.Total(a) / float64(len(a))
			for j := range a {
				a[j] -= mean
			}
		}
		algebra.Scale(a, 1/math.Sqrt(float64(len(a))*value))
	}
	method.Basis{K: b.K, Cols: b.Cols, Component: out}.Orient()
	return out
}

// Certify is [certificate.OfProducts] of components of the space.
func (p *Products) Certify(ctx context.Context, components []float64, k, threads int) (certificate.Certificate, error) {
	n := len(components) / k
	return certificate.OfProducts(ctx, p.S, n, p.Wrong, method.Basis{K: k, Cols: n, Component: components}, threads)
}
