package gram

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A table is the whole matrix, computed once: many problems on parts of the same rows, such
// as the folds of a cross-validation, and on the same rows with other parameters take their
// values from it instead of computing them again. The values have the bits of those that
// are computed, as all values in double precision have. Rows that stand side by side in it are
// used where they are: rows of one fold should.
type table[T float32 | float64] struct {
	value  []T // K_ij is value[i*stride+j]
	stride int
	first  int // of pairs, the number from 1 of the class that comes first; 0: none does
}

// row returns the values of row i.
func (t *table[T]) row(i uint32) []T { return t.value[int(i)*t.stride:][:t.stride] }

// A place in a table is that of a matrix of some of its rows.
type place[T float32 | float64] struct {
	*table[T]
	columns []uint32 // of the table, one for each row of the matrix
	ends    []uint32 // columns[k] to columns[ends[k]-1] stand side by side
	apart   bool     // nowhere so many do that they are used where they are
}

func placeIn[T float32 | float64](t *table[T], columns []uint32) *place[T] {
	p := &place[T]{t, columns, make([]uint32, len(columns)), true}
	for k := len(columns) - 1; k >= 0; k-- {
		p.ends[k] = uint32(k + 1)
		if k+1 < len(columns) && columns[k+1] == columns[k]+1 {
			p.ends[k] = p.ends[k+1]
		}
		p.apart = p.apart && int(p.ends[k])-k < sideBySide
	}
	return p
}

// sideBySide is how many columns are used where they are: fewer are gathered with those around.
const sideBySide = 64

