package dataset

import "runtime"

// memory is a piece of memory that is not on the heap. It is for large things
// that live only while a file is read: the collector would let them lie, and
// beside them what they were copied to, until the heap has doubled.
type memory struct {
	words   []uint64
	cleanup runtime.Cleanup // of what an error leaves behind
}

// newMemory returns n words, zero at first.
func newMemory(n int) *memory {
	m := &memory{words: allocate(n)}
	m.cleanup = runtime.AddCleanup(m, release, m.words)
	return m
}

// free gives the memory back; nothing in it may be touched again. A nil memory
// has nothing to give.
func (m *memory) free() {
	if m != nil {
		m.cleanup.Stop()
		release(m.words)
		m.words = nil
	}
}
