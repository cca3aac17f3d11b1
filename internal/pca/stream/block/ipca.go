package block

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// IncrementalPCA gives the components of scikit-learn's class of that name, for the
// same batches of rows.
//
// Problem: the k directions of the largest variance. State: k rows H = diag(S) V of
// singular values and right singular vectors, the number of rows n and, if it centres
// by itself, their mean m. With a batch X of b >= k rows and its own mean c,
//
//	H <- the k best diag(S) V of the rows of H, X - c and sqrt(n b / (n + b)) (m - c),
//
// where without centring the last is missing and c = 0. One row given before the
// batch does the same: fewer than k rows wait and are stacked with the next batch.
// What is truncated is forgotten: on rows of which every one is a coordinate axis a
// frequent direction that comes late never gets in. [History] and [FrequentDirections]
// are faster and remember more.
//
// Returned: V; the value is S^2/n. (scikit-learn's explained variance is S^2/(n-1).)
// The stack is decomposed by its products with itself, by rows or by columns,
// whichever are fewer. Cost of a batch: b (k + b) d and (k + b)^3 operations, or
// b d^2 + d^3; memory d (k + 64) and the square of the fewer.
//
// Ross, Lim, Lin and Yang 2008 (IJCV), Figure 1; Levy and Lindenbaum 2000; means and
// variances by Chan, Golub and LeVeque 1983.
type IncrementalPCA struct {
	Batch  int  // rows; 0: 5 d as in scikit-learn, but at most 1024 if d is more
	Center bool // about the mean of all rows, as scikit-learn does
}

func init() {
	method.Register("ipca", "incremental PCA by batches, as scikit-learn's IncrementalPCA; forgets what it truncates", func(p *registry.Params) (method.Method, error) {
		return IncrementalPCA{Batch: p.Int("batch", 0, 0, 1<<30), Center: p.Choice("center", "false", "true") == "true"}, nil
	})
}

// Start begins with no rows.
func (m IncrementalPCA) Start(p method.Problem) method.State {
	s := &incrementalPCA{sketch: sketch{cols: p.Cols, threads: p.Threads}, k: p.K, batch: m.Batch, center: m.Center}
	if s.batch == 0 {
		s.batch = 5 * p.Cols
		if p.Cols > 1024 {
			s.batch = 1024
		}
	}
	s.batch = max(s.batch, p.K)
	if s.center {
		s.mean, s.scatter = make([]float64, p.Cols), make([]float64, p.Cols)
	}
	return s
}

type incrementalPCA struct {
	sketch   // H and the rows that wait
	k, batch int
	center   bool
	seen     int       // rows
	mean     []float64 // of the rows, if center
	scatter  []float64 // sums of squares about the mean
}

// LeastRows is how few rows make no batch of their own.
func (s *incrementalPCA) LeastRows() int { return s.k }

// BlockRows is what a Learn takes at once.
func (s *incrementalPCA) BlockRows() int { return s.batch }

// Learn takes the rows in batches; what is left of fewer than k belongs to the last of
// them, or waits if there is none.
func (s *incrementalPCA) Learn(x view.Rows) {
	rows, _ := x.Dims()
	for lo, hi := 0, 0; lo < rows; lo = hi {
		if hi = lo + s.batch; hi+s.k > rows {
			hi = rows
		}
		part := x.Part(lo, hi)
		n, _ := part.Dims()
		if s.center {
			part = s.move(part)
		}
		if s.seen += n; n >= s.k {
			s.learn(part)
			continue
		}
		s.push(part)
		if s.rows() > 3*s.k {
			s.rotate(s.k)
		}
	}
}

// move takes rows into mean and scatter, and stacks the row that stands for the move
// of the mean. It returns the rows about their own mean.
func (s *incrementalPCA) move(x view.Rows) view.Rows {
	b, d := x.Dims()
	own, squares, row := make([]float64, d), make([]float64, d), make([]float64, d)
	x.Each(row, func(row []float64) { vec.Axpy64(own, 1/float64(b), row) })
	x.Each(row, func(row []float64) {
		for j, v := range row {
			v -= own[j]
			squares[j] += float64(v * v)
		}
	})
	n := float64(s.seen)
	share := float64(b) / (n + float64(b))
	weight := math.Sqrt(n * share)
	for j, m := range own {
		away := m - s.mean[j]
		row[j] = -weight * away
		s.scatter[j] += squares[j] + float64(row[j]*row[j])
		s.mean[j] += float64(share * away)
	}
	if s.seen > 0 {
		s.h = append(s.h, row...)
	}
	return about(x, own)
}

