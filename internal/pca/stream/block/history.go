package block

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// History is block power with a memory: the rows so far are remembered as m > k
// directions, and every block is learned together with them.
//
// Problem: the k directions of the largest eigenvalues of A = sum of x x^T, of which
// H^T H is what is remembered, H of at most m orthogonal rows.
//
// With a block X of B rows, A = H^T H + X^T X, and W of the directions of H and some
// random ones,
//
//	Z = W A                    a pass over the block: two products with it
//	N = (W Z^T)^{-1/2} Z       Nyström's approximation of A from Z: of those that
//	                           do not exceed A and are it on W the best
//	W <- the principal directions of N, and another pass over the same block
//	     if the k largest values of N^T N are more than those of W by 3/1000;
//	H <- the m longest of the principal directions of N, with their lengths.
//
// Later blocks mostly take one pass where eigenvalues fall, and two or three where
// they are nearly equal. Yang, Hsieh and Wang take a number of power steps for each
// block, keep k directions and the Rayleigh quotients of the last step. More
// directions make an error of the order of those after m instead of k (MNIST, k = 50:
// 3e-4 of the variance with m = 58, 2e-5 with 75); Nyström's approximation is as good
// with one pass as Rayleigh's with two, and keeps the law H^T H <= A, so that the
// values returned never promise more than the directions capture of the rows seen. The
// random rows of W let in what is orthogonal to all of H: a coordinate axis that comes
// late would otherwise never be seen.
//
// Returned: the k longest directions of H. Cost of a pass: 4 B d m operations, or 4 m
// for each nonzero, and 5 d m^2; memory 3 d m. There is no guarantee such as
// [FrequentDirections] gives; that costs ten times as much on MNIST.
//
// Yang, Hsieh and Wang 2018 (arXiv 1802.05447), Algorithm 2; Tropp, Yurtsever, Udell
// and Cevher 2017 (NIPS), Algorithm 3, for the approximation.
type History struct {
	Memory int // m, 0: k + max(16, k/2)
	Fresh  int // random rows of W
	Block  int // B, 0: 2048, or up to 8192 of long rows
}

func init() {
	method.Register("history", "history PCA: blocks are learned together with more than k directions of all before; no step size", func(p *registry.Params) (method.Method, error) {
		return History{Memory: p.Int("memory", 0, 0, 1<<20), Fresh: p.Int("fresh", 4, 0, 1<<20), Block: p.Int("block", 0, 0, 1<<30)}, nil
	})
}

const (
	mostLooks   = 5
	enoughGrown = 3e-3 // of the k largest values: then there is no other pass
)

// Start begins with no directions.
func (m History) Start(p method.Problem) method.State {
	memory := m.Memory
	if memory == 0 {
		memory = p.K + max(16, p.K/2)
	}
	memory = min(max(memory, p.K), p.Cols)
	s := &history{sketch: sketch{cols: p.Cols, threads: p.Threads}, k: p.K, memory: memory, fresh: min(m.Fresh, p.Cols-memory), block: m.Block, seed: p.Seed}
	if s.block == 0 {
		s.block = max(blockOf(p.Cols), 4*memory)
	}
	return s
}

// blockOf returns how many rows of d features make a block: the more features, the
// more rows are worth the work that every block is besides, but no more than a
// gigabyte if they are dense.
func blockOf(d int) int {
	rows := min(max(2048, d/4), 8192, 1<<28/d)
	return max(rows/1024*1024, 256)
}

type history struct {
	sketch
	k, memory, fresh, block int
	seed                    uint64

	seen  int // rows
	steps int // blocks

	w, z, length []float64 // scratch
}

// BlockRows is what a Learn takes at once.
func (s *history) BlockRows() int { return s.block }

// Learn takes blocks of BlockRows rows; fewer rows than there are directions are
// remembered as they are until there are more.
func (s *history) Learn(x view.Rows) {
	rows, _ := x.Dims()
	s.seen += rows
	for lo := 0; lo < rows; lo += s.block {
		part := x.Part(lo, min(lo+s.block, rows))
		if n, _ := part.Dims(); n < s.memory {
			s.push(part)
			if s.rows() > 2*s.memory {
				s.rotate(s.memory)
			}
			continue
		}
		s.step(part)
	}
}

