package batch

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// blockLanczos finds the k largest eigenpairs of an operator A by the block Lanczos
// method with full orthogonalisation and thick restarts:
//
//	V   m orthonormal rows that span Q, Q A, Q A^2, ... of a random block Q
//	T   V A V^T, whose eigenvectors s give Ritz pairs (theta, s V)
//
// V A = T V + (what is left of the last block's product) = T V + E R Q', so a Ritz
// pair's residual is |s_last R|: no product is spent on it. When V is full, the
// Ritz vectors of the largest theta stay and Q' goes on from them.
//
// Blocks of b < k rows take fewer products in all, but find an eigenvalue b times
// at most where exact arithmetic would; so when V is invariant, or b equal values
// are found, another random block must find nothing more.
//
// Cost: a product of b rows with A and 4 m b dim operations a step; the memory of
// V. The order of all operations is fixed.
//
// Golub and Underwood 1977; restarts of Wu and Simon, SIMAX 2000; for what the
// captured sum is sure of whatever the gaps, Musco and Musco, NIPS 2015.
type blockLanczos struct {
	view.Operator
	k          int
	keep, most int     // rows of V after a restart, and at most
	steps      int     // products of a block at most
	loss       float64 // stops when estimated below this part of the captured sum
	threads    int

	random *rand.PCG
	m      int
	v, t   []float64 // m x dim; m x m, most numbers apart
	before int       // V's rows before this one have no part in the last product
	q, z   []float64 // the last block, and its product and then the next one
	unit   float64   // a power of 2 by which A is multiplied, to be near 1
	theta  []float64
	s      []float64 // m x m
	eigen  lapack.Eigensystem
	square []float64
	taken  int     // products of a block so far
	firm   float64 // what was captured before a random block was added
	added  bool    // one was, and V was not full since
}

// newBlockLanczos returns the search for k pairs, with room for so many directions that
// more do not save products.
func newBlockLanczos(a view.Operator, k int, tolerance float64, p method.Problem) *blockLanczos {
	a.Block = min(a.Block, a.Dim)
	keep := k + 2*a.Block
	return &blockLanczos{
		Operator: a, k: k, keep: keep, most: min(2*(keep+a.Block), a.Dim), steps: 1000, loss: tolerance,
		threads: p.Threads, random: rand.NewPCG(p.Seed, algebra.StartStream), firm: -1,
	}
}

// solve returns the k largest eigenvalues and their eigenvectors as rows.
func (l *blockLanczos) solve(ctx context.Context) (method.Basis, error) {
	l.v, l.t = make([]float64, 0, l.most*l.Dim), make([]float64, l.most*l.most)
	l.q, l.z = make([]float64, l.Block*l.Dim), make([]float64, l.Block*l.Dim)
	b := l.randomBlock()
	for {
		next, r, err := l.extend(ctx, b)
		if err != nil {
			return l.soFar(), err
		}
		full := l.m+next > l.most
		if l.m < l.k && next > 0 && !full {
			b = next
			continue
		}
		l.ritz()
		settled := next == 0 || l.m >= l.k && l.shortfall(r, b, next) <= l.loss*algebra.Total(l.theta[:l.k])
		switch {
		case l.m == l.Dim || l.m >= l.k && (l.taken >= l.steps || settled && l.complete(next, full)):
			return l.basis(), nil
		case next == 0 || settled && !l.added:
			l.restart(min(l.keep, l.m))
			l.added = true
			next = l.randomBlock()
		case full:
			l.restart(l.keep)
			l.added = false
		}
		b = next
	}
}

// randomBlock makes q random, orthonormal and orthogonal to V.
func (l *blockLanczos) randomBlock() int {
	algebra.FillNormal(l.q, l.random)
	l.before = 0
	b, _ := l.spanOf(l.q, l.Block, 0)
	return b
}

