package gram

import (
	"cmp"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// tableShare is the largest share of the memory limit that a table may take: views of the table need the rest
// for copies of rows.
const tableShare = 0.85

// TableBytes returns how many bytes the table of n rows takes.
func TableBytes(n int) int64 { return 8 * int64(n) * int64(rowStride(n)) }

// TableFits reports whether the table of n rows fits into so many bytes, 0: DefaultCache,
// and leaves a share of them to the rows that views of it keep.
func TableFits(n int, cache int64) bool {
	return leavesShare(TableBytes(n), cmp.Or(cache, DefaultCache))
}

// leavesShare reports whether a table of so many bytes leaves a share of the limit to rows.
func leavesShare(bytes, limit int64) bool { return float64(bytes) <= tableShare*float64(limit) }

// LeastCache is how many bytes a matrix of n rows needs at least, for two of them.
func LeastCache(n int) int64 { return 2 * 8 * int64(rowStride(n)) }

// Fill computes the whole matrix, in double precision, and keeps it: of the limit of [Options] the
// rest, or two rows, is left to copies of rows. From then on no value is computed again, and [Gram.View] may be called. Once what
// is given to StopWhen is true the rest is left undone, which Cut reports, and there is no table.
// It takes the memory of another matrix, which must not be used any more; nil: of none. To make
// new memory takes as long as to compute the values.
func (g *Gram) Fill(memory *Gram) {
	if g.Filled() {
		return
	}
	n := g.Len()
	t := &table[float64]{stride: rowStride(n)}
	if memory != nil && memory.double.stored != nil && len(memory.double.stored.value) == n*t.stride {
		t.value = memory.double.stored.value
	}
	tabulate(g, g.double, t, TableBytes(n), func() { g.setTable(subsetOf(t, inOrder[uint32](n))) })
}

// FillSingle is Fill in single precision, of which the table takes half the memory, where rows are in
// that and it fits; Combine then computes its values in double precision.
func (g *Gram) FillSingle() {
	n := g.Len()
	if g.Filled() || g.single == nil || !leavesShare(TableBytes(n)/2, g.limit()) {
		return
	}
	t := &table[float32]{stride: rowStride(n)}
	tabulate(g, g.single, t, TableBytes(n)/2, func() { g.single.stored, g.keep = subsetOf(t, inOrder[uint32](n)), false })
}

// tabulate computes all values of s into the table t, which takes so many bytes. It calls done when the table
// is complete, and not if StopWhen ended the work before.
func tabulate[T float32 | float64](g *Gram, s *store[T], t *table[T], bytes int64, done func()) {
	n := g.Len()
	if t.value == nil {
		t.value = inHugePages(make([]T, n*t.stride))
	}
	computed := fillSquare(s.tiler, blas.Block[T]{Value: t.value, Rows: n, Cols: n, Stride: t.stride}, s.set, g.options.Threads)
	if g.Cut() {
		return
	}
	done()
	g.counts.computedOf(g.double.tiler, computed)
	g.options.Cache = max(g.limit()-bytes, LeastCache(n))
	_ = g.reserve() // there is room for two rows: no error
}

// setTable has all values come from a table. Rows are then in double precision, as the table is.
func (g *Gram) setTable(p *subset[float64]) {
	g.double.stored, g.keep, g.single = p, false, nil
}

// Whole returns the whole matrix row by row, element (i,j) at value[i*stride+j], where memory has it
// like that. It must not be changed. All of it counts as requested.
func (g *Gram) Whole() (value []float64, stride int, ok bool) {
	n := g.Len()
	p := g.double.stored
	if p == nil || int(p.ends[0]) != n {
		return nil, 0, false
	}
	g.count(n, n, n)
	first := int(p.columns[0])
	return p.value[first*p.stride+first:], p.stride, true
}

// Sum sets dst[k] to the sum over j of c[j] K[rows[k]][columns[j]], of a matrix that is
// filled, in the order of j.
func (g *Gram) Sum(dst []float64, rows, columns []int, c []float64) {
	own, t := g.double.stored.columns, g.double.stored.table
	parallel.Blocks(len(rows), passing, g.options.Threads, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			row := t.row(own[rows[k]])
			sum := 0.0
			for j, column := range columns {
				sum += float64(c[j] * row[own[column]])
			}
			dst[k] = sum
		}
	})
}
