package kernel

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// Nystrom is a map to as many features as it has pivots, rows p_1, ..., p_m of a
// set, such that
//
//	<Phi(x),Phi(y)> = k_x^T K^-1 k_y,  (k_x)_c = k(x,p_c),  K_bc = k(p_b,p_c)
//
// which is k(x,y) where x or y is a pivot, and the best approximation by the
// images of the pivots elsewhere: the features are the coordinates of the
// projection of the image of x. With K = LL^T they are L^-1 k_x, one after
// another,
//
//	Phi_c(x) = (k(x,p_c) - sum_(b<c) Phi_b(x) L_cb) / L_cc
//
// Cost of an image: m values of the kernel, m^2/2 multiply-adds.
type Nystrom struct {
	Kernel Kernel
	Pivots []int         // rows of the set that they are from
	Rows   matrix.Matrix // the pivots themselves
	Factor []float64     // L, m x m, row-major

	// Residual is, before the first pivot and after each, the sum over the rows
	// of the set of k(x,x) - |Phi(x)|^2, what is left of the trace.
	Residual []float64
}

// NewCholesky chooses at most rank pivots by the incomplete Cholesky
// factorisation (Fine and Scheinberg, Efficient SVM Training Using Low-Rank
// Kernel Representations, 2001): the next is the row of which the most is left,
//
//	p = argmax d,  d_i = k(x_i,x_i) - |Phi(x_i)|^2
//
// until no more than tolerance times the trace is left. Cost: rank columns of the
// matrix, n rank^2/2 multiply-adds, n rank numbers.
func NewCholesky(g *Gram, rank int, tolerance float64) (*Nystrom, error) {
	return newNystrom(g, rank, tolerance, func(left []float64) int {
		p := 0
		for i, d := range left {
			if d > left[p] {
				p = i
			}
		}
		return p
	})
}

// NewNystrom chooses the pivots at random (Williams and Seeger, Using the
// Nystroem Method to Speed Up Kernel Machines, 2001), rows of which nothing is
// left excepted. In all else it is like NewCholesky.
func NewNystrom(g *Gram, rank int, seed uint64) (*Nystrom, error) {
	order, next := permutation(g.Len(), seed), 0
	return newNystrom(g, rank, 0, func(left []float64) int {
		for next < len(order)-1 && left[order[next]] <= nothing*g.Diagonal[order[next]] {
			next++
		}
		return order[next]
	})
}

// nothing is the part of k(x,x) that is but rounding.
const nothing = 1e-12

// permutation orders n rows by random numbers, each its own.
func permutation(n int, seed uint64) []int {
	order := make([]int, n)
	a := mix(seed)
	for i := range order {
		// Fisher and Yates; the bias is below n/2^64.
		j := int(mix(a^mix(uint64(i))) % uint64(i+1))
		order[i], order[j] = order[j], i
	}
	return order
}

func newNystrom(g *Gram, rank int, tolerance float64, choose func(left []float64) int) (*Nystrom, error) {
	switch {
	case rank <= 0:
		return nil, fmt.Errorf("low rank: found a rank of %d, expected at least 1", rank)
	case !(tolerance >= 0 && tolerance < 1):
		return nil, fmt.Errorf("low rank: found a tolerance of %g, expected a part of the trace from 0 to 1", tolerance)
	case IsIndefinite(g.Kernel):
		return nil, fmt.Errorf("low rank: found a kernel of type %T that is no inner product", g.Kernel)
	}
	rank = min(rank, g.Len())
	f := factorisation{Gram: g, left: append([]float64(nil), g.Diagonal...), width: rank,
		image: make([]float64, g.Len()*rank), column: make([]float64, g.Len()), unit: make([]float64, g.Len())}
	m := &Nystrom{Kernel: g.Kernel, Residual: []float64{f.trace()}}
	for len(m.Pivots) < rank && m.Residual[len(m.Pivots)] > max(tolerance, nothing)*m.Residual[0] {
		p := choose(f.left)
		if !(f.left[p] > nothing*g.Diagonal[p]) {
			break
		}
		f.add(p, len(m.Pivots))
		m.Pivots, m.Residual = append(m.Pivots, p), append(m.Residual, f.trace())
	}
	if len(m.Pivots) == 0 {
		return nil, fmt.Errorf("low rank: found %d rows with k(x,x) = 0, expected one that is not", g.Len())
	}
	m.Rows = pick(g.X, m.Pivots)
	for _, p := range m.Pivots {
		m.Factor = append(m.Factor, f.image[p*rank:p*rank+len(m.Pivots)]...)
	}
	for c := range m.Pivots {
		clear(m.Factor[c*len(m.Pivots)+c+1 : (c+1)*len(m.Pivots)]) // rounding, as nothing was left
	}
	return m, nil
}