// extend appends the block q of b rows to V and T, and makes q the next one, of
// the returned number of rows, with the R of the residual, b times that number.
func (l *blockLanczos) extend(ctx context.Context, b int) (next int, r []float64, err error) {
	first := l.m
	l.v = append(l.v, l.q[:b*l.Dim]...)
	l.m += b
	if err := l.Apply(ctx, l.z[:b*l.Dim], l.q[:b*l.Dim], b); err != nil {
		l.m, l.v = first, l.v[:first*l.Dim]
		return 0, nil, err
	}
	l.taken++
	if err := l.measure(b); err != nil {
		return 0, nil, err
	}
	l.q, l.z = l.z, l.q
	h := l.takeOffV(l.q, b, l.before)
	from := l.before
	for i := from; i < l.m; i++ {
		for j := range b {
			l.t[i*l.most+first+j] = h[(i-from)*b+j]
			l.t[(first+j)*l.most+i] = h[(i-from)*b+j]
		}
	}
	l.before = first
	for i := first; i < l.m; i++ { // what rounding left unsymmetric
		for j := first; j < i; j++ {
			mean := (h[(i-from)*b+j-first] + h[(j-from)*b+i-first]) / 2
			l.t[i*l.most+j], l.t[j*l.most+i] = mean, mean
		}
	}
	next, r = l.spanOf(l.q, b, l.scale())
	return next, r, nil
}

// measure divides the product by about its largest number, always the same, so
// that no square of what follows is too large or too small.
func (l *blockLanczos) measure(b int) error {
	largest := 0.0
	for _, x := range l.z[:b*l.Dim] {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return method.ErrTooLarge(x)
		}
		largest = max(largest, math.Abs(x))
	}
	if l.unit == 0 && largest > 0 {
		_, exponent := math.Frexp(largest)
		l.unit = math.Ldexp(1, max(-exponent, -1000))
	}
	algebra.Scale(l.z[:b*l.Dim], l.unit)
	return nil
}

// scale returns the largest number on the diagonal of T, at most the largest
// eigenvalue.
func (l *blockLanczos) scale() float64 {
	largest := 0.0
	for i := range l.m {
		largest = max(largest, l.t[i*l.most+i])
	}
	return largest
}

// takeOffV subtracts from the b rows of z what the rows of V from first on span of
// them, and returns the coefficients V Z^T.
func (l *blockLanczos) takeOffV(z []float64, b, first int) []float64 {
	m, v := l.m-first, l.v[first*l.Dim:]
	h := make([]float64, m*b)
	algebra.Multiply(h, v, z, m, b, l.Dim, l.threads)
	algebra.Subtract(z, h, v, b, m, l.Dim, l.threads)
	return h
}

// spanOf replaces the b rows of z by orthonormal rows, orthogonal to V too, with Z
// minus its part in V = R times these. Directions shorter than the rounding of
// numbers as large as size are left out.
func (l *blockLanczos) spanOf(z []float64, b int, size float64) (rows int, r []float64) {
	r, rows = nil, b
	floor, spread := size*1e-14, math.Inf(1)
	for pass := 0; pass < 5 && spread > 2; pass++ {
		if spread > 1e3 {
			l.takeOffV(z, rows, 0)
		}
		var left int
		var factor []float64
		left, factor, spread = algebra.OrthonormalBlock(z, rows, l.Dim-l.m, l.Dim, floor, l.threads, &l.eigen)
		r = timesFactor(r, factor, b, rows, left)
		rows, floor = left, 1e-3 // rows have length 1 from now on
	}
	return rows, r
}

// timesFactor returns the product of r, b x m or the identity, and factor, m x n.
func timesFactor(r, factor []float64, b, m, n int) []float64 {
	if r == nil {
		return factor
	}
	product := make([]float64, b*n)
	for i := range b {
		for j := range m {
			vec.Axpy64(product[i*n:(i+1)*n], r[i*m+j], factor[j*n:(j+1)*n])
		}
	}
	return product
}

