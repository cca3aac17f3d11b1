package block

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// BlockPower is the power method with a fresh block of rows for every step: no step
// size, and no memory but the directions.
//
// Problem: the k directions of the largest eigenvalues of Sigma, Q of k orthonormal
// rows. With every block of rows X, from a random Q,
//
//	Q <- orth(Q X^T X).
//
// A block must tell the k-th direction from the noise, so that the accuracy in the end
// is that of one block, not of all rows; blocks therefore grow, each by half of the one
// before: a third of all rows is in the last, however many come.
//
// Returned: the principal directions of Q X^T X of the last block, or of what is there
// of the next if that is at least as much as half of it; the values are the roots of
// their squared lengths, which tend to the eigenvalues. Cost 4 d k operations a row, or
// 4 k for each nonzero; memory 2 d k.
//
// Mitliagkas, Caramanis and Jain 2013 (NIPS), Algorithm 1; growing blocks Li, Lin and
// Lu 2016 (AISTATS).
type BlockPower struct {
	Block  int     // rows of the first, 0: a fiftieth of all, at least 2 k and 16, at most 256
	Growth float64 // of each to the one before, at least 1
}

func init() {
	method.Register("block-power", "block streaming power method: a power step for every block of rows; no step size", func(p *registry.Params) (method.Method, error) {
		return BlockPower{
			Block:  p.Int("block", 0, 0, math.MaxInt32),
			Growth: p.Float("growth", 1.5, "a number from 1 to 16", func(x float64) bool { return x >= 1 && x <= 16 }),
		}, nil
	})
}

// powerRows is how many rows are multiplied at once, at most: blocks end at multiples.
const powerRows = 256

// Start begins with random directions.
func (m BlockPower) Start(p method.Problem) method.State {
	first := m.Block
	if first == 0 {
		first = powerRows
		if p.Rows > 0 {
			first = min(max(p.Rows/50, 2*p.K, 16), powerRows)
		}
	}
	s := &blockPower{sketch: sketch{cols: p.Cols, threads: p.Threads}, k: p.K, size: float64(first), growth: m.Growth}
	s.unit = min(first, powerRows)
	s.q = algebra.RandomBasis(p.Seed, p.K, p.Cols)
	return s
}

type blockPower struct {
	sketch // Q X^T X of the block so far, or no rows
	k      int
	unit   int       // rows that are multiplied at once
	q      []float64 // k x d
	value  []float64 // of its rows; none at first
	size   float64   // rows of the block
	growth float64
	rest   int // rows of the block so far

	part []float64 // scratch
}

// BlockRows is what a Learn takes at once.
func (s *blockPower) BlockRows() int { return s.unit }

// Learn adds up products, and takes a step where a block is full.
func (s *blockPower) Learn(x view.Rows) {
	rows, _ := x.Dims()
	for lo := 0; lo < rows; lo += s.unit {
		hi := min(lo+s.unit, rows)
		s.part = algebra.Sized(s.part, len(s.q))
		x.Part(lo, hi).QuickPower(s.part, s.q, s.k, s.threads)
		if len(s.h) == 0 {
			s.h = append(s.h[:0], s.part...)
		} else {
			vec.Axpy64(s.h, 1, s.part)
		}
		if s.rest += hi - lo; float64(s.rest) >= s.size {
			b := s.step()
			s.q, s.value, s.h, s.rest = b.Component, b.Value, s.h[:0], 0
			s.size *= s.growth
		}
	}
}

// step returns the principal directions of Q X^T X. Directions that no row has a
// part in stay, in the space that is left.
func (s *blockPower) step() method.Basis {
	largest := 1e-300 // the squares of products of squares could overflow
	for _, x := range s.h {
		largest = max(largest, math.Abs(x))
	}
	scaled := sketch{cols: s.cols, threads: s.threads, h: append([]float64{}, s.h...)}
	if largest > 1e-300 {
		algebra.Scale(scaled.h, 1/largest)
	}
	b := scaled.basis(s.k, 1)
	for i, v := range b.Value {
		b.Value[i] = math.Sqrt(v) / float64(s.rest) * largest
	}
	if lacking := s.k - b.K; lacking > 0 {
		b.Component = append(b.Component, s.q[b.K*s.cols:]...)
		b.Value = append(b.Value, make([]float64, lacking)...)
		b.K = s.k
		algebra.Orthonormalise(b.Component, s.k, s.cols)
	}
	return b
}

// Basis returns the directions of the last block that is large enough.
func (s *blockPower) Basis() method.Basis {
	if s.rest > 0 && (len(s.value) == 0 || 2*float64(s.rest) >= s.size) {
		return s.step()
	}
	b := method.Basis{K: s.k, Cols: s.cols, Component: append([]float64{}, s.q...)}
	if len(s.value) > 0 {
		b.Value = append([]float64{}, s.value...)
	}
	return b
}

// Keep visits the directions and the block so far.
func (s *blockPower) Keep(k *method.Kept) {
	k.List("directions", &s.q)
	k.List("values", &s.value)
	s.keep(k, "products", s.k)
	k.Number("size", &s.size)
	k.Count("rest", &s.rest)
	k.Require(len(s.q) == s.k*s.cols, "state: found %d numbers of directions, expected %d times %d", len(s.q), s.k, s.cols)
	k.Require(len(s.value) == 0 || len(s.value) == s.k, "state: found %d values, expected %d", len(s.value), s.k)
	k.Require(len(s.h) == 0 || len(s.h) == len(s.q), "state: found %d numbers of products, expected %d", len(s.h), len(s.q))
}

// OwnScale marks values that forget, grow or shrink.
func (*blockPower) OwnScale() {}
