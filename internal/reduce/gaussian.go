package reduce

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// expansion is sum_i weight_i Phi(x_i) in the space of a Gaussian kernel, of rows and of
// vectors that are none.
type expansion struct {
	gamma  float64
	rows   [][]float64
	weight []float64
}

// value is that of the function at z.
func (e *expansion) value(z []float64) float64 {
	sum := 0.0
	for i, x := range e.rows {
		sum += e.weight[i] * math.Exp(-e.gamma*squaredDistance(x, z))
	}
	return sum
}

// preimage looks for the vector z of which c Phi(z) is closest to the expansion for the best
// c, which is where its value is largest in magnitude: the fixed point (Schoelkopf et al.)
//
//	z <- sum_i weight_i k(x_i,z) x_i / sum_i weight_i k(x_i,z)
//
// from the row where the value is largest. An iteration that does not gain is the last.
func (e *expansion) preimage(starts [][]float64) []float64 {
	var z []float64
	most := math.Inf(-1)
	for _, x := range starts {
		if v := math.Abs(e.value(x)); v > most {
			z, most = x, v
		}
	}
	for range mostFixed {
		next, total := make([]float64, len(z)), 0.0
		for i, x := range e.rows {
			k := e.weight[i] * math.Exp(-e.gamma*squaredDistance(x, z))
			total += k
			vec.Axpy64(next, k, x)
		}
		for j := range next {
			next[j] /= total
		}
		v := math.Abs(e.value(next))
		if !(v > most*(1+1e-6)) {
			break
		}
		z, most = next, v
	}
	return slices.Clone(z)
}

// mostFixed bounds the iterations for one vector.
var mostFixed = 20

func squaredDistance(x, y []float64) float64 {
	sum := 0.0
	for j, v := range x {
		d := v - y[j]
		sum = math.FMA(d, d, sum)
	}
	return sum
}

// dense copies rows into double precision.
func dense(m matrix.Matrix) [][]float64 {
	n, d := m.Dims()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, d)
		row := m.Row(i)
		for k, v := range row.Value {
			rows[i][row.Column(k)] = float64(v)
		}
	}
	return rows
}

// asMatrix makes vectors into rows of a matrix.
func asMatrix(rows [][]float64, cols int) (matrix.Matrix, error) {
	value := make([]float32, 0, len(rows)*cols)
	for _, row := range rows {
		for _, v := range row {
			value = append(value, float32(v))
		}
	}
	return matrix.NewDense(len(rows), cols, value)
}

// cholesky factors a Gram matrix of vectors, one row more at each call of add. A vector in the
// span of those before is refused.
type cholesky struct{ rows [][]float64 }

// add appends the inner products of a vector with those before, and with itself.
func (c *cholesky) add(inner []float64, own float64) bool {
	row := make([]float64, 0, len(inner)+1)
	for k, r := range c.rows {
		row = append(row, (inner[k]-vec.Dot64(row[:k], r[:k]))/r[k])
	}
	left := own - vec.SquaredNorm64(row)
	if !(left > 1e-9*own) {
		return false
	}
	c.rows = append(c.rows, append(row, math.Sqrt(left)))
	return true
}

// extend adds z to the vectors, or where it is in their span the first of some rows that is
// not; nil: all are.
func (c *cholesky) extend(gamma float64, vectors [][]float64, z []float64, rows [][]float64) []float64 {
	inner := make([]float64, len(vectors))
	for at := -1; at < len(rows); at++ {
		if at >= 0 {
			z = rows[at]
		}
		for j, other := range vectors {
			inner[j] = math.Exp(-gamma * squaredDistance(z, other))
		}
		if c.add(inner, 1) {
			return z
		}
	}
	return nil
}

// solve returns K^-1 b.
func (c *cholesky) solve(b []float64) []float64 {
	z := slices.Clone(b[:len(c.rows)])
	for k, r := range c.rows {
		z[k] = (z[k] - vec.Dot64(r[:k], z[:k])) / r[k]
	}
	for k, r := range slices.Backward(c.rows) {
		z[k] /= r[k]
		vec.Axpy64(z[:k], -z[k], r[:k])
	}
	return z
}
