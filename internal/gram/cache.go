package gram

import (
	"fmt"
)

// An lru gives slots to rows: a row that has none takes the slot of the one
// that was used least recently.
type lru struct {
	slot, owner []int32 // of each row, its slot, or -1; of each slot, its row, or -1
	prev, next  []int32 // the slots as a ring, which begins and ends at the last element
	found, miss []int   // of the last use
}

// newLRU makes slots for at most so many of n rows.
func newLRU(n, slots int) lru {
	slots = min(n, slots)
	l := lru{slot: make([]int32, n), owner: make([]int32, slots), prev: make([]int32, slots+1), next: make([]int32, slots+1)}
	for i := range l.slot {
		l.slot[i] = -1
	}
	for p := range l.prev {
		l.prev[p], l.next[p] = int32(p-1), int32(p+1)
	}
	for p := range l.owner {
		l.owner[p] = -1
	}
	l.prev[0], l.next[slots] = int32(slots), 0
	return l
}

// find returns the slots of rows, -1 where there is none, and the numbers k of
// these rows. Both are valid until the next call.
func (l *lru) find(rows []int) (slots, missing []int) {
	l.found, l.miss = l.found[:0], l.miss[:0]
	for k, i := range rows {
		p := l.slot[i]
		l.found = append(l.found, int(p))
		if p < 0 {
			l.miss = append(l.miss, k)
		} else {
			l.touch(p)
		}
	}
	return l.found, l.miss
}

// use is find, but gives slots to the rows that have none.
func (l *lru) use(rows []int) (slots, missing []int) {
	if len(rows) > len(l.owner) {
		panic(fmt.Sprintf("kernel: %d rows at once, expected at most %d", len(rows), len(l.owner)))
	}
	slots, missing = l.find(rows)
	first := missing[:0]
	for _, k := range missing {
		if l.slot[rows[k]] < 0 {
			l.take(rows[k])
			first = append(first, k) // not a second time
		}
		slots[k] = int(l.slot[rows[k]])
	}
	l.miss = first
	return slots, first
}

// take gives row i the slot of the row used least recently.
func (l *lru) take(i int) {
	p := l.prev[len(l.owner)]
	if before := l.owner[p]; before >= 0 {
		l.slot[before] = -1
	}
	l.owner[p], l.slot[i] = int32(i), p
	l.touch(p)
}

// forget takes their slots from rows with the given numbers.
func (l *lru) forget(rows, numbers []int) {
	for _, k := range numbers {
		if p := l.slot[rows[k]]; p >= 0 {
			l.slot[rows[k]], l.owner[p] = -1, -1
		}
	}
}

// touch makes p the slot used most recently.
func (l *lru) touch(p int32) {
	l.next[l.prev[p]], l.prev[l.next[p]] = l.next[p], l.prev[p]
	begin := int32(len(l.owner))
	l.prev[p], l.next[p] = begin, l.next[begin]
	l.prev[l.next[begin]], l.next[begin] = p, p
}

// pieceBytes is about how much memory for rows is made at a time: what is never
// used takes none, nor makes the collector wait until as much is garbage.
const pieceBytes = 16 << 20

// slots are the memory of rows that are kept, all of the same length.
type slots[T float32 | float64] struct {
	pieces [][]T // of per rows each; nil where none was used yet
	per    int
	count  int // of slots in all pieces
	stride int // elements of a row and what it is padded with
}

// reserve has as many slots as rows of so many bytes fit into a limit, n at most.
func (s *slots[T]) reserve(n int, limit, row int64) lru {
	s.count = int(min(int64(n), max(1, limit/row)))
	s.per = min(s.count, int(max(1, pieceBytes/row)))
	s.pieces = make([][]T, (s.count+s.per-1)/s.per)
	return newLRU(n, s.count)
}

// row returns the memory of a slot.
func (s *slots[T]) row(slot int) []T {
	return s.pieces[slot/s.per][slot%s.per*s.stride:][:s.stride]
}

// open makes the memory of a slot, if there is none yet.
func (s *slots[T]) open(slot int) {
	if piece := &s.pieces[slot/s.per]; *piece == nil {
		*piece = inHugePages(make([]T, min(s.per, s.count-slot/s.per*s.per)*s.stride))
	}
}
