package gram

import (
	"cmp"
	"fmt"
)

// An lru gives places to rows: a row that has none takes the place of the one
// that was used least recently.
type lru struct {
	place, owner []int32 // of each row, or -1; of each place, or -1
	prev, next   []int32 // a ring of the places and, last, of its begin
	places, miss []int   // of the last use
}

// newLRU makes places for at most so many of n rows.
func newLRU(n, places int) lru {
	places = min(n, places)
	l := lru{place: make([]int32, n), owner: make([]int32, places), prev: make([]int32, places+1), next: make([]int32, places+1)}
	for i := range l.place {
		l.place[i] = -1
	}
	for p := range l.prev {
		l.prev[p], l.next[p] = int32(p-1), int32(p+1)
	}
	for p := range l.owner {
		l.owner[p] = -1
	}
	l.prev[0], l.next[places] = int32(places), 0
	return l
}

// find returns the places of rows, -1 where there is none, and the numbers k of
// these rows. Both are valid until the next call.
func (l *lru) find(rows []int) (places, missing []int) {
	l.places, l.miss = l.places[:0], l.miss[:0]
	for k, i := range rows {
		p := l.place[i]
		l.places = append(l.places, int(p))
		if p < 0 {
			l.miss = append(l.miss, k)
		} else {
			l.touch(p)
		}
	}
	return l.places, l.miss
}

// use is find, but gives places to the rows that have none.
func (l *lru) use(rows []int) (places, missing []int) {
	if len(rows) > len(l.owner) {
		panic(fmt.Sprintf("kernel: %d rows at once, expected at most %d", len(rows), len(l.owner)))
	}
	places, missing = l.find(rows)
	first := missing[:0]
	for _, k := range missing {
		if l.place[rows[k]] < 0 {
			l.take(rows[k])
			first = append(first, k) // not a second time
		}
		places[k] = int(l.place[rows[k]])
	}
	l.miss = first
	return places, first
}

// take gives row i the place of the row used least recently.
func (l *lru) take(i int) {
	p := l.prev[len(l.owner)]
	if before := l.owner[p]; before >= 0 {
		l.place[before] = -1
	}
	l.owner[p], l.place[i] = int32(i), p
	l.touch(p)
}

// forget takes their places from rows with the given numbers.
func (l *lru) forget(rows, numbers []int) {
	for _, k := range numbers {
		if p := l.place[rows[k]]; p >= 0 {
			l.place[rows[k]], l.owner[p] = -1, -1
		}
	}
}

// touch makes p the place used most recently.
func (l *lru) touch(p int32) {
	l.next[l.prev[p]], l.prev[l.next[p]] = l.next[p], l.prev[p]
	begin := int32(len(l.owner))
	l.prev[p], l.next[p] = begin, l.next[begin]
	l.prev[l.next[begin]], l.next[begin] = p, p
}

// limit is how many bytes may be kept of the rows here and in the parts.
func (g *Gram) limit() int64 { return cmp.Or(g.options.Cache, DefaultCache) }

// reserve finds places for as many rows as the cache holds.
func (g *Gram) reserve() error {
	var err error
	if limit := g.limit() - g.lent; g.single != nil {
		g.kept, err = g.single.reserve(limit, 4)
	} else {
		g.kept, err = g.double.reserve(limit, 8)
	}
	return err
}

// pieceBytes is about how much memory for rows is made at a time: what is never
// used takes none, nor makes the collector wait until as much is garbage.
const pieceBytes = 16 << 20

// reserve finds places for rows in elements of so many bytes. An eighth of the
// limit may go to the set in blocks.
func (s *store[T]) reserve(limit, bytes int64) (lru, error) {
	n, row := len(s.set.norm), int64(s.stride)*bytes
	if limit < 2*row && n > 1 {
		return lru{}, fmt.Errorf("cache=%d: expected at least %d bytes, two rows of %d values", limit, 2*row, n)
	}
	size, few := s.standingSize()
	inBlocks := int64(size) * bytes
	if s.stands.wanted = few && inBlocks <= limit/8 && limit-inBlocks >= 2*row; s.stands.wanted {
		limit -= inBlocks
	}
	s.places = int(min(int64(n), max(1, limit/row)))
	s.per = min(s.places, int(max(1, pieceBytes/row)))
	s.pieces = make([][]T, (s.places+s.per-1)/s.per)
	return newLRU(n, s.places), nil
}

// used returns how many elements of memory are in use.
func (s *store[T]) used() int64 {
	used := int64(len(s.stands.value))
	for _, piece := range s.pieces {
		used += int64(len(piece))
	}
	return used
}

// lend returns how many bytes a part of the matrix, of n rows, may keep: what is
// not in use here, and a quarter of the limit at least, which is not used here
// from the first part on.
func (g *Gram) lend(n int) int64 {
	used, row := func() int64 { return 8 * g.double.used() }, int64(g.double.stride)*8
	if g.single != nil {
		used, row = func() int64 { return 4 * g.single.used() }, int64(g.single.stride)*4
	}
	if g.lent == 0 {
		if g.lent = max(0, min(g.limit()/4, g.limit()-2*row)); g.lent > 0 {
			_ = g.reserve() // there is room for two rows: no error
		}
	}
	return max(g.limit()-used(), 2*8*int64(rowStride(n)))
}

// Capacity returns how many rows can be had at once.
func (g *Gram) Capacity() int { return len(g.kept.owner) }
