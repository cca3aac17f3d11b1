package pca

import (
	"math"
	"math/big"
	"slices"

	"github.com/fenchel-ml/fenchel/vec"
)

// Matrices of numbers of 300 bits: the truth that certificates are compared with.
// Numbers of data and bases are exact in it, up to parts of 1e-80.

const precision = 300

type bigMatrix struct {
	rows, cols int
	value      []*big.Float
}

func newBig(rows, cols int) bigMatrix {
	m := bigMatrix{rows, cols, make([]*big.Float, rows*cols)}
	for i := range m.value {
		m.value[i] = number(0)
	}
	return m
}

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func (m bigMatrix) at(i, j int) *big.Float { return m.value[i*m.cols+j] }
func (m bigMatrix) row(i int) []*big.Float { return m.value[i*m.cols : (i+1)*m.cols] }
func bigOf(x []float64, rows, cols int) bigMatrix {
	m := newBig(rows, cols)
	for i, v := range x {
		m.value[i].SetFloat64(v)
	}
	return m
}

// bigRows returns (X - Offset) Factor.
func bigRows(r Rows) bigMatrix {
	n, d := r.Dims()
	m := newBig(n, d)
	for i := range n {
		x := r.X.Row(i)
		for k, v := range x.Value {
			m.at(i, x.Column(k)).SetFloat64(float64(v))
		}
		for j := range d {
			if r.Offset != nil {
				m.at(i, j).Sub(m.at(i, j), number(r.Offset[j]))
			}
			if r.Factor != nil {
				m.at(i, j).Mul(m.at(i, j), number(r.Factor[j]))
			}
		}
	}
	return m
}

func bigDot(a, b []*big.Float) *big.Float {
	sum, product := number(0), number(0)
	for i := range a {
		if a[i].Sign() != 0 && b[i].Sign() != 0 {
			sum.Add(sum, product.Mul(a[i], b[i]))
		}
	}
	return sum
}

// timesTransposed returns a b^T.
func timesTransposed(a, b bigMatrix) bigMatrix {
	m := newBig(a.rows, b.rows)
	for i := range a.rows {
		for j := range b.rows {
			m.value[i*b.rows+j] = bigDot(a.row(i), b.row(j))
		}
	}
	return m
}

func (m bigMatrix) transposed() bigMatrix {
	t := newBig(m.cols, m.rows)
	for i := range m.rows {
		for j := range m.cols {
			t.value[j*m.rows+i] = m.at(i, j)
		}
	}
	return t
}

// orthonormal returns orthonormal rows of the same span.
func (m bigMatrix) orthonormal() bigMatrix {
	out := bigMatrix{0, m.cols, nil}
	product := number(0)
	for i := range m.rows {
		row := newBig(1, m.cols).value
		for j := range row {
			row[j].Set(m.at(i, j))
		}
		before := bigDot(row, row)
		for range 2 {
			for l := range out.rows {
				c := bigDot(out.row(l), row)
				for j := range row {
					row[j].Sub(row[j], product.Mul(c, out.at(l, j)))
				}
			}
		}
		after := bigDot(row, row)
		if after.Cmp(product.Mul(before, number(0x1p-300))) <= 0 {
			continue
		}
		length := number(0).Sqrt(after)
		for j := range row {
			row[j].Quo(row[j], length)
		}
		out.value, out.rows = append(out.value, row...), out.rows+1
	}
	return out
}

// exactCaptured returns n tr(U Sigma U^T) of the orthonormal basis of the rows of u.
func exactCaptured(x, u bigMatrix) *big.Float {
	y := timesTransposed(u.orthonormal(), x)
	return bigDot(y.value, y.value)
}

// exactEigenvalues returns n times the eigenvalues of Sigma that are not zero for
// want of rows, falling: by Jacobi rotations, from eigenvectors in float64.
func exactEigenvalues(x bigMatrix) []*big.Float {
	if x.rows > x.cols {
		x = x.transposed()
	}
	a := timesTransposed(x, x)
	m := a.rows
	rough, largest := make([]float64, m*m), number(0)
	for i := range m {
		if a.at(i, i).Cmp(largest) > 0 {
			largest = a.at(i, i)
		}
	}
	if largest.Sign() == 0 {
		return a.row(0)[:m]
	}
	for i, v := range a.value {
		rough[i], _ = number(0).Quo(v, largest).Float64()
	}
	vectors := make([]float64, m*m)
	vec.Eigen(make([]float64, m), vectors, rough, m, 1)
	q := bigOf(vectors, m, m).orthonormal()
	a = timesTransposed(timesTransposed(q, a), q)
	for range 30 {
		if !bigSweep(a, largest) {
			break
		}
	}
	values := make([]*big.Float, m)
	for i := range m {
		values[i] = a.at(i, i)
	}
	slices.SortFunc(values, func(x, y *big.Float) int { return y.Cmp(x) })
	return values
}

// bigSweep rotates every pair, and reports whether any was worth it.
func bigSweep(a bigMatrix, largest *big.Float) (moved bool) {
	m := a.rows
	tiny := number(0).Mul(largest, number(0x1p-150))
	one, x, y := number(1), number(0), number(0)
	for p := range m {
		for q := p + 1; q < m; q++ {
			off := number(0).Set(a.at(p, q))
			if number(0).Abs(off).Cmp(tiny) <= 0 {
				continue
			}
			moved = true
			theta := number(0).Sub(a.at(q, q), a.at(p, p))
			theta.Quo(theta, x.Mul(off, number(2)))
			t := number(0).Mul(theta, theta)
			t.Sqrt(t.Add(t, one)).Add(t, number(0).Abs(theta))
			t.Quo(one, t)
			if theta.Sign() < 0 {
				t.Neg(t)
			}
			c := number(0).Mul(t, t)
			c.Quo(one, c.Sqrt(c.Add(c, one)))
			s := number(0).Mul(t, c)
			for j := range m {
				if j == p || j == q {
					continue
				}
				u, v := number(0).Set(a.at(p, j)), number(0).Set(a.at(q, j))
				a.at(p, j).Sub(x.Mul(c, u), y.Mul(s, v))
				a.at(q, j).Add(x.Mul(s, u), y.Mul(c, v))
				a.at(j, p).Set(a.at(p, j))
				a.at(j, q).Set(a.at(q, j))
			}
			a.at(p, p).Sub(a.at(p, p), x.Mul(t, off))
			a.at(q, q).Add(a.at(q, q), x.Mul(t, off))
			a.at(p, q).SetInt64(0)
			a.at(q, p).SetInt64(0)
		}
	}
	return moved
}

// over returns x/n as a float64, and whether bound >= x/n, exactly.
func over(x *big.Float, n int, bound float64) (value float64, holds bool) {
	value, _ = number(0).Quo(x, number(float64(n))).Float64()
	if math.IsInf(bound, 1) {
		return value, true
	}
	return value, number(0).Mul(number(bound), number(float64(n))).Cmp(x) >= 0
}
