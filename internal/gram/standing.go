package gram

import (
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// standing is a whole set in blocks, for a row asked for to pass by: no tile is
// transposed, and no place of a block is left empty, which for one to four rows
// takes a quarter to a half of the time. For more, to read the set so takes
// longer than to read it sparse.
type standing[T float32 | float64] struct {
	wanted bool
	once   sync.Once
	value  []T // element j of row l of block b is value[(b*cols+j)*width+l]
}

// standingSize returns how many elements a set of few columns has in blocks.
func (s *store[T]) standingSize() (size int, ok bool) {
	n, cols := s.set.Dims()
	return (n + s.wide - 1) / s.wide * s.wide * cols, s.inner != nil && cols <= mostColumns
}

// stand writes the blocks.
func (s *store[T]) stand() {
	size, _ := s.standingSize()
	s.stands.value = inHugePages(make([]T, size))
	_, cols := s.set.Dims()
	parallel.Blocks(len(s.set.norm), s.wide, s.threads, func(_, lo, hi int) {
		b := block[T]{width: s.wide, value: s.stands.value[lo*cols : (lo+s.wide)*cols]}
		for i := lo; i < hi; i++ {
			b.put(i-lo, s.set.Row(i))
		}
	})
}

// tilesStanding is tiles for few rows x.
func (s *store[T]) tilesStanding(x, y set[T], threads int, use func(values [][]T, k, lo, hi int)) {
	s.stands.once.Do(s.stand)
	g := s.groups.Get().(*group[T])
	defer s.groups.Put(g)
	n, cols := x.Dims()
	asked := g.pack(x, 0, n)
	parallel.Blocks(len(y.norm), passing, threads, func(_, lo, hi int) {
		if s.heed.ended() {
			return
		}
		w := s.work.Get().(*work[T])
		defer s.work.Put(w)
		values, at := w.values[:n], w.at[:n]
		for first := lo; first < hi; first += s.wide {
			for r := range at {
				at[r] = r*passing + first - lo
			}
			s.tile(w.tile, at, s.stands.value[first*cols:(first+s.wide)*cols], s.wide, nil, asked.Start, asked.Index, asked.Value)
		}
		for r, v := range values {
			s.of(s.inner, v[:hi-lo], x.norm[r], y.norm[lo:hi])
		}
		use(values, 0, lo, hi)
	})
}
