package gram

import (
	"cmp"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Scorer computes what kernel machines predict: for outputs c and a row x,
//
//	score_c = sum_j coefficients_c[j] k(x, s_j)
//
// over the rows s_j of the support. The values of the kernel are shared by the
// outputs. Its methods may be called by several goroutines at once.
type Scorer struct {
	tiler        *tiler[float64]
	support      set[float64]
	cols         int
	columns      []uint32 // of a thin support, see renumber; nil: all
	coefficients [][]float64
	inputs       sync.Pool
}

// NewScorer takes rows as [Prepare] returns them, and for each output a
// coefficient for each row.
func NewScorer(k kernel.Kernel, support matrix.Matrix, coefficients [][]float64) *Scorer {
	_, cols := support.Dims()
	s := &Scorer{tiler: newTiler(inDouble, k), support: set[float64]{support, normsOf(k, support), selfOf(k, support, 0)}, cols: cols, coefficients: coefficients}
	if s.tiler.inner != nil {
		s.columns, s.support.Matrix = renumber(sparse(support))
		_, s.cols = s.support.Dims()
	}
	s.inputs.New = func() any { return new(input) }
	return s
}

// input is rows to be scored.
type input struct {
	rows []matrix.Vector
	norm []float64
	self []float64
	cols int
}

func (in *input) Dims() (rows, cols int)  { return len(in.rows), in.cols }
func (in *input) Row(i int) matrix.Vector { return in.rows[i] }

// set makes the rows a set. Of columns that the support has not, inner products
// see nothing, and tables over columns must not grow with them.
func (in *input) set(rows []matrix.Vector, s *Scorer) set[float64] {
	in.rows, in.norm, in.cols = append(in.rows[:0], rows...), slices.Grow(in.norm[:0], len(rows))[:len(rows)], s.cols
	in.self = in.self[:0]
	for i, row := range rows {
		in.norm[i] = kernel.Norm(s.tiler.k, row)
		in.self = kernel.AppendSelf(in.self, s.tiler.k, row)
		switch {
		case s.columns != nil:
			in.rows[i] = among(s.columns, row)
		case s.tiler.inner != nil:
			in.rows[i] = FirstColumns(row, s.cols)
		}
	}
	return set[float64]{in, in.norm, in.self}
}

// FirstColumns returns the first columns of a row.
func FirstColumns(row matrix.Vector, cols int) matrix.Vector {
	n := len(row.Value)
	switch {
	case row.Index == nil:
		n = min(n, cols)
	case n > 0 && int64(row.Index[n-1]) >= int64(cols):
		n, _ = slices.BinarySearchFunc(row.Index, cols, func(c uint32, cols int) int { return cmp.Compare(int64(c), int64(cols)) })
	}
	if n == len(row.Value) {
		return row
	}
	row.Value = row.Value[:n]
	if row.Index != nil {
		row.Index = row.Index[:n]
	}
	return row
}

// Scores sets dst[i*outputs+c] to the score of output c for rows[i]. It depends
// on that row alone. A hundred rows together take much less time for each than
// one.
func (s *Scorer) Scores(dst []float64, rows []matrix.Vector) {
	clear(dst[:len(rows)*len(s.coefficients)])
	s.Values(rows, func(values [][]float64, i, lo, hi int) {
		s.add(dst[i*len(s.coefficients):], values, lo, hi)
	})
}

// Values calls use with values[r][j-lo] = k(x,s_j) for the rows x = rows[i+r] and
// the rows j of the support from lo to hi; for each row these ranges come in
// order and cover the support.
func (s *Scorer) Values(rows []matrix.Vector, use func(values [][]float64, i, lo, hi int)) {
	in := s.inputs.Get().(*input)
	w := s.tiler.work.Get().(*work[float64])
	g := s.tiler.groups.Get().(*group[float64])
	defer func() {
		clear(in.rows) // the pool must not keep data alive
		s.inputs.Put(in)
		s.tiler.putWork(w)
		s.tiler.groups.Put(g)
	}()
	x := in.set(rows, s)
	if s.tiler.writesBlocks(x, s.support) {
		asked := g.pack(x, 0, len(rows))
		for lo := 0; lo < len(s.support.norm); lo += passing {
			s.tiler.against(w, asked, x.norm, s.support, nil, lo, min(lo+passing, len(s.support.norm)), use)
		}
		return
	}
	for g.hi = 0; g.hi < len(rows); {
		s.tiler.next(g, x)
		for lo := 0; lo < len(s.support.norm); lo += passing {
			w.pass(s.tiler, s.support, lo, min(lo+passing, len(s.support.norm)))
			for i := range g.blocks {
				b := &g.blocks[i]
				use(s.tiler.values(w, b, x, s.support), b.lo, w.lo, w.hi)
			}
		}
	}
}

// add adds the part of the scores that is due to rows lo to hi of the support.
func (s *Scorer) add(dst []float64, values [][]float64, lo, hi int) {
	for r, v := range values {
		scores := dst[r*len(s.coefficients):]
		for c, coefficients := range s.coefficients {
			scores[c] += vec.Dot64(coefficients[lo:hi], v[:hi-lo])
		}
	}
}

// Tables over columns are as long as the last column says, which of rows with few
// values may be any: a file of another program, or a damaged one, with one value in
// column 2e9 would take 8 GB. The columns of such a support are numbered again.

// A thin support has more than so many columns for each value, and more than that
// many in all.
const (
	thinColumns = 1 << 20
	thinShare   = 256
)

// renumber returns the columns in which a thin support has values, and the support
// with their places among these; nil and x as it is, if it is not thin.
func renumber(x matrix.Matrix) ([]uint32, matrix.Matrix) {
	s, ok := x.(*matrix.CSR)
	if !ok || s.Cols <= thinColumns || s.Cols/thinShare <= len(s.Index) {
		return nil, x
	}
	columns := slices.Clone(s.Index)
	slices.Sort(columns)
	columns = slices.Compact(columns)
	index := make([]uint32, len(s.Index))
	for k, j := range s.Index {
		at, _ := slices.BinarySearch(columns, j)
		index[k] = uint32(at)
	}
	return columns, &matrix.CSR{Cols: len(columns), Start: s.Start, Index: index, Value: s.Value}
}

// among returns the values of a row in the columns, numbered by their places there.
func among(columns []uint32, row matrix.Vector) matrix.Vector {
	some := matrix.Vector{Index: []uint32{}}
	for k, v := range row.Value {
		if at, ok := slices.BinarySearch(columns, uint32(row.Column(k))); ok {
			some.Index, some.Value = append(some.Index, uint32(at)), append(some.Value, v)
		}
	}
	return some
}
