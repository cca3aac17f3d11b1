package quadratic

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// Dense is a matrix of n*n numbers, row-major. Cost of a factor: n^3/3, and 8 n^2 bytes.
type Dense struct {
	Value   []float64
	N       int
	Threads int         // 0: all
	Stop    func() bool // asked while a factor is made; nil: never

	factor lapack.Cholesky
	room   []float64
}

// Len returns n.
func (m *Dense) Len() int { return m.N }

// Diagonal returns Q_ii.
func (m *Dense) Diagonal(i int) float64 { return m.Value[i*m.N+i] }

// Product sets dst = Q x.
func (m *Dense) Product(dst, x []float64) {
	parallel.Blocks(m.N, 64, m.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = vec.Dot64(m.Value[i*m.N:i*m.N+m.N], x)
		}
	})
}

// Factor factors Q + diag(d).
func (m *Dense) Factor(d []float64) {
	if m.room == nil {
		m.room = make([]float64, len(m.Value))
	}
	copy(m.room, m.Value)
	for i, v := range d {
		m.room[i*m.N+i] += v
	}
	m.factor.Stop = m.Stop
	m.factor.Decompose(m.room, m.N, m.Threads)
}

// Solve solves with the factor.
func (m *Dense) Solve(x, b []float64) { m.factor.Solve(x, b) }

// LowRank is V V^T, V of n rows and k columns, row-major. By the Woodbury identity
//
//	(D + V V^T)^-1 b = D^-1 b - D^-1 V (I + V^T D^-1 V)^-1 V^T D^-1 b.
//
// Cost of a factor: n k^2/2 + k^3/3; memory n k and k^2 numbers.
type LowRank struct {
	V       []float64
	N, K    int
	Threads int

	d      []float64
	factor lapack.Cholesky
	inner  []float64
}

// Len returns n.
func (m *LowRank) Len() int { return m.N }

// Diagonal returns Q_ii.
func (m *LowRank) Diagonal(i int) float64 { return vec.SquaredNorm64(m.row(i)) }

func (m *LowRank) row(i int) []float64 { return m.V[i*m.K : i*m.K+m.K] }

// lowBlock is how many rows are summed up at a time.
const lowBlock = 1024

// Across returns V^T x, by blocks of rows, added in order.
func (m *LowRank) Across(x []float64) []float64 {
	parts := make([][]float64, (m.N+lowBlock-1)/lowBlock)
	parallel.Blocks(m.N, lowBlock, m.Threads, func(b, lo, hi int) {
		parts[b] = make([]float64, m.K)
		for i := lo; i < hi; i++ {
			vec.Axpy64(parts[b], x[i], m.row(i))
		}
	})
	return added(parts)
}

// added is the sum of the parts, in order.
func added(parts [][]float64) []float64 {
	for _, part := range parts[1:] {
		vec.Axpy64(parts[0], 1, part)
	}
	return parts[0]
}

// Product sets dst = V V^T x.
func (m *LowRank) Product(dst, x []float64) { m.along(dst, m.Across(x)) }

// along sets dst = V u.
func (m *LowRank) along(dst, u []float64) {
	parallel.Blocks(m.N, lowBlock, m.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = vec.Dot64(m.row(i), u)
		}
	})
}

// Factor factors I + V^T D^-1 V.
func (m *LowRank) Factor(d []float64) {
	m.d = append(m.d[:0], d...)
	parts := make([][]float64, (m.N+lowBlock-1)/lowBlock)
	parallel.Blocks(m.N, lowBlock, m.Threads, func(b, lo, hi int) {
		part, scaled := make([]float64, m.K*m.K), make([]float64, (hi-lo)*m.K)
		for i := lo; i < hi; i++ {
			vec.Axpy64(scaled[(i-lo)*m.K:(i-lo+1)*m.K], 1/math.Sqrt(d[i]), m.row(i))
		}
		blas.SyrkCols64(blas.Block[float64]{Value: part, Rows: m.K, Cols: m.K, Stride: m.K}, blas.Block[float64]{Value: scaled, Rows: hi - lo, Cols: m.K, Stride: m.K}, 1)
		parts[b] = part
	})
	m.inner = added(parts)
	for k := range m.K {
		m.inner[k*m.K+k]++
	}
	m.factor.Decompose(m.inner, m.K, m.Threads)
}

// Solve solves by the identity, and once more for what that leaves: with some d near 0 it cancels.
func (m *LowRank) Solve(x, b []float64) {
	right := append([]float64(nil), b...)
	m.apply(x, right)
	left := make([]float64, m.N)
	m.Product(left, x)
	for i, v := range left {
		left[i] = right[i] - v - float64(m.d[i]*x[i])
	}
	m.apply(left, left)
	vec.Axpy64(x, 1, left)
}

// apply sets x by the identity; x may be b.
func (m *LowRank) apply(x, b []float64) {
	for i, v := range b {
		x[i] = v / m.d[i]
	}
	u := m.Across(x)
	m.factor.Solve(u, u)
	away := make([]float64, m.N)
	m.along(away, u)
	for i, v := range away {
		x[i] -= v / m.d[i]
	}
}

// Twice is [K K; K K] of K with n rows, of 2n variables: the sums of both halves are what K sees.
// With g = 1/(1/d + 1/d'), d and d' the halves of a diagonal, y = x + x' solves
//
//	(K + diag(g)) y = g (b/d + b'/d'),  and  K y = g (b/d + b'/d' - y),  x = (b - K y)/d.
type Twice struct {
	K Matrix
	d []float64
	g []float64
}

// Len returns 2n.
func (m *Twice) Len() int { return 2 * m.K.Len() }

// Product sets dst.
func (m *Twice) Product(dst, x []float64) {
	n := m.K.Len()
	sum := append([]float64(nil), x[:n]...)
	vec.Axpy64(sum, 1, x[n:])
	m.K.Product(dst[:n], sum)
	copy(dst[n:], dst[:n])
}

// Factor factors K + diag(g).
func (m *Twice) Factor(d []float64) {
	n := m.K.Len()
	m.d = append(m.d[:0], d...)
	m.g = append(m.g[:0], d[:n]...)
	for i := range m.g {
		m.g[i] = 1 / (1/d[i] + 1/d[n+i])
	}
	m.K.Factor(m.g)
}

// Solve solves for the sums, and then for the parts.
func (m *Twice) Solve(x, b []float64) {
	n := m.K.Len()
	mean, y := make([]float64, n), make([]float64, n)
	for i := range n {
		mean[i] = b[i]/m.d[i] + b[n+i]/m.d[n+i]
		y[i] = m.g[i] * mean[i]
	}
	m.K.Solve(y, y)
	for i := range n {
		product := m.g[i] * (mean[i] - y[i])
		x[i], x[n+i] = (b[i]-product)/m.d[i], (b[n+i]-product)/m.d[n+i]
	}
}

// Plus is Q + diag(Own), Own >= 0.
type Plus struct {
	Matrix
	Own []float64
	d   []float64
}

// Product sets dst = Q x + Own x.
func (m *Plus) Product(dst, x []float64) {
	m.Matrix.Product(dst, x)
	for i, own := range m.Own {
		dst[i] += float64(own * x[i])
	}
}

// Factor factors Q + diag(Own + d).
func (m *Plus) Factor(d []float64) {
	m.d = append(m.d[:0], d...)
	vec.Axpy64(m.d, 1, m.Own)
	m.Matrix.Factor(m.d)
}
