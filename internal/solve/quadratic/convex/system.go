package convex

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// side is one bound of a row, written sign v <= bound: v is (A x)_i of row i < m, and x_j of row m+j.
type side struct {
	row         int
	sign, bound float64
}

// equation is a row with equal bounds.
type equation struct {
	row   int
	value float64
}

// system is the linear system of a step,
//
//	P dx + sum_k sign_k dz_k row_k + sum_e dy_e row_e = a
//	sign_k row_k dx - (s_k/z_k) dz_k = b_k,   row_e dx = c_e,
//
// for any right-hand sides. By elimination of dz, and of dy with a small regularisation, what is
// factored is P + sum of weights row row^T, positive definite; steps of refinement take the
// regularisation out again.
type system struct {
	g         *Program // scaled
	sides     []side
	equations []equation
	threads   int

	weight []float64 // z/s of each side
	matrix []float64 // n x n
	factor lapack.Cholesky
	room   blas.Room
	rows   []float64 // scratch, m+n
}

// Regularisation of P, and of the equations.
const (
	ridge   = 1e-10
	stiff   = 1e-8
	refined = 12
)

// primalDual is a point or step: of the variables, the multipliers of sides and of equations.
type primalDual struct{ x, z, y []float64 }

// add adds c d.
func (t primalDual) add(c float64, d primalDual) {
	vec.Axpy64(t.x, c, d.x)
	vec.Axpy64(t.z, c, d.z)
	vec.Axpy64(t.y, c, d.y)
}

func (s *system) zero() primalDual {
	return primalDual{make([]float64, len(s.g.Q)), make([]float64, len(s.sides)), make([]float64, len(s.equations))}
}

// newSystem lists the sides and equations of a scaled program.
func newSystem(g *Program, l Limits) *system {
	n, m := len(g.Q), g.A.Rows()
	s := &system{g: g, threads: l.Threads, rows: make([]float64, m+n)}
	s.factor.Stop = l.Stop
	add := func(row int, lo, hi float64) {
		if lo == hi {
			s.equations = append(s.equations, equation{row, lo})
			return
		}
		if lo > math.Inf(-1) {
			s.sides = append(s.sides, side{row, -1, -lo})
		}
		if hi < math.Inf(1) {
			s.sides = append(s.sides, side{row, 1, hi})
		}
	}
	for i, lo := range g.Lower {
		add(i, lo, g.Upper[i])
	}
	for j, lo := range g.Least {
		add(m+j, lo, g.Most[j])
	}
	s.weight = make([]float64, len(s.sides))
	return s
}

// values returns A x and x, in scratch.
func (s *system) values(x []float64) []float64 {
	s.g.A.Times(s.rows, x)
	copy(s.rows[s.g.A.Rows():], x)
	return s.rows
}

// multipliers returns those of all rows, in scratch, from those of sides and equations.
func (s *system) multipliers(z, y []float64) []float64 {
	clear(s.rows)
	for k, side := range s.sides {
		s.rows[side.row] += float64(side.sign * z[k])
	}
	for k, e := range s.equations {
		s.rows[e.row] += y[k]
	}
	return s.rows
}

// gradient sets dst = P x + A^T y + w, multipliers being y and w; x nil: 0.
func (s *system) gradient(dst, x, multipliers []float64) {
	if clear(dst); x != nil {
		s.g.P.Times(dst, x)
	}
	s.g.A.AddAcross(dst, multipliers)
	vec.Axpy64(dst, 1, multipliers[s.g.A.Rows():])
}

