package gram

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A set is rows with their squared norms, and what [owners] says of each.
type set[T float32 | float64] struct {
	matrix.Matrix
	norm []T
	self []float64
}

func newSet[T float32 | float64](k kernel.Kernel, x matrix.Matrix, norm []float64, threads int) set[T] {
	s := set[T]{x, make([]T, len(norm)), selfOf(k, x, threads)}
	for i, xx := range norm {
		s.norm[i] = T(xx)
	}
	return s
}

// sparse returns x as a sparse matrix without zeros, unless it is dense and less
// than half zeros: then that would take more memory than x does.
func sparse(x matrix.Matrix) matrix.Matrix {
	if _, ok := x.(*matrix.CSR); ok {
		return x
	}
	rows, cols := x.Dims()
	nonzeros := 0
	for i := range rows {
		for _, v := range x.Row(i).Value {
			if v != 0 {
				nonzeros++
			}
		}
	}
	if d, ok := x.(*matrix.Dense); ok && 2*nonzeros > len(d.Value) {
		return x
	}
	s := &matrix.CSR{Cols: cols, Start: make([]int64, 1, rows+1), Index: make([]uint32, 0, nonzeros), Value: make([]float32, 0, nonzeros)}
	for i := range rows {
		appendNonzeros(s, x.Row(i))
	}
	return s
}

func appendNonzeros(m *matrix.CSR, row matrix.Vector) {
	for k, v := range row.Value {
		if v != 0 {
			m.Index, m.Value = append(m.Index, uint32(row.Column(k))), append(m.Value, v)
		}
	}
	m.Start = append(m.Start, int64(len(m.Value)))
}

// pick returns rows of a set; nil: all.
func (s set[T]) pick(rows []int) set[T] {
	if rows == nil {
		return s
	}
	norm, self := make([]T, len(rows)), []float64(nil)
	for k, i := range rows {
		norm[k] = s.norm[i]
		self = append(self, s.selfOf(i)...)
	}
	return set[T]{matrix.Subset(s.Matrix, rows), norm, self}
}

// selfOf returns the values of row i with itself that the kernel needs.
func (s set[T]) selfOf(i int) []float64 {
	each := len(s.self) / max(1, len(s.norm))
	return s.self[i*each : (i+1)*each]
}

// normsOf returns them for all rows.
func normsOf(k kernel.Kernel, x matrix.Matrix) []float64 {
	n, _ := x.Dims()
	norms := make([]float64, n)
	for i := range norms {
		norms[i] = kernel.Norm(k, x.Row(i))
	}
	return norms
}

// selfOf returns these values of all rows, one row after another.
func selfOf(k kernel.Kernel, x matrix.Matrix, threads int) (self []float64) {
	n, _ := x.Dims()
	each := kernel.SelfValues(k)
	self = make([]float64, n*each)
	if each > 0 {
		parallel.Blocks(n, passingSingly, threads, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				kernel.AppendSelf(self[:i*each], k, x.Row(i)) // there is room
			}
		})
	}
	return self
}

// between returns the rows lo to hi of a set.
func (s set[T]) between(lo, hi int) set[T] {
	each := len(s.self) / max(1, len(s.norm))
	part := set[T]{matrix.Part(s.Matrix, lo, hi), s.norm[lo:hi], s.self[lo*each : hi*each]}
	if x, ok := s.Matrix.(*matrix.CSR); ok { // which tiles take as it is
		part.Matrix = &matrix.CSR{Cols: x.Cols, Start: x.Start[lo : hi+1], Index: x.Index, Value: x.Value}
	}
	return part
}

// passing is how many rows of a set make a tile with a block, and passingSingly
// how many where values are computed one after another.
const passing, passingSingly = 256, 16
