package kernel

import "fmt"

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

// touch makes p the place used most recently.
func (l *lru) touch(p int32) {
	l.next[l.prev[p]], l.prev[l.next[p]] = l.next[p], l.prev[p]
	begin := int32(len(l.owner))
	l.prev[p], l.next[p] = begin, l.next[begin]
	l.prev[l.next[begin]], l.next[begin] = p, p
}

// reserve makes room for as many rows as the cache holds.
func (g *Gram) reserve() error {
	limit := g.options.Cache
	if limit == 0 {
		limit = DefaultCache
	}
	var err error
	if g.single != nil {
		g.kept, err = g.single.reserve(limit, 4)
	} else {
		g.kept, err = g.double.reserve(limit, 8)
	}
	return err
}

// reserve says how many rows in elements of so many bytes there is room for. An
// eighth of it may go to the set in blocks.
func (s *store[T]) reserve(limit, bytes int64) (lru, error) {
	n, row := len(s.set.norm), int64(s.stride)*bytes
	if limit < 2*row && n > 1 {
		return lru{}, fmt.Errorf("cache=%d: expected at least %d bytes, two rows of %d values", limit, 2*row, n)
	}
	size, few := s.standingSize()
	if size := int64(size) * bytes; few && size <= limit/8 && limit-size >= 2*row {
		s.stands.wanted = true
		limit -= size
	}
	s.places = int(min(int64(n), max(1, limit/row)))
	return newLRU(n, s.places), nil
}

// Capacity returns how many rows can be had at once.
func (g *Gram) Capacity() int { return len(g.kept.owner) }
