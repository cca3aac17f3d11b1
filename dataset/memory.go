package dataset

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// memory is a piece of memory that is not on the heap. It is for large things that live only while a file is read: the collector would let
// them lie, and beside them what they were copied to, until the heap has
// doubled.
type memory struct {
	words   []uint64
	used    int             // words that an arena has dealt out
	heap    bool            // it is on the heap after all
	shares  atomic.Int32    // it is given back when all were freed
	cleanup runtime.Cleanup // of what an error leaves behind
}

// newMemory returns n words, zero at first.
func newMemory(n int) *memory {
	m := &memory{words: allocate(n)}
	m.shares.Store(1)
	m.cleanup = runtime.AddCleanup(m, release, m.words)
	return m
}

// pairs returns the memory as two halves: a column and a value for every word.
func (m *memory) pairs() (index []uint32, value []float32) {
	n := len(m.words)
	all := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(m.words))), 2*n)
	return all[:n:n], asNumbers(all[n:])
}

// free gives up a share; nothing of it may be touched again. A nil memory has
// nothing to give.
func (m *memory) free() {
	if m != nil && !m.heap && m.shares.Add(-1) == 0 {
		m.cleanup.Stop()
		release(m.words)
		m.words = nil
	}
}

// An arena deals out memory to chunks of which is not known beforehand how much
// they will need: each is lent more than enough, and what it does not keep goes
// to the next. Large pages make that cheap where the system has them.
type arena struct {
	slabs chan *memory // that are not lent
}

// slabWords is four megabytes: two large pages of the usual size.
const slabWords = 4 << 20 / 8

func newArena(workers int) *arena { return &arena{make(chan *memory, workers)} }

// lend returns memory with at least n words behind those used.
func (a *arena) lend(n int) *memory {
	var m *memory
	select {
	case m = <-a.slabs:
		if len(m.words)-m.used >= n {
			return m
		}
		m.free()
	default:
	}
	if n < slabWords/16 { // a small file, or the end of a large one
		return &memory{words: make([]uint64, n), heap: true}
	}
	return newMemory(max(n, slabWords))
}

// keep ends a loan. If some words are kept, the memory is to be freed once more.
func (a *arena) keep(m *memory, words int) {
	if m == nil || m.heap {
		return
	}
	if m.used += words; words > 0 {
		m.shares.Add(1)
	}
	select {
	case a.slabs <- m:
	default:
		m.free()
	}
}

// close gives back what is not kept.
func (a *arena) close() {
	for {
		select {
		case m := <-a.slabs:
			m.free()
		default:
			return
		}
	}
}

// large returns n zeros on the heap, in large pages if there are many.
func large[T uint32 | float32](n int) []T {
	s := make([]T, n)
	largeHeapPages(s)
	return s
}
