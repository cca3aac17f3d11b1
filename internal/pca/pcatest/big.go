package pcatest

import (
	"math"
	"math/big"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// Matrices of numbers of 300 bits: the truth that certificates are compared with.
// Numbers of data and bases are exact in it, up to parts of 1e-80.

const precision = 300

// Big is rows x cols numbers.
type Big struct {
	rows, cols int
	Value      []*big.Float
}

// newBig returns zeros.
func newBig(rows, cols int) Big {
	m := Big{rows, cols, make([]*big.Float, rows*cols)}
	for i := range m.Value {
		m.Value[i] = Number(0)
	}
	return m
}

// Number returns x, exactly.
func Number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// At returns an element, which may be set.
func (m Big) At(i, j int) *big.Float { return m.Value[i*m.cols+j] }
func (m Big) row(i int) []*big.Float { return m.Value[i*m.cols : (i+1)*m.cols] }

// BigOf returns the numbers x, exactly.
func BigOf(x []float64, rows, cols int) Big {
	m := newBig(rows, cols)
	for i, v := range x {
		m.Value[i].SetFloat64(v)
	}
	return m
}

// BigRows returns (X - Offset) Factor.
func BigRows(r view.Rows) Big {
	n, d := r.Dims()
	m := newBig(n, d)
	for i := range n {
		x := r.X.Row(i)
		for k, v := range x.Value {
			m.At(i, x.Column(k)).SetFloat64(float64(v))
		}
		for j := range d {
			if r.Offset != nil {
				m.At(i, j).Sub(m.At(i, j), Number(r.Offset[j]))
			}
			if r.Factor != nil {
				m.At(i, j).Mul(m.At(i, j), Number(r.Factor[j]))
			}
		}
	}
	return m
}

func bigDot(a, b []*big.Float) *big.Float {
	sum, product := Number(0), Number(0)
	for i := range a {
		if a[i].Sign() != 0 && b[i].Sign() != 0 {
			sum.Add(sum, product.Mul(a[i], b[i]))
		}
	}
	return sum
}

// TimesTransposed returns a b^T.
func TimesTransposed(a, b Big) Big {
	m := newBig(a.rows, b.rows)
	for i := range a.rows {
		for j := range b.rows {
			m.Value[i*b.rows+j] = bigDot(a.row(i), b.row(j))
		}
	}
	return m
}

// Transposed returns m^T.
func (m Big) Transposed() Big {
	t := newBig(m.cols, m.rows)
	for i := range m.rows {
		for j := range m.cols {
			t.Value[j*m.rows+i] = m.At(i, j)
		}
	}
	return t
}

// Orthonormal returns orthonormal rows of the same span.
func (m Big) Orthonormal() Big {
	out := Big{0, m.cols, nil}
	product := Number(0)
	for i := range m.rows {
		row := newBig(1, m.cols).Value
		for j := range row {
			row[j].Set(m.At(i, j))
		}
		before := bigDot(row, row)
		for range 2 {
			for l := range out.rows {
				c := bigDot(out.row(l), row)
				for j := range row {
					row[j].Sub(row[j], product.Mul(c, out.At(l, j)))
				}
			}
		}
		after := bigDot(row, row)
		if after.Cmp(product.Mul(before, Number(0x1p-300))) <= 0 {
			continue
		}
		length := Number(0).Sqrt(after)
		for j := range row {
			row[j].Quo(row[j], length)
		}
		out.Value, out.rows = append(out.Value, row...), out.rows+1
	}
	return out
}

// ExactCaptured returns n tr(U Sigma U^T) of the orthonormal basis of the rows of u.
func ExactCaptured(x, u Big) *big.Float {
	y := TimesTransposed(u.Orthonormal(), x)
	return bigDot(y.Value, y.Value)
}

// ExactEigenvalues returns n times the eigenvalues of Sigma that are not zero for
// want of rows, falling: by Jacobi rotations, from eigenvectors in float64.
func ExactEigenvalues(x Big) []*big.Float {
	if x.rows > x.cols {
		x = x.Transposed()
	}
	a := TimesTransposed(x, x)
	m := a.rows
	rough, largest := make([]float64, m*m), Number(0)
	for i := range m {
		if a.At(i, i).Cmp(largest) > 0 {
			largest = a.At(i, i)
		}
	}
	if largest.Sign() == 0 {
		return a.row(0)[:m]
	}
	for i, v := range a.Value {
		rough[i], _ = Number(0).Quo(v, largest).Float64()
	}
	vectors := make([]float64, m*m)
	lapack.Eigen(make([]float64, m), vectors, rough, m, 1)
	q := BigOf(vectors, m, m).Orthonormal()
	a = TimesTransposed(TimesTransposed(q, a), q)
	for range 30 {
		if !bigSweep(a, largest) {
			break
		}
	}
	values := make([]*big.Float, m)
	for i := range m {
		values[i] = a.At(i, i)
	}
	slices.SortFunc(values, func(x, y *big.Float) int { return y.Cmp(x) })
	return values
}

// bigSweep rotates every pair, and reports whether any was worth it.
func bigSweep(a Big, largest *big.Float) (moved bool) {
	m := a.rows
	tiny := Number(0).Mul(largest, Number(0x1p-150))
	one, x, y := Number(1), Number(0), Number(0)
	for p := range m {
		for q := p + 1; q < m; q++ {
			off := Number(0).Set(a.At(p, q))
			if Number(0).Abs(off).Cmp(tiny) <= 0 {
				continue
			}
			moved = true
			theta := Number(0).Sub(a.At(q, q), a.At(p, p))
			theta.Quo(theta, x.Mul(off, Number(2)))
			t := Number(0).Mul(theta, theta)
			t.Sqrt(t.Add(t, one)).Add(t, Number(0).Abs(theta))
			t.Quo(one, t)
			if theta.Sign() < 0 {
				t.Neg(t)
			}
			c := Number(0).Mul(t, t)
			c.Quo(one, c.Sqrt(c.Add(c, one)))
			s := Number(0).Mul(t, c)
			for j := range m {
				if j == p || j == q {
					continue
				}
				u, v := Number(0).Set(a.At(p, j)), Number(0).Set(a.At(q, j))
				a.At(p, j).Sub(x.Mul(c, u), y.Mul(s, v))
				a.At(q, j).Add(x.Mul(s, u), y.Mul(c, v))
				a.At(j, p).Set(a.At(p, j))
				a.At(j, q).Set(a.At(q, j))
			}
			a.At(p, p).Sub(a.At(p, p), x.Mul(t, off))
			a.At(q, q).Add(a.At(q, q), x.Mul(t, off))
			a.At(p, q).SetInt64(0)
			a.At(q, p).SetInt64(0)
		}
	}
	return moved
}

// Over returns x/n as a float64, and whether bound >= x/n, exactly.
func Over(x *big.Float, n int, bound float64) (value float64, holds bool) {
	value, _ = Number(0).Quo(x, Number(float64(n))).Float64()
	if math.IsInf(bound, 1) {
		return value, true
	}
	return value, Number(0).Mul(Number(bound), Number(float64(n))).Cmp(x) >= 0
}
