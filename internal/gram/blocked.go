package gram

import (
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// A blockedCopy is all rows of a set in blocks of dense columns. Against it one to four rows that
// are asked for, read sparse, are multiplied in a quarter to a half of the time: no tile is transposed,
// and none is computed for more rows than there are. For more rows, to read the dense copy takes
// longer than to read the set sparse.
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
	parallel.Blocks(len(s.set.norm), s.wide, s.threads, func(_, lo, hi int) {
		b := block[T]{width: s.wide, value: s.blocks.value[lo*cols : (lo+s.wide)*cols]}
		for i := lo; i < hi; i++ {
			b.put(i-lo, s.set.Row(i))
		}
	})
}

// tilesInBlocks is tiles for few rows x.
func (s *source[T]) tilesInBlocks(x, y set[T], threads int, use func(values [][]T, k, lo, hi int)) {
	s.blocks.once.Do(s.fillBlocks)
	g := s.groups.Get().(*group[T])
	defer s.groups.Put(g)
	n, cols := x.Dims()
	asked := g.pack(x, 0, n)
	parallel.Blocks(len(y.norm), passing, threads, func(_, lo, hi int) {
		if s.stop.reached() {
			return
		}
		w := s.work.Get().(*work[T])
		defer s.work.Put(w)
		values, at := w.values[:n], w.at[:n]
		for first := lo; first < hi; first += s.wide {
			for r := range at {
				at[r] = r*passing + first - lo
			}
			s.tile(w.tile, at, s.blocks.value[first*cols:(first+s.wide)*cols], s.wide, nil, asked.Start, asked.Index, asked.Value)
		}
		for r, v := range values {
			s.of(s.inner, v[:hi-lo], x.norm[r], y.norm[lo:hi])
		}
		use(values, 0, lo, hi)
	})
}
