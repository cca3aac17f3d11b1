// Package memory is memory outside the heap, views of numbers as
// bytes, and mapped files, each with a file for every kind of system. It imports parallel,
// for faults of mapped files. Begin with [Block] and [Map].
package memory

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Block is a piece of memory that is not on the heap. It is for large things that live only while a file is read: the collector would let
// them lie, and beside them what they were copied to, until the heap has
// doubled.
type Block struct {
	Words   []uint64
	Used    int             // words that an arena has dealt out
	heap    bool            // it is on the heap after all
	shares  atomic.Int32    // it is given back when all were freed
	cleanup runtime.Cleanup // of what an error leaves behind
}

// New returns n words, zero at first.
func New(n int) *Block {
	m := &Block{Words: allocate(n)}
	m.shares.Store(1)
	m.cleanup = runtime.AddCleanup(m, release, m.Words)
	return m
}

// Pairs returns the memory as two halves: a column and a value for every word.
func (m *Block) Pairs() (index []uint32, value []float32) {
	n := len(m.Words)
	all := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(m.Words))), 2*n)
	return all[:n:n], AsFloats(all[n:])
}

// Free gives up a share; nothing of it may be touched again. A nil memory has
// nothing to give.
func (m *Block) Free() {
	if m != nil && !m.heap && m.shares.Add(-1) == 0 {
		m.cleanup.Stop()
		release(m.Words)
		m.Words = nil
	}
}

// An Arena deals out memory to chunks of which is not known beforehand how much
// they will need: each is lent more than enough, and what it does not keep goes
// to the next. Large pages make that cheap where the system has them.
type Arena struct {
	slabs chan *Block // that are not lent
}

// slabWords is four megabytes: two large pages of the usual size.
const slabWords = 4 << 20 / 8

func NewArena(workers int) *Arena { return &Arena{make(chan *Block, workers)} }

// Lend returns memory with at least n words behind those used.
func (a *Arena) Lend(n int) *Block {
	var m *Block
	select {
	case m = <-a.slabs:
		if len(m.Words)-m.Used >= n {
			return m
		}
		m.Free()
	default:
	}
	if n < slabWords/16 { // a small file, or the end of a large one
		return &Block{Words: make([]uint64, n), heap: true}
	}
	return New(max(n, slabWords))
}

// Keep ends a loan. If some words are kept, the memory is to be freed once more.
func (a *Arena) Keep(m *Block, words int) {
	if m == nil || m.heap {
		return
	}
	if m.Used += words; words > 0 {
		m.shares.Add(1)
	}
	select {
	case a.slabs <- m:
	default:
		m.Free()
	}
}

// Close gives back what is not kept.
func (a *Arena) Close() {
	for {
		select {
		case m := <-a.slabs:
			m.Free()
		default:
			return
		}
	}
}

// Large returns n zeros on the heap, in large pages if there are many.
func Large[T uint32 | float32](n int) []T {
	s := make([]T, n)
	LargeHeapPages(s)
	return s
}