// about returns the rows less their mean.
func about(r view.Rows, mean []float64) view.Rows {
	offset := make([]float64, len(mean))
	copy(offset, r.Offset)
	for j, m := range mean {
		switch {
		case r.Factor == nil:
			offset[j] += m
		case r.Factor[j] != 0:
			offset[j] += m / r.Factor[j]
		}
	}
	r.Offset = offset
	return r
}

// learn replaces H and what waits by the k best directions of them and the rows.
func (s *incrementalPCA) learn(x view.Rows) {
	b, d := x.Dims()
	if s.rows()+b <= d {
		s.byRows(x)
	} else {
		s.byColumns(x)
	}
}

// byRows decomposes the products of the rows with each other:
// the left singular vectors times the stack are diag(S) V.
func (s *incrementalPCA) byRows(x view.Rows) {
	b, d := x.Dims()
	h := s.rows()
	m := h + b
	gram := algebra.Zeros(s.gram, m*m)
	s.gram = gram
	s.eachPart(x, 64, func(rows []float64, first, n int) {
		products := make([]float64, b*n)
		x.Times(products, rows, n, s.threads)
		for i := range b {
			copy(gram[(h+i)*m+h+first:], products[i*n:(i+1)*n])
		}
	})
	if h > 0 {
		products, own := make([]float64, b*h), make([]float64, h*h)
		x.Times(products, s.h, h, s.threads)
		blas.SyrkRows64(algebra.Block(own, h, h), algebra.Block(s.h, h, d), s.threads)
		for i := range h {
			copy(gram[i*m:], own[i*h:(i+1)*h])
		}
		for i := range b {
			for j := range h {
				gram[(h+i)*m+j], gram[j*m+h+i] = products[i*h+j], products[i*h+j]
			}
		}
	}
	algebra.Symmetrise(gram, m)
	s.value = algebra.Zeros(s.value, m)
	left := s.small.Decompose(s.value, gram, m)
	r := visible(s.value, s.k)
	ofOld, ofNew := make([]float64, r*h), make([]float64, b*r)
	for i := range r {
		copy(ofOld[i*h:], left[i*m:i*m+h])
		for j, v := range left[i*m+h : (i+1)*m] {
			ofNew[j*r+i] = v
		}
	}
	s.spare = algebra.Sized(s.spare, r*d)
	x.TransposedTimes(s.spare, ofNew, r, s.threads)
	if h > 0 {
		s.addMix(s.spare, ofOld, r, h, s.h)
	}
	s.h, s.spare = s.spare, s.h
}

// byColumns decomposes the sum of x x^T of all rows: the roots of its eigenvalues
// times its eigenvectors are diag(S) V.
func (s *incrementalPCA) byColumns(x view.Rows) {
	d := s.cols
	moment := algebra.Zeros(s.gram, d*d)
	s.gram = moment
	if h := s.rows(); h > 0 {
		blas.SyrkCols64(algebra.Block(moment, d, d), algebra.Block(s.h, h, d), s.threads)
	}
	s.eachPart(x, 512, func(rows []float64, _, n int) {
		blas.SyrkCols64(algebra.Block(moment, d, d), algebra.Block(rows, n, d), s.threads)
	})
	s.value = algebra.Zeros(s.value, d)
	vectors := s.small.Decompose(s.value, moment, d)
	r := visible(s.value, s.k)
	s.h = append(s.h[:0], vectors[:r*d]...)
	for i, v := range s.value[:r] {
		algebra.Scale(s.h[i*d:(i+1)*d], math.Sqrt(v))
	}
}

// eachPart calls do with the rows as the methods see them, some at a time.
func (s *incrementalPCA) eachPart(x view.Rows, size int, do func(rows []float64, first, n int)) {
	b, _ := x.Dims()
	var part view.Formed[float64]
	for lo := 0; lo < b; lo += size {
		hi := min(lo+size, b)
		do(part.Form(x, lo, hi, s.threads).Value, lo, hi-lo)
	}
}

// Basis returns V.
func (s *incrementalPCA) Basis() method.Basis { return s.basis(s.k, s.seen) }

// Keep visits everything.
func (s *incrementalPCA) Keep(k *method.Kept) {
	s.keep(k, "rows", 4*s.k+1)
	k.Count("seen", &s.seen)
	k.List("mean", &s.mean)
	k.List("scatter", &s.scatter)
	want := 0
	if s.center {
		want = s.cols
	}
	k.Require(len(s.mean) == want && len(s.scatter) == want, "state: found a mean of %d and a scatter of %d numbers, expected %d", len(s.mean), len(s.scatter), want)
}

// Rescale is that of the mean and the sums of squares too.
func (s *incrementalPCA) Rescale(by []float64) {
	s.sketch.Rescale(by)
	for j := range s.mean {
		s.mean[j] *= by[j]
		s.scatter[j] *= float64(by[j] * by[j])
	}
}
