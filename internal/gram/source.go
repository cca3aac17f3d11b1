package gram

import (
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A source gives rows of a Gram matrix, in one precision: values of the kernel, or those of a table.
type source[T float32 | float64] struct {
	*tiler[T]
	set     set[T]
	threads int
	stored  *subset[T] // of the table that has all values; nil: they are computed
	cheap   bool       // to compute single values takes no longer than to gather them from a table
	blocks  blockedCopy[T]
	buffers sync.Pool // memory for rows that are gathered
}

// rowsOf calls use with values of the rows with these numbers, as tiles does.
func (s *source[T]) rowsOf(wanted []int, use func(values [][]T, m, lo, hi int)) {
	switch {
	case s.stored != nil:
		s.gather(wanted, use)
	case s.blocks.wanted:
		s.blocks.once.Do(s.fillBlocks)
		s.tilesInBlocks(s.set.pick(wanted), s.set, s.blocks.value, s.threads, use)
	default:
		s.tiles(s.set.pick(wanted), s.set, s.threads, use)
	}
}

// gather is rowsOf from the table.
func (s *source[T]) gather(wanted []int, use func(values [][]T, m, lo, hi int)) {
	p := s.stored
	parallel.Blocks(len(p.columns), addedRows, s.threads, func(_, first, last int) {
		var rows [addedAtOnce][]T
		var buffer *[addedAtOnce * addedRows]T // of this block, made for the first range that is gathered
		defer func() {
			if buffer != nil {
				s.buffers.Put(buffer)
			}
		}()
		p.ranges(first, last, func(lo, hi, at int) {
			if at < 0 && buffer == nil {
				if buffer, _ = s.buffers.Get().(*[addedAtOnce * addedRows]T); buffer == nil {
					buffer = new([addedAtOnce * addedRows]T)
				}
			}
			for k := 0; k < len(wanted) && !s.stop.reached(); k += addedAtOnce {
				n := min(addedAtOnce, len(wanted)-k)
				for r, i := range wanted[k : k+n] {
					row := p.row(p.columns[i])
					if at >= 0 {
						rows[r] = row[at : at+hi-lo]
						continue
					}
					rows[r] = buffer[r*addedRows:][:hi-lo]
					gatherFrom(rows[r], row, p.columns[lo:hi])
				}
				use(rows[:n], k, lo, hi)
			}
		})
	})
}

// square sets dst to the part of the matrix with the given rows and columns, and returns how many values it computed.
func (s *source[T]) square(dst []float64, rows []int) (computed int64) {
	q, part, picked := len(rows), (*subset[T])(nil), s.set
	if s.stored != nil && !s.cheap {
		part = s.stored.among(rows)
	} else if picked = s.set.pick(rows); exchangeable(s.tiler) { // rows of products are best read one after another
		picked.Matrix = matrix.Gather(s.set.Matrix, rows)
	}
	whole := blas.Block[float64]{Value: dst, Rows: q, Cols: q, Stride: q}
	computed = eachPiece(whole, squareSide, exchangeable(s.tiler), s.threads, blas.Transpose64, func(at blas.Block[float64], i, j int) {
		if part == nil {
			s.inPiece(at, picked.between(i, i+at.Rows), picked.between(j, j+at.Cols))
			return
		}
		for r := 0; r < at.Rows && !s.stop.reached(); r++ {
			copyRow(at.Value[r*at.Stride:][:at.Cols], part, i+r, j)
		}
	})
	if part != nil {
		return 0
	}
	return computed
}

// inPiece sets dst to the values of the rows of x with those of y, in double precision as they are.
func (s *source[T]) inPiece(dst blas.Block[float64], x, y set[T]) {
	single, one := make([][]T, 1), []float64{1}
	s.tiles(x, y, 1, func(values [][]T, k, lo, hi int) {
		for r, v := range values {
			row := dst.Value[(k+r)*dst.Stride:][lo:hi]
			clear(row)
			single[0] = v[:hi-lo]
			s.arithmetic.add(row, single, 0, one)
		}
	})
}

// squareSide is how many rows and columns of a square are computed or gathered at a time.
const squareSide = 256

// addedRows columns of dst stay in the first-level cache while addedAtOnce rows are added to them.
const addedRows, addedAtOnce = 2048, 16

// A blockedCopy is all rows of a set in blocks of dense columns. Against it rows that are asked for,
// read sparse, are multiplied without a tile that must be transposed, nor for more rows than there are.
type blockedCopy[T float32 | float64] struct {
	wanted bool // there is room for it
	once   sync.Once
	value  []T // element j of row l of block b is value[(b*cols+j)*width+l]
}

// blockedSize returns how many elements a set of few columns has in blocks.
func (s *source[T]) blockedSize() (size int, ok bool) {
	n, cols := s.set.Dims()
	return (n + s.wide - 1) / s.wide * s.wide * cols, s.inner != nil && cols <= mostColumns
}

// fillBlocks writes the copy.
func (s *source[T]) fillBlocks() {
	size, _ := s.blockedSize()
	s.blocks.value = inHugePages(make([]T, size))
	_, cols := s.set.Dims()
	parallel.Blocks(len(s.set.norm), 32*s.wide, s.threads, func(_, lo, hi int) {
		fillBlocks(s.blocks.value[lo*cols:], s.set, s.wide, lo, hi)
	})
}
