package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Nuclear is the sum of the singular values of the weights as a matrix of so many columns, one for each output, stored
// row by row: weights of a low rank (Fazel 2002; Srebro, Rennie, Jaakkola 2005). With one column, or Columns = 0, it is
// the norm of the weights.
//
// Its conjugate is 0 where no singular value of u is above 1, and infinite elsewhere.
//
// Singular values are those of one-sided Jacobi (Hestenes 1958): B = W V has orthogonal columns in the end, whose norms
// they are, with V a product of rotations. Each rotation as it is computed is an exact one of numbers that are off by
// 8 2^-53 of their norm at most, so B is W V but for rotations x 8 2^-53 |W|_F; and the norm of B is at most the root
// of the largest row sum of |B^T B|, whether or not columns are quite orthogonal.
type Nuclear struct{ Columns int }

var (
	_ Matrix  = Nuclear{}
	_ Coupled = Nuclear{}
	_ Rounded = Nuclear{}
)

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "nuclear", Summary: "sum of the singular values of the weights of all targets or classes: a matrix of low rank",
		New: func(*registry.Params) (Penalty, error) { return Nuclear{1}, nil }})
}

// Of returns the penalty of a matrix of so many columns.
func (Nuclear) Of(columns int) Matrix { return Nuclear{columns} }

// rotated is a matrix, or its transpose, times rotations after which the columns are orthogonal.
type rotated struct {
	scale     float64     // by which all numbers were divided
	columns   [][]float64 // of the smaller side
	turns     [][]float64 // columns of the product of the rotations
	rotations int
	across    bool // transposed
}

// side returns the numbers of rows and of columns.
func (n Nuclear) side(w []float64) (rows, columns int) {
	columns = max(n.Columns, 1)
	return len(w) / columns, columns
}

// index is that of number j of column k among the weights.
func (r *rotated) index(k, j, columns int) int {
	if r.across {
		return k*columns + j
	}
	return j*columns + k
}

// rotate makes the columns orthogonal.
func (n Nuclear) rotate(w []float64) *rotated {
	rows, columns := n.side(w)
	r := &rotated{across: rows < columns}
	for _, x := range w {
		r.scale = max(r.scale, math.Abs(x))
	}
	if !(r.scale > 0) || math.IsInf(r.scale, 1) {
		return r
	}
	short, long := min(rows, columns), max(rows, columns)
	for k := range short {
		column, turn := make([]float64, long), make([]float64, short)
		for j := range column {
			column[j] = w[r.index(k, j, columns)] / r.scale
		}
		turn[k] = 1
		r.columns, r.turns = append(r.columns, column), append(r.turns, turn)
	}
	for range mostSweeps {
		if !r.sweep() {
			break
		}
	}
	return r
}

// After so many sweeps, or where no two columns have a cosine above this, columns count as orthogonal.
const (
	mostSweeps = 30
	orthogonal = 1e-13
)

// sweep turns every pair of columns that is not orthogonal, and reports whether there was one.
func (r *rotated) sweep() (any bool) {
	for k, b := range r.columns {
		for i, a := range r.columns[:k] {
			aa, bb, ab := vec.Dot64(a, a), vec.Dot64(b, b), vec.Dot64(a, b)
			if !(math.Abs(ab) > orthogonal*math.Sqrt(aa)*math.Sqrt(bb)) {
				continue
			}
			z := (bb - aa) / (2 * ab)
			t := math.Copysign(1/(math.Abs(z)+math.Sqrt(1+float64(z*z))), z)
			c := 1 / math.Sqrt(1+float64(t*t))
			turn(a, b, c, float64(c*t))
			turn(r.turns[i], r.turns[k], c, float64(c*t))
			r.rotations++
			any = true
		}
	}
	return any
}

// turn rotates two columns by the angle of that cosine and sine.
func turn(a, b []float64, c, s float64) {
	for j, x := range a {
		y := b[j]
		a[j], b[j] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}

// Value returns the sum of the norms of the columns, an upper bound that more rotations could only lower.
func (n Nuclear) Value(w []float64) float64 {
	r := n.rotate(w)
	if r.columns == nil {
		return r.scale
	}
	var sum vec.Sum
	for _, column := range r.columns {
		sum.Add(length(column))
	}
	return sum.Value() * r.scale
}

// Rank returns how many singular values are not zero, but for rounding.
func (n Nuclear) Rank(w []float64) (rank int) {
	largest := 0.0
	r := n.rotate(w)
	for _, column := range r.columns {
		largest = max(largest, length(column))
	}
	for _, column := range r.columns {
		if length(column) > 1e-9*largest {
			rank++
		}
	}
	return rank
}

// Prox shortens each singular value by step, as far as it goes.
func (n Nuclear) Prox(dst, v []float64, step float64) {
	r := n.rotate(v)
	_, columns := n.side(v)
	clear(dst)
	for k, column := range r.columns {
		size := length(column)
		if size*r.scale <= step {
			continue
		}
		share := (1 - step/(size*r.scale)) * r.scale
		for i, turned := range r.turns[k] {
			for j, x := range column {
				dst[r.index(i, j, columns)] += float64(float64(share*turned) * x)
			}
		}
	}
}

// largest bounds the largest singular value from above.
func (n Nuclear) largest(u []float64) float64 {
	r := n.rotate(u)
	square, all := 0.0, 0.0
	for _, a := range r.columns {
		row := 0.0
		for _, b := range r.columns {
			row += math.Abs(vec.Dot64(a, b))
		}
		square = max(square, row)
		all += vec.Dot64(a, a)
	}
	if r.columns == nil {
		return r.scale
	}
	// Each product of two columns is rounded by at most this many units of the product of their norms.
	long := float64(len(r.columns[0]) + len(r.columns) + 16)
	size := math.Sqrt(square + float64(2*long*0x1p-53*all))
	return (size*(1+0x1p-50) + float64(float64(8*r.rotations+16)*0x1p-53*math.Sqrt(all)*(1+1e-9))) * r.scale * (1 + 0x1p-51)
}

// Conjugate returns the scale that takes the largest singular value to 1, rounded down, and 0.
func (n Nuclear) Conjugate(u []float64) (scale, value float64) { return inside(n.largest(u)), 0 }

// inside is the scale that takes a gauge to 1, but for a margin: the gauge of what was scaled rounds otherwise.
func inside(gauge float64) float64 {
	if !(gauge > 1) {
		return 1
	}
	return (1 - 0x1p-46) / gauge
}

// Within returns the scale for all matrices so near: the largest singular value of their difference is at most its
// Frobenius norm.
func (n Nuclear) Within(u, reach []float64) (scale float64) {
	return inside((n.largest(u) + length(reach)*(1+float64(len(u)+8)*0x1p-52)) * (1 + 0x1p-51))
}

// Rounding is that of all rotations: the sum of m singular values is off by at most sqrt(m) times the Frobenius norm of
// the error of the matrix.
func (n Nuclear) Rounding(numbers int) float64 {
	m := max(n.Columns, 1)
	m = min(m, (numbers+m-1)/m)
	if m <= 1 {
		return float64(numbers + 8)
	}
	return float64(numbers+8) + float64(4*mostSweeps*m*m)*math.Sqrt(float64(m))
}

// StrongConvexity is 0.
func (Nuclear) StrongConvexity() float64 { return 0 }
