//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package memory

import (
	"syscall"
	"unsafe"
)

// allocate returns zeroed memory from the system, or from the heap if the
// system has none to map.
func allocate(n int) []uint64 {
	if n == 0 {
		return nil
	}
	b, err := syscall.Mmap(-1, 0, 8*n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]uint64, n)
	}
	largePages(b)
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// release leaves alone what is on the heap: Munmap knows what was mapped.
func release(words []uint64) {
	_ = syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words)))
}