// prepare factors the matrix of the weights z/s.
func (s *system) prepare() {
	n, m := len(s.g.Q), s.g.A.Rows()
	if s.matrix == nil {
		s.matrix = make([]float64, n*n)
	}
	clear(s.matrix)
	for i := range n {
		index, value := s.g.P.Row(i)
		for k, j := range index {
			s.matrix[i*n+j] = value[k]
		}
	}
	weights := make([]float64, m+n)
	for k, side := range s.sides {
		weights[side.row] += s.weight[k]
	}
	for _, e := range s.equations {
		weights[e.row] = 1 / stiff
	}
	for j, w := range weights[m:] {
		s.matrix[j*n+j] += w
	}
	s.addRows(weights[:m])
	for i := range n { // more than the roundings of the factor
		s.matrix[i*n+i] += ridge + float64(float64(n+8)*0x1p-51*s.matrix[i*n+i])
	}
	s.factor.Decompose(s.matrix, n, s.threads)
}

// dense is how many rows are multiplied at a time, of those with a number in every eighth column.
const dense = 256

// addRows adds weight row row^T of the rows of A to the lower triangle.
func (s *system) addRows(weights []float64) {
	n := len(s.g.Q)
	var tall []float64
	flush := func() {
		if rows := len(tall) / n; rows > 0 {
			blas.SyrkColsLower64(blas.Block[float64]{Value: s.matrix, Rows: n, Cols: n, Stride: n}, blas.Block[float64]{Value: tall, Rows: rows, Cols: n, Stride: n}, &s.room, s.threads)
		}
		tall = tall[:0]
	}
	for i, w := range weights {
		index, value := s.g.A.Row(i)
		if w == 0 {
			continue
		}
		if 8*len(index) < n {
			for a, j := range index {
				row, v := s.matrix[j*n:j*n+n], float64(w*value[a])
				for b, l := range index[:a+1] {
					row[l] += float64(v * value[b])
				}
			}
			continue
		}
		root := math.Sqrt(w)
		tall = append(tall, make([]float64, n)...)
		for a, j := range index {
			tall[len(tall)-n+j] = float64(root * value[a])
		}
		if len(tall) == dense*n {
			flush()
		}
	}
	flush()
}

// once solves with the regularisation.
func (s *system) once(to, right primalDual) {
	multipliers := make([]float64, len(s.rows))
	for k, side := range s.sides {
		multipliers[side.row] += float64(side.sign * s.weight[k] * right.z[k])
	}
	for k, e := range s.equations {
		multipliers[e.row] += right.y[k] / stiff
	}
	s.gradient(to.x, nil, multipliers)
	vec.Axpy64(to.x, 1, right.x)
	s.factor.Solve(to.x, to.x)
	v := s.values(to.x)
	for k, side := range s.sides {
		to.z[k] = float64((float64(side.sign*v[side.row]) - right.z[k]) * s.weight[k])
	}
	for k, e := range s.equations {
		to.y[k] = (v[e.row] - right.y[k]) / stiff
	}
}

// solve solves without the regularisation, by refinement: the solution for the residual is added as
// long as that halves the residual.
func (s *system) solve(to, right primalDual) {
	left, more := s.zero(), s.zero()
	s.once(to, right)
	before := math.Inf(1)
	for range refined {
		size := s.left(left, to, right)
		if size > before { // that was a step too many
			to.add(-1, more)
		}
		if !(size < before/2) {
			break
		}
		before = size
		s.once(more, left)
		to.add(1, more)
	}
}

// left sets left to the residual of a solution, and returns its size.
func (s *system) left(left, to, right primalDual) float64 {
	size := 0.0
	s.gradient(left.x, to.x, s.multipliers(to.z, to.y))
	for j, v := range left.x {
		left.x[j] = right.x[j] - v
		size = max(size, math.Abs(left.x[j]))
	}
	v := s.values(to.x)
	for k, side := range s.sides {
		left.z[k] = right.z[k] - float64(side.sign*v[side.row]) + to.z[k]/s.weight[k]
		size = max(size, math.Abs(left.z[k])*min(1, s.weight[k]))
	}
	for k, e := range s.equations {
		left.y[k] = right.y[k] - v[e.row]
		size = max(size, math.Abs(left.y[k]))
	}
	return size
}
