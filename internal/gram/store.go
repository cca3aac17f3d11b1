package gram

import (
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A store is a set and the rows of its Gram matrix that are kept, in one
// precision. Which rows these are, an lru knows.
type store[T float32 | float64] struct {
	*tiler[T]
	set     set[T]
	pieces  [][]T // the rows that are kept; nil where none was yet
	per     int   // rows in a piece
	places  int   // in all pieces
	stride  int
	threads int
	stands  standing[T]
	place   *place[T] // where all values are; nil: they are computed
	cheap   bool      // to compute single values takes no longer than to gather them from memory
	part    sync.Pool // memory for rows that are gathered
}

func newStore[T float32 | float64](a arithmetic[T], k kernel.Kernel, x matrix.Matrix, norm []float64, threads int) *store[T] {
	return &store[T]{tiler: newTiler(a, k), set: newSet[T](k, x, norm, threads), stride: rowStride(len(norm)), threads: threads}
}

// rowStride returns the distance of rows of n values: a multiple of a cache
// line, but an odd one, so that rows do not compete for the same places of the
// processor's caches.
func rowStride(n int) int { return ((n+15)/16 | 1) * 16 }

// row returns what is kept at a place.
func (s *store[T]) row(place int) []T {
	n := len(s.set.norm)
	return s.pieces[place/s.per][place%s.per*s.stride:][:n:n]
}

// open makes the memory of a place, if there is none yet.
func (s *store[T]) open(place int) {
	if piece := &s.pieces[place/s.per]; *piece == nil {
		rows := min(s.per, s.places-place/s.per*s.per)
		*piece = inHugePages(make([]T, rows*s.stride))
	}
}

// update adds rows of the matrix times c to dst, in order, unless dst is nil.
// place[k] is where rows[k] is kept, or -1. The rows with number k in missing, which
// increase, are computed first, and kept where they have a place; place may be
// nil if all are missing and none is kept.
func (s *store[T]) update(dst []float64, rows []int, c []float64, place, missing []int) {
	switch {
	case len(rows) == 0:
		return
	case s.place != nil:
		s.place.update(s, dst, rows, c, place, missing)
		return
	}
	if len(missing) == 0 {
		parallel.Blocks(len(dst), addedRows, s.threads, func(_, lo, hi int) {
			if !s.heed.ended() {
				s.add(dst[lo:hi], nil, c, place, nil, 0, len(rows), lo)
			}
		})
		return
	}
	wanted := make([]int, len(missing))
	for m, k := range missing {
		wanted[m] = rows[k]
		if place != nil && place[k] >= 0 {
			s.open(place[k])
		}
	}
	s.tilesOf(wanted, func(values [][]T, m, lo, hi int) {
		if place != nil {
			for r, v := range values {
				if p := place[missing[m+r]]; p >= 0 {
					copy(s.row(p)[lo:hi], v)
				}
			}
		}
		if dst == nil {
			return
		}
		from, to := missing[m], len(rows)
		if m == 0 {
			from = 0
		}
		if m+len(values) < len(missing) {
			to = missing[m+len(values)]
		}
		s.add(dst[lo:hi], values, c, place, missing[m:m+len(values)], from, to, lo)
	})
}

// tilesOf is tiles for rows of the set itself, with these numbers.
func (s *store[T]) tilesOf(wanted []int, use func(values [][]T, m, lo, hi int)) {
	switch {
	case s.stands.wanted && len(wanted) <= s.narrow/4:
		s.tilesStanding(s.set.pick(wanted), s.set, s.threads, use)
	default:
		s.tiles(s.set.pick(wanted), s.set, s.threads, use)
	}
}

// A part of dst stays in the first cache while several rows stream by.
const addedRows, addedAtOnce = 2048, 16

// add adds the rows with numbers k from from to to, columns first and on, to dst: those
// with numbers in missing are values, the others are kept.
func (s *store[T]) add(dst []float64, values [][]T, c []float64, place, missing []int, from, to, first int) {
	var rows [addedAtOnce][]T
	for k := from; k < to; {
		n := 0
		for ; n < len(rows) && k < to; k, n = k+1, n+1 {
			if len(missing) > 0 && missing[0] == k {
				rows[n] = values[0]
				values, missing = values[1:], missing[1:]
			} else {
				rows[n] = s.row(place[k])[first:]
			}
		}
		s.arithmetic.add(dst, rows[:n], 0, c[k-n:k])
	}
}

// addRows adds rows times c to dst.
func addRows[T float32 | float64](s *store[T], dst []float64, rows []Row, c []float64, values func(Row) []T) {
	parallel.Blocks(len(dst), addedRows, s.threads, func(_, lo, hi int) {
		var part [addedAtOnce][]T
		for k := 0; k < len(rows); {
			n := 0
			for ; n < len(part) && k < len(rows); k, n = k+1, n+1 {
				part[n] = values(rows[k])
			}
			s.arithmetic.add(dst[lo:hi], part[:n], lo, c[k-n:k])
		}
	})
}

// square sets dst to the part of the matrix with the given rows and columns, and returns how many values it computed.
func (s *store[T]) square(dst []float64, rows []int) (computed int64) {
	q, part, picked := len(rows), (*place[T])(nil), s.set
	if s.place != nil && !s.cheap {
		part = placeIn(s.place.table, s.place.among(rows))
	} else if picked = s.set.pick(rows); exchangeable(s.tiler) { // rows of products are best read one after another
		picked.Matrix = matrix.Gather(s.set.Matrix, rows)
	}
	whole := blas.Block[float64]{Value: dst, Rows: q, Cols: q, Stride: q}
	computed = eachPiece(whole, squareSide, exchangeable(s.tiler), s.threads, blas.Transpose64, func(at blas.Block[float64], i, j int) {
		if part == nil {
			s.inPiece(at, picked.between(i, i+at.Rows), picked.between(j, j+at.Cols))
			return
		}
		for r := 0; r < at.Rows && !s.heed.ended(); r++ {
			copyRow(at.Value[r*at.Stride:][:at.Cols], part, i+r, j)
		}
	})
	if part != nil {
		return 0
	}
	return computed
}

// inPiece sets dst to the values of the rows of x with those of y, in double precision as they are.
func (s *store[T]) inPiece(dst blas.Block[float64], x, y set[T]) {
	s.tiles(x, y, 1, func(values [][]T, k, lo, hi int) {
		for r, v := range values {
			row := dst.Value[(k+r)*dst.Stride:][lo:hi]
			clear(row)
			s.arithmetic.add(row, [][]T{v[:hi-lo]}, 0, []float64{1})
		}
	})
}

// squareSide is how many rows and columns of a square are computed or gathered at a time.
const squareSide = 256
