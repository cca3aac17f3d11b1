package kernel

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
)

// A table is the whole matrix, computed once: many problems on parts of the same rows, such
// as the folds of a cross-validation, and on the same rows with other parameters take their
// values from it instead of computing them again. The values have the bits of those that
// are computed, as all values have.
type table struct {
	value  []float64 // K_ij is value[i*stride+j]
	stride int
}

// gather sets dst to elements of row i, of the columns given.
func (t *table) gather(dst []float64, i int, columns []uint32) {
	row := t.value[i*t.stride : (i+1)*t.stride]
	for k, j := range columns {
		dst[k] = row[j]
	}
}

// gather32 is gather in single precision.
func (t *table) gather32(dst []float32, i int, columns []uint32) {
	row := t.value[i*t.stride : (i+1)*t.stride]
	for k, j := range columns {
		dst[k] = float32(row[j])
	}
}

// tableShare is what share of the limit a table may take: views of it keep rows beside it.
const tableShare = 0.8

// TableBytes returns how many bytes the table of n rows takes.
func TableBytes(n int) int64 { return 8 * int64(n) * int64(rowStride(n)) }

// TableFits reports whether the table of n rows fits into so many bytes, 0: DefaultCache,
// and leaves a share of them to the rows that views of it keep.
func TableFits(n int, cache int64) bool {
	if cache == 0 {
		cache = DefaultCache
	}
	return float64(TableBytes(n)) <= tableShare*float64(cache)
}

// LeastCache is how many bytes a matrix of n rows needs at least, for two of them.
func LeastCache(n int) int64 { return 2 * 8 * int64(rowStride(n)) }

// Fill computes the whole matrix, in double precision, and keeps it beside the limit of
// [Options]. From then on no value is computed again, and [Gram.View] may be called. Once what
// is given to StopWhen is true the rest is left undone, which Cut reports, and there is no table.
// It takes the memory of another matrix, which must not be used any more; nil: of none. To make
// new memory takes as long as to compute what is to stand there.
func (g *Gram) Fill(memory *Gram) {
	if g.double.table != nil {
		return
	}
	n := g.Len()
	t := &table{stride: rowStride(n)}
	if memory != nil && memory.Filled() && len(memory.double.table.value) == n*t.stride {
		t.value = memory.double.table.value
	} else {
		t.value = inHugePages(make([]float64, n*t.stride))
	}
	g.double.tiles(g.double.set, g.double.set, g.options.Threads, func(values [][]float64, k, lo, hi int) {
		for r, v := range values {
			copy(t.value[(k+r)*t.stride+lo:(k+r)*t.stride+hi], v)
		}
	})
	if g.Cut() {
		return
	}
	g.count(0, n, n)
	columns := make([]uint32, n)
	for j := range columns {
		columns[j] = uint32(j)
	}
	g.setTable(t, columns)
}

// Filled reports whether the whole matrix is at hand.
func (g *Gram) Filled() bool { return g.double.table != nil }

// setTable has all values come from t, of which the rows and columns given are those of g.
func (g *Gram) setTable(t *table, columns []uint32) {
	g.double.table, g.double.columns, g.double.gather = t, columns, t.gather
	if g.single != nil {
		g.single.table, g.single.columns, g.single.gather = t, columns, t.gather32
	}
}

// View returns the matrix of some of the rows, in that order, of one that is filled. It keeps
// up to so many bytes of rows of its own. Unlike parts, views may be used at the same time as
// each other, each by one goroutine, and each has its own StopWhen.
func (g *Gram) View(rows []int, cache int64, threads int) (*Gram, error) {
	if g.double.table == nil {
		return nil, fmt.Errorf("kernel: found a matrix that is not filled, expected one of which all values are at hand")
	}
	columns := make([]uint32, len(rows))
	for k, i := range rows {
		if i < 0 || i >= g.Len() {
			return nil, fmt.Errorf("kernel: found the number %d of a row, expected one from 0 to %d", i, g.Len()-1)
		}
		columns[k] = g.double.columns[i]
	}
	opt := g.options
	opt.Cache, opt.Threads = max(cache, LeastCache(len(rows))), threads
	view, err := gramOf(g.Kernel, matrix.Subset(g.X, rows), opt, g.counts, new(heed))
	if err != nil {
		return nil, err
	}
	view.whole = g
	view.setTable(g.double.table, columns)
	return view, nil
}

// Sum sets dst[k] to the sum over j of c[j] K[rows[k]][columns[j]], of a matrix that is
// filled, in the order of j.
func (g *Gram) Sum(dst []float64, rows, columns []int, c []float64) {
	own, t := g.double.columns, g.double.table
	parallel.Blocks(len(rows), passing, g.options.Threads, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			row := t.value[int(own[rows[k]])*t.stride:][:t.stride]
			sum := 0.0
			for j, column := range columns {
				sum += float64(c[j] * row[own[column]])
			}
			dst[k] = sum
		}
	})
}

// tilesFromTable is tiles for rows of the set itself, with these numbers.
func (s *store[T]) tilesFromTable(rows, columns []int, use func(values [][]T, k, lo, hi int)) {
	n := len(s.set.norm)
	own := s.columns
	if columns != nil {
		n, own = len(columns), make([]uint32, len(columns))
		for k, j := range columns {
			own[k] = s.columns[j]
		}
	}
	parallel.Blocks(n, passing, s.threads, func(_, lo, hi int) {
		w := s.work.Get().(*work[T])
		defer s.work.Put(w)
		for k := 0; k < len(rows) && !s.heed.ended(); k += s.wide {
			values := w.values[:min(s.wide, len(rows)-k)]
			for r, v := range values {
				s.gather(v[:hi-lo], int(s.columns[rows[k+r]]), own[lo:hi])
			}
			use(values, k, lo, hi)
		}
	})
}