// restart keeps the first Ritz vectors only.
func (l *blockLanczos) restart(keep int) {
	algebra.RotateRows(l.v, l.s, keep, l.m, l.Dim, l.threads)
	l.m, l.before = keep, 0
	l.v = l.v[:keep*l.Dim]
	clear(l.t)
	for i := range keep {
		l.t[i*l.most+i] = l.theta[i]
	}
}

// basis returns the first k Ritz pairs.
func (l *blockLanczos) basis() method.Basis {
	algebra.RotateRows(l.v, l.s, l.k, l.m, l.Dim, l.threads)
	b := method.Basis{K: l.k, Cols: l.Dim, Component: l.v[: l.k*l.Dim : l.k*l.Dim], Value: make([]float64, l.k)}
	for i, x := range l.theta[:l.k] {
		if x > 0 {
			b.Value[i] = x / l.unit
		}
	}
	return b
}

// soFar returns as many of the first k Ritz pairs as there are before the last block.
func (l *blockLanczos) soFar() method.Basis {
	if l.m == 0 {
		return method.Basis{}
	}
	l.ritz()
	l.k = min(l.k, l.m)
	return l.basis()
}

// When a block Lanczos method is done.

// ritz decomposes T.
func (l *blockLanczos) ritz() {
	m := l.m
	l.square = algebra.Zeros(l.square, m*m)
	for i := range m {
		copy(l.square[i*m:(i+1)*m], l.t[i*l.most:i*l.most+m])
	}
	l.theta, l.s = algebra.Zeros(l.theta, m), algebra.Zeros(l.s, m*m)
	l.eigen.Decompose(l.theta, l.s, l.square, m, l.threads)
}

// shortfall estimates how much the sum of the k largest eigenvalues is above that
// of theta. Each theta is within its residual rho of an eigenvalue, and if all that
// V lacks has eigenvalues below mu, within about rho^2 / (theta - mu). The next
// block would see mu; what the last one saw is taken, but at most theta_{k+1}.
func (l *blockLanczos) shortfall(r []float64, b, next int) float64 {
	mu := l.lastBlock(b)
	if l.k < l.m {
		mu = min(mu, l.theta[l.k])
	}
	lost := 0.0
	c := make([]float64, next)
	for i := range l.k {
		clear(c)
		for j, x := range l.s[i*l.m+l.m-b : (i+1)*l.m] {
			vec.Axpy64(c, x, r[j*next:(j+1)*next])
		}
		squared := vec.SquaredNorm64(c)
		loss := math.Sqrt(squared)
		if gap := l.theta[i] - mu; gap > loss {
			loss = squared / gap
		}
		lost += loss
	}
	return lost
}

// lastBlock returns the largest eigenvalue of A compressed to the last b rows of V.
func (l *blockLanczos) lastBlock(b int) float64 {
	l.square = algebra.Zeros(l.square, b*b)
	for i := range b {
		copy(l.square[i*b:(i+1)*b], l.t[(l.m-b+i)*l.most+l.m-b:])
	}
	values := make([]float64, b)
	l.eigen.Decompose(values, nil, l.square, b, l.threads)
	return values[0]
}

// complete reports whether nothing has to be feared from eigenvalues that are more
// often there than a block has rows; else it notes what is captured.
func (l *blockLanczos) complete(next int, full bool) bool {
	if l.Block >= l.k || next > 0 && !l.saturated() {
		return true
	}
	if l.added && next > 0 && !full {
		return false
	}
	captured := algebra.Total(l.theta[:l.k])
	if captured <= l.firm+float64(max(l.loss, 1e-12)*captured) {
		return true
	}
	l.firm, l.added = captured, false
	return false
}

// saturated reports whether as many equal values as a block has rows reach into
// the first k.
func (l *blockLanczos) saturated() bool {
	for i := range l.k {
		if j := i + l.Block - 1; j < l.m && l.theta[i]-l.theta[j] <= 1e-9*l.theta[i] {
			return true
		}
	}
	return false
}
