package kernel

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/vec"
)

// A table is the whole matrix, computed once: many problems on parts of the same rows, such
// as the folds of a cross-validation, and on the same rows with other parameters take their
// values from it instead of computing them again. The values have the bits of those that
// are computed, as all values in double precision have. Rows that stand side by side in it are
// used where they are: rows of one fold should.
type table struct {
	value  []float64 // K_ij is value[i*stride+j]
	stride int
	first  int // of pairs, the number from 1 of the class that comes first; 0: none does
}

// row returns the values of row i.
func (t *table) row(i uint32) []float64 { return t.value[int(i)*t.stride:][:t.stride] }

// A place in a table is that of a matrix of some of its rows.
type place struct {
	*table
	columns []uint32 // of the table, one for each row of the matrix
	ends    []uint32 // columns[k] to columns[ends[k]-1] stand side by side
}

func placeIn(t *table, columns []uint32) *place {
	p := &place{t, columns, make([]uint32, len(columns))}
	for k := len(columns) - 1; k >= 0; k-- {
		p.ends[k] = uint32(k + 1)
		if k+1 < len(columns) && columns[k+1] == columns[k]+1 {
			p.ends[k] = p.ends[k+1]
		}
	}
	return p
}

// sideBySide is how many columns are used where they are: fewer are gathered with those around.
const sideBySide = 64

// pieces cuts the columns lo to hi into pieces, each with the place in the table at which it
// stands side by side, or -1.
func (p *place) pieces(lo, hi int, use func(lo, hi, at int)) {
	end := func(k int) int { return min(hi, int(p.ends[k])) }
	for lo < hi {
		to, at := end(lo), int(p.columns[lo])
		if to-lo < sideBySide {
			for at = -1; to < hi && end(to)-to < sideBySide; {
				to = end(to)
			}
		}
		use(lo, to, at)
		lo = to
	}
}

// copy sets dst to row i.
func (p *place) copy(dst []float64, i int) {
	row := p.row(p.columns[i])
	p.pieces(0, len(dst), func(lo, hi, at int) {
		if at >= 0 {
			copy(dst[lo:hi], row[at:])
		} else {
			gatherFrom(dst[lo:hi], row, p.columns[lo:hi])
		}
	})
}

// gatherFrom sets dst to the elements of a row with these numbers.
func gatherFrom(dst, row []float64, columns []uint32) {
	dst = dst[:len(columns)]
	for k, j := range columns {
		dst[k] = row[j]
	}
}

// add adds rows times c to dst, in order.
func (p *place) add(dst []float64, rows []int, c []float64, threads int, heed *heed) {
	parallel.Blocks(len(dst), addedRows, threads, func(_, first, last int) {
		var part [addedAtOnce][]float64
		var memory []float64
		p.pieces(first, last, func(lo, hi, at int) {
			if at < 0 && memory == nil {
				memory = make([]float64, addedAtOnce*addedRows)
			}
			for k := 0; k < len(rows) && !heed.ended(); k += addedAtOnce {
				n := min(addedAtOnce, len(rows)-k)
				for r, i := range rows[k : k+n] {
					row := p.row(p.columns[i])
					if at >= 0 {
						part[r] = row[at : at+hi-lo]
						continue
					}
					part[r] = memory[r*addedRows:][:hi-lo]
					gatherFrom(part[r], row, p.columns[lo:hi])
				}
				vec.AddRows64(dst[lo:hi], part[:n], 0, c[k:k+n])
			}
		})
	})
}

// update is store.update of s, whose rows are those of p: what is kept is copied.
func (p *place) update(s *store[float64], dst []float64, rows []int, c []float64, places, missing []int) {
	if dst != nil {
		p.add(dst, rows, c, s.threads, s.heed)
		return
	}
	for _, k := range missing {
		s.open(places[k])
	}
	parallel.Each(len(missing), s.threads, func(_, m int) {
		if k := missing[m]; !s.heed.ended() {
			p.copy(s.row(places[k]), rows[k])
		}
	})
}

// square sets dst to the part with the given rows and columns. The values of one row lie far apart in the table: where it is
// mirrored, those above the diagonal blocks are copied from below them.
func (p *place) square(dst []float64, rows []int, mirrored bool, threads int, heed *heed) {
	q := len(rows)
	columns := make([]uint32, q)
	for k, i := range rows {
		columns[k] = p.columns[i]
	}
	part, whole := placeIn(p.table, columns), vec.Block[float64]{Value: dst, Rows: q, Cols: q, Stride: q}
	parallel.Blocks(q, squareRows, threads, func(_, lo, hi int) {
		to := q
		if mirrored {
			to = hi
		}
		for k := lo; k < hi && !heed.ended(); k++ {
			part.copy(dst[k*q:][:to], k)
		}
		if mirrored && lo > 0 {
			vec.Transpose64(piece(whole, 0, lo, lo, hi-lo), piece(whole, lo, 0, hi-lo, lo))
		}
	})
}