// step learns one block.
func (s *history) step(x view.Rows) {
	m := s.start()
	for range mostLooks {
		s.z = algebra.Sized(s.z, m*s.cols)
		x.QuickPower(s.z, s.w, m, s.threads)
		s.remember(m)
		grown := 0.0
		m, grown = s.approximate(m)
		if !(grown >= enoughGrown) {
			break
		}
	}
	s.steps++
	s.h = append(s.h[:0], s.w[:min(m, s.memory)*s.cols]...)
	for i, length := range s.length[:s.rows()] {
		algebra.Scale(s.h[i*s.cols:(i+1)*s.cols], length)
	}
}

// start sets w to the directions of H and random ones, and returns how many.
func (s *history) start() (m int) {
	d := s.cols
	m = min(s.memory, s.rows())
	s.w = append(s.w[:0], s.h[:m*d]...)
	if n := s.memory + s.fresh - m; n > 0 {
		random := make([]float64, n*d)
		algebra.FillNormal(random, rand.NewPCG(s.seed, algebra.StartStream+uint64(s.steps)))
		s.w = append(s.w, random...)
		m += n
	}
	normalise(s.w, d)
	return m
}

// remember adds W H^T H to Z.
func (s *history) remember(m int) {
	h := s.rows()
	if h == 0 {
		return
	}
	c := make([]float64, m*h)
	blas.Gemm64(algebra.Block(c, m, h), algebra.Block(s.w, m, s.cols), algebra.Block(s.h, h, s.cols), s.threads)
	s.addMix(s.z, c, m, h, s.h)
}

// approximate sets w to the principal directions of N = (W Z^T)^{-1/2} Z, and length
// to their lengths, but for what rounding hides. It returns how many there are, and by
// which part the k largest values are more than those of W. The rows of W are scaled so
// that W Z^T has a diagonal of ones: of a graded matrix the small part then counts as
// much as the large.
func (s *history) approximate(m int) (r int, grown float64) {
	d := s.cols
	before := 0.0
	t, by := algebra.Zeros(s.gram, m*m), make([]float64, m)
	s.gram = t
	blas.Gemm64(algebra.Block(t, m, m), algebra.Block(s.w, m, d), algebra.Block(s.z, m, d), s.threads)
	for i := range m {
		if t[i*m+i] > 0 {
			by[i] = 1 / math.Sqrt(t[i*m+i])
		}
		algebra.Scale(s.z[i*d:(i+1)*d], by[i])
		if i < s.k {
			before += t[i*m+i]
		}
	}
	for i := range m {
		for j := range i + 1 {
			mean := (t[i*m+j] + t[j*m+i]) / 2 * by[i] * by[j]
			t[i*m+j], t[j*m+i] = mean, mean
		}
	}
	value := make([]float64, m)
	root := append([]float64{}, s.small.Decompose(value, t, m)...)
	for r < m && value[r] > 0x1p-20 {
		algebra.Scale(root[r*m:(r+1)*m], 1/math.Sqrt(value[r]))
		r++
	}
	r = s.directions(root[:r*m], r, m)
	after := 0.0
	for _, l := range s.length[:min(r, s.k)] {
		after += float64(l * l)
	}
	return r, after/before - 1
}

// directions sets w to the principal directions of root Z, root of r x m.
func (s *history) directions(root []float64, r, m int) int {
	d := s.cols
	inner, left, g := algebra.Zeros(s.gram, m*m), make([]float64, r*m), make([]float64, r*r)
	s.gram = inner
	blas.SyrkRows64(algebra.Block(inner, m, m), algebra.Block(s.z, m, d), s.threads)
	blas.Gemm64(algebra.Block(left, r, m), algebra.Block(root, r, m), algebra.Block(inner, m, m), s.threads) // inner is symmetric
	blas.Gemm64(algebra.Block(g, r, r), algebra.Block(left, r, m), algebra.Block(root, r, m), s.threads)
	value := make([]float64, r)
	vectors := s.small.Decompose(value, g, r)
	most := visible(value, r)
	turn, v := make([]float64, m*r), make([]float64, most*m)
	blas.Transpose64(algebra.Block(turn, m, r), algebra.Block(root, r, m))
	blas.Gemm64(algebra.Block(v, most, m), algebra.Block(vectors, most, r), algebra.Block(turn, m, r), s.threads)
	s.w = s.mix(s.w, v, most, m, s.z)
	s.length = normalise(s.w, d)
	return most
}

// Basis returns the longest directions.
func (s *history) Basis() method.Basis { return s.basis(s.k, s.seen) }

// Keep visits H and how much was learned.
func (s *history) Keep(k *method.Kept) {
	s.keep(k, "history", 2*s.memory)
	k.Count("seen", &s.seen)
	k.Count("blocks", &s.steps)
}