// pieces cuts the columns lo to hi into pieces, each with the place in the table at which it
// stands side by side, or -1.
func (p *place[T]) pieces(lo, hi int, use func(lo, hi, at int)) {
	if p.apart {
		use(lo, hi, -1)
		return
	}
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

// copyRow sets dst to what row i of p has from column first on.
func copyRow[D, T float32 | float64](dst []D, p *place[T], i, first int) {
	row := p.row(p.columns[i])
	same, _ := any(row).([]D)
	p.pieces(first, first+len(dst), func(lo, hi, at int) {
		if at >= 0 && same != nil {
			copy(dst[lo-first:hi-first], same[at:])
		} else {
			gatherFrom(dst[lo-first:], row, p.columns[lo:hi])
		}
	})
}

// gatherFrom sets dst to the elements of a row with these numbers.
func gatherFrom[D, T float32 | float64](dst []D, row []T, columns []uint32) {
	dst = dst[:len(columns)]
	for k, j := range columns {
		dst[k] = D(row[j])
	}
}

// add adds rows times c to dst, in order.
func (p *place[T]) add(s *store[T], dst []float64, rows []int, c []float64) {
	parallel.Blocks(len(dst), addedRows, s.threads, func(_, first, last int) {
		var part [addedAtOnce][]T
		memory, _ := s.part.Get().(*[addedAtOnce * addedRows]T)
		if memory == nil {
			memory = new([addedAtOnce * addedRows]T)
		}
		defer s.part.Put(memory)
		p.pieces(first, last, func(lo, hi, at int) {
			for k := 0; k < len(rows) && !s.heed.ended(); k += addedAtOnce {
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
				s.arithmetic.add(dst[lo:hi], part[:n], 0, c[k:k+n])
			}
		})
	})
}

// update is store.update of s, whose rows are those of p: what is kept is copied.
func (p *place[T]) update(s *store[T], dst []float64, rows []int, c []float64, places, missing []int) {
	if dst != nil {
		p.add(s, dst, rows, c)
		return
	}
	for _, k := range missing {
		s.open(places[k])
	}
	parallel.Each(len(missing), s.threads, func(_, m int) {
		if k := missing[m]; !s.heed.ended() {
			copyRow(s.row(places[k]), p, rows[k], 0)
		}
	})
}

// tableShare is what share of the limit a table may take: views of it keep rows beside it.
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
// new memory takes as long as to compute what is to stand there.
func (g *Gram) Fill(memory *Gram) {
	if g.Filled() {
		return
	}
	n := g.Len()
	t := &table[float64]{stride: rowStride(n)}
	if memory != nil && memory.double.place != nil && len(memory.double.place.value) == n*t.stride {
		t.value = memory.double.place.value
	}
	tabulate(g, g.double, t, TableBytes(n), func() { g.setTable(t, inOrder[uint32](n)) })
}

// FillSingle is Fill in single precision, of which the table takes half the memory, where rows are in
// that and it fits; Combine then computes its values in double precision.
func (g *Gram) FillSingle() {
	n := g.Len()
	if g.Filled() || g.single == nil || !leavesShare(TableBytes(n)/2, g.limit()) {
		return
	}
	t := &table[float32]{stride: rowStride(n)}
	tabulate(g, g.single, t, TableBytes(n)/2, func() { g.single.place, g.keep = placeIn(t, inOrder[uint32](n)), false })
}

// tabulate computes all values of s into a table of so many bytes, and calls done unless that is cut short.
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

// inOrder returns the numbers from 0 to n-1.
func inOrder[I int | uint32](n int) []I {
	numbers := make([]I, n)
	for j := range numbers {
		numbers[j] = I(j)
	}
	return numbers
}

// Filled reports whether the whole matrix is at hand.
func (g *Gram) Filled() bool {
	return g.double.place != nil || g.single != nil && g.single.place != nil
}

// setTable has all values come from t, of which the rows and columns given are those of g. Rows are
// then in double precision, as the table is.
func (g *Gram) setTable(t *table[float64], columns []uint32) {
	g.double.place, g.keep, g.single = placeIn(t, columns), false, nil
}

// View returns the matrix of some of the rows, in that order, of one that is filled. It keeps
// up to so many bytes of rows of its own. Unlike parts, views may be used at the same time as
// each other, each by one goroutine, and each has its own StopWhen.
func (g *Gram) View(rows []int, cache int64, threads int) (*Gram, error) {
	if !g.Filled() {
		return nil, fmt.Errorf("kernel: found a matrix that is not filled, expected one of which all values are at hand")
	}
	if len(rows) == 0 {
		return nil, errors.New("kernel: found no rows, expected at least one")
	}
	if err := g.has(rows); err != nil {
		return nil, err
	}
	view := g.viewOf(rows)
	if of := g.double.place; of != nil {
		return view, view.readFrom(of.table, of.among(rows), cache, threads)
	}
	of := g.single.place
	view.single = storeOf(view, inSingle, g.single.k, threads)
	view.single.place, view.single.cheap = placeIn(of.table, of.among(rows)), g.single.cheap
	return view, view.readFrom(nil, nil, cache, threads)
}

// Beside is View of all rows in their order, for a run of its own at the same time as others.
func (g *Gram) Beside(threads int) *Gram {
	view, err := g.View(inOrder[int](g.Len()), 0, threads)
	if err != nil {
		panic(err) // it is filled, and has these rows
	}
	if view.X, view.double.set = g.X, g.double.set; view.single != nil {
		view.single.set = g.single.set
	}
	return view
}

// among returns the columns of some of the rows.
func (p *place[T]) among(rows []int) []uint32 {
	columns := make([]uint32, len(rows))
	for k, i := range rows {
		columns[k] = p.columns[i]
	}
	return columns
}

// storeOf is the store of a view, which takes all values from a table.
func storeOf[T float32 | float64](g *Gram, a arithmetic[T], k kernel.Kernel, threads int) *store[T] {
	s := &store[T]{tiler: newTiler(a, k), stride: rowStride(g.Len()), threads: threads, set: set[T]{Matrix: g.X, norm: make([]T, g.Len())}}
	for i, xx := range g.SquaredNorm {
		s.set.norm[i] = T(xx)
	}
	s.heed = g.heed
	return s
}

// readFrom has a view take all values from columns of t, or from the table in single precision that it has.
// It keeps up to so many bytes of rows.
func (g *Gram) readFrom(t *table[float64], columns []uint32, cache int64, threads int) error {
	n := g.Len()
	g.options.Cache, g.options.Threads, g.options.Double = max(cache, LeastCache(n)), threads, true
	g.double = storeOf(g, inDouble, g.whole.double.k, threads)
	if t != nil {
		g.setTable(t, columns)
	}
	return g.reserve()
}

// Whole returns where the whole matrix stands row by row, element (i,j) at value[i*stride+j], if it
// does so anywhere. It must not be changed. All of it counts as requested.
func (g *Gram) Whole() (value []float64, stride int, ok bool) {
	n := g.Len()
	p := g.double.place
	if p == nil || int(p.ends[0]) != n {
		return nil, 0, false
	}
	g.count(n, n, n)
	first := int(p.columns[0])
	return p.value[first*p.stride+first:], p.stride, true
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
	own, t := g.double.place.columns, g.double.place.table
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