// squareRows is how many rows of a square are copied at a time.
const squareRows = 64

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

// Fill computes the whole matrix, in double precision, and keeps it: of the limit of [Options] the
// rest, or two rows, is left to copies of rows. From then on no value is computed again, and [Gram.View] may be called. Once what
// is given to StopWhen is true the rest is left undone, which Cut reports, and there is no table.
// It takes the memory of another matrix, which must not be used any more; nil: of none. To make
// new memory takes as long as to compute what is to stand there.
func (g *Gram) Fill(memory *Gram) {
	if g.place != nil {
		return
	}
	n := g.Len()
	t := &table{stride: rowStride(n)}
	if memory != nil && memory.Filled() && len(memory.place.value) == n*t.stride {
		t.value = memory.place.value
	} else {
		t.value = inHugePages(make([]float64, n*t.stride))
	}
	whole := vec.Block[float64]{Value: t.value, Rows: n, Cols: n, Stride: t.stride}
	computed := fillSquare(g.double.tiler, whole, g.double.set, g.options.Threads)
	if g.Cut() {
		return
	}
	g.counts.computedOf(g.double.tiler, computed)
	g.setTable(t, inOrder(n))
	g.options.Cache = max(g.limit()-TableBytes(n), LeastCache(n))
	_ = g.reserve() // there is room for two rows: no error
}

// inOrder returns the numbers from 0 to n-1.
func inOrder(n int) []uint32 {
	columns := make([]uint32, n)
	for j := range columns {
		columns[j] = uint32(j)
	}
	return columns
}

// Filled reports whether the whole matrix is at hand.
func (g *Gram) Filled() bool { return g.place != nil }

// setTable has all values come from t, of which the rows and columns given are those of g. Rows are
// then in double precision, as the table is.
func (g *Gram) setTable(t *table, columns []uint32) {
	g.place, g.keep, g.single = placeIn(t, columns), false, nil
}

// View returns the matrix of some of the rows, in that order, of one that is filled. It keeps
// up to so many bytes of rows of its own. Unlike parts, views may be used at the same time as
// each other, each by one goroutine, and each has its own StopWhen.
func (g *Gram) View(rows []int, cache int64, threads int) (*Gram, error) {
	if g.place == nil {
		return nil, fmt.Errorf("kernel: found a matrix that is not filled, expected one of which all values are at hand")
	}
	if len(rows) == 0 {
		return nil, errors.New("kernel: found no rows, expected at least one")
	}
	columns := make([]uint32, len(rows))
	for k, i := range rows {
		if i < 0 || i >= g.Len() {
			return nil, fmt.Errorf("kernel: found the number %d of a row, expected one from 0 to %d", i, g.Len()-1)
		}
		columns[k] = g.place.columns[i]
	}
	view := g.viewOf(rows)
	return view, view.readFrom(g.place.table, columns, cache, threads)
}

// readFrom has a view take all values from columns of t. It keeps up to so many bytes of rows.
func (g *Gram) readFrom(t *table, columns []uint32, cache int64, threads int) error {
	n := g.Len()
	g.options.Cache, g.options.Threads, g.options.Double = max(cache, LeastCache(n)), threads, true
	g.double = &store[float64]{tiler: newTiler(inDouble, g.whole.double.k), stride: rowStride(n), threads: threads,
		set: set[float64]{Matrix: g.X, norm: g.SquaredNorm}}
	g.double.heed = g.heed
	if err := g.reserve(); err != nil {
		return err
	}
	g.setTable(t, columns)
	return nil
}

// Whole returns where the whole matrix stands row by row, element (i,j) at value[i*stride+j], if it
// does so anywhere. It must not be changed. All of it counts as requested.
func (g *Gram) Whole() (value []float64, stride int, ok bool) {
	n := g.Len()
	if g.place == nil || int(g.place.ends[0]) != n {
		return nil, 0, false
	}
	g.count(n, n, n)
	first := int(g.place.columns[0])
	return g.place.value[first*g.place.stride+first:], g.place.stride, true
}

// viewOf is the matrix of some of the rows, without a store: what is known of them is copied.
func (g *Gram) viewOf(rows []int) *Gram {
	n := len(rows)
	view := &Gram{Kernel: g.Kernel, X: matrix.Subset(g.X, rows), SquaredNorm: make([]float64, n), Diagonal: make([]float64, n),
		options: g.options, counts: g.counts, heed: new(heed), whole: g}
	for k, i := range rows {
		view.SquaredNorm[k], view.Diagonal[k] = g.SquaredNorm[i], g.Diagonal[i]
		view.Terms = max(view.Terms, g.X.Row(i).Nonzeros())
	}
	return view
}

// Sum sets dst[k] to the sum over j of c[j] K[rows[k]][columns[j]], of a matrix that is
// filled, in the order of j.
func (g *Gram) Sum(dst []float64, rows, columns []int, c []float64) {
	own, t := g.place.columns, g.place.table
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
