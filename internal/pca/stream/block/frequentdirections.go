package block

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// FrequentDirections is a sketch with a guarantee, without step size or randomness.
//
// Problem: the k directions of the largest eigenvalues of A = sum of x x^T.
// State: B of fewer than 2 l rows. Rows are appended to B until there are 2 l; then,
// with the singular values s_1 >= s_2 >= ... of B and its right directions v_i,
//
//	B <- rows sqrt(s_i^2 - s_l^2) v_i,  i < l.
//
// What is subtracted everywhere lets new directions live until they have been seen
// often enough; a method that truncates instead forgets them at once. For every k < l
//
//	0 <= A - B^T B <= D I,      D = sum of the s_l^2 <= (sum of A's eigenvalues after k) / (l - k),
//
// so a direction is in B if its eigenvalue exceeds D. With l = k + 1 and slowly
// falling eigenvalues it often is not; l >= 2k + 4 is the rule of thumb.
//
// Returned: the k longest directions of B. Their values are lower bounds of the mean
// squares along them, at most D / n too small. Two states merge: B of one is learned
// by the other, and their D add up. Cost O(d l + l^2) a row; memory 2 d l.
//
// Liberty 2013 (KDD), Ghashami, Liberty, Phillips and Woodruff 2016 (SICOMP), the
// fast variant of section 2.3 with a buffer of 2 l rows.
type FrequentDirections struct {
	Memory int // l, 0: 2k + 4
}

func init() {
	method.Register("frequent-directions", "frequent directions: a sketch of memory=L rows that never overestimates, with a bound on its error; mergeable", func(p *registry.Params) (method.Method, error) {
		return FrequentDirections{Memory: p.Int("memory", 0, 0, 1<<20)}, nil
	})
}

// Accepts refuses a sketch that has no bound.
func (m FrequentDirections) Accepts(p method.Problem) error {
	if m.Memory > 0 && m.Memory <= p.K {
		return fmt.Errorf("frequent-directions: memory = %d: expected more than k = %d", m.Memory, p.K)
	}
	return nil
}

// Start begins with no rows.
func (m FrequentDirections) Start(p method.Problem) method.State {
	l := m.Memory
	if l == 0 {
		l = 2*p.K + 4
	}
	return &frequentDirections{sketch: sketch{cols: p.Cols, threads: p.Threads}, k: p.K, l: min(l, p.Cols+1)}
}

type frequentDirections struct {
	sketch // fewer than 2 l rows
	k, l   int
	seen   int     // rows
	lost   float64 // D
}

// Learn appends the rows.
func (s *frequentDirections) Learn(x view.Rows) {
	rows, _ := x.Dims()
	s.seen += rows
	for lo := 0; lo < rows; {
		hi := min(rows, lo+2*s.l-s.rows())
		s.push(x.Part(lo, hi))
		s.shrink()
		lo = hi
	}
}

// shrink makes room if there is none.
func (s *frequentDirections) shrink() {
	if s.rows() < 2*s.l {
		return
	}
	value, left := s.rotate(s.l - 1)
	for i, v := range value {
		algebra.Scale(s.h[i*s.cols:(i+1)*s.cols], math.Sqrt(1-left/v))
	}
	s.lost += left
}

// Basis returns the longest directions.
func (s *frequentDirections) Basis() method.Basis { return s.basis(s.k, s.seen) }

// Keep visits B and what was lost.
func (s *frequentDirections) Keep(k *method.Kept) {
	s.keep(k, "sketch", 2*s.l-1)
	k.Count("seen", &s.seen)
	k.Number("lost", &s.lost)
}

// OwnScale marks values that forget, grow or shrink.
func (*frequentDirections) OwnScale() {}