// factorisation is the images of all rows of a set while pivots are added.
type factorisation struct {
	*Gram
	left   []float64 // d
	image  []float64 // n x width
	width  int
	column []float64
	unit   []float64 // zeros, but for the pivot
}

func (f *factorisation) trace() float64 {
	var sum vec.Sum
	for _, d := range f.left {
		sum.Add(d)
	}
	return sum.Value()
}

// add makes row p the pivot of the feature c.
func (f *factorisation) add(p, c int) {
	f.unit[p] = 1
	f.Combine(f.column, f.unit)
	f.unit[p] = 0
	root, pivot := math.Sqrt(f.left[p]), f.image[p*f.width:p*f.width+c]
	matrix.Blocks(f.Len(), blockRows, f.Threads(), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			image := f.image[i*f.width : i*f.width+c+1]
			v := (f.column[i] - vec.Dot64(image[:c], pivot)) / root
			image[c] = v
			f.left[i] = max(0, math.FMA(-v, v, f.left[i]))
		}
	})
	f.image[p*f.width+c], f.left[p] = root, 0
}

// pick copies rows.
func pick(x matrix.Matrix, rows []int) matrix.Matrix {
	_, cols := x.Dims()
	if x, ok := x.(*matrix.Dense); ok {
		d := &matrix.Dense{Rows: len(rows), Cols: cols}
		for _, i := range rows {
			d.Value = append(d.Value, x.Row(i).Value...)
		}
		return d
	}
	s := &matrix.CSR{Cols: cols, Start: []int64{0}, Index: []uint32{}}
	for _, i := range rows {
		row := x.Row(i)
		for k, v := range row.Value {
			s.Index, s.Value = append(s.Index, uint32(row.Column(k))), append(s.Value, v)
		}
		s.Start = append(s.Start, int64(len(s.Value)))
	}
	return s
}

// Dims returns the number of columns of rows and of their images.
func (m *Nystrom) Dims() (cols, features int) {
	_, cols = m.Rows.Dims()
	return cols, len(m.Pivots)
}

// Map returns the images of the rows of x, in single precision; the rows are
// prepared as the kernel wants them.
func (m *Nystrom) Map(x matrix.Matrix) (*matrix.Dense, error) {
	cols, width := m.Dims()
	x, err := Prepare(m.Kernel, x, cols)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	image := &matrix.Dense{Rows: n, Cols: width, Value: make([]float32, n*width)}
	matrix.Blocks(n, 16, 0, func(_, lo, hi int) {
		features := make([]float64, width)
		for i := lo; i < hi; i++ {
			m.project(features, x.Row(i))
			for c, v := range features {
				image.Value[i*width+c] = float32(v)
			}
		}
	})
	return image, nil
}

// project sets dst to L^-1 k_x.
func (m *Nystrom) project(dst []float64, x matrix.Vector) {
	width := len(m.Pivots)
	for c := range dst {
		row := m.Factor[c*width : c*width+c+1]
		dst[c] = (m.Kernel.Eval(x, m.Rows.Row(c)) - vec.Dot64(dst[:c], row[:c])) / row[c]
	}
}
