package batch

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

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
