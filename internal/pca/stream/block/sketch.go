package block

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// A sketch is what methods that learn from blocks of rows share: dense rows H in double precision
// whose H^T H stands for the sum of x x^T over many rows x, and small matrices times them.
type sketch struct {
	cols, threads int

	h []float64 // rows of cols numbers

	gram, value []float64 // scratch, as all below
	spare, turn []float64
	small       algebra.Eigensystem
}

func (s *sketch) rows() int { return len(s.h) / s.cols }

// cores returns how many threads are worth to be started for products of so many
// elements with all columns.
func (s *sketch) cores(elements int) int {
	if elements*s.cols < 1<<18 {
		return 1
	}
	return s.threads
}

// push appends the rows.
func (s *sketch) push(x view.Rows) {
	n, d := x.Dims()
	at := len(s.h)
	s.h = append(s.h, make([]float64, n*d)...)
	for i := range n {
		x.Row(s.h[at+i*d:at+(i+1)*d], i)
	}
}

// rotate makes the rows orthogonal to each other, the longest first, of which it
// leaves at most `most`; it returns the squares of their lengths, and that of the
// longest row that it left out. H^T H is the same but for what was left out.
func (s *sketch) rotate(most int) (value []float64, left float64) {
	m := s.rows()
	if m == 0 {
		return nil, 0
	}
	s.gram, s.value = algebra.Zeros(s.gram, m*m), algebra.Zeros(s.value, m)
	blas.SyrkRows64(algebra.Block(s.gram, m, m), algebra.Block(s.h, m, s.cols), s.cores(m*m))
	vectors := s.small.Decompose(s.value, s.gram, m)
	r := visible(s.value, most)
	if r < m {
		left = max(s.value[r], 0)
	}
	s.h, s.spare = s.mix(s.spare, vectors, r, m, s.h), s.h
	return s.value[:r], left
}

// visible returns how many of the descending eigenvalues of a Gram matrix rounding
// does not hide, at most `most`.
func visible(value []float64, most int) int {
	r := 0
	for r < min(len(value), most) && value[r] > math.Max(0, 0x1p-48*value[0]) {
		r++
	}
	return r
}

// mix returns the product of v, r x m, and x, m x cols, in the memory of out if there
// is enough.
func (s *sketch) mix(out, v []float64, r, m int, x []float64) []float64 {
	out = algebra.Zeros(out, r*s.cols)
	s.addMix(out, v, r, m, x)
	return out
}

// addMix adds the product of v, r x m, and x, m x cols, to out.
func (s *sketch) addMix(out, v []float64, r, m int, x []float64) {
	s.turn = algebra.Sized(s.turn, m*r)
	blas.Transpose64(algebra.Block(s.turn, m, r), algebra.Block(v, r, m))
	blas.GemmCols64(algebra.Block(out, r, s.cols), algebra.Block(s.turn, m, r), algebra.Block(x, m, s.cols), s.cores(r*m))
}

// basis returns the k longest principal directions of H, and their squared lengths
// divided by n, the number of rows that H stands for. H stays as it is.
func (s *sketch) basis(k, n int) method.Basis {
	c := sketch{cols: s.cols, threads: s.threads, h: append([]float64{}, s.h...)}
	value, _ := c.rotate(k)
	b := method.Basis{K: len(value), Cols: s.cols, Component: c.h, Value: make([]float64, len(value))}
	for i, v := range value {
		b.Value[i] = v / float64(max(n, 1))
	}
	algebra.Orthonormalise(b.Component, b.K, b.Cols)
	return b
}

// keep visits the rows, of which there are at most `most`.
func (s *sketch) keep(k *method.Kept, name string, most int) {
	k.List(name, &s.h)
	k.Require(len(s.h)%s.cols == 0 && s.rows() <= most, "state: %s: found %d numbers, expected at most %d rows of %d", name, len(s.h), most, s.cols)
}

// normalise gives every row of x, d numbers each, the length 1, and returns what it
// was.
func normalise(x []float64, d int) (length []float64) {
	for lo := 0; lo < len(x); lo += d {
		row := x[lo : lo+d]
		l := math.Sqrt(vec.SquaredNorm64(row))
		if l > 0 {
			algebra.Scale(row, 1/l)
		}
		length = append(length, l)
	}
	return length
}

// Rescale multiplies the columns of H.
func (s *sketch) Rescale(by []float64) {
	for at := range s.h {
		s.h[at] *= by[at%s.cols]
	}
}

// Rescaled returns the eigenvectors of D A D, d numbers each, and their eigenvalues, where A is
// the sum of value_i u_i u_i^T over the rows of u, and D the diagonal of by, of d numbers.
func Rescaled(u, value, by []float64) (rows, values []float64) {
	d := len(by)
	h := sketch{cols: d, threads: 1, h: u}
	for i, v := range value {
		algebra.Scale(h.h[i*d:(i+1)*d], math.Sqrt(max(v, 0)))
	}
	h.Rescale(by)
	squares, _ := h.rotate(len(value))
	normalise(h.h, d)
	algebra.Orthonormalise(h.h, len(squares), d)
	return h.h, slices.Clone(squares)
}
