package gram

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/kernel"
)

// A store is a source of rows and the memory of those that are kept, in one precision. Which rows
// these are, an lru knows.
type store[T float32 | float64] struct {
	source[T]
	slots[T]
}

func newStore[T float32 | float64](a arithmetic[T], k kernel.Kernel, x set[T], threads int, stop *interruption) *store[T] {
	s := &store[T]{source: source[T]{tiler: newTiler(a, k), set: x, threads: threads}}
	s.stop, s.stride = stop, rowStride(len(x.norm))
	return s
}

// update adds rows of the matrix times c to dst, in order, unless dst is nil.
// slot[k] is where rows[k] is kept, or -1. The rows with number k in missing, which
// increase, are got from the source first, and kept where they have a slot; slot may be
// nil if all are missing and none is kept.
func (s *store[T]) update(dst []float64, rows []int, c []float64, slot, missing []int) {
	if len(rows) == 0 {
		return
	}
	if len(missing) == 0 {
		parallel.Blocks(len(dst), addedRows, s.threads, func(_, lo, hi int) {
			if !s.stop.reached() {
				s.add(dst[lo:hi], nil, c, slot, nil, 0, len(rows), lo)
			}
		})
		return
	}
	wanted := make([]int, len(missing))
	for m, k := range missing {
		wanted[m] = rows[k]
		if slot != nil && slot[k] >= 0 {
			s.open(slot[k])
		}
	}
	s.rowsOf(wanted, func(values [][]T, m, lo, hi int) {
		if slot != nil {
			for r, v := range values {
				if p := slot[missing[m+r]]; p >= 0 {
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
		s.add(dst[lo:hi], values, c, slot, missing[m:m+len(values)], from, to, lo)
	})
}

// add adds the rows with numbers k from from to to, columns first and on, to dst: those
// with numbers in missing are values, the others are kept.
func (s *store[T]) add(dst []float64, values [][]T, c []float64, slot, missing []int, from, to, first int) {
	var rows [addedAtOnce][]T
	for k := from; k < to; {
		n := 0
		for ; n < len(rows) && k < to; k, n = k+1, n+1 {
			if len(missing) > 0 && missing[0] == k {
				rows[n] = values[0]
				values, missing = values[1:], missing[1:]
			} else {
				rows[n] = s.row(slot[k])[first:]
			}
		}
		s.arithmetic.add(dst, rows[:n], 0, c[k-n:k])
	}
}

// addRows adds rows times c to dst.
func addRows[T float32 | float64](s *store[T], dst []float64, rows []Row, c []float64, values func(Row) []T) {
	parallel.Blocks(len(dst), addedRows, s.threads, func(_, lo, hi int) {
		var some [addedAtOnce][]T
		for k := 0; k < len(rows); {
			n := 0
			for ; n < len(some) && k < len(rows); k, n = k+1, n+1 {
				some[n] = values(rows[k])
			}
			s.arithmetic.add(dst[lo:hi], some[:n], lo, c[k-n:k])
		}
	})
}

// reserve makes slots for rows in elements of so many bytes. An eighth of the
// limit may go to the set in blocks.
func (s *store[T]) reserve(limit, bytes int64) (lru, error) {
	n, row := len(s.set.norm), int64(s.stride)*bytes
	if limit < 2*row && n > 1 {
		return lru{}, fmt.Errorf("cache=%d: expected at least %d bytes, two rows of %d values", limit, 2*row, n)
	}
	size, few := s.blockedSize()
	blocked := int64(size) * bytes
	if s.blocks.wanted = few && blocked <= limit/8 && limit-blocked >= 2*row; s.blocks.wanted {
		limit -= blocked
	}
	return s.slots.reserve(n, limit, row), nil
}

// used returns how many elements of memory are in use.
func (s *store[T]) used() int64 {
	used := int64(len(s.blocks.value))
	for _, piece := range s.pieces {
		used += int64(len(piece))
	}
	return used
}
