package memory

import (
	"syscall"
	"unsafe"
)

// The usual sizes of pages and of large ones.
const usualPage, largePage = 4 << 10, 2 << 20

// largePages asks for large pages under b: one fault instead of 512, and no
// table to walk through. It is a wish; no error matters.
func largePages(b []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := int(-start & (largePage - 1))
	if n := (len(b) - skip) &^ (largePage - 1); n > 0 {
		_ = syscall.Madvise(b[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}

// LargeHeapPages is largePages for numbers on the heap, which the runtime maps in
// Large pages as a whole: those that begin before or end behind count too.
func LargeHeapPages[T uint32 | uint64 | float32](s []T) {
	if len(s) == 0 {
		return
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	end := start + uintptr(len(s))*unsafe.Sizeof(s[0])
	start, end = start&^(largePage-1), (end+largePage-1)&^(largePage-1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_HUGEPAGE)
}

const populateWrite = 23 // MADV_POPULATE_WRITE, since Linux 5.14

// Populate has the pages of s mapped all at once, which is cheaper than a fault
// for each. Where pages are larger than usual it may do nothing.
func Populate[T uint32 | float32](s []T) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := int(-start & (usualPage - 1))
	if n := (len(b) - skip) &^ (usualPage - 1); n > 0 {
		_ = syscall.Madvise(b[skip:skip+n], populateWrite)
	}
}
